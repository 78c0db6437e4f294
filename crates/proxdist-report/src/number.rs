//! Numbers as people write them.

/// Decimal exponent of a finite nonzero number: `1500 → 3`, `0.02 → −2`.
pub(crate) fn exponent(value: f64) -> i32 {
    // The formatter knows exactly; a logarithm may be off by one at powers of ten.
    format!("{value:e}").rsplit_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
}

/// Ten to a power, through the parser so that the nearest number results, subnormal ones included.
pub(crate) fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// A number with about `digits` significant digits: plain in everyday sizes, `1.2 × 10⁻⁷` beyond them.
pub fn number(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    let last = i32::try_from(digits).unwrap_or(1) - 1;
    if value.is_nan() {
        return "not a number".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{value:.*e}", digits - 1);
    let (mantissa, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..6).contains(&power) {
        let decimals = (last - power).max(0) as usize;
        return minus(&trim_zeros(&format!("{value:.decimals$}")));
    }
    format!("{} × 10{}", minus(&trim_zeros(mantissa)), superscript(power))
}

/// A count with thin spaces between thousands.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A time span in a unit that suits its size.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".into();
    }
    if seconds < 1e-3 {
        return format!("{} µs", number(seconds * 1e6, 3));
    }
    if seconds < 1.0 {
        return format!("{} ms", number(seconds * 1e3, 3));
    }
    if seconds < 120.0 {
        return format!("{} s", number(seconds, 3));
    }
    let whole = seconds.min(1e15) as u64;
    if whole < 7200 {
        return format!("{} min {} s", whole / 60, whole % 60);
    }
    format!("{} h {} min", whole / 3600, whole % 3600 / 60)
}

/// Unicode superscript of an integer, for places without markup.
pub(crate) fn superscript(value: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => char::from_u32(0x2070 + (c as u32 - '0' as u32)).unwrap_or(c),
        other => other,
    };
    value.to_string().chars().map(raised).collect()
}

/// A true minus sign in place of the hyphen.
pub(crate) fn minus(text: &str) -> String {
    text.replace('-', "−")
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.25, "−0.25"),
            (0.123_456_789, "0.12346"),
            (123_456.7, "123457"),
            (1.0e6, "1 × 10⁶"),
            (-1.5e-7, "−1.5 × 10⁻⁷"),
            (f64::NAN, "not a number"),
            (f64::NEG_INFINITY, "−∞"),
            (0.000_999_999_9, "0.001"),
            (5e-324, "4.9407 × 10⁻³²⁴"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value, 5), text);
        }
    }

    #[test]
    fn counts_and_times_read_well() {
        assert_eq!(count(1234), "1234");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(75.0), "75 s");
        assert_eq!(duration(3661.0), "61 min 1 s");
        assert_eq!(duration(90_000.0), "25 h 0 min");
        assert_eq!(duration(f64::NAN), "unknown");
    }

    #[test]
    fn exponents_are_exact_at_powers_of_ten() {
        for e in -300..300 {
            assert_eq!(exponent(power_of_ten(e)), e);
        }
    }
}
