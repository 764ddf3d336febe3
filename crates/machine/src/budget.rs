//! What a run may use, and what it has used (BY-08): tokens, money, time of agents. Arithmetic and words; whether a run
//! may go on is decided where work is handed out.

use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use crate::run::Run;

/// A part in a hundred of a budget is too little to begin with: it counts as used up.
const LEAST_SHARE: u64 = 100;
const MICRO: u64 = 1_000_000;

/// What a run may use in all; nothing stands for as much as it wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens in and out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
    /// Seconds that its agents worked, added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// What was used, or is set aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Tokens in and out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Millionths of a US dollar, as far as the price is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub micro_dollars: u64,
    /// Seconds of agents.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seconds: u64,
}

/// What an attempt used, as its agent says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metered {
    /// Tokens in and out.
    pub tokens: u64,
    /// Millionths of a US dollar; nothing if nobody knows the price.
    pub micro_dollars: Option<u64>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Tokens in and out.
    Tokens,
    /// Millionths of a US dollar.
    Money,
    /// Seconds of agents.
    Time,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Money, Self::Time];

    /// An amount in words: `200,000 tokens`, `$1.50`, `30 min`.
    pub fn in_words(self, amount: u64) -> String {
        match self {
            Self::Tokens => format!("{} tokens", grouped(amount)),
            Self::Money => {
                let (whole, part) = (amount / MICRO, format!("{:06}", amount % MICRO));
                let part = part.trim_end_matches('0');
                format!("${}.{part:0<2}", grouped(whole))
            }
            Self::Time if amount.is_multiple_of(60) && amount > 0 => format!("{} min", grouped(amount / 60)),
            Self::Time => format!("{} s", grouped(amount)),
        }
    }

    /// An amount as people write it, in this measure or, with a unit, in any: `200000`, `200k`, `2M`, `$1.50`, `90s`,
    /// `30m`, `2h`. A bare number of money is dollars, one of time is minutes.
    pub fn read(self, text: &str) -> Option<(Self, u64)> {
        let text: String = text.chars().filter(|letter| !matches!(letter, ',' | '_' | ' ' | '\u{a0}')).collect();
        if let Some(dollars) = text.strip_prefix('$').or_else(|| text.strip_suffix("USD")) {
            return Some((Self::Money, decimal(dollars, MICRO)?));
        }
        let units = [
            ("tokens", Self::Tokens, 1),
            ("k", Self::Tokens, 1000),
            ("M", Self::Tokens, MICRO),
            ("min", Self::Time, 60),
            ("s", Self::Time, 1),
            ("m", Self::Time, 60),
            ("h", Self::Time, 3600),
        ];
        for (unit, measure, factor) in units {
            if let Some(number) = text.strip_suffix(unit) {
                return Some((measure, decimal(number, factor)?));
            }
        }
        let factor = match self {
            Self::Tokens => 1,
            Self::Money => MICRO,
            Self::Time => 60,
        };
        Some((self, decimal(&text, factor)?))
    }
}

/// A number with a point, times a factor, nothing after that; none for what is no number, or too large.
fn decimal(text: &str, factor: u64) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
        return None;
    }
    let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
    let part: u64 = if part.is_empty() { 0 } else { part.parse().ok()? };
    whole.parse::<u64>().ok()?.checked_mul(factor)?.checked_add(part.checked_mul(factor)? / scale)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

impl Budget {
    /// Whether it bounds nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The bound of a measure.
    pub fn of(&self, measure: Measure) -> Option<u64> {
        match measure {
            Measure::Tokens => self.tokens,
            Measure::Money => self.micro_dollars,
            Measure::Time => self.seconds,
        }
    }

    /// What may be set aside of what is left; else, which measure does not allow it.
    pub(crate) fn reservation(&self, left: impl Fn(Measure) -> Option<u64>, most: &Used) -> Result<Used, Measure> {
        let mut reserved = Used::default();
        for measure in Measure::ALL {
            let (Some(bound), Some(left)) = (self.of(measure), left(measure)) else { continue };
            if left < (bound / LEAST_SHARE).max(1) {
                return Err(measure);
            }
            reserved.set(measure, left.min(most.of(measure)));
        }
        Ok(reserved)
    }

    /// The same with another bound.
    pub fn with(mut self, measure: Measure, bound: u64) -> Self {
        match measure {
            Measure::Tokens => self.tokens = Some(bound),
            Measure::Money => self.micro_dollars = Some(bound),
            Measure::Time => self.seconds = Some(bound),
        }
        self
    }
}

impl Used {
    /// Whether it is nothing at all.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// How much of a measure.
    pub fn of(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Tokens => self.tokens,
            Measure::Money => self.micro_dollars,
            Measure::Time => self.seconds,
        }
    }

    pub(crate) fn set(&mut self, measure: Measure, amount: u64) {
        match measure {
            Measure::Tokens => self.tokens = amount,
            Measure::Money => self.micro_dollars = amount,
            Measure::Time => self.seconds = amount,
        }
    }

    /// Which share was used up that a budget had made smaller than an attempt's usual one. Of money nobody is told a share.
    pub(crate) fn cut_short(&self, share: &Self, usual: &Self) -> Option<Measure> {
        let is_cut = |measure: &Measure| {
            let share = share.of(*measure);
            share > 0 && share < usual.of(*measure) && self.of(*measure) >= share
        };
        [Measure::Tokens, Measure::Time].into_iter().find(is_cut)
    }

    /// Adds what else was used.
    pub fn add(&mut self, more: &Self) {
        for measure in Measure::ALL {
            self.set(measure, self.of(measure).saturating_add(more.of(measure)));
        }
    }
}

impl Run {
    /// What is left of a measure beside what is used and what is set aside for those at work; nothing if it has no bound.
    pub fn left(&self, measure: Measure) -> Option<u64> {
        let bound = self.budget.of(measure)?;
        let set_aside = self.attempts.values().map(|attempt| attempt.reserved.of(measure));
        let gone = set_aside.fold(self.used.of(measure), u64::saturating_add);
        Some(bound.saturating_sub(gone))
    }

    /// What may be set aside for an attempt that would use this much at most; else, which measure does not allow it.
    pub(crate) fn reservation(&self, most: &Used) -> Result<Used, Measure> {
        self.budget.reservation(|measure| self.left(measure), most)
    }

    /// What a person is asked when the budget is used up.
    pub fn budget_question(&self) -> Option<String> {
        let measure = self.exhausted?;
        let bound = measure.in_words(self.budget.of(measure).unwrap_or_default());
        let used = measure.in_words(self.used.of(measure));
        let unit = match measure {
            Measure::Tokens => "a number of tokens",
            Measure::Money => "a number of dollars",
            Measure::Time => "a number of minutes",
        };
        Some(format!("the budget of {bound} is used up: {used} used; answer with {unit} to raise it, or cancel"))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
