//! What every exchange of features would do to a quadratic function, $O(1)$ a pair.
//!
//! At the minimiser on a support $S$ let $A = G_{SS}^{-1}$, $B = AG_{S,:}$, $r = b - G_{:,S}\theta$ the slope that is left for each feature and
//! $d_i = G_{ii} - G_{iS}B_{:i}$ what the support leaves of its second derivative. Then, in units of ½,
//!
//! | move | lowers the function by |
//! |---|---|
//! | $i$ enters | $r_i^2/d_i$ |
//! | $j$ leaves | $-\theta_j^2/A_{jj}$ |
//! | $j$ leaves and $i$ enters | $\dfrac{(r_i + B_{ji}\theta_j/A_{jj})^2}{d_i + B_{ji}^2/A_{jj}} - \dfrac{\theta_j^2}{A_{jj}}$ |
//!
//! Exact for squared loss, the quadratic model for other losses. A feature whose second derivative is nothing but rounding gains nothing.

use crate::linalg::wide;

/// The numbers that all exchanges share. `left` is infinite for features that must not enter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scores<'a> {
    /// $\theta$ on the support.
    pub(super) theta: &'a [f64],
    /// $A_{jj}$
    pub(super) own: &'a [f64],
    /// The rows of $B$.
    pub(super) rows: &'a [Vec<f64>],
    /// $r$
    pub(super) slope: &'a [f64],
    /// $d$
    pub(super) left: &'a [f64],
    /// Second derivatives up to here are rounding.
    pub(super) floor: f64,
}

/// One feature out, another in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Swap {
    /// Position in the support of the feature that leaves.
    pub(super) leaves: usize,
    /// Column that enters.
    pub(super) enters: usize,
    /// What the function falls by.
    pub(super) gain: f64,
}

/// Sums that run side by side, so that the compiler may use wide registers.
const LANES: usize = 8;

/// Twice the gain of a feature that enters once another one, with these numbers, has left, as the square and the curvature that it is the quotient of.
#[inline(always)]
#[allow(clippy::inline_always)]
fn parts(slope: f64, left: f64, across: f64, (shift, share): (f64, f64)) -> (f64, f64) {
    let along = slope + across * shift;
    (along * along, left + across * across * share)
}

/// That gain; nothing where the curvature is rounding.
#[inline(always)]
#[allow(clippy::inline_always)]
fn gain(slope: f64, left: f64, across: f64, removal: (f64, f64), floor: f64) -> f64 {
    let (square, curvature) = parts(slope, left, across, removal);
    if curvature > floor { square / curvature } else { 0.0 }
}

/// In each of some lanes the square and the curvature of the largest gain, over features with these slopes, second derivatives and entries of $B$.
#[allow(clippy::needless_bitwise_bool)]
fn largest(
    (slope, left, row): (&[f64], &[f64], &[f64]),
    removal: (f64, f64),
    floor: f64,
) -> ([f64; LANES], [f64; LANES]) {
    wide(
        #[inline(always)]
        move || {
            // Copies, and no branch: only so does the compiler use wide registers.
            let (mut squares, mut curvatures) = ([0.0_f64; LANES], [1.0_f64; LANES]);
            let whole = row.len() / LANES * LANES;
            let lanes = row.chunks_exact(LANES).zip(slope.chunks_exact(LANES)).zip(left.chunks_exact(LANES));
            for ((row, slope), left) in lanes {
                for lane in 0..LANES {
                    let (square, curvature) = parts(slope[lane], left[lane], row[lane], removal);
                    let is_more = (square * curvatures[lane] > squares[lane] * curvature) & (curvature > floor);
                    squares[lane] = if is_more { square } else { squares[lane] };
                    curvatures[lane] = if is_more { curvature } else { curvatures[lane] };
                }
            }
            for i in whole..row.len() {
                let (square, curvature) = parts(slope[i], left[i], row[i], removal);
                if square * curvatures[0] > squares[0] * curvature && curvature > floor {
                    (squares[0], curvatures[0]) = (square, curvature);
                }
            }
            (squares, curvatures)
        },
    )
}

