//! QL-25: seeded mutations of pages and of files of MCP servers; no panic, no hang, nothing unbounded.
#![cfg(test)]

use tools::fuzz;

const PAGES: [&str; 3] = [
    "<!doctype html><html><head><title>A &amp; b</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav><main>\
     <h1>Big <b>title</b></h1><p>Text with <a href=\"/x?a=1&amp;b=2\">a link</a> and <code>code</code>.<br>More.</p>\
     <ul><li>one<li>two<ol start=3><li>three</ol></ul><blockquote><p>said</p></blockquote></main></body></html>",
    "<table><caption>C</caption><tr><th colspan=2>a</th><th>b|c</th></tr><tr><td>1<td><p>2</p><table><tr><td>in</table><td>3\
     </table><pre><code class=\"language-rust\">fn main() {\n}\n</code></pre><dl><dt>t<dd>d</dl><!-- no --><hr>",
    "<p hidden>x</p><svg><title>t</title></svg><script>if (a<b) {}</script><img src='p.png' alt=\"a 'b'\">&#8217;&hellip;\
     <a href='javascript:x()'>y</a> see https://a.example/b_(c). and http://[::1]:80/",
];

const PAGE_PIECES: [&str; 30] = [
    "<",
    ">",
    "</",
    "/>",
    "\"",
    "'",
    "=",
    "&",
    "&#",
    "&#x110000;",
    ";",
    "<!--",
    "-->",
    "<table>",
    "</table>",
    "<td colspan=99>",
    "<tr>",
    "<ul>",
    "<li>",
    "</li>",
    "<pre>",
    "</pre>",
    "<a href=x>",
    "<b>",
    "</b>",
    "<code>",
    "<blockquote>",
    "é",
    "\u{0}",
    "<title>",
];

const SERVERS: [&str; 2] = [
    "{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"${HOME:-/home}/x\"], \"env\": {\"KEY\": \"a${TOKEN}b\"},\n\
     \"network\": true, \"read\": [\"/data\"]}, \"off\": {\"disabled\": true, \"command\": 5}}}",
    "{\"mcpServers\": {\n \"web\": {\"type\": \"http\", \"url\": \"https://host/mcp\", \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"},\n\
     \"tools\": {\"allow\": [\"read_*\"], \"deny\": [\"x\"]}, \"roles\": [\"executor\"]}, \"plain\": {\"url\": \"http://localhost:1/\"}}}",
];

const SERVER_PIECES: [&str; 20] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "5",
    "\\u0000",
    "\\ud800",
    "${",
    "${A}",
    "${:-}",
    "\n",
    "\"mcpServers\": {",
    "\"command\": ",
    "\"url\": ",
    "é",
];

/// Says which case failed.
struct Case(u64, Vec<u8>);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}: {:?}", self.0, String::from_utf8_lossy(&self.1));
        }
    }
}

/// A small generator of numbers: the same seed, the same mutations.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap() % sides.max(1)
    }
}

fn mutate(bytes: &mut Vec<u8>, pieces: &[&str], dice: &mut Dice) {
    for _ in 0..=dice.roll(8) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(12)).min(bytes.len());
        match dice.roll(6) {
            0 => drop(bytes.drain(at..end)),
            1 | 2 => drop(bytes.splice(at..end, pieces[dice.roll(pieces.len())].bytes())),
            3 => drop(bytes.splice(at..at, pieces[dice.roll(pieces.len())].repeat(dice.roll(50)).bytes())),
            4 => {
                let from = dice.roll(bytes.len() + 1);
                let part = bytes[from..(from + dice.roll(60)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            _ => bytes.truncate(at),
        }
    }
}

fn check(samples: &[&str], pieces: &[&str], look: fn(&[u8])) {
    let rounds = std::env::var("MULTIVERSE_FUZZ").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3000);
    for sample in samples {
        look(sample.as_bytes());
    }
    for seed in 0..rounds {
        let mut dice = Dice(seed);
        let mut case = Case(seed, samples[dice.roll(samples.len())].as_bytes().to_vec());
        mutate(&mut case.1, pieces, &mut dice);
        look(&case.1);
    }
}

#[test]
fn mutated_pages() {
    check(&PAGES, &PAGE_PIECES, fuzz::fuzz_page);
}

#[test]
fn mutated_files_of_mcp_servers() {
    check(&SERVERS, &SERVER_PIECES, fuzz::fuzz_mcp_file);
    for deep in ["{\"mcpServers\":", "[", "{\"mcpServers\":{\"a\":{\"args\":["] {
        fuzz::fuzz_mcp_file(deep.repeat(50_000).as_bytes());
    }
}

const LINES: [&str; 4] = [
    "run_shell_command: git *\ngit status; ls 'a b' \"$(x)\" `y` > z && (cd /; rm *) | sort # end",
    "run_shell_command: echo * > *\nif a; then b <<E\nc\nE\nfi; d() { e; }; ${f:-$(g)} $'h' <(i) 2>&1 &",
    "web_fetch: https://a.example/*\nhttps://a.example/b https://a.example@c/ HTTPS://A.EXAMPLE\\@d",
    "write_file: runs/*\nruns/../assets/./x//y",
];

const LINE_PIECES: [&str; 24] = [
    "*", ":", ";", "&", "|", "$(", ")", "`", "'", "\"", "\\", ">", "<<", "{", "}", "$", "#", "\n", "..", "/", "@", "é",
    "\u{0}", "git push",
];

/// QL-25, QL-30: a rule that denies matches all that the same rule would allow.
#[test]
fn mutated_command_lines() {
    check(&LINES, &LINE_PIECES, fuzz::fuzz_command_line);
}
