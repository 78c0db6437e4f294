//! Rows kept out of a fit, the same ones for the same seed.

use crate::failure::{Failure, Result};
use crate::model_file::Holdout;
use proxdist::sampling::{Sampler, Sampling};

/// Keeps the split apart from the batches, which are drawn from the seed itself.
const APART: u64 = 0x686f_6c64_6f75_7421;

/// The rows of a file in two parts, each in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// Rows that enter the fit.
    pub(crate) training: Vec<usize>,
    /// Rows that do not.
    pub(crate) heldout: Vec<usize>,
}

/// Deals rows at random; for labels, each class gives its share.
pub(crate) fn split(holdout: Holdout, response: &[f64], classes: bool) -> Result<Split> {
    if holdout.rows == 0 {
        return Err(Failure::new("the data have no rows", "check how the file was written"));
    }
    let mut order = Vec::new();
    Sampler::new(Sampling::Reshuffled, holdout.rows, holdout.rows, holdout.seed ^ APART).draw(1, &mut order);
    let mut strata = if classes { response.to_vec() } else { vec![f64::NAN] };
    strata.sort_unstable_by(f64::total_cmp);
    strata.dedup();
    let mut heldout = Vec::new();
    for stratum in &strata {
        let members: Vec<usize> =
            order.iter().copied().filter(|&row| stratum.is_nan() || response.get(row) == Some(stratum)).collect();
        let kept = (holdout.share * members.len() as f64).round() as usize;
        heldout.extend_from_slice(&members[..kept]);
    }
    heldout.sort_unstable();
    let mut is_heldout = vec![false; holdout.rows];
    heldout.iter().for_each(|&row| is_heldout[row] = true);
    let training: Vec<usize> = (0..holdout.rows).filter(|&row| !is_heldout[row]).collect();
    if heldout.is_empty() || training.is_empty() {
        let message = format!("--holdout {}: {} rows cannot be split so", holdout.share, holdout.rows);
        return Err(Failure::new(message, "choose a share nearer to one half, or use more rows"));
    }
    Ok(Split { training, heldout })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_gives_its_share_and_every_row_is_somewhere() {
        let labels: Vec<f64> = (0..100).map(|row| f64::from(u8::from(row % 10 == 0))).collect();
        let holdout = Holdout { share: 0.2, seed: 3, rows: 100 };
        let parts = split(holdout, &labels, true).unwrap();
        assert_eq!((parts.training.len(), parts.heldout.len()), (80, 20));
        assert_eq!(parts.heldout.iter().filter(|&&row| labels[row] == 1.0).count(), 2);
        let mut all = [parts.training.clone(), parts.heldout.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(split(holdout, &labels, true).unwrap(), parts);
        assert_ne!(split(Holdout { seed: 4, ..holdout }, &labels, true).unwrap(), parts);
        assert!(split(Holdout { rows: 2, ..holdout }, &labels[..2], false).is_err());
    }
}
