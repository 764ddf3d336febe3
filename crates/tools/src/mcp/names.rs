//! What a server's tool is called here, and patterns over its own names. Pure.

use std::collections::BTreeSet;

/// As every provider of models takes it.
const LONGEST: usize = 64;

/// `mcp__server__tool` in letters, digits, `_` and `-`, cut to its length; one that is taken gets a number.
pub(crate) fn namespaced(server: &str, tool: &str, taken: &BTreeSet<String>) -> String {
    let plain = |text: &str| -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        text.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
    };
    // A long name of a server leaves room for that of the tool.
    let server: String = plain(server).chars().take(24).collect();
    let name: String = format!("mcp__{server}__{}", plain(tool)).chars().take(LONGEST).collect();
    let numbered = |number: usize| {
        let end = format!("_{number}");
        let front: String = name.chars().take(LONGEST - end.len()).collect();
        format!("{front}{end}")
    };
    if !taken.contains(&name) {
        return name;
    }
    (2..).map(numbered).find(|name| !taken.contains(name)).unwrap_or(name)
}

/// Whether a name fits a pattern in which `*` stands for anything.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_bounded_and_different() {
        let mut taken = BTreeSet::new();
        let mut check = |server: &str, tool: &str, expected: &str| {
            let name = namespaced(server, tool, &taken);
            assert_eq!(name, expected);
            assert!(name.len() <= LONGEST && taken.insert(name));
        };
        check("files", "read_file", "mcp__files__read_file");
        check("my server", "do.it/now", "mcp__my_server__do_it_now");
        check("my_server", "do it now", "mcp__my_server__do_it_now_2");
        check("my-server", "web_fetch", "mcp__my-server__web_fetch");
        check("é", "ü", "mcp______");
        check("s", &"x".repeat(100), &format!("mcp__s__{}", "x".repeat(56)));
        check("s", &"x".repeat(101), &format!("mcp__s__{}_2", "x".repeat(54)));
        check(&"s".repeat(100), "tool", &format!("mcp__{}__tool", "s".repeat(24)));
        for number in 2..12 {
            check(
                "same",
                "",
                &if number == 2 { "mcp__same__".to_owned() } else { format!("mcp__same___{}", number - 1) },
            );
        }
    }

    #[test]
    fn patterns_fit_names() {
        let check =
            |pattern: &str, name: &str, fits: bool| assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        check("echo", "echo", true);
        check("echo", "echoes", false);
        check("*", "", true);
        check("read_*", "read_file", true);
        check("read_*", "write_file", false);
        check("*_file", "read_file", true);
        check("*a*b*", "xaxbx", true);
        check("*a*b*", "xbxax", false);
        check("a*a", "a", false);
        check("", "", true);
        check("", "a", false);
    }
}
