#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("games_file"),
    |data: &[u8]| labrys_fuzz::run("games_file", data)
);
