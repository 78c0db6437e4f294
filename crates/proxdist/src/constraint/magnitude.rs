//! Euclidean lengths that neither overflow nor vanish.

/// The length $\|x\|$ as a product `scale * relative`, either factor harmless even when the product is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    scale: f64,
    relative: f64,
}

impl Length {
    /// The length of a vector. NaN in, NaN out.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let squares: f64 = values.clone().map(|value| value * value).sum();
        // Outside this range squares have overflowed or lost digits: divide by the largest entry first.
        if (1e-280..1e280).contains(&squares) {
            return Self { scale: 1.0, relative: squares.sqrt() };
        }
        let scale = largest(values.clone());
        if scale == 0.0 || !scale.is_finite() {
            return Self { scale, relative: 1.0 };
        }
        Self { scale, relative: values.map(|value| (value / scale).powi(2)).sum::<f64>().sqrt() }
    }

    /// The length as one number, infinite if it must be.
    pub(super) fn value(self) -> f64 {
        self.scale * self.relative
    }

    /// The entry `value` of a vector of this length, after the vector is stretched or shrunk to length `target`.
    pub(super) fn rescaled(self, value: f64, target: f64) -> f64 {
        // Adding zero turns a negative zero into the plain one.
        (value / self.scale) * (target / self.relative) + 0.0
    }
}

/// $\max_j |x_j|$; zero for no values, NaN if there is one.
pub(super) fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |top: f64, value| if top.is_nan() || value.abs() <= top { top } else { value.abs() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_survive_extreme_entries() {
        let length = |x: &[f64]| Length::of(x.iter().copied()).value();
        assert_eq!(length(&[]), 0.0);
        assert_eq!(length(&[3.0, -4.0]), 5.0);
        assert!((length(&[3e200, -4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert!((length(&[3e-200, -4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!(length(&[5e-324, 0.0]), 5e-324);
        assert!(length(&[1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(length(&[f64::INFINITY, 1.0]), f64::INFINITY);
    }

    #[test]
    fn a_vector_too_long_to_measure_can_still_be_shortened() {
        let long = Length::of([1e308; 4].into_iter());
        assert_eq!(long.value(), f64::INFINITY);
        assert_eq!(long.rescaled(1e308, 1.0), 0.5);
    }
}
