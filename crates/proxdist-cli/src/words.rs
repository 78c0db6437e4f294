//! Numbers and sets in words.

use proxdist::spec::{Direction, Groups, SetSpec};

/// A number for people: six significant digits at most.
pub(crate) fn number(value: f64) -> String {
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

/// A number for people from its natural logarithm, however large it is.
pub(crate) fn from_ln(ln: f64) -> String {
    let log10 = ln / std::f64::consts::LN_10;
    if !(log10.abs() >= 300.0 && log10.is_finite()) {
        return number(ln.exp());
    }
    let (power, digits) = (log10.floor(), format!("{:.1}", 10.0_f64.powf(log10 - log10.floor())));
    if digits == "10.0" { format!("1.0e{}", power + 1.0) } else { format!("{digits}e{power}") }
}

/// A count with thin groups of three digits.
pub(crate) fn count(value: u64) -> String {
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
pub(crate) fn plural(value: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(value as u64), if value == 1 { "" } else { "s" })
}

/// What the set asks of the coefficients.
pub(crate) fn set(spec: &SetSpec) -> String {
    match spec {
        SetSpec::WholeSpace => "no constraint".to_owned(),
        SetSpec::Ball { radius, center: None } => format!("Euclidean norm at most {}", number(*radius)),
        SetSpec::Ball { radius, center: Some(_) } => format!("within distance {} of a given center", number(*radius)),
        SetSpec::Sparsity { keep } => format!("at most {}", plural(*keep, "nonzero coefficient")),
        SetSpec::Rank { rank } => format!("a coefficient matrix of rank at most {rank}"),
        SetSpec::Bounds { lower, upper } => match (lower.is_finite(), upper.is_finite()) {
            (true, true) => format!("every coefficient between {} and {}", number(*lower), number(*upper)),
            (true, false) => format!("every coefficient at least {}", number(*lower)),
            (false, true) => format!("every coefficient at most {}", number(*upper)),
            (false, false) => "no constraint".to_owned(),
        },
        SetSpec::BoundsEach { .. } => "every coefficient between limits of its own".to_owned(),
        SetSpec::NonNegative => "no negative coefficient".to_owned(),
        SetSpec::L1Ball { radius } => format!("magnitudes that sum to at most {}", number(*radius)),
        SetSpec::LinfBall { radius } => format!("no magnitude above {}", number(*radius)),
        SetSpec::Simplex { total } => format!("no negative coefficient and a sum of exactly {}", number(*total)),
        SetSpec::Affine { right, .. } => plural(right.len(), "linear equation"),
        SetSpec::HalfSpace { .. } => "a linear inequality".to_owned(),
        SetSpec::Monotone { direction: Direction::Increasing } => "coefficients in increasing order".to_owned(),
        SetSpec::Monotone { direction: Direction::Decreasing } => "coefficients in decreasing order".to_owned(),
        SetSpec::GroupSparsity { keep, groups } => {
            let of = match groups {
                Groups::Consecutive { size } => format!(" of {size} coefficients"),
                Groups::Listed(_) => String::new(),
            };
            format!("at most {}{of}", plural(*keep, "nonzero group"))
        }
        SetSpec::Blocks(blocks) => {
            let each = blocks.iter().map(|block| format!("{}-{}: {}", block.first, block.last, set(&block.set)));
            format!("by ranges of coefficients, {}", each.collect::<Vec<_>>().join("; "))
        }
        SetSpec::Intersection(parts) => parts.iter().map(set).collect::<Vec<_>>().join(", and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, -0.125, 1_234.567_89, 1e-7, 123_456_789.0, 0.000_123_456_789].map(number);
        assert_eq!(shown, ["0", "1", "-0.125", "1234.57", "1e-7", "1.235e8", "0.000123457"]);
        assert_eq!([0.0, 5.0_f64.ln(), 1e6, f64::INFINITY].map(from_ln), ["1", "5", "3.0e434294", "inf"]);
        assert_eq!([1, 1234, 12345, 1_234_567].map(count), ["1", "1234", "12 345", "1 234 567"]);
    }

    #[test]
    fn every_set_of_the_catalogue_has_words() {
        for text in
            ["none", "ball:1", "sparsity:1", "rank:2", "box:0,inf", "simplex", "monotone", "sparsity:5 & nonneg"]
        {
            assert!(!set(&SetSpec::parse(text).unwrap()).is_empty());
        }
        let words = set(&SetSpec::parse("sparsity:1 & nonneg").unwrap());
        assert_eq!(words, "at most 1 nonzero coefficient, and no negative coefficient");
    }
}
