//! A tag of a PGN file, `[Name "value"]`, also if it is damaged.

use super::lines::is_space;

/// Quotation marks around values in files of other programs.
const QUOTES: [char; 8] = ['"', '\'', '“', '”', '„', '«', '»', '`'];

/// A tag at the beginning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) value: String,
    /// Its length in bytes.
    pub(super) length: usize,
    /// Whether its end was found on the line.
    pub(super) is_closed: bool,
}

/// Whether a line begins with a tag. Commands of comments, as `[%clk 0:10]`, are none.
pub(super) fn is_tag(line: &str) -> bool {
    let line = line.trim_end_matches(is_space);
    let has_value = || line.contains('"') || (line.ends_with(']') && line.contains(is_space));
    line.starts_with('[') && line[1..].starts_with(char::is_alphabetic) && has_value()
}

/// The tag at the beginning of a line, which begins with `[`; `None` if it has no name.
///
/// A quotation mark within a value is escaped with a backslash, and so is a backslash. Many programs do not
/// escape: a backslash before another letter stands for itself, and so does the one at the end of `[White
/// "Level 6\"]`. Without quotation marks the value goes up to the bracket, without a bracket up to the end of
/// the line.
pub(super) fn read(line: &str) -> Option<Tag> {
    let name = line[1..].trim_start_matches(is_space);
    let end = name.find(|letter| is_space(letter) || letter == ']' || QUOTES.contains(&letter));
    let (name, rest) = name.split_at(end.unwrap_or(name.len()));
    if name.is_empty() || name.starts_with('%') {
        return None;
    }
    let tag = |value: &str, rest: Option<&str>| Tag {
        name: name.to_owned(),
        value: value.to_owned(),
        length: rest.map_or(line.len(), |rest| line.len() - rest.len()),
        is_closed: rest.is_some(),
    };
    let rest = rest.trim_start_matches(is_space);
    let Some(value) = rest.strip_prefix('"') else {
        let (value, after) = rest.split_once(']').map_or((rest, None), |(value, after)| (value, Some(after)));
        let value = value.trim_matches(|letter| is_space(letter) || QUOTES.contains(&letter));
        return Some(tag(value, after));
    };
    let mut plain = String::new();
    let mut letters = value.char_indices();
    while let Some((at, letter)) = letters.next() {
        let after = &value[at + letter.len_utf8()..];
        match letter {
            '\\' if after.starts_with('\\') || (after.starts_with('"') && !ends_line(&after[1..])) => {
                plain.extend(letters.next().map(|(_, escaped)| escaped));
            }
            '"' => match after.trim_start_matches(is_space) {
                "" => return Some(tag(&plain, Some(""))),
                after if after.starts_with(']') => return Some(tag(&plain, Some(&after[1..]))),
                _ => plain.push('"'),
            },
            // A tab or another control character in the value.
            _ => plain.push(if letter.is_control() { ' ' } else { letter }),
        }
    }
    let plain = plain.trim_end_matches(is_space);
    let cut = plain.strip_suffix(']').unwrap_or(plain);
    Some(Tag { is_closed: cut.len() < plain.len(), ..tag(cut, None) })
}

/// Whether a tag ends here, followed by nothing but another tag.
fn ends_line(text: &str) -> bool {
    let Some(rest) = text.trim_start_matches(is_space).strip_prefix(']') else { return false };
    let rest = rest.trim_start_matches(is_space);
    rest.is_empty() || is_tag(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_values_are_read() {
        for (line, value, rest) in [
            (r#"[White "a \"b\" \\ c"] x"#, r#"a "b" \ c"#, " x"),
            (r#"[White "Engine /Level 6\"]"#, r"Engine /Level 6\", ""),
            (r#"[White "C:\games\"] [Black "b"]"#, r"C:\games\", r#" [Black "b"]"#),
            (r#"[White "C:\games\new"]"#, r"C:\games\new", ""),
            (r#"[White "say \"]\" twice"]"#, r#"say "]" twice"#, ""),
            (r#"[White "x [\"y\"]"]"#, r#"x ["y"]"#, ""),
            (r#"[White "the "best" one"]"#, r#"the "best" one"#, ""),
            (r#"[White "]"]"#, "]", ""),
            (r#"[White ""]"#, "", ""),
            ("[White \"a\tb\"]", "a b", ""),
            (r#"[ White  "x" ] "#, "x", " "),
            (r#"[White"x"]"#, "x", ""),
            (r#"[White "x""#, "x", ""),
            (r#"[White "x]"#, "x", ""),
            ("[White x y]", "x y", ""),
            ("[White 'x']", "x", ""),
            ("[White “x”]", "x", ""),
            ("[White]", "", ""),
        ] {
            let tag = read(line).unwrap();
            assert_eq!((tag.name.as_str(), tag.value.as_str()), ("White", value), "{line}");
            assert_eq!((&line[tag.length..], tag.is_closed), (rest, true), "{line}");
        }
        assert!(!read("[Event \"a long\n").unwrap().is_closed);
        for line in ["[]", "[\"x\"]", "[%clk 0:10]", "["] {
            assert_eq!(read(line), None, "{line}");
        }
        assert!(is_tag("[White x]\n") && is_tag("[White \"x") && !is_tag("[D]") && !is_tag("[%clk 0:10]"));
    }
}
