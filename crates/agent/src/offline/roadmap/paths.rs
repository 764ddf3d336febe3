//! Files that a text names. Must not know whether they are there.

/// Endings that make a word a file, where no folder does.
const ENDINGS: [&str; 34] = [
    "md", "markdown", "txt", "csv", "tsv", "json", "jsonl", "html", "htm", "xml", "yaml", "yml", "toml", "rst", "adoc",
    "tex", "rs", "py", "js", "ts", "tsx", "jsx", "go", "c", "h", "cpp", "java", "rb", "sh", "sql", "css", "svg", "ini",
    "cfg",
];

/// The paths in a text, each once, in order; a folder ends with a slash or has one in it.
pub(super) fn paths(text: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for word in
        text.split(|letter: char| letter.is_whitespace() || ",;()[]{}<>\"'`“”„«»「」（），、；".contains(letter))
    {
        if let Some(path) = path(word)
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
}

/// The path that a word is.
pub(super) fn path(word: &str) -> Option<String> {
    let word = word.trim_matches(|letter: char| "`'\"“”„«»()[],;:!?".contains(letter));
    let word = word.trim_end_matches(['.', '。']).trim_start_matches("./");
    let name = word.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending.to_lowercase());
    let has_ending = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
    let is_folder =
        word.contains('/') && !word.contains("//") && word.len() > 2 && word.chars().any(char::is_alphabetic);
    let is_inside = !word.starts_with(['/', '~', '-'])
        && !word.split('/').any(|part| part == "..")
        && !word.contains(['\\', ':', '*']);
    // "and/or" and "1/2" are no paths.
    let is_plain_pair = !has_ending && word.matches('/').count() == 1 && !word.ends_with('/') && !name.contains('.');
    let is_path = has_ending || is_folder && !is_plain_pair;
    (is_path && is_inside).then(|| word.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_told_from_words() {
        let text = "Join `docs/a.md`, ./b.txt and data/ into out/x/ (see e.g. https://x.y/z.md, and/or 1/2, ../up.md, /abs.md) with v1.2.";
        assert_eq!(paths(text), ["docs/a.md", "b.txt", "data/", "out/x/"]);
        assert_eq!(paths("写入 docs/摘要.md。"), ["docs/摘要.md"]);
    }
}
