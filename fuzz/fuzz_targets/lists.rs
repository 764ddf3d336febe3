//! See `syntax::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| syntax::fuzz::fuzz_lists(bytes));
