//! How large the numbers of a fit may be.
//!
//! A fit multiplies what it reads: a Hessian holds squares of features, and norms and products of Hessians square them again. Numbers up to
//! $10^{70}$ become $10^{280}$ that way, which leaves room for sums over many rows below the largest double, $1.8 \cdot 10^{308}$. A feature, response
//! or offset beyond that is refused with its place. Features are looked at as the fit sees them: columns that are scaled as they are read may hold any
//! finite number. Weights only count relative to each other, so theirs is no limit.
//!
//! The search for NaN on the way in tells most of it for free: whole chunks are cleared by one sum of squares.

use super::{Cell, ChunkSource, Data, Element, Piece};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// The largest feature, response or offset that a fit takes.
pub(crate) const LARGEST: f64 = 1e70;
/// Numbers up to this size leave scaled columns far below the limit, unless a column is scaled by more than [`LARGEST_FACTOR`].
const USUAL: f64 = 1e20;
const LARGEST_FACTOR: f64 = 1e48;
/// Factors of columns whose squares are ordinary numbers in any units.
const USUAL_FACTORS: std::ops::RangeInclusive<f64> = 1.0 / USUAL..=USUAL;

/// What is known about the size of the features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// No feature is larger than [`USUAL`].
    are_usual: bool,
    /// The same of the features that are scaled as they are read, and their units are no extreme ones.
    pub(super) are_usual_below: bool,
    /// The first feature that a fit would not take.
    beyond: Option<Cell>,
}

impl Sizes {
    /// Looks at all features, usually once; fails where one is not finite.
    pub(super) fn of(source: &dyn ChunkSource) -> Result<Self> {
        if source.find_beyond(USUAL)?.is_none() {
            return Ok(Self { are_usual: true, are_usual_below: false, beyond: None });
        }
        if let Some(Cell { row, column, value }) = source.find_beyond(f64::MAX)? {
            return Err(Error::NotFiniteData { what: "feature", row, column: Some(column.to_string()), value });
        }
        Ok(Self { are_usual: false, are_usual_below: false, beyond: source.find_beyond(LARGEST)? })
    }

    /// The same columns multiplied by these factors once their means, which are not larger than they are, have been taken off.
    pub(super) fn scaled(self, source: &dyn ChunkSource, factors: &[f64]) -> Result<Self> {
        let are_small = self.are_usual && factors.iter().all(|factor| *factor <= LARGEST_FACTOR);
        let are_usual_below = self.are_usual && factors.iter().all(|factor| USUAL_FACTORS.contains(factor));
        let beyond = if are_small { None } else { source.find_beyond(LARGEST)? };
        Ok(Self { are_usual: false, are_usual_below, beyond })
    }

    /// Some of the rows.
    pub(super) fn of_part(self, part: &dyn ChunkSource) -> Result<Self> {
        Ok(Self { beyond: if self.beyond.is_some() { part.find_beyond(LARGEST)? } else { None }, ..self })
    }
}

impl Data<'_> {
    /// Fails on the first number that is too large to compute with.
    pub(crate) fn check_magnitudes(&self) -> Result<()> {
        if let Some(Cell { row, column, value }) = self.sizes.beyond {
            let name = self.names.as_ref().and_then(|names| names.get(column)).cloned();
            let column = Some(name.unwrap_or_else(|| column.to_string()));
            return Err(Error::TooLarge { what: "feature", row, column, value, limit: LARGEST });
        }
        for (what, values) in [("response", self.response), ("offset", self.offset.unwrap_or(&[]))] {
            if let Some(row) = values.iter().position(|value| value.abs() > LARGEST) {
                return Err(Error::TooLarge { what, row, column: None, value: values[row], limit: LARGEST });
            }
        }
        Ok(())
    }
}

