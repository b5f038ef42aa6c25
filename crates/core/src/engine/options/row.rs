//! The declaration of an option: a row with its name, its values and the function that sets it.

use super::{OptionError, OptionGroup, OptionKind, OptionSpec, SideEffect};

/// An option of a `T`: its name, its values, and the function that sets it.
pub(in super::super) struct Row<T: 'static> {
    pub(in super::super) name: &'static str,
    pub(in super::super) group: OptionGroup,
    pub(in super::super) kind: RowKind<T>,
    pub(in super::super) value: Getter<T>,
}

/// The values of an option together with the function that sets it.
pub(in super::super) enum RowKind<T> {
    Check {
        default: bool,
        set: fn(&mut T, bool),
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: SpinSetter<T>,
    },
    /// `default` and the argument of `set` are indices into `values`. An error says `description` what is
    /// expected, or lists the values.
    Combo {
        values: Vec<&'static str>,
        description: Option<&'static str>,
        default: usize,
        set: fn(&mut T, usize) -> SetResult,
    },
    Text {
        set: fn(&mut T, &str) -> SetResult,
    },
    /// A file or a folder. `set` gets `None` for an empty value, which GUIs write as `<empty>`.
    Path {
        set: fn(&mut T, Option<&str>) -> SetResult,
    },
    Button {
        press: fn(&mut T),
    },
}

/// Sets an option of a `T` to a number.
pub(in super::super) type SpinSetter<T> = Box<dyn Fn(&mut T, i64)>;

/// The value of an option of a `T` as its text; `None` where it has none.
pub(in super::super) type Getter<T> = Box<dyn Fn(&T) -> Option<String>>;

/// The result of setting an option.
pub(in super::super) type SetResult = Result<Vec<SideEffect>, OptionError>;

/// Whether the value of an option is none, as the UCI protocol writes it.
fn is_empty(value: &str) -> bool {
    matches!(value, "" | "<empty>")
}

/// The row of that name; case does not matter.
pub(in super::super) fn find<'a, T>(rows: &'a [Row<T>], name: &str) -> Option<&'a Row<T>> {
    rows.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl<T> Row<T> {
    /// The option as it is announced.
    pub(in super::super) fn spec(&self) -> OptionSpec {
        let kind = match &self.kind {
            RowKind::Check { default, .. } => OptionKind::Check { default: *default },
            &RowKind::Spin { default, min, max, .. } => OptionKind::Spin { default, min, max },
            RowKind::Combo { values, default, .. } => {
                let default = values.get(*default).copied().unwrap_or_default();
                OptionKind::Combo { default, values: values.clone() }
            }
            RowKind::Text { .. } | RowKind::Path { .. } => OptionKind::Text,
            RowKind::Button { .. } => OptionKind::Button,
        };
        OptionSpec { name: self.name, group: self.group, kind }
    }

    /// The value that `target` has, as its text; `None` for a button. A number outside of the range counts as
    /// the nearest one in it.
    pub(in super::super) fn value(&self, target: &T) -> Option<String> {
        let value = (self.value)(target);
        let RowKind::Spin { min, max, .. } = &self.kind else { return value };
        let number = value.and_then(|text| text.parse::<i64>().ok());
        number.map(|number| number.clamp(*min, *max).to_string())
    }

    /// Sets the option of `target`. It is unchanged if the value is refused.
    pub(in super::super) fn set(&self, target: &mut T, value: &str) -> SetResult {
        let refuse = |expected| OptionError::Value { name: self.name, value: value.to_owned(), expected };
        match &self.kind {
            RowKind::Check { set, .. } => {
                let on = value.to_ascii_lowercase().parse();
                set(target, on.map_err(|_| refuse("`true` or `false`".to_owned()))?);
            }
            RowKind::Spin { min, max, set, .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(&number));
                set(target, number.ok_or_else(|| refuse(format!("a whole number from {min} to {max}")))?);
            }
            RowKind::Combo { values, description, set, .. } => {
                let index = values.iter().position(|word| word.eq_ignore_ascii_case(value));
                let expected =
                    || description.map_or_else(|| format!("one of: {}", values.join(", ")), str::to_owned);
                return set(target, index.ok_or_else(|| refuse(expected()))?);
            }
            RowKind::Text { set } => return set(target, value),
            RowKind::Path { set } => return set(target, Some(value).filter(|value| !is_empty(value))),
            RowKind::Button { press } => press(target),
        }
        Ok(Vec::new())
    }
}
