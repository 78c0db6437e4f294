//! Text that comes from files and arguments, made safe for a terminal.
//!
//! A column name may hold an escape sequence that clears the screen, a line break that fakes a second line, or a mark that turns
//! the writing round. Such characters are shown by their number instead: `\u{1b}`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// One line: every character that is not shown as itself, line breaks too, is written out.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// Several lines of ours: line breaks stay.
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n')
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if stays(c) || !is_hidden(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // Writing to a string cannot fail.
            c => drop(write!(shown, "\\u{{{:x}}}", u32::from(c))),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, line and paragraph separators, marks of direction and other invisible ones. Joiners stay: some scripts
/// need them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_written_out() {
        assert_eq!(visible("a\u{1b}[2Jb\u{7}\r\n\tc\u{9b}\u{7f}"), "a\\u{1b}[2Jb\\u{7}\\r\\n\\tc\\u{9b}\\u{7f}");
        assert_eq!(visible("x\u{202e}y\u{2066}\u{200f}\u{2028}"), "x\\u{202e}y\\u{2066}\\u{200f}\\u{2028}");
        assert_eq!(visible_lines("a\nb\u{1b}\r"), "a\nb\\u{1b}\\r");
        assert!(matches!(visible("größe, 高さ, क्‍ष"), Cow::Borrowed(_)));
    }
}
