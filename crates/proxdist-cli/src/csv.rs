//! Text as a field of CSV.
//!
//! Spreadsheets take a field that begins with `=`, `+`, `-` or `@` for a formula and run it. Text that begins so, and is not just a
//! number, gets an apostrophe in front, which they hide and other programs show; `--raw` leaves it out.

use std::borrow::Cow;

/// A field, quoted where it has to be; `is_raw` leaves formulas as they are.
pub(crate) fn field(text: &str, is_raw: bool) -> String {
    let text = if is_formula(text) && !is_raw { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into_owned() }
}

/// Whether a spreadsheet would run the text.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(text)
}

/// A plain number such as -1, +2.5 or -1e-3: nothing to run.
fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
            ("+x, y", "\"'+x, y\""),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("-inf", "'-inf"),
            ("-1", "-1"),
            ("+1", "+1"),
            ("-1.5e-3", "-1.5e-3"),
            ("yes", "yes"),
            ("a \"b\"", "\"a \"\"b\"\"\""),
        ] {
            assert_eq!(field(text, false), written);
        }
        assert_eq!(field("=1+1", true), "=1+1");
        assert_eq!(field("=1,1", true), "\"=1,1\"");
    }
}