impl Scores<'_> {
    /// $\theta_j/A_{jj}$ and $1/A_{jj}$ of a position in the support.
    fn removal(&self, at: usize) -> (f64, f64) {
        (self.theta[at] / self.own[at], 1.0 / self.own[at])
    }

    /// What the function rises by when the feature at a position leaves.
    pub(super) fn cost(&self, at: usize) -> f64 {
        0.5 * self.theta[at] * self.theta[at] / self.own[at]
    }

    /// Positions in the support, the cheapest to leave first.
    pub(super) fn cheapest(&self, most: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.theta.len()).collect();
        order.sort_by(|&a, &b| self.cost(a).total_cmp(&self.cost(b)).then(a.cmp(&b)));
        order.truncate(most);
        order
    }

    /// What the function falls by when the best feature enters.
    pub(super) fn largest_gain(&self) -> f64 {
        let gains = self.slope.iter().zip(self.left).map(|(&r, &d)| gain(r, d, 0.0, (0.0, 0.0), self.floor));
        0.5 * gains.fold(0.0, f64::max)
    }

    /// The features that gain most by entering, the best first.
    pub(super) fn additions(&self, most: usize) -> Vec<usize> {
        let mut best: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
        for (i, (&slope, &left)) in self.slope.iter().zip(self.left).enumerate() {
            let gain = gain(slope, left, 0.0, (0.0, 0.0), self.floor);
            let is_listed = gain > 0.0 && (best.len() < most || best.last().is_some_and(|last| gain > last.0));
            if is_listed {
                let at = best.partition_point(|other| other.0 >= gain);
                best.insert(at, (gain, i));
                best.truncate(most);
            }
        }
        best.into_iter().map(|(_, i)| i).collect()
    }

    /// Twice the largest gain of any feature that enters for the one at a position. Quotients are compared without being divided: divisions would take most of the
    /// time of a search.
    fn most(&self, at: usize) -> f64 {
        let (removal, row) = (self.removal(at), &self.rows[at][..]);
        let (squares, curvatures) = largest((self.slope, self.left, row), removal, self.floor);
        let gains = squares.iter().zip(&curvatures).map(|(square, curvature)| square / curvature);
        gains.fold(0.0, f64::max)
    }

    /// The best exchange of those that `may_leave` allows, whether it lowers the function or not.
    pub(super) fn best_swap(&self, may_leave: impl Fn(usize) -> bool) -> Option<Swap> {
        let mut best: Option<Swap> = None;
        for at in (0..self.theta.len()).filter(|&at| may_leave(at)) {
            let most = self.most(at);
            let net = 0.5 * most - self.cost(at);
            if most > 0.0 && best.is_none_or(|best| net > best.gain) {
                let (removal, row) = (self.removal(at), &self.rows[at]);
                let is_it = |&i: &usize| gain(self.slope[i], self.left[i], row[i], removal, self.floor) == most;
                best = (0..row.len()).find(is_it).map(|enters| Swap { leaves: at, enters, gain: net }).or(best);
            }
        }
        best
    }

    /// All exchanges that lower the function by more than `least`, the best first, at most `most` of them.
    pub(super) fn swaps(&self, least: f64, most: usize) -> Vec<Swap> {
        let mut found = Vec::new();
        for at in 0..self.theta.len() {
            let cost = self.cost(at);
            if 0.5 * self.most(at) - cost <= least {
                continue;
            }
            let (removal, row) = (self.removal(at), &self.rows[at]);
            for (enters, &across) in row.iter().enumerate() {
                let gain = gain(self.slope[enters], self.left[enters], across, removal, self.floor);
                // Nothing is gained by features that must not enter.
                if gain > 0.0 && 0.5 * gain - cost > least {
                    found.push(Swap { leaves: at, enters, gain: 0.5 * gain - cost });
                }
            }
        }
        let order =
            |a: &Swap, b: &Swap| b.gain.total_cmp(&a.gain).then((a.enters, a.leaves).cmp(&(b.enters, b.leaves)));
        if found.len() > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_by(order);
        found
    }
}
