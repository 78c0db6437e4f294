//! Formulas in a line of text, set as HTML: single letters are symbols and stand in italics, longer words such as `log` stand upright, `^`
//! raises the sign after it.

use crate::escape::escape;

/// `e^η − yη` as HTML.
pub(super) fn typeset(formula: &str) -> String {
    let signs: Vec<char> = formula.chars().collect();
    let mut html = String::new();
    let mut at = 0;
    while at < signs.len() {
        if let (Some('^'), Some(raised)) = (signs.get(at), signs.get(at + 1)) {
            html.push_str(&format!("<sup>{}</sup>", symbols(&[*raised])));
            at += 2;
            continue;
        }
        let letters = signs[at..].iter().take_while(|sign| sign.is_ascii_alphabetic()).count();
        let end = at + letters.max(1);
        html.push_str(&symbols(&signs[at..end]));
        at = end;
    }
    html
}

/// A word or a single sign.
fn symbols(signs: &[char]) -> String {
    match signs {
        [letter] if letter.is_alphabetic() => format!("<i>{letter}</i>"),
        signs => escape(&signs.iter().collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_symbols_and_words_are_not() {
        assert_eq!(typeset("log(1 + e^η) − yη"), "log(1 + <i>e</i><sup><i>η</i></sup>) − <i>y</i><i>η</i>");
        assert_eq!(typeset("½ (y − η)^2"), "½ (<i>y</i> − <i>η</i>)<sup>2</sup>");
    }

    #[test]
    fn nothing_gets_through_that_a_browser_would_run() {
        assert_eq!(typeset("<img^<"), "&lt;img<sup>&lt;</sup>");
        assert_eq!(typeset("a^"), "<i>a</i>^");
    }
}
