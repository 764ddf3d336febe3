//! The words that make a number a quantity: scales, currencies, units.
//!
//! Owns the lists. Different names of one unit get one name, and units of one kind one measure; currencies are never
//! converted.

/// What a scale word multiplies by.
pub(crate) fn scale(lower: &str) -> Option<f64> {
    Some(match lower.trim_end_matches('.') {
        "hundred" | "hundert" => 1e2,
        "thousand" | "thousands" | "tausend" | "tsd" | "mille" | "millier" | "milliers" | "mil" | "тыс" | "тысяч"
        | "тысячи" | "тысяча" | "ألف" | "آلاف" | "bin" | "tys" | "tysiąc" | "tysiące" | "tysięcy" => {
            1e3
        }
        "lakh" | "lakhs" => 1e5,
        "million" | "millions" | "mn" | "mio" | "mln" | "millionen" | "millones" | "millón" | "milioni" | "milione"
        | "milhões" | "milhão" | "млн" | "миллион" | "миллиона" | "миллионов" | "مليون" | "ملايين" | "milyon"
        | "milion" | "miliony" | "milionów" | "miliona" => 1e6,
        "crore" | "crores" => 1e7,
        "billion"
        | "billions"
        | "bn"
        | "mrd"
        | "milliarden"
        | "milliarde"
        | "milliards"
        | "milliard"
        | "miliardi"
        | "bilhões"
        | "млрд"
        | "миллиард"
        | "миллиарда"
        | "миллиардов"
        | "مليار"
        | "مليارات"
        | "milyar"
        | "miliard"
        | "miliardy"
        | "miliarda"
        | "miliardów" => 1e9,
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
        '₽' => "RUB",
        '₺' => "TRY",
        _ => return None,
    })
}

const CURRENCIES: [&str; 15] =
    ["TRY", "EUR", "USD", "GBP", "JPY", "KRW", "CNY", "INR", "CHF", "RUB", "SEK", "NOK", "DKK", "PLN", "AED"];

/// The one name of a unit, and what its number is multiplied by to be in that unit.
pub(crate) fn unit(lower: &str) -> Option<(&'static str, f64)> {
    money(lower).or_else(|| size(lower)).or_else(|| other(lower))
}

/// Whether a word is a unit of weight, length, area or space.
pub(crate) fn is_size(lower: &str) -> bool {
    size(lower).is_some()
}

/// A unit of length as one of area or of space: `square metres`, `cubic metres`.
pub(crate) fn raised(prefix: &str, lower: &str) -> Option<(&'static str, f64)> {
    let (name, factor) = size(lower)?;
    match (prefix, name) {
        ("square" | "sq" | "quadrat" | "vierkante" | "metrekare", "m") => Some(("m²", factor * factor)),
        (
            "carrés" | "carré" | "cuadrados" | "quadrati" | "quadrados" | "kwadratowych" | "مربع" | "רבוע" | "רבועים",
            "m",
        ) => Some(("m²", factor * factor)),
        ("cubic" | "cubes" | "cube" | "cúbicos" | "cubi" | "kubieke" | "sześciennych", "m") => {
            Some(("l", factor * factor * factor * 1e3))
        }
        _ => None,
    }
}

fn money(lower: &str) -> Option<(&'static str, f64)> {
    Some(match lower {
        "eur" | "euro" | "euros" | "€" | "евро" | "يورو" | "유로" | "ユーロ" | "欧元" => ("EUR", 1.0),
        "teur" | "keur" | "t€" | "k€" => ("EUR", 1e3),
        "meur" | "m€" => ("EUR", 1e6),
        "cent" | "céntimos" | "cêntimos" | "centesimi" | "eurocent" => ("EUR", 1e-2),
        "usd" | "dollar" | "dollars" | "us$" | "$" | "dólares" | "доллар" | "долларов" | "달러" | "ドル" | "美元"
        | "دولار" => ("USD", 1.0),
        "gbp" | "pound" | "pounds" | "£" => ("GBP", 1.0),
        "jpy" | "yen" | "円" | "엔" | "日元" => ("JPY", 1.0),
        "krw" | "won" | "원" | "ウォン" => ("KRW", 1.0),
        "cny" | "rmb" | "yuan" | "元" | "人民币" | "위안" => ("CNY", 1.0),
        "inr" | "rupee" | "rupees" | "रुपये" => ("INR", 1.0),
        "chf" | "franken" | "francs" => ("CHF", 1.0),
        "rub" | "руб" | "рубль" | "рублей" | "рубля" | "₽" => ("RUB", 1.0),
        "sek" => ("SEK", 1.0),
        "nok" => ("NOK", 1.0),
        "dkk" => ("DKK", 1.0),
        "pln" | "zloty" | "zł" | "złoty" | "złote" | "złotych" => ("PLN", 1.0),
        "try" | "tl" | "lira" | "₺" => ("TRY", 1.0),
        "aed" | "درهم" => ("AED", 1.0),
        _ => return None,
    })
}

