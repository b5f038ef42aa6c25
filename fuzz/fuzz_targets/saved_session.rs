#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("saved_session"),
    |data: &[u8]| labrys_fuzz::run("saved_session", data)
);
