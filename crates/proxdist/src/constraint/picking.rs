//! The choice of units with the largest total gain.
//!
//! *Without needs* the limits of pools within limits of families are a laminar matroid: if $A$ and $B$ are within the limits and $|A| < |B|$, some unit of $B \setminus A$ can join $A$
//! (otherwise every unit of $B$ outside $A$ stands in a full pool or family of $A$; the largest of these are disjoint, $B$ has no more units than $A$ in each of them
//! and in all that remains $B \subseteq A$, so that $|B| \le |A|$). By Rado and Edmonds the greedy choice, units in the order of
//! their gains, each taken if there is room, is then the best one. It is exact, $O(p\log p)$.
//!
//! *With needs* choosing is as hard as finding a densest subgraph. Branch and bound: without the needs the greedy choice is a bound from above, and so is what factors are charged for their products (`Shares`). If it has all that its units need,
//! it is the best of its branch; otherwise a unit $u$ without one of the units $f_1, f_2, …$ that it needs is taken, and the branches are: without $u$; with $u$ and $f_1$; with $u$ and $f_2$
//! but not $f_1$; and so on. Every choice is in one of them. A branch whose bound is not above the best choice found is left. If that takes more than [`MOST_NODES`] branches there is an error, never a worse choice.

use super::choice::Choice;
use super::{ProjectionFault, Room};

/// Branches that are looked at before the search is given up.
const MOST_NODES: usize = 50_000;

/// The units of the best choice, in ascending order; ties go to lower units. Gains are zero or more.
pub(super) fn best_choice(choice: &Choice, gains: &[f64]) -> Result<Vec<usize>, ProjectionFault> {
    if choice.needs().is_empty() {
        return Ok(sorted(greedy(choice, &ordered(gains), &vec![Place::Free; gains.len()]).unwrap_or_default()));
    }
    let mut search = Search::new(choice, gains);
    search.run()?;
    Ok(sorted(search.best.1))
}

/// What is decided about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    In,
    Out,
}

/// Units by falling gains.
pub(super) fn ordered(gains: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gains.len()).collect();
    order.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]).then(a.cmp(&b)));
    order
}

/// The best choice of a branch, whatever units need; `None` if what must be in does not fit.
pub(super) fn greedy(choice: &Choice, order: &[usize], places: &[Place]) -> Option<Vec<usize>> {
    let forced: Vec<usize> = (0..places.len()).filter(|&unit| places[unit] == Place::In).collect();
    let mut room: Room = choice.room(&forced)?;
    let mut chosen = forced;
    chosen.extend(order.iter().copied().filter(|&unit| places[unit] == Place::Free && room.take(choice, unit)));
    Some(chosen)
}

fn sorted(mut units: Vec<usize>) -> Vec<usize> {
    units.sort_unstable();
    units
}

struct Search<'c> {
    choice: &'c Choice,
    gains: &'c [f64],
    order: Vec<usize>,
    shares: Option<Shares>,
    /// The best choice so far and its gain.
    best: (f64, Vec<usize>),
}

impl<'c> Search<'c> {
    fn new(choice: &'c Choice, gains: &'c [f64]) -> Self {
        Self { choice, gains, order: ordered(gains), shares: Shares::of(choice, gains), best: (-1.0, Vec::new()) }
    }

    /// Looks at branches, the last that was found first.
    fn run(&mut self) -> Result<(), ProjectionFault> {
        let mut open = vec![vec![Place::Free; self.gains.len()]];
        let mut nodes = 0;
        while let Some(mut places) = open.pop() {
            nodes += 1;
            if nodes > MOST_NODES {
                return Err(ProjectionFault::TooManyBranches { most: MOST_NODES });
            }
            let Some(chosen) = self.bounded(&mut places) else { continue };
            let mut is_in = vec![false; self.gains.len()];
            chosen.iter().for_each(|&unit| is_in[unit] = true);
            // Among the needs that are not met, the one of the unit with the largest gain.
            let missing = self
                .choice
                .needs()
                .iter()
                .filter(|need| is_in[need.unit] && !need.one_of.iter().any(|&unit| is_in[unit]))
                .max_by(|a, b| self.gains[a.unit].total_cmp(&self.gains[b.unit]).then(b.unit.cmp(&a.unit)));
            let Some(need) = missing else {
                self.best = (self.total(&chosen), chosen);
                continue;
            };
            let mut branches = Vec::new();
            let mut with = places.clone();
            with[need.unit] = Place::In;
            for &factor in need.one_of.iter().filter(|&&factor| places[factor] != Place::Out) {
                with[factor] = Place::In;
                branches.push(with.clone());
                with[factor] = Place::Out;
            }
            if places[need.unit] == Place::Free {
                places[need.unit] = Place::Out;
                branches.push(places);
            }
            open.extend(branches.into_iter().rev());
        }
        Ok(())
    }

