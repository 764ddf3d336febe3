//! The words that make a number a quantity: scales, currencies, units.
//!
//! Owns the lists. Different names of one unit get one name, and units of one kind one measure; currencies are never
//! converted.

/// What a scale word multiplies by.
pub(crate) fn scale(lower: &str) -> Option<f64> {
    Some(match lower.trim_end_matches('.') {
        "hundred" | "hundert" => 1e2,
        "thousand" | "thousands" | "tausend" | "tsd" | "mille" | "mil" => 1e3,
        "lakh" | "lakhs" => 1e5,
        "million" | "millions" | "mn" | "mio" | "mln" | "millionen" | "millones" | "millón" | "مليون" => 1e6,
        "crore" | "crores" => 1e7,
        "billion" | "billions" | "bn" | "mrd" | "milliarden" | "milliarde" | "milliards" | "milliard" | "مليار" => {
            1e9
        }
        "trillion" | "trillions" | "tn" | "billionen" => 1e12,
        _ => return None,
    })
}

/// Scales that touch the number: `5k`, `42억`.
pub(crate) fn attached_scale(c: char) -> Option<f64> {
    Some(match c {
        'k' | 'K' | '천' | '千' => 1e3,
        '백' | '百' => 1e2,
        'M' => 1e6,
        'B' => 1e9,
        '만' | '万' | '萬' => 1e4,
        '억' | '億' | '亿' => 1e8,
        '조' | '兆' => 1e12,
        _ => return None,
    })
}

pub(crate) fn is_currency(lower: &str) -> bool {
    unit(lower).is_some_and(|(name, _)| CURRENCIES.contains(&name))
}

pub(crate) fn currency_sign(c: char) -> Option<&'static str> {
    Some(match c {
        '€' => "EUR",
        '$' | '＄' => "USD",
        '£' => "GBP",
        '¥' | '￥' | '円' => "JPY",
        '₩' | '원' => "KRW",
        '元' => "CNY",
        '₹' => "INR",
        _ => return None,
    })
}

const CURRENCIES: [&str; 8] = ["EUR", "USD", "GBP", "JPY", "KRW", "CNY", "INR", "CHF"];

/// The one name of a unit, and what its number is multiplied by to be in that unit.
pub(crate) fn unit(lower: &str) -> Option<(&'static str, f64)> {
    Some(match lower {
        "eur" | "euro" | "euros" | "€" | "유로" | "ユーロ" | "欧元" => ("EUR", 1.0),
        "usd" | "dollar" | "dollars" | "us$" | "$" | "달러" | "ドル" | "美元" | "دولار" => ("USD", 1.0),
        "gbp" | "pound" | "pounds" | "£" => ("GBP", 1.0),
        "jpy" | "yen" | "円" | "엔" | "日元" => ("JPY", 1.0),
        "krw" | "won" | "원" | "ウォン" => ("KRW", 1.0),
        "cny" | "rmb" | "yuan" | "元" | "人民币" | "위안" => ("CNY", 1.0),
        "inr" | "rupee" | "rupees" | "रुपये" => ("INR", 1.0),
        "chf" | "franken" | "francs" => ("CHF", 1.0),
        "%" | "percent" | "pct" | "prozent" | "porcentaje" | "퍼센트" | "パーセント" | "प्रतिशत" => {
            ("%", 1.0)
        }
        "pp" => ("percentage points", 1.0),
        "mg" => ("kg", 1e-6),
        "g" | "gram" | "grams" => ("kg", 1e-3),
        "kg" | "kilogram" | "kilograms" | "kilo" | "킬로그램" => ("kg", 1.0),
        "t" | "tonne" | "tonnes" | "tonnen" | "톤" | "トン" | "吨" => ("kg", 1e3),
        "lb" | "lbs" => ("lb", 1.0),
        "mm" => ("m", 1e-3),
        "cm" => ("m", 1e-2),
        "m" | "metre" | "metres" | "meter" | "meters" | "미터" => ("m", 1.0),
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" | "킬로미터" => ("m", 1e3),
        "mile" | "miles" | "mi" => ("mile", 1.0),
        "ha" | "hectare" | "hectares" | "hektar" => ("ha", 1.0),
        "km²" | "km2" => ("km²", 1.0),
        "m²" | "m2" => ("m²", 1.0),
        "ml" => ("l", 1e-3),
        "l" | "litre" | "litres" | "liter" | "liters" => ("l", 1.0),
        "kb" => ("byte", 1e3),
        "mb" => ("byte", 1e6),
        "gb" => ("byte", 1e9),
        "tb" => ("byte", 1e12),
        "kw" => ("W", 1e3),
        "mw" => ("W", 1e6),
        "gw" => ("W", 1e9),
        "kwh" => ("Wh", 1e3),
        "mwh" => ("Wh", 1e6),
        "gwh" => ("Wh", 1e9),
        "twh" => ("Wh", 1e12),
        "ms" => ("s", 1e-3),
        "second" | "seconds" | "sec" | "sekunden" | "초" | "秒" => ("s", 1.0),
        "minute" | "minutes" | "min" | "minuten" | "분" | "分" => ("s", 60.0),
        "hour" | "hours" | "h" | "stunden" | "시간" | "時間" | "小时" => ("s", 3600.0),
        "day" | "days" | "tage" | "일" => ("day", 1.0),
        "week" | "weeks" | "wochen" => ("day", 7.0),
        "month" | "months" | "monate" | "개월" => ("month", 1.0),
        "year" | "years" | "jahre" => ("month", 12.0),
        "°c" | "celsius" => ("°C", 1.0),
        "°f" | "fahrenheit" => ("°F", 1.0),
        _ => return None,
    })
}
