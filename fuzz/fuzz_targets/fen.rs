#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("fen"),
    |data: &[u8]| labrys_fuzz::run("fen", data)
);
