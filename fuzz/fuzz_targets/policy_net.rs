#![no_main]

libfuzzer_sys::fuzz_target!(
    init: labrys_fuzz::write_seeds("policy_net"),
    |data: &[u8]| labrys_fuzz::run("policy_net", data)
);
