//! Whether the binary was built for this processor.
//!
//! The macro of the standard library is constant for features known at compile time, so a crate asks the
//! processor here. Code before this check must not need the features itself: no allocation, no formatting.

/// The first feature of processors that the compiler was allowed to use, and that this processor lacks.
#[cfg(target_arch = "x86_64")]
pub fn missing_feature() -> Option<&'static str> {
    let cpuid = raw_cpuid::CpuId::new();
    let basic = cpuid.get_feature_info();
    let extended = cpuid.get_extended_feature_info();
    let amd = cpuid.get_extended_processor_and_feature_identifiers();
    macro_rules! first_missing {
        ($($feature:literal: $info:ident.$has:ident;)+) => {
            $(
                if cfg!(target_feature = $feature) && !$info.as_ref().is_some_and(|info| info.$has()) {
                    return Some($feature);
                }
            )+
            None
        };
    }
    first_missing! {
        "avx512f": extended.has_avx512f;
        "avx512bw": extended.has_avx512bw;
        "avx512cd": extended.has_avx512cd;
        "avx512dq": extended.has_avx512dq;
        "avx512vl": extended.has_avx512vl;
        "avx512vnni": extended.has_avx512vnni;
        "avx2": extended.has_avx2;
        "bmi1": extended.has_bmi1;
        "bmi2": extended.has_bmi2;
        "lzcnt": amd.has_lzcnt;
        "fma": basic.has_fma;
        "f16c": basic.has_f16c;
        "movbe": basic.has_movbe;
        "avx": basic.has_avx;
        "popcnt": basic.has_popcnt;
        "sse4.2": basic.has_sse42;
        "sse4.1": basic.has_sse41;
        "ssse3": basic.has_ssse3;
        "sse3": basic.has_sse3;
    }
}

/// The same on other processors, without a check.
#[cfg(not(target_arch = "x86_64"))]
pub fn missing_feature() -> Option<&'static str> {
    None
}
