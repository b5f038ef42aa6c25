#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("table"),
    |data: &[u8]| labrys_fuzz::run("table", data)
);
