#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("eval_net"),
    |data: &[u8]| labrys_fuzz::run("eval_net", data)
);
