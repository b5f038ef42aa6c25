//! The fields of a query in an address.

use std::collections::BTreeMap;

use labrys_core::game::quote;
use thiserror::Error;

/// Why the fields of a query are refused.
#[derive(Debug, Error)]
pub(super) enum FieldError {
    #[error("unknown field {}, expected one of: {expected}", quote(.name))]
    Unknown { name: String, expected: &'static str },
    #[error("{0} is given twice")]
    Twice(&'static str),
}

/// The values of a query by field. `known` lists the valid names, separated by `, `. Empty values are left out.
///
/// # Errors
/// [`FieldError`] names the field.
pub(super) fn values<'a>(
    fields: &'a [(String, String)],
    known: &'static str,
) -> Result<BTreeMap<&'static str, &'a str>, FieldError> {
    let mut values = BTreeMap::new();
    for (name, value) in fields {
        let found = known.split(", ").find(|known| known == name);
        let name = found.ok_or_else(|| FieldError::Unknown { name: name.clone(), expected: known })?;
        if values.insert(name, value.trim()).is_some() {
            return Err(FieldError::Twice(name));
        }
    }
    values.retain(|_, value| !value.is_empty());
    Ok(values)
}
