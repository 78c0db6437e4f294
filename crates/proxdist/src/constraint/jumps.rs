//! The best places of at most $k$ jumps, by dynamic programming (Bellman 1961; Jackson and others 2005).
//!
//! Let $c(i, j) = \min_m\sum_{i \le l < j} w_l(y_l - m)^2$ be what one level costs on a piece. The least cost of the first $j$ entries with $m$ jumps is
//! $f_m(j) = \min_{i < j} f_{m-1}(i) + c(i, j)$: where the last piece begins, everything before it is optimal by itself. $O(kp^2)$ with running sums.

/// The jumps, ascending: each the index of the first entry of a piece. As few as give the least cost. `values` are of ordinary size and centered.
pub(super) fn best(values: &[f64], weights: &[f64], most: usize) -> Vec<usize> {
    let size = values.len();
    let mut sums = vec![(0.0, 0.0, 0.0)];
    let (mut w, mut wy, mut wyy) = (0.0, 0.0, 0.0);
    for (y, weight) in values.iter().zip(weights) {
        (w, wy, wyy) = (w + weight, wy + weight * y, wyy + weight * y * y);
        sums.push((w, wy, wyy));
    }
    let cost = |i: usize, j: usize| {
        let (w, wy, wyy) = (sums[j].0 - sums[i].0, sums[j].1 - sums[i].1, sums[j].2 - sums[i].2);
        // One entry costs nothing, whatever rounding says.
        if j == i + 1 { 0.0 } else { (wyy - wy * wy / w).max(0.0) }
    };
    let mut least: Vec<f64> = (0..=size).map(|j| if j == 0 { 0.0 } else { cost(0, j) }).collect();
    let mut begins: Vec<Vec<usize>> = Vec::with_capacity(most);
    let (mut fewest, mut lowest) = (0, least[size]);
    for jumps in 1..=most.min(size.saturating_sub(1)) {
        let mut next = vec![f64::INFINITY; size + 1];
        let mut begin = vec![0; size + 1];
        for j in jumps + 1..=size {
            for (i, before) in least.iter().enumerate().take(j).skip(jumps) {
                let total = before + cost(i, j);
                if total < next[j] {
                    (next[j], begin[j]) = (total, i);
                }
            }
        }
        least = next;
        begins.push(begin);
        if least[size] < lowest {
            (fewest, lowest) = (jumps, least[size]);
        }
    }
    let (mut breaks, mut end) = (Vec::with_capacity(fewest), size);
    for begin in begins[..fewest].iter().rev() {
        end = begin[end];
        breaks.push(end);
    }
    breaks.reverse();
    breaks
}

/// Every piece at its mean.
pub(super) fn level(point: &mut [f64], breaks: &[usize]) {
    let ends = breaks.iter().copied().chain([point.len()]).collect::<Vec<_>>();
    let mut start = 0;
    for end in ends {
        let piece = &mut point[start..end];
        start = end;
        let Some((&first, others)) = piece.split_first() else { continue };
        if others.iter().all(|x| *x == first) {
            continue;
        }
        let top = super::magnitude::largest(piece.iter().copied());
        let mean = piece.iter().map(|x| x / top).sum::<f64>() / piece.len() as f64 * top;
        piece.fill(mean);
    }
}
