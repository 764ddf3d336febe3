//! The language of a task file, and the words of a question in it (RM-08). A handful of languages; English is the rest.
//! Must not know where a question stands.

use syntax::markdown::fields;

/// A language that questions are asked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// And every language that is not known.
    English,
    /// Simplified.
    Chinese,
    /// Kana decide.
    Japanese,
    /// Hangul decides.
    Korean,
    /// Cyrillic decides.
    Russian,
    /// By its small words.
    German,
    /// By its small words.
    French,
    /// By its small words.
    Spanish,
}

/// The words around a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phrases {
    pub(crate) to_user: &'static str,
    pub(crate) explanation: &'static str,
    pub(crate) question: &'static str,
    pub(crate) response: &'static str,
    pub(crate) placeholder: &'static str,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::Chinese,
        Self::Japanese,
        Self::Korean,
        Self::Russian,
        Self::German,
        Self::French,
        Self::Spanish,
    ];

    /// The language that most of a text is in; code and front matter do not count.
    pub fn of(text: &str) -> Self {
        let (mut han, mut kana, mut hangul, mut cyrillic, mut latin) = (0_usize, 0_usize, 0_usize, 0_usize, 0_usize);
        let mut words = [0_usize; 4];
        for line in prose(text) {
            for letter in line.chars() {
                match letter {
                    '\u{3040}'..='\u{30FF}' => kana += 1,
                    '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' => han += 1,
                    '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' => hangul += 1,
                    '\u{0400}'..='\u{04FF}' => cyrillic += 1,
                    letter if letter.is_alphabetic() => latin += 1,
                    _ => {}
                }
            }
            for word in line.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()) {
                let word = word.to_lowercase();
                for (count, known) in words.iter_mut().zip(SMALL_WORDS) {
                    *count += usize::from(known.split_whitespace().any(|known| known == word));
                }
            }
        }
        // A sign of these scripts says as much as several letters.
        let dense = (han + kana) * 3 + hangul * 2;
        if dense > latin + cyrillic && dense > 0 {
            return match () {
                () if hangul >= han && hangul >= kana => Self::Korean,
                () if kana * 10 >= han => Self::Japanese,
                () => Self::Chinese,
            };
        }
        if cyrillic > latin {
            return Self::Russian;
        }
        let [english, german, french, spanish] = words;
        let most = english.max(german).max(french).max(spanish);
        match () {
            () if most == 0 || english == most => Self::English,
            () if german == most => Self::German,
            () if french == most => Self::French,
            () => Self::Spanish,
        }
    }

    pub(crate) fn phrases(self) -> Phrases {
        match self {
            Self::English => Phrases {
                to_user: "To User",
                explanation: "To provide a more accurate result, I need clarification. I have proceeded with a default plan, but you can provide more detail below.",
                question: "Question",
                response: "Response",
                placeholder: "Please fill in your answer here.",
            },
            Self::Chinese => Phrases {
                to_user: "致用户",
                explanation: "为了给出更准确的结果，我需要您的澄清。我已按默认方案继续工作，您可以在下方补充说明。",
                question: "问题",
                response: "回复",
                placeholder: "请在此处填写您的回答。",
            },
            Self::Japanese => Phrases {
                to_user: "ユーザーへ",
                explanation: "より正確な結果のために確認が必要です。既定の計画で作業を続けていますが、以下に詳しくご記入いただけます。",
                question: "質問",
                response: "回答",
                placeholder: "ここに回答をご記入ください。",
            },
            Self::Korean => Phrases {
                to_user: "사용자에게",
                explanation: "더 정확한 결과를 위해 확인이 필요합니다. 기본 계획으로 계속 진행하고 있으며, 아래에 자세한 내용을 적어 주시면 됩니다.",
                question: "질문",
                response: "답변",
                placeholder: "여기에 답변을 적어 주세요.",
            },
            Self::Russian => Phrases {
                to_user: "Пользователю",
                explanation: "Чтобы результат был точнее, нужно уточнение. Работа продолжается по плану по умолчанию; ниже можно добавить подробности.",
                question: "Вопрос",
                response: "Ответ",
                placeholder: "Впишите ответ сюда.",
            },
            Self::German => Phrases {
                to_user: "An den Nutzer",
                explanation: "Für ein genaueres Ergebnis brauche ich eine Klärung. Ich arbeite nach einem Standardplan weiter; unten können Sie mehr dazu sagen.",
                question: "Frage",
                response: "Antwort",
                placeholder: "Bitte tragen Sie Ihre Antwort hier ein.",
            },
            Self::French => Phrases {
                to_user: "À l'utilisateur",
                explanation: "Pour un résultat plus précis, j'ai besoin d'une clarification. J'avance selon un plan par défaut ; vous pouvez préciser ci-dessous.",
                question: "Question",
                response: "Réponse",
                placeholder: "Veuillez écrire votre réponse ici.",
            },
            Self::Spanish => Phrases {
                to_user: "Al usuario",
                explanation: "Para un resultado más preciso necesito una aclaración. Sigo con un plan por defecto; puede dar más detalles abajo.",
                question: "Pregunta",
                response: "Respuesta",
                placeholder: "Escriba aquí su respuesta.",
            },
        }
    }
}

/// English, German, French, Spanish.
const SMALL_WORDS: [&str; 4] = [
    "the and of to is in that for it with as this are be on we should must not from all which use when",
    "der die das und ist nicht mit für auf ein eine einen zu den dem des sind wird werden soll sollen alle auch bei nach aus",
    "le la les et est une des du dans pour que qui sur avec pas il doit nous tous aux être au sont",
    "el los las y es una que en para con por se del no debe todos como más está son al lo su",
];

/// Lines that are neither code nor front matter.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    let mut is_front = text.trim_start_matches('\u{FEFF}').starts_with("---");
    text.lines().enumerate().filter_map(move |(number, line)| {
        if is_front {
            is_front = number == 0 || !fields::is_break(line);
            return None;
        }
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            return None;
        }
        (!is_code).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RM-08: the language of a file.
    #[test]
    fn rm08_languages_are_told_apart() {
        for (text, expected) in [
            ("", Language::English),
            ("1234 --- ###", Language::English),
            ("Refactor the parser and keep all tests.", Language::English),
            ("帮我完成jixo的重构开发工作，core 是用来让 cli 共享代码的", Language::Chinese),
            ("jixo のリファクタリングを手伝ってください。core は共有コードです", Language::Japanese),
            ("용어 사전을 모든 용어로 채우고 README 를 고쳐 주세요.", Language::Korean),
            ("Перепиши парсер и сохрани все тесты.", Language::Russian),
            ("Der Parser soll neu geschrieben werden, und alle Tests sind zu erhalten.", Language::German),
            ("Il faut réécrire le parseur et garder tous les tests dans la suite.", Language::French),
            ("Se debe reescribir el analizador y conservar todas las pruebas.", Language::Spanish),
            ("---\nname: der die das und\n---\n\nKeep the tests and the docs.", Language::English),
            (
                "重写解析器\n\n```\nthe quick brown fox jumps over the lazy dog and more and more\n```\n",
                Language::Chinese,
            ),
        ] {
            assert_eq!(Language::of(text), expected, "{text:?}");
        }
    }
}
