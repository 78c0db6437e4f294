//! The $k$ largest of many scores, ties to the lower index, without sorting.
//!
//! Scores stream past a rising threshold: only those above it enter a buffer of about $2k$ candidates, and whenever the
//! buffer is full its lower half is thrown away. The cost is $O(p)$, and for $k \ll p$ most scores cost one comparison.

/// What the `k` largest scores have in common: they lie above a threshold, or are among the first few equal to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    threshold: f64,
    ties: usize,
}

impl Cut {
    /// The cut that keeps the `keep` largest of `scores`; NaN counts as the largest of all, so that it is never hidden.
    pub(super) fn largest(scores: impl Iterator<Item = f64>, keep: usize, candidates: &mut Vec<f64>) -> Self {
        if keep == 0 {
            return Self { threshold: f64::NAN, ties: 0 };
        }
        let full = keep.saturating_mul(2).max(keep.saturating_add(1024));
        candidates.clear();
        let mut threshold = f64::NEG_INFINITY;
        for score in scores {
            if score > threshold || candidates.len() < keep || score.is_nan() {
                candidates.push(score);
                if candidates.len() == full {
                    threshold = keep_upper(candidates, keep);
                }
            }
        }
        if candidates.len() < keep {
            return Self { threshold: f64::NEG_INFINITY, ties: usize::MAX };
        }
        let threshold = keep_upper(candidates, keep);
        let above = candidates.iter().filter(|score| score.total_cmp(&threshold).is_gt()).count();
        Self { threshold, ties: keep - above }
    }

    /// Whether the next score, in index order, is kept.
    pub(super) fn keeps(&mut self, score: f64) -> bool {
        match score.total_cmp(&self.threshold) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => {
                let room = self.ties > 0;
                self.ties -= usize::from(room);
                room
            }
        }
    }
}

/// Shortens the list to its `keep` largest and returns the least of them.
fn keep_upper(candidates: &mut Vec<f64>, keep: usize) -> f64 {
    let (_, &mut least, _) = candidates.select_nth_unstable_by(keep - 1, |a, b| b.total_cmp(a));
    candidates.truncate(keep);
    least
}

/// A score for ranking by value: one kind of zero, one kind of NaN.
pub(super) fn by_value(value: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { value + 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_at_the_threshold_go_to_the_lower_index() {
        let scores = [1.0, 2.0, 1.0, 3.0, 1.0];
        let mut cut = Cut::largest(scores.into_iter(), 3, &mut Vec::new());
        assert_eq!(scores.map(|score| cut.keeps(score)), [true, true, false, true, false]);
    }

    #[test]
    fn the_stream_agrees_with_a_sort() {
        let scores: Vec<f64> = (0..20_000_u64).map(|i| ((i * 7919) % 10_007) as f64).collect();
        for keep in [0, 1, 7, 1023, 1024, 5000, 19_999, 20_000, 30_000] {
            let mut cut = Cut::largest(scores.iter().copied(), keep, &mut Vec::new());
            let kept: Vec<usize> = (0..scores.len()).filter(|&i| cut.keeps(scores[i])).collect();
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]).then(i.cmp(&j)));
            order.truncate(keep);
            order.sort_unstable();
            assert_eq!(kept, order, "keep = {keep}");
        }
    }
}
