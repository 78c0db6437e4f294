//! The figures of a report, each a function from plain data to SVG text.

mod biplot;
mod box_plots;
mod calibration;
mod coefficients;
mod convergence;
mod cv_curve;
mod heat_map;
mod lines;
mod proof;
mod residuals;
mod roc;
mod small_multiples;

pub use biplot::biplot;
pub use box_plots::box_plots;
pub use calibration::calibration;
pub(crate) use calibration::wilson;
pub use coefficients::{coefficients, effects};
pub use convergence::convergence;
pub(crate) use convergence::{POINTS as TRACE_POINTS, thin_trace};
pub use cv_curve::cv_curve;
pub use heat_map::{heat_map, titled_heat_map};
pub use lines::lines;
pub(crate) use proof::alone as proof_alone;
pub use proof::proof;
pub use residuals::residuals;
pub use roc::roc;
pub use small_multiples::{Plot, small_multiples};

/// Indices of at most `most` of `length` items, evenly spread, first and last included: the same every time.
pub(crate) fn thinned(length: usize, most: usize) -> impl Iterator<Item = usize> {
    let kept = length.min(most.max(2));
    // Widened, so that the product of two lengths cannot overflow.
    (0..kept)
        .map(move |i| if kept < 2 { i } else { ((i as u128 * (length as u128 - 1)) / (kept as u128 - 1)) as usize })
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinning_keeps_the_ends_and_never_repeats() {
        assert_eq!(thinned(0, 10).count(), 0);
        assert_eq!(thinned(1, 10).collect::<Vec<_>>(), [0]);
        assert_eq!(thinned(5, 10).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let kept: Vec<usize> = thinned(100_000, 2000).collect();
        assert_eq!((kept.len(), kept[0], kept[1999]), (2000, 0, 99_999));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
    }
}
