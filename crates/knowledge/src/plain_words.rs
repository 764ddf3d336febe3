//! Words that say little about what a text is about: those that hold sentences together, and those by which anything
//! may be asked for. Owns the two lists; a language that is not among them loses a little sharpness and nothing else.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that hold sentences together, in the languages of most requests. They count only in a text that has no others.
const BINDING: &str = "\
    a about all also an and any are as at be been but by can do does each for from has have how i if in into is it \
    its me my no not of on or our out please shall should so some such than that the their them then there these \
    they this those to us was we were what when where which who will with would you your aber als am auch auf aus \
    bei bitte das dem den der des die diese dieser durch ein eine einem einen einer eines es fur im ist mit nach \
    nicht oder sich sie sind uber um und uns unter von vor wie wir zu zum zur au aux avec ce ces cette dans de du \
    elle en est et il la le les leur nous ou par pas pour que qui sa sans se ses son sur un une vous al com con da \
    dei del della delle di dos e el em entre era gli las lo los mas na nel nos o os para per por su sus uma una uno \
    y aan af av det een het med met naar och og om op pa som te til till van voor bir bu dla ile ive jest nie oraz \
    po ve w z za а в все для до за и из или к как на не о об от по при с та у что это і з και για με να ο η το του \
    των της στο από απο في من على الى عن مع و של את על עם के का की में और से को पर है";

/// Words by which one asks for something, whatever it is about. They count little.
const ASKING: &str = "\
    analyse analysis analyze brief chart compare create csv deck deliver describe document draft file find format generate \
    give html json list make markdown md page paper pdf prepare presentation produce report say show slide state study \
    summarise summarize summary table tell text use using web write analysiere bericht datei dokument dokumente \
    erstelle mache schreibe seite zeige zusammenfassung ecris fais rapport redige resume analisis documento escribe \
    haz informe relatorio resumen resumo analisi relazione scrivi анализ доклад документ напиши отчет сделай файл \
    تقرير اكتب דוח रिपोर्ट";

/// The same in scripts without blanks between words, where they are looked for anywhere.
pub(crate) const ASKING_PARTS: &[&str] = &[
    "보고서",
    "문서",
    "작성",
    "정리",
    "분석",
    "요약",
    "만들어",
    "주세요",
    "해줘",
    "報告書",
    "報告",
    "资料",
    "資料",
    "作成",
    "文書",
    "文档",
    "文件",
    "分析",
    "要約",
    "总结",
    "總結",
    "レポート",
    "まとめ",
    "してください",
    "请",
    "รายงาน",
    "เขียน",
    "สรุป",
];

/// Whether a word only holds a sentence together.
pub(crate) fn is_binding(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| BINDING.split_whitespace().collect());
    ALL.contains(word)
}

/// Whether a word only asks for something.
pub(crate) fn is_asking(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| ASKING.split_whitespace().collect());
    ALL.contains(word)
}
