//! Numbers in words: those of the library, and numbers too large to be written out.

pub(crate) use proxdist::words::{count, number, plural};

/// A number for people from its natural logarithm, however large it is.
pub(crate) fn from_ln(ln: f64) -> String {
    let log10 = ln / std::f64::consts::LN_10;
    if !(log10.abs() >= 300.0 && log10.is_finite()) {
        return number(ln.exp());
    }
    let (power, digits) = (log10.floor(), format!("{:.1}", 10.0_f64.powf(log10 - log10.floor())));
    if digits == "10.0" { format!("1.0e{}", power + 1.0) } else { format!("{digits}e{power}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_all_bounds_are_short() {
        assert_eq!([0.0, 5.0_f64.ln(), 1e6, f64::INFINITY].map(from_ln), ["1", "5", "3.0e434294", "inf"]);
    }
}