fn size(lower: &str) -> Option<(&'static str, f64)> {
    Some(match lower {
        "mg" => ("kg", 1e-6),
        "g" | "gram" | "grams" | "gramm" | "грамм" => ("kg", 1e-3),
        "kg" | "kilogram" | "kilograms" | "kilo" | "kilos" | "kilogramm" | "kilogramów" | "kilogramy"
        | "kilogramos" | "quilos" | "chilogrammi" | "chili" | "kilogrammes" | "кг" | "килограмм" | "킬로그램"
        | "公斤" | "千克" | "キログラム" | "كيلوغرام" => ("kg", 1.0),
        "t" | "tons" | "tonne" | "tonnes" | "tonnen" | "tonelada" | "toneladas" | "tonnellata" | "tonnellate"
        | "tony" | "ton" | "tona" | "тонна" | "тонны" | "тонн" | "طن" | "أطنان" | "톤" | "トン" | "吨" | "公吨" => {
            ("kg", 1e3)
        }
        "kt" | "kilotonnes" => ("kg", 1e6),
        "lb" | "lbs" => ("kg", 0.453_592_37),
        "mm" | "мм" | "millimetre" | "millimetres" | "millimeter" | "millimeters" | "millimètres" | "milímetros"
        | "millimetri" => ("m", 1e-3),
        "cm" | "см" | "centimetre" | "centimetres" | "centimeter" | "centimeters" | "zentimeter" | "zentimetern"
        | "centimètre" | "centimètres" | "centímetro" | "centímetros" | "centimetri" | "centimetro" | "센티미터"
        | "センチ" | "厘米" => ("m", 1e-2),
        "m" | "metres" | "meter" | "meters" | "metern" | "mètre" | "mètres" | "metro" | "metros" | "metri"
        | "metre" | "м" | "метр" | "метра" | "метров" | "متر" | "미터" | "メートル" | "米" | "metrów" | "metry" => {
            ("m", 1.0)
        }
        "km"
        | "kilometre"
        | "kilometres"
        | "kilometer"
        | "kilometers"
        | "kilometern"
        | "kilomètre"
        | "kilomètres"
        | "kilómetro"
        | "kilómetros"
        | "км"
        | "километр"
        | "километра"
        | "километров"
        | "كيلومتر"
        | "كيلومترا"
        | "كم"
        | "킬로미터"
        | "キロメートル"
        | "公里"
        | "千米"
        | "kilometrów"
        | "kilometry" => ("m", 1e3),
        "ft" | "feet" | "foot" => ("m", 0.3048),
        "yd" => ("m", 0.9144),
        "acre" | "acres" => ("m²", 4_046.86),
        "ares" | "áreas" => ("m²", 100.0),
        "mile" | "miles" | "mi" => ("m", 1_609.344),
        "ha" | "hectare" | "hectares" | "hektar" | "hectárea" | "hectáreas" | "ettari" | "га" | "гектар"
        | "гектаров" | "hektarów" | "ettaro" | "هكتار" | "هكتارا" | "هكتارات" | "헥타르" | "ヘクタール" | "公顷" => {
            ("m²", 1e4)
        }
        "km²" | "㎢" | "km2" | "quadratkilometer" | "quadratkilometern" | "平方公里" | "제곱킬로미터" => {
            ("m²", 1e6)
        }
        "m²" | "㎡" | "m2" | "qm" | "quadratmeter" | "quadratmetern" | "sqm" | "平方米" | "제곱미터"
        | "平方メートル" => ("m²", 1.0),
        "ml" => ("l", 1e-3),
        "l" | "litre" | "litres" | "liter" | "liters" | "litern" | "litro" | "litros" | "litri" | "литр" | "литров"
        | "litrów" | "لتر" | "리터" | "リットル" | "升" => ("l", 1.0),
        "hl" | "hectolitre" | "hectolitres" | "hektoliter" | "hectolitro" | "hectolitros" | "ettolitri"
        | "ettolitro" | "hektolitrów" => ("l", 100.0),
        "m³" | "㎥" | "m3" | "kubikmeter" | "kubikmetern" | "立方米" | "立方メートル" | "세제곱미터" | "metreküp" => {
            ("l", 1e3)
        }
        _ => return None,
    })
}

