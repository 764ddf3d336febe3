//! Characters that are written as names or numbers. The names are those in use; another stays as it is written.

use std::borrow::Cow;

/// No name or number is longer.
const LONGEST: usize = 12;

/// Text with its characters in place.
pub(crate) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match character(rest) {
            Some((character, length)) => {
                decoded.push(character);
                rest = &rest[length..];
            }
            None => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    decoded.into()
}

/// The character that is meant, and how much of the text means it, the semicolon too. A few old names need none.
fn character(rest: &str) -> Option<(char, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = rest.bytes().take(LONGEST).take_while(is_part).count();
    let word = &rest[..length];
    if rest[length..].starts_with(';') {
        return meant(word).map(|character| (character, length + 1));
    }
    let old = ["amp", "lt", "gt", "quot", "nbsp", "copy", "reg"].into_iter().find(|old| word == *old);
    let number = || word.strip_prefix('#').and_then(|_| meant(word));
    old.and_then(meant).or_else(number).map(|character| (character, length))
}

fn meant(word: &str) -> Option<char> {
    if let Some(number) = word.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return Some(numbered(code.ok()?));
    }
    let at = NAMED.binary_search_by_key(&word, |(name, _)| name).ok()?;
    char::from_u32(NAMED[at].1)
}

/// Numbers from 128 to 159 are meant in another alphabet, as every browser reads them.
fn numbered(code: u32) -> char {
    let code = match code {
        0 => return char::REPLACEMENT_CHARACTER,
        0x80..=0x9f => WINDOWS[(code - 0x80) as usize],
        _ => code,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

const WINDOWS: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
];

#[rustfmt::skip]
const NAMED: [(&str, u32); 276] = [
    ("AElig", 0xc6), ("Aacute", 0xc1), ("Acirc", 0xc2), ("Agrave", 0xc0), ("Alpha", 0x391), ("Aring", 0xc5),
    ("Atilde", 0xc3), ("Auml", 0xc4), ("Beta", 0x392), ("Ccedil", 0xc7), ("Chi", 0x3a7), ("Dagger", 0x2021),
    ("Delta", 0x394), ("ETH", 0xd0), ("Eacute", 0xc9), ("Ecirc", 0xca), ("Egrave", 0xc8), ("Epsilon", 0x395),
    ("Eta", 0x397), ("Euml", 0xcb), ("Gamma", 0x393), ("Iacute", 0xcd), ("Icirc", 0xce), ("Igrave", 0xcc),
    ("Iota", 0x399), ("Iuml", 0xcf), ("Kappa", 0x39a), ("Lambda", 0x39b), ("Mu", 0x39c), ("NewLine", 0xa),
    ("Ntilde", 0xd1), ("Nu", 0x39d), ("OElig", 0x152), ("Oacute", 0xd3), ("Ocirc", 0xd4), ("Ograve", 0xd2),
    ("Omega", 0x3a9), ("Omicron", 0x39f), ("Oslash", 0xd8), ("Otilde", 0xd5), ("Ouml", 0xd6), ("Phi", 0x3a6),
    ("Pi", 0x3a0), ("Prime", 0x2033), ("Psi", 0x3a8), ("Rho", 0x3a1), ("Scaron", 0x160), ("Sigma", 0x3a3),
    ("THORN", 0xde), ("Tab", 0x9), ("Tau", 0x3a4), ("Theta", 0x398), ("Uacute", 0xda), ("Ucirc", 0xdb),
    ("Ugrave", 0xd9), ("Upsilon", 0x3a5), ("Uuml", 0xdc), ("Xi", 0x39e), ("Yacute", 0xdd), ("Yuml", 0x178),
    ("Zcaron", 0x17d), ("Zeta", 0x396), ("aacute", 0xe1), ("acirc", 0xe2), ("acute", 0xb4), ("aelig", 0xe6),
    ("agrave", 0xe0), ("alpha", 0x3b1), ("amp", 0x26), ("and", 0x2227), ("ang", 0x2220), ("apos", 0x27),
    ("aring", 0xe5), ("ast", 0x2a), ("asymp", 0x2248), ("atilde", 0xe3), ("auml", 0xe4), ("bdquo", 0x201e),
    ("beta", 0x3b2), ("brvbar", 0xa6), ("bsol", 0x5c), ("bull", 0x2022), ("cap", 0x2229), ("caret", 0x2041),
    ("ccedil", 0xe7), ("cedil", 0xb8), ("cent", 0xa2), ("check", 0x2713), ("chi", 0x3c7), ("circ", 0x2c6),
    ("clubs", 0x2663), ("colon", 0x3a), ("comma", 0x2c), ("commat", 0x40), ("cong", 0x2245), ("copy", 0xa9),
    ("cup", 0x222a), ("curren", 0xa4), ("dagger", 0x2020), ("darr", 0x2193), ("dash", 0x2010), ("deg", 0xb0),
    ("delta", 0x3b4), ("diams", 0x2666), ("divide", 0xf7), ("dollar", 0x24), ("eacute", 0xe9), ("ecirc", 0xea),
    ("egrave", 0xe8), ("empty", 0x2205), ("emsp", 0x2003), ("ensp", 0x2002), ("epsilon", 0x3b5), ("equals", 0x3d),
    ("equiv", 0x2261), ("eta", 0x3b7), ("eth", 0xf0), ("euml", 0xeb), ("euro", 0x20ac), ("excl", 0x21),
    ("exist", 0x2203), ("fnof", 0x192), ("forall", 0x2200), ("frac12", 0xbd), ("frac14", 0xbc), ("frac34", 0xbe),
    ("frasl", 0x2044), ("gamma", 0x3b3), ("ge", 0x2265), ("grave", 0x60), ("gt", 0x3e), ("hArr", 0x21d4),
    ("harr", 0x2194), ("hearts", 0x2665), ("hellip", 0x2026), ("horbar", 0x2015), ("hyphen", 0x2010), ("iacute", 0xed),
    ("icirc", 0xee), ("iexcl", 0xa1), ("igrave", 0xec), ("infin", 0x221e), ("int", 0x222b), ("iota", 0x3b9),
    ("iquest", 0xbf), ("isin", 0x2208), ("iuml", 0xef), ("kappa", 0x3ba), ("lArr", 0x21d0), ("lambda", 0x3bb),
    ("laquo", 0xab), ("larr", 0x2190), ("lbrace", 0x7b), ("lbrack", 0x5b), ("lcub", 0x7b), ("ldquo", 0x201c),
    ("le", 0x2264), ("lowast", 0x2217), ("lowbar", 0x5f), ("loz", 0x25ca), ("lpar", 0x28), ("lrm", 0x200e),
    ("lsaquo", 0x2039), ("lsqb", 0x5b), ("lsquo", 0x2018), ("lsquor", 0x201a), ("lt", 0x3c), ("macr", 0xaf),
    ("mdash", 0x2014), ("micro", 0xb5), ("middot", 0xb7), ("minus", 0x2212), ("mu", 0x3bc), ("nabla", 0x2207),
    ("nbsp", 0xa0), ("ndash", 0x2013), ("ne", 0x2260), ("ni", 0x220b), ("not", 0xac), ("notin", 0x2209),
    ("nsub", 0x2284), ("ntilde", 0xf1), ("nu", 0x3bd), ("num", 0x23), ("oacute", 0xf3), ("ocirc", 0xf4),
    ("oelig", 0x153), ("ograve", 0xf2), ("oline", 0x203e), ("omega", 0x3c9), ("omicron", 0x3bf), ("oplus", 0x2295),
    ("or", 0x2228), ("ordf", 0xaa), ("ordm", 0xba), ("oslash", 0xf8), ("otilde", 0xf5), ("otimes", 0x2297),
    ("ouml", 0xf6), ("para", 0xb6), ("part", 0x2202), ("percnt", 0x25), ("period", 0x2e), ("permil", 0x2030),
    ("perp", 0x22a5), ("phi", 0x3c6), ("pi", 0x3c0), ("plus", 0x2b), ("plusmn", 0xb1), ("pound", 0xa3),
    ("prime", 0x2032), ("prod", 0x220f), ("prop", 0x221d), ("psi", 0x3c8), ("quest", 0x3f), ("quot", 0x22),
    ("rArr", 0x21d2), ("radic", 0x221a), ("raquo", 0xbb), ("rarr", 0x2192), ("rbrace", 0x7d), ("rbrack", 0x5d),
    ("rcub", 0x7d), ("rdquo", 0x201d), ("reg", 0xae), ("rho", 0x3c1), ("rlm", 0x200f), ("rpar", 0x29),
    ("rsaquo", 0x203a), ("rsqb", 0x5d), ("rsquo", 0x2019), ("sbquo", 0x201a), ("scaron", 0x161), ("sdot", 0x22c5),
    ("sect", 0xa7), ("semi", 0x3b), ("shy", 0xad), ("sigma", 0x3c3), ("sigmaf", 0x3c2), ("sim", 0x223c), ("sol", 0x2f),
    ("spades", 0x2660), ("sub", 0x2282), ("sube", 0x2286), ("sum", 0x2211), ("sup", 0x2283), ("sup1", 0xb9),
    ("sup2", 0xb2), ("sup3", 0xb3), ("supe", 0x2287), ("szlig", 0xdf), ("tau", 0x3c4), ("there4", 0x2234),
    ("theta", 0x3b8), ("thinsp", 0x2009), ("thorn", 0xfe), ("tilde", 0x2dc), ("times", 0xd7), ("trade", 0x2122),
    ("uacute", 0xfa), ("uarr", 0x2191), ("ucirc", 0xfb), ("ugrave", 0xf9), ("uml", 0xa8), ("upsilon", 0x3c5),
    ("uuml", 0xfc), ("verbar", 0x7c), ("vert", 0x7c), ("xi", 0x3be), ("yacute", 0xfd), ("yen", 0xa5), ("yuml", 0xff),
    ("zcaron", 0x17e), ("zeta", 0x3b6), ("zwj", 0x200d), ("zwnj", 0x200c),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_characters() {
        assert!(NAMED.is_sorted(), "the names are searched");
        let check = |text: &str, expected: &str| assert_eq!(decoded(text), expected, "{text}");
        check("a &amp; b &lt;c&gt;", "a & b <c>");
        check("&eacute;&Eacute;&hellip;&mdash;&euro;", "éÉ…—€");
        check("&#233;&#xe9;&#XE9;&#x1F600;", "ééé😀");
        check("&#150;&#0;&#xD800;&#99999999;", "–\u{fffd}\u{fffd}\u{fffd}");
        check("&amp x &copy2024 &", "& x &copy2024 &");
        check("&unknown; &; &#; &#x; &eacute", "&unknown; &; &#; &#x; &eacute");
        check("&&amp;&é", "&&&é");
    }
}