/// Position of the first value that is larger than `limit` in size, or NaN.
pub(super) fn first_beyond<T: Element>(values: &[T], limit: f64) -> Option<usize> {
    const CHUNK: usize = 1024;
    let most = (limit * limit).min(f64::MAX);
    let is_cleared = |chunk: &[T]| {
        let mut sums = [0.0_f64; 8];
        let parts = chunk.chunks_exact(8);
        let tail: f64 = parts.remainder().iter().map(|v| v.to_f64() * v.to_f64()).sum();
        for part in parts {
            for lane in 0..8 {
                sums[lane] += part[lane].to_f64() * part[lane].to_f64();
            }
        }
        // NaN is not below anything.
        sums.iter().sum::<f64>() + tail <= most
    };
    let is_within = |value: &T| value.to_f64().abs() <= limit;
    let suspects = values.chunks(CHUNK).enumerate().filter(|(_, chunk)| !is_cleared(chunk));
    suspects
        .into_iter()
        .find_map(|(number, chunk)| Some(number * CHUNK + chunk.iter().position(|value| !is_within(value))?))
}

/// The first entry of some rows that is larger than `limit` in size, or NaN, once `seen` has turned it into what the reader sees. The value is the
/// entry itself, which is where people look for it.
pub(super) fn first_in(piece: &Piece<'_>, limit: f64, seen: impl Fn(usize, f64) -> f64) -> Option<Cell> {
    let is_within = |column: usize, value: f64| seen(column, value).abs() <= limit;
    (0..piece.rows.len()).find_map(|i| {
        let (column, value) = piece.rows.row(i).find(|&(column, value)| !is_within(column, value))?;
        Some(Cell { row: piece.first + i, column, value })
    })
}

/// A power of two, which multiplies and divides without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit(i32);

impl Unit {
    /// The power of two just below a finite number in size; that of the least normal number for anything smaller.
    pub(crate) fn of(size: f64) -> Self {
        let biased = (size.to_bits() >> 52) & 0x7ff;
        Self((biased as i32 - 1023).clamp(-1022, 1022))
    }

    /// `x / u`
    pub(crate) fn divide(self, x: f64) -> f64 {
        Self(-self.0).multiply(x)
    }

    /// `x · u`
    pub(crate) fn multiply(self, x: f64) -> f64 {
        // In two halves, neither of which can overflow or lose digits before the result does.
        let half = self.0 / 2;
        x * 2.0_f64.powi(half) * 2.0_f64.powi(self.0 - half)
    }
}

/// Weights as they are, or all multiplied by one power of two where they are so large or small that their products would overflow or
/// vanish. F is a weighted mean, so that changes nothing.
pub(super) fn usual_weights(weights: &[f64]) -> Cow<'_, [f64]> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || (1.0 / USUAL..=USUAL).contains(&largest) {
        return Cow::Borrowed(weights);
    }
    let unit = Unit::of(largest);
    Cow::Owned(weights.iter().map(|&weight| unit.divide(weight)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beyond_the_limit_is_found_among_many() {
        let mut values = vec![1.0_f64; 5000];
        for limit in [1e20, 1e70, f64::MAX] {
            assert_eq!(first_beyond(&values, limit), None);
        }
        // Together these are larger than the limit, none of them is.
        values[..2000].fill(0.9e20);
        assert_eq!(first_beyond(&values, 1e20), None);
        for (value, limit) in [(-1.1e20, 1e20), (1e300, 1e70), (f64::INFINITY, f64::MAX), (f64::NAN, f64::MAX)] {
            let mut values = values.clone();
            values[4321] = value;
            assert_eq!(first_beyond(&values, limit), Some(4321));
        }
        values[77] = 1e300;
        assert_eq!(first_beyond(&values, f64::MAX), None);
    }

    #[test]
    fn units_divide_and_multiply_without_rounding() {
        for size in [f64::MAX, 1e300, 3.7, 1.0, 0.3, 1e-300, 5e-324] {
            let unit = Unit::of(size);
            assert!(unit.divide(size) < 4.0 && unit.multiply(unit.divide(size)) == size, "{size:e}");
            assert!(size < 1e-307 || unit.divide(size) >= 1.0, "{size:e}");
        }
    }

    #[test]
    fn extreme_weights_count_relative_to_each_other() {
        let (x, y) = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]);
        for size in [1e-308, 1e-200, 1.0, 1e200, 1e308] {
            let weights = [size, 0.5 * size, 0.0];
            let data = Data::dense(&x, 1, &y).unwrap().weights(&weights).unwrap();
            assert!((data.weight(1) / data.weight_sum() - 1.0 / 3.0).abs() < 1e-15, "{size:e}");
            assert!(data.weight_sum().is_normal() && data.weight_sum() < 1e21, "{size:e}");
        }
    }
}
