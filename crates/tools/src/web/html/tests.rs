//! Pages and the Markdown that they become.

use super::*;

#[track_caller]
fn check(page: &str, expected: &str) {
    let base = Url::parse("https://host.example/dir/page?q=1").unwrap();
    assert_eq!(to_markdown(page, Some(&base)).text, expected, "{page}");
}

#[test]
fn blocks_are_apart_and_white_space_is_one_space() {
    check("", "");
    check("just text", "just text");
    check("<p>one\n  two</p><p>three", "one two\n\nthree");
    check("<div>a<div>b</div>c</div>", "a\n\nb\n\nc");
    check("a<br>b<br/>c", "a\nb\nc");
    check("<h1>Big</h1>text<h3>Small <b>one</b></h3>", "# Big\n\ntext\n\n### Small **one**");
    check("<h2>a<br>b</h2>", "## a b");
    check("a<hr>b", "a\n\n---\n\nb");
    check("<p></p><p> </p><p>&nbsp;</p>x", "x");
    check("<P>Upper</P><Div>Case", "Upper\n\nCase");
    check("a &amp; b &lt;i&gt; &eacute;", "a & b <i> é");
    check("1 < 2 and 3 > 2 <3", "1 < 2 and 3 > 2 <3");
}

#[test]
fn marks_stay_in_their_line() {
    check("a <b>bold </b>b", "a **bold** b");
    check("<b> bold</b>b", "**bold**b");
    check("<em>a</em><strong>b</strong>", "*a***b**");
    check("<b><i>both</i></b>", "***both***");
    check("<b></b>x<i> </i>y", "x y");
    check("<b>one<p>two</b>three", "**one**\n\n**two**three");
    check("<b><i>over</b>lap</i>", "***over****lap*");
    check("use <code>let  x</code> here", "use `let x` here");
    check("<code>a`b</code>", "``a`b``");
    check("<code>`</code>", "`` ` ``");
    check("<del>old</del> new", "~~old~~ new");
}

#[test]
fn links_and_pictures_are_whole() {
    check("<a href='x'>one</a>", "[one](https://host.example/dir/x)");
    check("<a href=\"/x?a=1&amp;b=2\">one</a>", "[one](https://host.example/x?a=1&b=2)");
    check("<a href=//other/x>one</a>", "[one](https://other/x)");
    check("<a href='javascript:alert(1)'>one</a>", "one");
    check("<a href='data:text/html,x'>one</a>", "one");
    check("<a href='#part'>one</a>", "one");
    check("<a href='mailto:a@b'>mail</a>", "[mail](mailto:a@b)");
    check("<a href='a(b)'>x</a>", "[x](https://host.example/dir/a%28b%29)");
    check("<a href=x></a>y", "y");
    check("<a name=x>y</a>", "y");
    check("<a href=x>one<a href=y>two", "[one](https://host.example/dir/x)[two](https://host.example/dir/y)");
    check(
        "<a href=x><h2>Title</h2><p>Text</p></a>",
        "## [Title](https://host.example/dir/x)\n\n[Text](https://host.example/dir/x)",
    );
    check("<base href='/other/'><a href=x>one</a>", "[one](https://host.example/other/x)");
    check("<img src=p.png alt='A picture'>", "![A picture](https://host.example/dir/p.png)");
    check("<img src=p.png><img src='data:x' alt=inline>", "inline");
    assert_eq!(to_markdown("<a href='x'>one</a> <a href='http://a/'>two</a>", None).text, "one [two](http://a/)");
}

#[test]
fn lists_and_quotations_are_indented() {
    check("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc");
    check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
    check("<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>", "- a\n  - b\n  - c\n- d");
    check("<ol><li><p>one</p><p>two</p></li></ol>", "1. one\n\n   two");
    check("<blockquote>a<p>b</p></blockquote>c", "> a\n>\n> b\n\nc");
    check("<blockquote><ul><li>a</ul></blockquote>", "> - a");
    check("<li>loose", "- loose");
    check("<dl><dt>Term<dd>Meaning<dt>Other<dd>One</dl>", "**Term**\n: Meaning\n\n**Other**\n: One");
    check("</li></ul></blockquote>a", "a");
}

#[test]
fn code_is_kept_as_it_is() {
    check("<pre>a  b\n  c</pre>", "```\na  b\n  c\n```");
    check("<pre><code class='hljs language-rust'>fn main() {}\n</code></pre>", "```rust\nfn main() {}\n```");
    check("<pre>```\n</pre>", "````\n```\n````");
    check("<pre>a<b>b</b>&lt;c&gt;</pre>", "```\nab<c>\n```");
    check("<ul><li>x<pre>a\n\nb</pre></ul>", "- x\n\n  ```\n  a\n\n  b\n  ```");
    check("<pre>open", "```\nopen\n```");
}

