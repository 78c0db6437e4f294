//! Who is at risk when. The event times of all strata stand in one list; a row is at risk, and does not die, at an interval $[a_i, b_i)$ of it.
//!
//! Two sums are needed, each the transpose of the other: over the rows at risk at each event time, and over the event times at which each row is at risk. Where all rows of a stratum are at risk from the start, both are running
//! sums, $O(n)$. With entries an interval is cut into at most $2\log_2K$ nodes of a binary tree over the $K$ event times, and numbers are added up along its branches, $O(n\log K)$. Nothing is ever subtracted, so sums of positive numbers keep all
//! their digits, however much hazards differ.

use super::SurvivalTimes;
use std::collections::BTreeMap;
use std::ops::Range;

/// An event time of a stratum.
#[derive(Clone, Debug)]
pub(crate) struct EventTime {
    pub(crate) time: f64,
    /// Deaths $d_k$ and their weight $m_k$.
    pub(crate) deaths: usize,
    pub(crate) weight: f64,
}

/// The risk sets of all strata.
#[derive(Clone, Debug)]
pub(crate) struct RiskSets {
    pub(crate) events: Vec<EventTime>,
    /// The event times of each stratum, in the order of their numbers, and the rows of positive weight there.
    pub(crate) strata: Vec<Stratum>,
    /// $[a_i, b_i)$ of each row of positive weight; empty for others.
    intervals: Vec<(usize, usize)>,
    /// The event time at which a row dies; `NONE` if it does not.
    death: Vec<usize>,
    /// Whether rows enter later than others.
    is_truncated: bool,
}

/// One stratum.
#[derive(Clone, Debug)]
pub(crate) struct Stratum {
    pub(crate) number: usize,
    pub(crate) events: Range<usize>,
    pub(crate) rows: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl RiskSets {
    pub(crate) fn of(times: &SurvivalTimes, weights: &[f64]) -> Self {
        let rows = times.rows();
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for row in (0..rows).filter(|&row| weights[row] > 0.0) {
            members.entry(times.stratum(row)).or_default().push(row);
        }
        let (mut events, mut strata) = (Vec::new(), Vec::new());
        let (mut intervals, mut death) = (vec![(0, 0); rows], vec![NONE; rows]);
        for (number, rows) in members {
            let mut deaths: Vec<usize> = rows.iter().copied().filter(|&row| times.event[row]).collect();
            deaths.sort_by(|&a, &b| times.time[a].total_cmp(&times.time[b]).then(a.cmp(&b)));
            let first = events.len();
            for row in deaths {
                let time = times.time[row];
                match events[first..].last_mut() {
                    Some(EventTime { time: last, deaths, weight }) if *last == time => {
                        *deaths += 1;
                        *weight += weights[row];
                    }
                    _ => events.push(EventTime { time, deaths: 1, weight: weights[row] }),
                }
                death[row] = events.len() - 1;
            }
            let known = &events[first..];
            for &row in &rows {
                let until = |time: f64| first + known.partition_point(|event: &EventTime| event.time <= time);
                let end = if death[row] == NONE { until(times.time[row]) } else { death[row] };
                intervals[row] = (times.entry.map_or(first, |entry| until(entry[row])).min(end), end);
            }
            strata.push(Stratum { number, events: first..events.len(), rows });
        }
        let is_late = |stratum: &Stratum| stratum.rows.iter().any(|&row| intervals[row].0 > stratum.events.start);
        let is_truncated = strata.iter().any(is_late);
        Self { events, strata, intervals, death, is_truncated }
    }

    /// The event time at which a row dies, if it does.
    pub(crate) fn death(&self, row: usize) -> Option<usize> {
        Some(self.death[row]).filter(|event| *event != NONE)
    }

    /// $\sum_{i \in N_k}u_i$ at each event time.
    pub(crate) fn over_rows(&self, u: &[f64]) -> Vec<f64> {
        self.fold_rows(u, 0.0, |sum, value| sum + value)
    }

    /// $\max_{i \in N_k}u_i$ at each event time.
    pub(crate) fn largest_of_rows(&self, u: &[f64]) -> Vec<f64> {
        self.fold_rows(u, f64::NEG_INFINITY, f64::max)
    }

    /// What `join` makes of $u_i$, $i \in N_k$, at each event time; `none` where there is no such row.
    fn fold_rows(&self, u: &[f64], none: f64, join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let count = self.events.len();
        if self.is_truncated {
            let size = count.next_power_of_two();
            let mut nodes = vec![none; 2 * size];
            for (value, &(start, end)) in u.iter().zip(&self.intervals) {
                cover(size, start, end, |node| nodes[node] = join(nodes[node], *value));
            }
            // From the root down, what covers a node covers both below it.
            (2..2 * size).for_each(|node| nodes[node] = join(nodes[node], nodes[node / 2]));
            return nodes[size..size + count].to_vec();
        }
        let mut found = vec![none; count];
        for stratum in &self.strata {
            let Range { start, end } = stratum.events;
            for &row in &stratum.rows {
                let last = self.intervals[row].1;
                if last > start {
                    found[last - 1] = join(found[last - 1], u[row]);
                }
            }
            (start + 1..end).rev().for_each(|k| found[k - 1] = join(found[k - 1], found[k]));
        }
        found
    }

    /// $\sum_{k \in [a_i, b_i)}q_k$ for each row.
    pub(crate) fn over_events(&self, q: &[f64]) -> Vec<f64> {
        if self.is_truncated {
            let size = q.len().next_power_of_two();
            let mut nodes = vec![0.0; 2 * size];
            nodes[size..size + q.len()].copy_from_slice(q);
            (1..size).rev().for_each(|node| nodes[node] = nodes[2 * node] + nodes[2 * node + 1]);
            let sum = |&(start, end): &(usize, usize)| {
                let mut total = 0.0;
                cover(size, start, end, |node| total += nodes[node]);
                total
            };
            return self.intervals.iter().map(sum).collect();
        }
        let mut running = vec![0.0; q.len() + 1];
        let mut out = vec![0.0; self.intervals.len()];
        for stratum in &self.strata {
            let Range { start, end } = stratum.events;
            running[start] = 0.0;
            (start..end).for_each(|k| running[k + 1] = running[k] + q[k]);
            stratum.rows.iter().for_each(|&row| out[row] = running[self.intervals[row].1]);
        }
        out
    }
}

/// The nodes of a binary tree with `size` leaves that make up an interval of them.
fn cover(size: usize, start: usize, end: usize, mut visit: impl FnMut(usize)) {
    let (mut low, mut high) = (start + size, end + size);
    while low < high {
        if low & 1 == 1 {
            visit(low);
            low += 1;
        }
        if high & 1 == 1 {
            high -= 1;
            visit(high);
        }
        low /= 2;
        high /= 2;
    }
}
