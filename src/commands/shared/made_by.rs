//! What files of learned numbers say of how they were made.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::commands::shared::version;

/// The program with its commit, and the whole configuration with its hash: the first 16 digits of the SHA-256
/// of its JSON. Two runs with the same text give the same numbers.
pub(in crate::commands) fn made_by(configuration: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(configuration)?;
    let hash = Sha256::digest(&text);
    Ok(format!("by {}, configuration {hash:.16x} {text}", version::program()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_configuration_has_another_hash() {
        let of = |seed| made_by(&json!({ "seed": seed })).unwrap();
        assert!(of(1).starts_with(&format!("by {}, configuration ", version::program())), "{}", of(1));
        // The hash of `{"seed":1}`, by sha256sum.
        assert!(of(1).ends_with(" fbe47f6d82b435a8 {\"seed\":1}"), "{}", of(1));
        assert_ne!(of(1), of(2));
    }
}
