//! Owns one function per thing that comes from outside (QL-25): it takes any bytes and fails only by panicking. The
//! seeded mutation loop of the tests and fuzzing engines call the same functions. Must not be used by anything else.

use crate::web;

/// Turns a page into Markdown, and looks for URLs in it.
pub fn fuzz_page(bytes: &[u8]) {
    let page = String::from_utf8_lossy(bytes);
    web::fuzz_page(&page);
    for url in web::urls_in(&page) {
        assert!(page.contains(&url), "a URL that is not in the text");
    }
}
