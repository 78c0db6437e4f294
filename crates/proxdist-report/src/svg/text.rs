//! Short texts with raised powers, and their approximate widths.

use crate::escape::escape;
use crate::number::minus;

/// A short text, possibly ending in a raised exponent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    text: String,
    raised: String,
}

impl Label {
    /// Text as it stands.
    pub fn plain(text: impl Into<String>) -> Self {
        Label { text: text.into(), raised: String::new() }
    }

    /// `10^exponent`, or `mantissa·10^exponent`.
    pub fn power(mantissa: u32, exponent: i32) -> Self {
        let text = if mantissa == 1 { "10".into() } else { format!("{mantissa}·10") };
        Label { text, raised: minus(&exponent.to_string()) }
    }

    /// `× 10^exponent`, written once beside an axis.
    pub fn factor(exponent: i32) -> Self {
        Label { text: "× 10".into(), raised: minus(&exponent.to_string()) }
    }

    /// Approximate width at a font size.
    pub fn width(&self, size: f64) -> f64 {
        text_width(&self.text, size) + text_width(&self.raised, size * 0.72)
    }

    /// Escaped content of a `<text>` element.
    pub(crate) fn markup(&self) -> String {
        if self.raised.is_empty() {
            return escape(&self.text);
        }
        // `dy` rather than `baseline-shift`, which Firefox does not know.
        format!("{}<tspan dy=\"-0.45em\" font-size=\"72%\">{}</tspan>", escape(&self.text), escape(&self.raised))
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        Label::plain(text)
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Label::plain(text)
    }
}

/// Approximate width of a text: no font is at hand, so it errs on the wide side.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| advance(c) * size).sum()
}

fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'f' | 't' | ' ' | '(' | ')' | '[' | ']' => {
            0.34
        }
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'A'..='Z' | '−' | '+' | '=' | '<' | '>' | '×' | '~' => 0.7,
        c if c as u32 >= 0x1100 => 1.05,
        _ => 0.57,
    }
}

/// The text cut to a width, with `…` in place of what is left out of its middle: both ends of a name tell.
pub fn ellipsis(text: &str, size: f64, width: f64) -> String {
    // Line ends and tabs would be shown as spaces anyway; very long names are cut before they are measured.
    let tidy = |c: char| if c.is_whitespace() { ' ' } else { c };
    if text.len() <= 4000 && text_width(text, size) <= width {
        return text.chars().map(tidy).collect();
    }
    let characters: Vec<char> = text.chars().map(tidy).collect();
    let room = (width - size).max(0.0);
    let fit = |from_end: bool, room: f64| {
        let mut used = 0.0;
        let pick = |i: usize| if from_end { characters[characters.len() - 1 - i] } else { characters[i] };
        let mut kept = 0;
        while kept < characters.len() {
            used += advance(pick(kept)) * size;
            if used > room {
                break;
            }
            kept += 1;
        }
        kept
    };
    let head = fit(false, room * 0.6);
    let tail = fit(true, room * 0.4).min(characters.len() - head);
    let mut out: String = characters[..head].iter().collect();
    out.push('…');
    out.extend(&characters[characters.len() - tail..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(ellipsis("age", 12.0, 100.0), "age");
        let cut = ellipsis(&"abcdefghij".repeat(20), 12.0, 120.0);
        assert!(cut.starts_with("abc") && cut.ends_with("hij") && cut.contains('…'), "{cut}");
        assert!(text_width(&cut, 12.0) <= 125.0);
        assert_eq!(ellipsis("anything", 12.0, 0.0), "…");
        assert_eq!(ellipsis("two\nlines", 12.0, 200.0), "two lines");
    }

    #[test]
    fn powers_are_raised_by_tspan() {
        assert_eq!(Label::power(1, -3).markup(), "10<tspan dy=\"-0.45em\" font-size=\"72%\">−3</tspan>");
        assert_eq!(Label::plain("a<b").markup(), "a&lt;b");
    }
}
