//! Shares and counts for people.

use proxdist_report::number;

/// A share in percent: whole ones between 10 % and 99 %, one decimal beyond, where it matters.
pub fn percent(share: f64) -> String {
    let value = 100.0 * share;
    let text = if (10.0..99.0).contains(&value.abs()) { format!("{value:.0}") } else { format!("{value:.1}") };
    // Rounding may leave a zero with a sign.
    let text = text.trim_end_matches(".0");
    let text = if text == "-0" { "0" } else { text };
    format!("{} %", text.replace('-', "\u{2212}"))
}

/// A number of things: `1 feature`, `8 features`.
pub fn count(value: usize, thing: &str) -> String {
    format!("{} {thing}{}", proxdist_report::count(value), if value == 1 { "" } else { "s" })
}

/// `low to high`.
pub(crate) fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", number(low, 4), number(high, 4))
}

/// A sentence of a fragment: the first letter large, a full stop at the end.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
    let text = format!("{first}{}", letters.as_str());
    if text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_short() {
        let shown = [0.534, 0.083, 0.994, 1.0, 0.0, -0.0004, -0.12, 12.0].map(percent);
        assert_eq!(shown, ["53 %", "8.3 %", "99.4 %", "100 %", "0 %", "0 %", "−12 %", "1200 %"]);
        assert_eq!([count(1, "row"), count(12_345, "row")], ["1 row", "12\u{202f}345 rows"]);
        assert_eq!([sentence("no exchange"), sentence("Done.")], ["No exchange.", "Done."]);
    }
}
