#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("lobby"),
    |data: &[u8]| labrys_fuzz::run("lobby", data)
);
