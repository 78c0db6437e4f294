//! Columns that depend on each other exactly, and what a search does about them.
//!
//! Where $\sum_jc_jx_j = 0$ (up to the intercept), every diagonal $D \preceq G$ is zero on the columns with $c_j \ne 0$, and nothing is bounded. But such a relation matters only to choices that hold all of its
//! columns, and to those it says that one of them can go: what they span stays the same, and so does the minimum. So
//!
//! * if all its columns but those of one unit are in, one column of that unit goes (of any unit if all are in);
//! * of two columns that are multiples of each other and of the same pool, one goes: the other one stands for it in every choice;
//! * otherwise the node is split at one of its free units. Without it the relation is gone; with it, it has one free unit less.
//!
//! When nothing is left of the relations, the matrix of the columns that are left is definite. Relations among the columns that are left come from the given ones by elimination of the others, in whole numbers;
//! those whose numbers grow too large are dropped, which loses bounds but never makes one wrong.
//!
//! All this is about a function without a ridge on those columns, and about relations that hold exactly.

use super::family::NO_POOL;
use super::node::Desk;
use super::part::Place;

/// Coefficients of columns, none of them zero, rising.
pub(super) type Relation = Vec<(usize, i64)>;

/// Numbers beyond this are dropped.
const LARGEST: i64 = 1 << 40;

/// The relations among the columns that are there.
pub(super) fn among(relations: &[Relation], is_there: impl Fn(usize) -> bool) -> Vec<Relation> {
    let mut left = relations.to_vec();
    let mut done = Vec::new();
    while let Some(row) = left.pop() {
        match row.iter().find(|(j, _)| !is_there(*j)) {
            None => done.push(row),
            Some(&(column, pivot)) => {
                left = left.into_iter().filter_map(|other| eliminated(other, &row, column, pivot)).collect();
                done = done.into_iter().filter_map(|other| eliminated(other, &row, column, pivot)).collect();
            }
        }
    }
    done
}

