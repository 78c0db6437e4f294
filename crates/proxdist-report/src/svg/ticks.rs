//! Ticks at round numbers, with labels that are short and distinct.

use super::text::Label;
use crate::number::{exponent, minus, power_of_ten};

/// A labelled mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in units of the data.
    pub value: f64,
    /// What is written beside it.
    pub label: Label,
}

/// The marks of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// Labelled ticks, with grid lines.
    pub major: Vec<Tick>,
    /// Short ticks without labels.
    pub minor: Vec<f64>,
    /// A power of ten that all labels must be multiplied with.
    pub factor: Option<i32>,
}

impl Ticks {
    /// Ticks at given values, for axes where only those occur.
    pub fn at(values: &[f64]) -> Self {
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let tick = |&value: &f64| Tick { value, label: Label::plain(crate::number::number(value, 3)) };
        Ticks { major: values.iter().map(tick).collect(), minor: Vec::new(), factor: None }
    }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten; the ends are in units of the data.
pub(super) fn linear_ticks(low: f64, high: f64, target: usize) -> Ticks {
    let rough = (high - low) / target.max(1) as f64;
    if !(rough > 0.0 && rough.is_finite()) {
        return Ticks::default();
    }
    let power = exponent(rough);
    let unit = rough / power_of_ten(power);
    // The nearest of the round steps, in ratio.
    let (digit, power) = match unit {
        u if u < 1.5 => (1, power),
        u if u < 3.2 => (2, power),
        u if u < 7.1 => (5, power),
        _ => (1, power + 1),
    };
    let step = f64::from(digit) * power_of_ten(power);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // Numbers with at most five digits before and three zeros after the point are written out.
    let largest = exponent((first.abs().max(last.abs()) * step).max(step));
    let factor = (!(-3..5).contains(&largest)).then_some(largest);
    let decimals = (factor.unwrap_or(0) - power).max(0) as usize;
    let count = (last - first).clamp(-1.0, 1000.0) as i64 + 1;
    let major = (0..count).map(|i| {
        let multiple = first + i as f64;
        // From the integer multiple, so that the label is exact whatever the size of the numbers.
        let shown = multiple * f64::from(digit) * power_of_ten(power - factor.unwrap_or(0));
        Tick { value: multiple * step, label: decimal(shown, decimals) }
    });
    Ticks { major: major.collect(), minor: Vec::new(), factor }
}

/// Ticks at powers of ten, or between them where the range is short; the ends are decimal logarithms.
pub(super) fn log_ticks(low: f64, high: f64, target: usize) -> Ticks {
    let target = target.max(2);
    let decades = high - low;
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let within = |v: f64| (low - 1e-9..=high + 1e-9).contains(&v.log10());
    if decades < 0.7 {
        return Ticks { minor: Vec::new(), ..linear_ticks(10f64.powf(low), 10f64.powf(high), target) };
    }
    let whole = ((high + 1e-9).floor() - (low - 1e-9).ceil()) as i32 + 1;
    let mantissas: &[u32] = match (whole, decades) {
        (3.., _) => &[1],
        (_, d) if d < 1.3 && target > 4 => &[1, 2, 3, 5],
        (_, d) if d < 2.2 => &[1, 2, 5],
        _ => &[1, 3],
    };
    let stride = if mantissas.len() == 1 { (f64::from(whole) / target as f64).ceil().max(1.0) as i32 } else { 1 };
    let mut places = Vec::new();
    for e in (first..=last).filter(|e| e.rem_euclid(stride) == 0) {
        places.extend(mantissas.iter().map(|&m| (m, e)).filter(|&(m, e)| within(f64::from(m) * power_of_ten(e))));
    }
    let plain = places.iter().all(|&(_, e)| (-3..=3).contains(&e));
    let label = |m: u32, e: i32| {
        if plain { decimal(f64::from(m) * power_of_ten(e), (-e).max(0) as usize) } else { Label::power(m, e) }
    };
    let major =
        places.iter().map(|&(m, e)| Tick { value: f64::from(m) * power_of_ten(e), label: label(m, e) }).collect();
    let mut minor = Vec::new();
    if stride > 1 {
        minor.extend((first..=last).map(power_of_ten).filter(|&v| within(v)));
    } else if decades <= 8.0 {
        for e in first..=last {
            minor.extend((2..10).map(|m| f64::from(m) * power_of_ten(e)).filter(|&v| within(v)));
        }
    }
    Ticks { major, minor, factor: None }
}

fn decimal(value: f64, decimals: usize) -> Label {
    let text = format!("{value:.decimals$}");
    // Rounding may leave a negative zero.
    let text =
        if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') { text.replace('-', "") } else { text };
    Label::plain(minus(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.major.iter().map(|t| t.label.markup()).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&linear_ticks(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear_ticks(-3.0, 11.0, 4)), ["0", "5", "10"]);
        assert_eq!(labels(&linear_ticks(-0.013, 0.021, 4)), ["−0.01", "0.00", "0.01", "0.02"]);
        let large = linear_ticks(0.0, 3.2e7, 4);
        assert_eq!((labels(&large), large.factor), (vec!["0".into(), "1".into(), "2".into(), "3".into()], Some(7)));
        let small = linear_ticks(1e-8, 4e-8, 4);
        assert_eq!((labels(&small), small.factor), (vec!["1".into(), "2".into(), "3".into(), "4".into()], Some(-8)));
    }

    #[test]
    fn long_log_axes_have_powers_of_ten() {
        let ticks = log_ticks(-6.2, 1.1, 8);
        assert_eq!(ticks.major.len(), 8);
        assert!(labels(&ticks)[0].starts_with("10<tspan"));
        assert_eq!(ticks.major[0].value, 1e-6);
        assert!(ticks.minor.len() > 40);
        let long = log_ticks(-300.0, 300.0, 6);
        assert!((3..=8).contains(&long.major.len()), "{}", long.major.len());
    }

    #[test]
    fn short_log_axes_have_ticks_between_the_powers() {
        assert_eq!(labels(&log_ticks(0.0, 2.0, 5)), ["1", "10", "100"]);
        assert_eq!(labels(&log_ticks(-0.2, 1.31, 5)), ["1", "2", "5", "10", "20"]);
        assert!(log_ticks(0.3, 0.5, 4).major.len() >= 2);
        assert!(log_ticks(-7.3, -7.1, 4).major.len() >= 2);
    }
}
