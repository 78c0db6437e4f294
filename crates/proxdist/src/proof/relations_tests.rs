//! Columns that depend on each other exactly: against every choice looked at one by one.

use super::choices::Choices;
use super::family::Family;
use super::quadratic::Quadratic;
use super::search::{Search, Stopped};
use super::testing::Numbers;
use std::ops::ControlFlow;

/// Indicators of two factors and a number, centred, with a column twice: whole numbers, so that all is exact.
struct Levels {
    columns: Vec<Vec<f64>>,
    response: Vec<f64>,
    relations: Vec<Vec<(usize, i64)>>,
}

impl Levels {
    fn random(seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let (first, second) = (2 + numbers.below(3), 2 + numbers.below(2));
        let rows = 24;
        let draw: Vec<(usize, usize)> = (0..rows)
            .map(|i| if i < first { (i, i % second) } else { (numbers.below(first), numbers.below(second)) })
            .collect();
        let indicator =
            |is: &dyn Fn(&(usize, usize)) -> bool| draw.iter().map(|d| f64::from(u8::from(is(d)))).collect();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        (0..first).for_each(|level| columns.push(indicator(&|d| d.0 == level)));
        (0..second).for_each(|level| columns.push(indicator(&|d| d.1 == level)));
        columns.push((0..rows).map(|_| numbers.below(9) as f64).collect());
        let twice = numbers.below(columns.len());
        columns.push(columns[twice].iter().map(|x| 2.0 * x).collect());
        let last = columns.len() - 1;
        let relations = vec![
            (0..first).map(|j| (j, 1)).collect(),
            (first..first + second).map(|j| (j, 1)).collect(),
            vec![(twice, 2), (last, -1)],
        ];
        let effects: Vec<f64> = columns.iter().map(|_| numbers.next()).collect();
        let noise = 0.3 * numbers.next().abs();
        let response = (0..rows)
            .map(|i| columns.iter().zip(&effects).map(|(x, e)| x[i] * e).sum::<f64>() + noise * numbers.next())
            .collect();
        Self { columns, response, relations }
    }

    fn centred(column: &[f64]) -> Vec<f64> {
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        column.iter().map(|x| x - mean).collect()
    }

    fn quadratic(&self) -> Quadratic {
        let rows = self.response.len() as f64;
        let columns: Vec<Vec<f64>> = self.columns.iter().map(|column| Self::centred(column)).collect();
        let response = Self::centred(&self.response);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / rows;
        let gram = columns.iter().flat_map(|a| columns.iter().map(|b| dot(a, b))).collect();
        let linear = columns.iter().map(|a| dot(a, &response)).collect();
        Quadratic::new(gram, linear, 0.5 * dot(&response, &response)).unwrap().never_below(0.0)
    }

    /// The least value on some columns, by orthogonalisation.
    fn minimum(&self, set: usize) -> f64 {
        let mut rest = Self::centred(&self.response);
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for j in (0..self.columns.len()).filter(|j| set >> j & 1 == 1) {
            let mut own = Self::centred(&self.columns[j]);
            let size: f64 = own.iter().map(|x| x * x).sum();
            for _ in 0..2 {
                for direction in &basis {
                    let along: f64 = own.iter().zip(direction).map(|(a, b)| a * b).sum();
                    own.iter_mut().zip(direction).for_each(|(a, b)| *a -= along * b);
                }
            }
            let left: f64 = own.iter().map(|x| x * x).sum();
            if left > 1e-18 * size {
                own.iter_mut().for_each(|x| *x /= left.sqrt());
                let along: f64 = rest.iter().zip(&own).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(&own).for_each(|(a, b)| *a -= along * b);
                basis.push(own);
            }
        }
        0.5 * rest.iter().map(|x| x * x).sum::<f64>() / rest.len() as f64
    }
}

#[test]
fn columns_that_depend_on_each_other_are_proven_all_the_same() {
    let (mut proven, mut all) = (0, 0);
    for number in 0..40 {
        let levels = Levels::random(number);
        let (quadratic, columns) = (levels.quadratic(), levels.columns.len());
        let minima: Vec<f64> = (0..1_usize << columns).map(|set| levels.minimum(set)).collect();
        for size in 1..=columns {
            // Single columns, or the two factors and what is beside them as units.
            let (units, family) = if number % 2 == 0 {
                ((0..columns).collect(), Family::plain(columns, size))
            } else {
                let of =
                    |j: usize| levels.relations[..2].iter().position(|r| r.iter().any(|(k, _)| *k == j)).unwrap_or(j);
                ((0..columns).map(of).collect::<Vec<_>>(), Family::plain(columns, size))
            };
            let search = Search::over(Choices::of(&quadratic, units.clone(), family)).relations(&levels.relations);
            let mut state = search.begin(&[]);
            let stopped = search.run(&mut state, &mut |_| ControlFlow::Continue(()));
            let is_allowed = |set: usize| {
                let mut used: Vec<usize> = (0..columns).filter(|j| set >> j & 1 == 1).map(|j| units[j]).collect();
                used.sort_unstable();
                used.dedup();
                used.len() <= size
            };
            let best = (0..minima.len()).filter(|&set| is_allowed(set)).map(|set| minima[set]).fold(f64::MAX, f64::min);
            let context = format!("case {number} size {size}: {} {best} {:?}", state.lower(), state.incumbent());
            assert_eq!(stopped, Stopped::Finished, "{context}");
            assert!(state.lower() <= best + 1e-12, "{context}");
            assert!(is_allowed(state.incumbent().support.iter().map(|j| 1 << j).sum()), "{context}");
            all += 1;
            if state.gap() <= 1e-6 {
                proven += 1;
                assert!(state.incumbent().value <= best * (1.0 + 1.1e-6) + 1e-12, "{context}");
            }
        }
    }
    assert!(proven * 20 >= all * 19, "{proven} of {all}");
}
