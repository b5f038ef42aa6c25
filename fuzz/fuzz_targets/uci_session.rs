#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("uci_session"),
    |data: &[u8]| labrys_fuzz::run("uci_session", data)
);
