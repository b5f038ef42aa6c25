//! Configurations of engines.

use labrys::arena::{EngineConfig, KeyValues};

/// Labrys as several engines, each with a name and options.
pub fn labrys(engines: &[(&str, &[&str])]) -> Vec<EngineConfig> {
    let keys = engines.iter().map(|(name, options)| {
        let options = options.iter().map(|option| format!("option.{option}"));
        let pairs: Vec<_> = [format!("name={name}"), "st=1".to_owned()].into_iter().chain(options).collect();
        KeyValues::parse("--engine", &pairs).unwrap()
    });
    EngineConfig::read_all(keys.collect()).unwrap()
}
