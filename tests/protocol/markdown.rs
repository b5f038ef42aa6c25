//! Reading pages of Markdown, as GitHub does.

use std::collections::BTreeSet;

/// The lines of a page outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of the links and pictures of a page.
pub fn links(text: &str) -> Vec<String> {
    // A link may go over the end of a line.
    let text = prose(text).collect::<Vec<_>>().join("\n");
    let mut links = Vec::new();
    for part in text.split("](").skip(1) {
        links.push(part.split(')').next().unwrap().to_owned());
    }
    links
}

/// The anchors of the headings of a page.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let is_kept = |c: &char| c.is_alphanumeric() || ['-', '_', ' '].contains(c);
    let mut anchors = BTreeSet::new();
    for heading in headings {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let anchor: String = heading.chars().filter(is_kept).collect::<String>().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(numbered).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// A block of code: its language, its text, and the line of the page it begins in, counted from 1.
#[derive(Debug)]
pub struct Block {
    pub language: String,
    pub text: String,
    pub line: usize,
}

/// The blocks of code of a page, which are not indented.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_code = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            is_code = !is_code;
            if is_code {
                blocks.push(Block { language: language.to_owned(), text: String::new(), line: index + 1 });
            }
        } else if is_code {
            let block = blocks.last_mut().unwrap();
            block.text += line;
            block.text.push('\n');
        }
    }
    blocks
}
