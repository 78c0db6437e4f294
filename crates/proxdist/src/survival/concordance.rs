//! How well risks are ordered: the concordance of Harrell (1982).
//!
//! Two rows of a stratum can be compared if one has the event while the other is still at risk: later, or censored at the same time, and entered before. The pair agrees if the one with the event has the larger risk; equal risks count half. Pairs count by the product of their
//! weights. Times are gone through from the last to the first while a binary indexed tree over the ranks of the risks holds the weights of those at risk: $O(n\log n)$.

use super::SurvivalTimes;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pairs that can be compared, by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Concordance {
    /// Pairs in which the larger risk has the earlier event.
    pub concordant: f64,
    /// Pairs in which it has not.
    pub discordant: f64,
    /// Pairs of equal risks.
    pub tied: f64,
}

impl Concordance {
    /// The share of pairs that agree, equal risks by half; none if no pair can be compared.
    pub fn index(&self) -> Option<f64> {
        let pairs = self.concordant + self.discordant + self.tied;
        (pairs > 0.0).then(|| (self.concordant + 0.5 * self.tied) / pairs)
    }
}

/// Of risks, a number for each row.
pub fn concordance(times: &SurvivalTimes, risks: &[f64], weights: Option<&[f64]>) -> Result<Concordance> {
    let (rows, rule) = (times.rows(), "one for each row");
    for (what, found) in [("risks", risks.len()), ("weights", weights.map_or(rows, <[f64]>::len))] {
        if found != rows {
            return Err(Error::Length { what, found, expected: rows, rule });
        }
    }
    if let Some(row) = risks.iter().position(|risk| risk.is_nan()) {
        return Err(Error::NotFiniteData { what: "risk", row, column: None, value: risks[row] });
    }
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for row in (0..rows).filter(|&row| weight(row) > 0.0) {
        members.entry(times.stratum(row)).or_default().push(row);
    }
    let mut total = Concordance::default();
    for mut at in members.into_values() {
        let mut sorted: Vec<f64> = at.iter().map(|&row| risks[row]).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup_by(|a, b| *a == *b);
        let rank = |row: usize| sorted.partition_point(|risk| *risk < risks[row]);
        // From the last time to the first; those who leave by it without the event come before those who die.
        at.sort_by(|&a, &b| {
            times.time[b].total_cmp(&times.time[a]).then(times.event[a].cmp(&times.event[b])).then(a.cmp(&b))
        });
        let mut entering: Vec<usize> = if times.entry.is_some() { at.clone() } else { Vec::new() };
        let entry = |row: usize| times.entry.map_or(f64::NEG_INFINITY, |entry| entry[row]);
        entering.sort_by(|&a, &b| entry(b).total_cmp(&entry(a)).then(a.cmp(&b)));
        let (mut tree, mut gone) = (Tree::new(sorted.len()), 0);
        let mut place = 0;
        while place < at.len() {
            let now = times.time[at[place]];
            let censored = at[place..].iter().take_while(|&&row| times.time[row] == now && !times.event[row]).count();
            at[place..place + censored].iter().for_each(|&row| tree.add(rank(row), weight(row)));
            // Who enters at this time or later is not yet at risk.
            while entering.get(gone).is_some_and(|&row| entry(row) >= now) {
                tree.add(rank(entering[gone]), -weight(entering[gone]));
                gone += 1;
            }
            place += censored;
            let deaths = at[place..].iter().take_while(|&&row| times.time[row] == now).count();
            for &row in &at[place..place + deaths] {
                let (below, up_to, all) = (tree.sum(rank(row)), tree.sum(rank(row) + 1), tree.sum(sorted.len()));
                total.concordant += weight(row) * below;
                total.tied += weight(row) * (up_to - below);
                total.discordant += weight(row) * (all - up_to);
            }
            at[place..place + deaths].iter().for_each(|&row| tree.add(rank(row), weight(row)));
            place += deaths;
        }
    }
    Ok(total)
}

/// A binary indexed tree of sums.
struct Tree(Vec<f64>);

impl Tree {
    fn new(size: usize) -> Self {
        Self(vec![0.0; size + 1])
    }

    fn add(&mut self, place: usize, value: f64) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += value;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum before a place.
    fn sum(&self, mut place: usize) -> f64 {
        let mut total = 0.0;
        while place > 0 {
            total += self.0[place];
            place &= place - 1;
        }
        total
    }
}
