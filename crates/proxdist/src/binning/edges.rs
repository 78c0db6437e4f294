//! Edges as people write them: of all numbers between two values, one with few digits.

/// A number above `low` and not above `high`, as short as there is near their middle; `high` itself where none is.
pub(super) fn between(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    let fits = |number: &f64| *number > low && *number <= high;
    let digits = |size: f64| size.abs().log10().floor();
    let (coarsest, finest) = (digits(low.abs().max(high.abs())), digits(high - low) - 1.0);
    if !coarsest.is_finite() || !finest.is_finite() {
        return high;
    }
    let (coarsest, finest) = (coarsest as i32 + 1, finest as i32);
    let near = |power: i32| [rounded(middle, power), rounded(high, power)];
    (finest..=coarsest).rev().flat_map(near).find(fits).unwrap_or(high)
}

/// The multiple of a power of ten that is nearest.
fn rounded(number: f64, power: i32) -> f64 {
    if power >= 0 {
        let unit = 10_f64.powi(power);
        return (number / unit).round() * unit;
    }
    // Through its digits, so that it is the number that is read from them.
    format!("{number:.*}", power.unsigned_abs() as usize).parse().unwrap_or(f64::NAN)
}

/// An edge in a name.
pub(super) fn written(edge: f64) -> String {
    let size = edge.abs();
    if size != 0.0 && !(1e-5..1e15).contains(&size) { format!("{edge:e}") } else { format!("{}", edge + 0.0) }
}