fn other(lower: &str) -> Option<(&'static str, f64)> {
    Some(match lower {
        "%"
        | "percent"
        | "pct"
        | "procent"
        | "procenta"
        | "prozent"
        | "porcentaje"
        | "процент"
        | "процента"
        | "процентов"
        | "بالمئة"
        | "퍼센트"
        | "パーセント"
        | "प्रतिशत" => ("%", 1.0),
        "pp" => ("percentage points", 1.0),
        "kb" => ("byte", 1e3),
        "mb" => ("byte", 1e6),
        "gb" => ("byte", 1e9),
        "tb" => ("byte", 1e12),
        "kw" | "kilowatt" | "kilowatts" | "квт" | "킬로와트" | "千瓦" | "キロワット" => ("W", 1e3),
        "mw" | "megawatt" | "megawatts" | "мвт" | "메가와트" | "メガワット" | "兆瓦" => ("W", 1e6),
        "gw" | "gigawatt" | "gigawatts" | "гвт" => ("W", 1e9),
        "kwh" | "квтч" | "kilowattstunden" | "kilowattstunde" | "千瓦时" => ("Wh", 1e3),
        "mwh" | "мвтч" | "megawattstunden" | "兆瓦时" => ("Wh", 1e6),
        "gwh" | "гвтч" | "gigawattstunden" => ("Wh", 1e9),
        "twh" | "твтч" | "terawattstunden" => ("Wh", 1e12),
        "ms" => ("s", 1e-3),
        "second" | "seconds" | "sec" | "sekunden" | "secondes" | "segundos" | "секунд" | "초" | "秒" => {
            ("s", 1.0)
        }
        "minute" | "minutes" | "min" | "minuten" | "minutos" | "minuto" | "minuti" | "minuut" | "minut" | "minuta"
        | "minuty" | "минута" | "минуты" | "دقائق" | "分間" | "dakika" | "минут" | "دقيقة" | "분" | "分" | "分钟" => {
            ("s", 60.0)
        }
        "hour" | "hours" | "h" | "stunde" | "stunden" | "heure" | "heures" | "hora" | "horas" | "ora" | "ore"
        | "uur" | "uren" | "godzina" | "ساعات" | "saat" | "час" | "часа" | "часов" | "godzin" | "godziny" | "ساعة"
        | "시간" | "時間" | "小时" => ("s", 3600.0),
        "day" | "days" | "tag" | "tage" | "tagen" | "jour" | "jours" | "día" | "días" | "dia" | "dias" | "giorno"
        | "giorni" | "dag" | "dagen" | "أيام" | "日間" | "день" | "дня" | "дней" | "يوم" | "일" | "天" | "gün"
        | "dni" | "dnia" | "dzień" => ("s", 86_400.0),
        "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" | "settimana"
        | "settimane" | "weken" | "tydzień" | "tygodnie" | "tygodni" | "hafta" | "неделя" | "недели" | "недель"
        | "أسبوع" | "أسابيع" | "주" | "주간" | "週間" | "周" => ("s", 604_800.0),
        "month" | "months" | "monat" | "monate" | "monaten" | "mois" | "mes" | "meses" | "mese" | "mesi" | "mês"
        | "maand" | "maanden" | "miesiąc" | "miesiące" | "miesięcy" | "ay" | "месяц" | "месяца" | "месяцев" | "شهر"
        | "شهرا" | "أشهر" | "شهور" | "개월" | "か月" | "ヶ月" | "カ月" | "ヵ月" | "箇月" | "个月" => {
            ("month", 1.0)
        }
        "year" | "years" | "jahr" | "jahre" | "jahren" | "ans" | "année" | "années" | "año" | "años" | "anno"
        | "anni" | "ano" | "anos" | "jaar" | "jaren" | "lat" | "lata" | "лет" | "سنة" | "سنوات" | "年間" => {
            ("month", 12.0)
        }
        "°c" | "celsius" | "℃" => ("°C", 1.0),
        "°f" | "fahrenheit" => ("°F", 1.0),
        "bar" | "bars" => ("bar", 1.0),
        "mbar" | "hpa" => ("bar", 1e-3),
        "knots" | "knoten" | "nœuds" | "nudos" => ("knot", 1.0),
        _ => return None,
    })
}
