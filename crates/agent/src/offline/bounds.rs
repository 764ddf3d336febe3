//! How far the words around a number let its value range: `about 40`, `more than 100`, `up to 3`.
//!
//! Owns the words of rounding and of bounds, in several languages. It must not know units or what is measured.

/// The range that the words around a number allow.
pub(crate) fn bounds(chars: &[char], start: usize, end: &mut usize, value: f64, half: f64) -> (f64, f64) {
    let window: String = chars[start.saturating_sub(24)..start].iter().collect::<String>().to_lowercase();
    let window = window.trim_end();
    let ends = |list: &[&str]| list.iter().any(|word| window.ends_with(word));
    let follows = |list: &[&str]| {
        let rest: String = chars[*end..chars.len().min(*end + 4)].iter().collect();
        list.iter().find(|word| rest.trim_start().starts_with(**word)).is_some()
    };
    // "verfügt über 40 Betten" has 40 of them, and what "extends over 40 hectares" is no larger.
    let spreads = ["verfüg", "erstreck", "extend", "spread", "stretch", "runs over", "span"];
    let disposes =
        (window.ends_with("über") || window.ends_with(" over")) && spreads.iter().any(|verb| window.contains(verb));
    if follows(&["이상", "초과", "以上", "超"]) || (ends(AT_LEAST) && !disposes) {
        return (value, f64::INFINITY);
    }
    if follows(&["이하", "미만", "以下", "未満"]) || ends(AT_MOST) {
        return (f64::NEG_INFINITY, value);
    }
    let size = value.abs();
    if ends(&[
        "nearly",
        "almost",
        "close to",
        "fast",
        "knapp",
        "presque",
        "casi",
        "quasi",
        "quase",
        "bijna",
        "prawie",
        "neredeyse",
        "почти",
        "거의",
        "近",
        "ほぼ",
    ]) {
        return (value - size * 0.1, value + half);
    }
    if ends(ABOUT) {
        // "About 40" is rounded to its last digit that is not zero, but never by more than a tenth.
        let rounded = (half.max(last_place(size) / 2.0)).min(size * 0.1).max(size * 0.05).max(half);
        return (value - rounded, value + rounded);
    }
    (value - half, value + half)
}

/// What the last digit of a value counts that is not zero.
fn last_place(size: f64) -> f64 {
    let mut place = 1.0;
    while place < 1e12 && size >= place * 10.0 && (size / (place * 10.0)).fract() == 0.0 {
        place *= 10.0;
    }
    place
}

const AT_LEAST: &[&str] = &[
    "more than",
    " over",
    "at least",
    "exceeding",
    "above",
    "mehr als",
    "mindestens",
    "über",
    "plus de",
    "au moins",
    "más de",
    "al menos",
    "более",
    "свыше",
    "больше",
    "не менее",
    "أكثر من",
    "no fewer than",
    "no less than",
    "超过",
    "至少",
];
const AT_MOST: &[&str] = &[
    "less than",
    "fewer than",
    "under",
    "up to",
    "below",
    "at most",
    "weniger als",
    "bis zu",
    "höchstens",
    "moins de",
    "au plus",
    "menos de",
    "hasta",
    "no more than",
    "менее",
    "меньше",
    "до",
    "أقل من",
    "不到",
    "最多",
];
const ABOUT: &[&str] = &[
    "about",
    "around",
    "approximately",
    "approx.",
    "roughly",
    "some",
    "circa",
    "ca.",
    "rund",
    "etwa",
    "ungefähr",
    "environ",
    "quelque",
    "près de",
    "unos",
    "unas",
    "cerca de",
    "alrededor de",
    "aproximadamente",
    "около",
    "примерно",
    "порядка",
    "حوالي",
    "نحو",
    "or so",
    "an estimated",
    "대략",
    "およそ",
    "약",
    "約",
    "约",
    "大约",
    "~",
];