    fn total(&self, chosen: &[usize]) -> f64 {
        chosen.iter().map(|&unit| self.gains[unit]).sum()
    }

    /// The greedy choice of a branch, unless it cannot be better than the best choice found. Units whose needs can no longer be met are out, and what
    /// the units that are in need without a choice is in.
    fn bounded(&self, places: &mut [Place]) -> Option<Vec<usize>> {
        loop {
            let mut has_changed = false;
            for need in self.choice.needs() {
                let mut open = need.one_of.iter().filter(|&&unit| places[unit] != Place::Out);
                match (places[need.unit], open.next(), open.next()) {
                    (Place::In, None, _) => return None,
                    (Place::Free, None, _) => {
                        places[need.unit] = Place::Out;
                        has_changed = true;
                    }
                    (Place::In, Some(&only), None) if places[only] == Place::Free => {
                        places[only] = Place::In;
                        has_changed = true;
                    }
                    _ => {}
                }
            }
            if !has_changed {
                break;
            }
        }
        let chosen = greedy(self.choice, &self.order, places)?;
        let bound = self.total(&chosen);
        let is_open = |bound: f64| bound > self.best.0;
        if !is_open(bound) {
            return None;
        }
        match &self.shares {
            Some(shares) if !is_open(shares.bound(self.choice, self.gains, places)) => None,
            _ => Some(chosen),
        }
    }
}

/// The bound by shares: a product with $L$ lists of which it needs one unit each is charged to one chosen factor of each list, $g/L$ to each. With $m$ more
/// factors there is room for so many fewer products, and a factor is charged for its $t$ largest shares at most.
struct Shares {
    /// The units that others need.
    factors: Vec<usize>,
    /// The products of each factor with their shares, the largest first.
    of: Vec<Vec<(f64, usize)>>,
    is_factor: Vec<bool>,
}

impl Shares {
    /// Only where all units stand in one family and no product is a factor.
    fn of(choice: &Choice, gains: &[f64]) -> Option<Self> {
        let units = gains.len();
        let mut is_factor = vec![false; units];
        choice.needs().iter().flat_map(|need| &need.one_of).for_each(|&unit| is_factor[unit] = true);
        if choice.totals().len() != 1 || choice.needs().iter().any(|need| is_factor[need.unit]) {
            return None;
        }
        let mut lists = vec![0.0; units];
        choice.needs().iter().for_each(|need| lists[need.unit] += 1.0);
        let factors: Vec<usize> = (0..units).filter(|&unit| is_factor[unit]).collect();
        let own = |factor: &usize| {
            let mut shares: Vec<(f64, usize)> = Vec::new();
            for need in choice.needs().iter().filter(|need| need.one_of.contains(factor)) {
                shares.push((gains[need.unit] / lists[need.unit], need.unit));
            }
            shares.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            shares
        };
        let of = factors.iter().map(own).collect();
        Some(Self { factors, of, is_factor })
    }

