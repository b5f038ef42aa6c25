#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("tuc"),
    |data: &[u8]| labrys_fuzz::run("tuc", data)
);
