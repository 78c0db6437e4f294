//! Bins of nearly the same weight.
//!
//! With total weight $W$ and $C_j$ the weight of the $j$ smallest distinct values, a cut after $j$ of them has the share $C_j/W$. For each of the shares $1/K, \dots, (K-1)/K$ the cut nearest to it is taken, the
//! lower of two that are equally near; cuts that come twice count once. So there are at most $K$ bins, none is empty, and a value that many rows have is a bin of its own rather than torn apart.

use super::distinct::Distinct;

/// The numbers of values below each cut, increasing.
pub(super) fn cuts(values: &[Distinct], most: usize) -> Vec<usize> {
    let total: f64 = values.iter().map(|distinct| distinct.weight).sum();
    let mut below = Vec::with_capacity(values.len());
    let mut so_far = 0.0;
    for distinct in values {
        so_far += distinct.weight;
        below.push(so_far);
    }
    let mut cuts: Vec<usize> = Vec::new();
    for part in 1..most {
        let wanted = total * part as f64 / most as f64;
        let above = below.partition_point(|&weight| weight < wanted);
        // The cut after value j is number j + 1; there is none after the last.
        let candidates = [above.checked_sub(1), Some(above)].into_iter().flatten().filter(|&j| j + 1 < values.len());
        let distance = |j: usize| (below[j] - wanted).abs();
        let nearest = candidates.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        if let Some(cut) = nearest.map(|j| j + 1).filter(|cut| cuts.last().is_none_or(|last| last < cut)) {
            cuts.push(cut);
        }
    }
    cuts
}