    /// No choice of the branch gains more.
    fn bound(&self, choice: &Choice, gains: &[f64], places: &[Place]) -> f64 {
        let is_at = |unit: usize, place: Place| places[unit] == place;
        let inside: Vec<usize> = (0..gains.len()).filter(|&unit| is_at(unit, Place::In)).collect();
        let known: f64 = inside.iter().map(|&unit| gains[unit]).sum();
        let Some(room) = choice.totals()[0].checked_sub(inside.len()) else { return f64::NEG_INFINITY };
        // Sums of the largest shares of each factor, and of the largest gains of what is neither factor nor product.
        let sums = |shares: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
            let mut sums = vec![0.0];
            shares.take(room).for_each(|share| sums.push(sums[sums.len() - 1] + share));
            sums
        };
        let up_to = |sums: &[f64], count: usize| sums[count.min(sums.len() - 1)];
        let open = |own: &Vec<(f64, usize)>| {
            sums(&mut own.iter().filter(|(_, unit)| is_at(*unit, Place::Free)).map(|(share, _)| *share))
        };
        let shares: Vec<Vec<f64>> = self.of.iter().map(open).collect();
        let mut others: Vec<f64> = (0..gains.len())
            .filter(|&unit| is_at(unit, Place::Free) && !self.is_factor[unit])
            .filter(|&unit| choice.needs().iter().all(|need| need.unit != unit))
            .map(|unit| gains[unit])
            .collect();
        others.sort_by(|a, b| b.total_cmp(a));
        let others = sums(&mut others.into_iter());
        let free: Vec<usize> = (0..self.factors.len()).filter(|&k| is_at(self.factors[k], Place::Free)).collect();
        let most = free.len().min(room);
        (0..=most)
            .map(|more| {
                let left = room - more;
                let held: f64 = (0..self.factors.len())
                    .filter(|&k| is_at(self.factors[k], Place::In))
                    .map(|k| up_to(&shares[k], left))
                    .sum();
                let mut new: Vec<f64> =
                    free.iter().map(|&k| gains[self.factors[k]] + up_to(&shares[k], left)).collect();
                new.sort_by(|a, b| b.total_cmp(a));
                known + held + new[..more].iter().sum::<f64>() + up_to(&others, left)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Need;
    use std::ops::ControlFlow;

    /// Numbers between -1 and 1.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// Ten features and all their products, and twenty of them, are within reach.
    #[test]
    fn products_of_many_features_are_searched() {
        for (features, most, heredity) in [(10, 6, 2), (10, 8, 1), (16, 8, 2)] {
            let pairs: Vec<(usize, usize)> =
                (0..features).flat_map(|a| (a + 1..features).map(move |b| (a, b))).collect();
            let mut choice = Choice::of_coordinates(most, 0..features + pairs.len());
            for (k, &(a, b)) in pairs.iter().enumerate() {
                let unit = features + k;
                let lists = if heredity == 2 { vec![vec![a], vec![b]] } else { vec![vec![a, b]] };
                choice = lists.into_iter().fold(choice, |choice, one_of| choice.needing(Need { unit, one_of }));
            }
            for seed in 0..5 {
                let gains: Vec<f64> = numbers(choice.units(), seed).iter().map(|x| x * x).collect();
                let found = best_choice(&choice, &gains).unwrap_or_else(|fault| panic!("{features}, {most}: {fault}"));
                assert!(choice.is_closed(&found) && found.len() == most);
            }
        }
    }

    /// The best of all choices, one by one.
    fn twin(choice: &Choice, gains: &[f64]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        choice.every(usize::MAX, &mut |units| {
            best = best.max(units.iter().map(|&unit| gains[unit]).sum());
            ControlFlow::Continue(())
        });
        best
    }

    #[test]
    fn no_choice_gains_more() {
        for seed in 0..300_u64 {
            let random = numbers(20, seed);
            let gains: Vec<f64> = random[..10].iter().map(|x| x * x).collect();
            let pick = |at: usize, below: usize| (random[10 + at].abs() * 97.0) as usize % below;
            let units = (0..10).map(|j| (vec![j], [0, 0, 1, 0, 1, 2, 1, 2, 0, 2][j]));
            let mut choice = Choice::in_pools(units, &[pick(0, 5), pick(1, 4), pick(2, 4)], pick(3, 8));
            for k in 0..pick(4, 5) {
                let unit = 4 + pick(5, 6);
                let factors = [pick(6, 4), (pick(7, 4) + k) % 4];
                let lists =
                    if seed % 2 == 0 { vec![vec![factors[0]], vec![factors[1]]] } else { vec![factors.to_vec()] };
                choice = lists.into_iter().fold(choice, |choice, one_of| choice.needing(Need { unit, one_of }));
            }
            let found = best_choice(&choice, &gains).unwrap();
            assert!(choice.room(&found).is_some() && choice.is_closed(&found), "{seed}");
            let total: f64 = found.iter().map(|&unit| gains[unit]).sum();
            let expected = twin(&choice, &gains);
            assert!((total - expected).abs() < 1e-12, "{seed}: {total} {expected}");
            let mut count = 0.0;
            choice.every(usize::MAX, &mut |_| {
                count += 1.0;
                ControlFlow::Continue(())
            });
            assert_eq!(count, choice.count(), "{seed}");
        }
    }
}