#[test]
fn tables_are_tables_unless_they_lay_out_a_page() {
    check("<table><tr><th>a<th>b<tr><td>1<td>2|3</table>", "| a | b |\n|---|---|\n| 1 | 2\\|3 |");
    check(
        "<table><tr><td colspan=2>a</td><td>b</td></tr><tr><td>1<td>2<td>3</tr></table>",
        "| a | | b |\n|---|---|---|\n| 1 | 2 | 3 |",
    );
    check("<table><tr><td><p>one</p><p>two</p></td><td><b>x</b></td></tr></table>", "| one two | **x** |\n|---|---|");
    check("<table><tr><td>only</td></tr><tr><td>column</td></tr></table>", "only\n\ncolumn");
    check("<table>\n <caption>Cap</caption>\n<tr><td>1<td>2</table>x", "| Cap | |\n|---|---|\n| 1 | 2 |\n\nx");
    check(
        "<table><tr><td><table><tr><td>in</td><td>ner</td></tr></table></td><td>out</td></tr></table>",
        "| in ner | out |\n|---|---|",
    );
    check("<table></table>x", "x");
    check("<table><tr><td>open", "open");
}

#[test]
fn what_is_not_content_is_left_out() {
    check("<script>if (a < b) { '<p>' }</script>x", "x");
    check("<style>p { }</style><svg><text>no</text></svg>x", "x");
    check("<nav><ul><li>Home</ul></nav><p>x", "x");
    check("<nav>a<nav>b</nav>c</nav>x", "x");
    check("<!-- no --> x <!doctype html> <?php no ?>", "x");
    check("<p hidden>no</p><p style='display: none'>no</p><p aria-hidden=true>no</p>x", "x");
    check("<div role=navigation>no</div><footer>no</footer><aside>no</aside>x", "x");
    check("<form><button>no</button><select><option>no</select>yes</form>", "yes");
    check("<script>never closed <p>x", "");
    check("<noscript>no</noscript><iframe src=x>no</iframe>x", "x");
    check("<input hidden>x", "x");
}

#[test]
fn the_main_part_is_the_page_if_it_says_something() {
    let long = "word ".repeat(60);
    check(&format!("<div>top</div><main><p>{long}</p></main><div>end</div>"), long.trim());
    check("<div>top</div><main></main><div>end</div>", "top\n\nend");
    let page = to_markdown("<html><head><title> The\n title </title><meta x></head><body><h1>Big</h1></body>", None);
    assert_eq!((page.title.as_deref(), page.text.as_str()), (Some("The title"), "# Big"));
    assert_eq!(to_markdown("<head><title>a &amp; b</title><p>x", None).title.as_deref(), Some("a & b"));
    assert_eq!(to_markdown("<svg><title>no</title></svg>x", None).title, None);
}

/// BY-17: however a page repeats itself, what it becomes is bounded.
#[test]
fn no_page_becomes_more_than_is_kept() {
    let link = format!("<a href='http://h/{}'>", "x".repeat(1900));
    let pages = [
        "<td>x".repeat(500_000),
        format!("<table>{}", "<tr><td>x".repeat(400_000)),
        format!("<table><tr>{}", "<td colspan=64>x".repeat(200_000)),
        format!("<table>{link}{}", "<td>x".repeat(500_000)),
        format!("{link}{}", "<p>x".repeat(500_000)),
        format!("{}{}", "<ol start=18446744073709551615><li>".repeat(100), "x<br>".repeat(500_000)),
        "<ul><li>".repeat(300_000),
        "<b>".repeat(500_000),
        "<pre>".repeat(500_000),
        format!("<pre>{}", "x\n".repeat(1_200_000)),
        "<".repeat(2_000_000),
        "<a ".repeat(700_000),
        "<!--".repeat(700_000),
        "&".repeat(2_000_000),
        "<p a='".repeat(500_000),
        format!("<base href='http://h/{}'>{}", "x".repeat(7000), "<a href=x>".repeat(200_000)),
    ];
    for page in pages {
        let written = to_markdown(&page, None);
        assert!(written.text.len() <= LONGEST_TEXT, "{} bytes from {}…", written.text.len(), &page[..20]);
    }
    let long = to_markdown(&"<p>é".repeat(1_000_000), None);
    assert!(long.cut && long.text.len() > LONGEST_TEXT - 10, "{} bytes", long.text.len());
}
