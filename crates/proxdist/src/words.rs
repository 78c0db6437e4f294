//! Numbers and counts for people, the same wherever the library, the program and its reports write sentences.

/// A number for people: six significant digits at most.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().log10().floor();
    if !(-4.0..7.0).contains(&size) {
        let text = format!("{value:.3e}");
        return match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", trimmed(digits)),
            None => text,
        };
    }
    let decimals = (5.0 - size).max(0.0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A count with thin groups of three digits.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of things: `1 row`, `2 rows`.
pub fn plural(value: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(value as u64), if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, -0.125, 1_234.567_89, 1e-7, 123_456_789.0, 0.000_123_456_789].map(number);
        assert_eq!(shown, ["0", "1", "-0.125", "1234.57", "1e-7", "1.235e8", "0.000123457"]);
        assert_eq!([1, 1234, 12345, 1_234_567].map(count), ["1", "1234", "12 345", "1 234 567"]);
        assert_eq!([plural(1, "row"), plural(2, "row")], ["1 row", "2 rows"]);
    }
}