/// A relation without a column, by means of another one; none if it vanishes or its numbers are too large.
fn eliminated(row: Relation, by: &Relation, column: usize, pivot: i64) -> Option<Relation> {
    let Some(&(_, own)) = row.iter().find(|(j, _)| *j == column) else { return Some(row) };
    let mut columns: Vec<usize> = row.iter().chain(by).map(|(j, _)| *j).collect();
    columns.sort_unstable();
    columns.dedup();
    let of =
        |relation: &Relation, j: usize| relation.binary_search_by_key(&j, |(k, _)| *k).map_or(0, |at| relation[at].1);
    let mut found: Relation = Vec::new();
    for j in columns {
        let value = i128::from(pivot) * i128::from(of(&row, j)) - i128::from(own) * i128::from(of(by, j));
        let value = i64::try_from(value).ok()?;
        if value != 0 {
            found.push((j, value));
        }
    }
    let common = found.iter().fold(0, |common, (_, value)| divisor(common, value.unsigned_abs()));
    let common = i64::try_from(common.max(1)).ok()?;
    found.iter_mut().for_each(|(_, value)| *value /= common);
    (!found.is_empty() && found.iter().all(|(_, value)| value.abs() <= LARGEST)).then_some(found)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Desk<'_> {
    /// Takes columns away that others make superfluous; returns a unit to split at if relations are left.
    pub(super) fn untangle(&mut self) -> Option<usize> {
        if self.context.relations.is_empty() {
            return None;
        }
        loop {
            let relations = self.relations();
            let is_leaf = self.is_leaf();
            let Some(column) = relations.iter().find_map(|relation| self.superfluous(relation, is_leaf)) else {
                let fewest = relations.iter().min_by_key(|relation| (relation.len(), relation[0].0))?;
                return self.least_useful(fewest);
            };
            let alive: Vec<usize> = self.alive().into_iter().filter(|&j| j != column).collect();
            let sub = self.part.on(&alive);
            let diagonal = alive.iter().map(|&j| self.diagonal[j]).collect();
            self.reduce(&alive, sub, diagonal);
        }
    }

    /// The relations among the columns of the desk.
    fn relations(&self) -> Vec<Relation> {
        let names: Vec<usize> = self.origin.iter().map(|&j| self.context.base.columns[j]).collect();
        let width = self.context.base.columns.iter().max().map_or(0, |most| most + 1);
        let mut place = vec![None; width];
        for (at, &name) in names.iter().enumerate().filter(|(at, _)| self.places[*at] != Place::Out) {
            place[name] = Some(at);
        }
        let at = |j: usize| place.get(j).copied().flatten();
        let here = among(self.context.relations, |j| at(j).is_some());
        let renamed = |relation: Relation| {
            let mut renamed: Relation = relation.iter().filter_map(|&(j, c)| at(j).map(|at| (at, c))).collect();
            renamed.sort_unstable();
            renamed
        };
        here.into_iter().map(renamed).collect()
    }

    /// A column that can go because of a relation.
    fn superfluous(&self, relation: &Relation, is_leaf: bool) -> Option<usize> {
        let mut free: Vec<usize> = Vec::new();
        for &(j, _) in relation.iter().filter(|(j, _)| self.places[*j] == Place::Free) {
            let unit = self.runs.of_column(j);
            if !free.contains(&unit) {
                free.push(unit);
            }
        }
        if free.len() <= 1 || is_leaf {
            let of_unit = |(j, _): &&(usize, i64)| free.first().is_none_or(|unit| self.runs.columns(*unit).contains(j));
            return relation.iter().rev().find(of_unit).map(|(j, _)| *j);
        }
        let pools: Vec<u32> = free.iter().map(|&unit| self.runs.pool(unit)).collect();
        let is_single = free.iter().all(|&unit| self.runs.columns(unit).len() == 1);
        let is_twice = relation.len() == 2 && is_single && pools[0] == pools[1] && pools[0] != NO_POOL;
        // The one that is not in use.
        let is_idle = |(j, _): &&(usize, i64)| self.theta[*j] == 0.0;
        is_twice.then(|| relation.iter().rev().find(is_idle).unwrap_or(&relation[1]).0)
    }

    /// The free unit of a relation that is least likely to be in a good choice.
    fn least_useful(&self, relation: &Relation) -> Option<usize> {
        let use_of = |unit: usize| {
            self.runs.columns(unit).fold((false, 0.0_f64), |(is_used, slope), j| {
                let own = self.part.linear[j] * self.part.linear[j] / self.part.curvature(j);
                (is_used || self.theta[j] != 0.0, slope.max(own))
            })
        };
        let free =
            relation.iter().filter(|(j, _)| self.places[*j] == Place::Free).map(|(j, _)| self.runs.of_column(*j));
        let ranked = free.map(|unit| (use_of(unit), unit));
        ranked.min_by(|(a, i), (b, j)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(i.cmp(j))).map(|(_, unit)| unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_relations_is_exact() {
        // x0 + x1 + x2 = 0 and x0 + 2 x3 - x4 = 0.
        let relations = vec![vec![(0, 1), (1, 1), (2, 1)], vec![(0, 1), (3, 2), (4, -1)]];
        assert_eq!(among(&relations, |_| true).len(), 2);
        let left = among(&relations, |j| j != 0);
        assert_eq!(left.len(), 1);
        let sign = left[0][0].1.signum();
        let expected: Relation = vec![(1, sign), (2, sign), (3, -2 * sign), (4, sign)];
        assert_eq!(left[0], expected);
        assert!(among(&relations, |j| j != 1 && j != 4).is_empty());
        let huge = vec![vec![(0, LARGEST), (1, 1)], vec![(0, LARGEST - 1), (2, LARGEST)]];
        assert!(among(&huge, |j| j != 0).is_empty(), "numbers that grow are dropped");
    }
}
