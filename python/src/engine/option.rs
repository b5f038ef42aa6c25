//! Options of engines.

use labrys::engine::{OptionKind, OptionSpec};
use pyo3::prelude::*;

use crate::convert::text_repr;

/// An option of an engine, with its value at the time of the query.
#[pyclass(frozen, module = "labrys", name = "Option")]
pub(crate) struct EngineOption {
    pub(super) spec: OptionSpec,
    /// The text of its value.
    pub(super) value: Option<String>,
}

/// A value of an option: a bool, an int or a str.
#[derive(IntoPyObject)]
pub(crate) enum Value {
    Check(bool),
    Spin(i64),
    Text(String),
}

impl Value {
    /// Parses a value.
    fn of(kind: &OptionKind, text: &str) -> Option<Value> {
        match kind {
            OptionKind::Check { .. } => text.parse().ok().map(Value::Check),
            OptionKind::Spin { .. } => text.parse().ok().map(Value::Spin),
            OptionKind::Combo { .. } | OptionKind::Text => Some(Value::Text(text.to_owned())),
            OptionKind::Button => None,
        }
    }

    /// Its `repr` in Python.
    fn repr(&self) -> String {
        match self {
            Value::Check(true) => "True".to_owned(),
            Value::Check(false) => "False".to_owned(),
            Value::Spin(number) => number.to_string(),
            Value::Text(text) => text_repr(text),
        }
    }
}

/// The `repr` of a value of an option whose type is not known.
pub(super) fn value_repr(text: &str) -> String {
    let value = match text {
        "true" => Value::Check(true),
        "false" => Value::Check(false),
        _ => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Spin),
    };
    value.repr()
}

#[pymethods]
impl EngineOption {
    /// Its name in the protocol.
    #[getter]
    fn name(&self) -> &'static str {
        self.spec.name
    }

    /// Its kind: `"check"`, `"spin"`, `"combo"`, `"string"` or `"button"`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.spec.kind {
            OptionKind::Check { .. } => "check",
            OptionKind::Spin { .. } => "spin",
            OptionKind::Combo { .. } => "combo",
            OptionKind::Text => "string",
            OptionKind::Button => "button",
        }
    }

    /// The value at the time of the query: a bool, an int or a str; None for a button. For a file it is the
    /// last name that was set; `""` stands for the shipped file, and for weights that were set by name.
    #[getter]
    fn value(&self) -> Option<Value> {
        Value::of(&self.spec.kind, self.value.as_deref()?)
    }

    /// Its default: a bool, an int or a str; None for a button.
    #[getter]
    fn default(&self) -> Option<Value> {
        match self.spec.kind {
            OptionKind::Check { default } => Some(Value::Check(default)),
            OptionKind::Spin { default, .. } => Some(Value::Spin(default)),
            OptionKind::Combo { default, .. } => Some(Value::Text(default.to_owned())),
            OptionKind::Text => Some(Value::Text(String::new())),
            OptionKind::Button => None,
        }
    }

    /// The minimum of a number; None for other kinds.
    #[getter]
    fn min(&self) -> Option<i64> {
        match self.spec.kind {
            OptionKind::Spin { min, .. } => Some(min),
            _ => None,
        }
    }

    /// The maximum of a number; None for other kinds.
    #[getter]
    fn max(&self) -> Option<i64> {
        match self.spec.kind {
            OptionKind::Spin { max, .. } => Some(max),
            _ => None,
        }
    }

    /// The possible values of a `"combo"`; empty for other kinds.
    #[getter]
    fn values(&self) -> Vec<&'static str> {
        match &self.spec.kind {
            OptionKind::Combo { values, .. } => values.clone(),
            _ => Vec::new(),
        }
    }

    fn __repr__(&self) -> String {
        let mut fields =
            vec![format!("name={}", text_repr(self.name())), format!("kind={}", text_repr(self.kind()))];
        let values = [("value", self.value()), ("default", self.default())];
        fields
            .extend(values.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?.repr()))));
        let ends = [("min", self.min()), ("max", self.max())];
        fields.extend(ends.into_iter().filter_map(|(name, end)| Some(format!("{name}={}", end?))));
        if let OptionKind::Combo { values, .. } = &self.spec.kind {
            let values: Vec<_> = values.iter().map(|value| text_repr(value)).collect();
            fields.push(format!("values=[{}]", values.join(", ")));
        }
        format!("labrys.Option({})", fields.join(", "))
    }
}
