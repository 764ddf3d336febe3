//! See `store::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| store::fuzz::fuzz_path(bytes));
