//! Random problems with what is unpleasant about columns, and every choice looked at one by one.

use super::quadratic::Quadratic;

/// Numbers between -1 and 1 from a seed.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (f64::midpoint(self.next(), 1.0) * count as f64) as usize % count
    }
}

/// What is unpleasant about the columns of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trouble {
    None,
    /// A column twice.
    Twice,
    /// A column twice but for a small part.
    Nearly(f64),
    /// More columns than rows.
    Wide,
}

/// A problem as it is given to the library.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) gram: Vec<f64>,
    pub(super) linear: Vec<f64>,
    pub(super) constant: f64,
    pub(super) columns: usize,
}

impl Case {
    /// Correlated columns whose units spread over five decades.
    pub(super) fn random(columns: usize, trouble: Trouble, ridge: f64, seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let rows = if trouble == Trouble::Wide { columns.div_ceil(2) } else { columns + 3 + numbers.below(20) };
        let common = 0.95 * numbers.next().abs();
        let noise = 0.2 + 2.0 * numbers.next().abs();
        let truth: Vec<f64> = (0..columns).map(|j| if j % 2 == 0 { numbers.next() } else { 0.0 }).collect();
        let units: Vec<f64> = (0..columns).map(|_| 10.0_f64.powf(2.5 * numbers.next())).collect();
        let mut x = vec![0.0; rows * columns];
        let mut y = vec![0.0; rows];
        for (row, y) in x.chunks_exact_mut(columns).zip(&mut y) {
            let shared = numbers.next();
            row.iter_mut().for_each(|x| *x = (1.0 - common) * numbers.next() + common * shared);
            match trouble {
                Trouble::Twice if columns > 2 => row[2] = row[0],
                Trouble::Nearly(part) if columns > 2 => row[2] = row[0] + part * row[2],
                _ => {}
            }
            *y = row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>() + noise * numbers.next();
        }
        let scale = 1.0 / rows as f64;
        let mut gram = vec![0.0; columns * columns];
        for j in 0..columns {
            for k in 0..columns {
                let product: f64 = x.chunks_exact(columns).map(|row| row[j] * row[k]).sum();
                let diagonal = if j == k { ridge } else { 0.0 };
                gram[j * columns + k] = (scale * product + diagonal) * units[j] * units[k];
            }
        }
        let along = |j: usize| x.chunks_exact(columns).zip(&y).map(|(row, y)| row[j] * y).sum::<f64>();
        let linear = (0..columns).map(|j| scale * along(j) * units[j]).collect();
        let constant = 0.5 * scale * y.iter().map(|y| y * y).sum::<f64>();
        Self { gram, linear, constant, columns }
    }

    pub(super) fn quadratic(&self) -> Quadratic {
        Quadratic::new(self.gram.clone(), self.linear.clone(), self.constant).unwrap().never_below(0.0)
    }

    /// The function at a point.
    pub(super) fn value(&self, theta: &[f64]) -> f64 {
        let p = self.columns;
        let product = |j: usize| (0..p).map(|k| self.gram[j * p + k] * theta[k]).sum::<f64>();
        self.constant + (0..p).map(|j| theta[j] * (0.5 * product(j) - self.linear[j])).sum::<f64>()
    }

    /// The minimum over the columns of a set, by elimination with the largest pivot first.
    pub(super) fn minimum(&self, set: usize) -> (f64, Vec<f64>) {
        let p = self.columns;
        let chosen: Vec<usize> = (0..p).filter(|j| set >> j & 1 == 1).collect();
        let root = |j: usize| self.gram[j * p + j].sqrt();
        let count = chosen.len();
        let mut a: Vec<Vec<f64>> = chosen
            .iter()
            .map(|&j| {
                let mut row: Vec<f64> = chosen.iter().map(|&k| self.gram[j * p + k] / root(j) / root(k)).collect();
                row.push(self.linear[j] / root(j));
                row
            })
            .collect();
        let mut left: Vec<usize> = (0..count).collect();
        let mut done = Vec::new();
        while let Some((at, &pivot)) = left.iter().enumerate().max_by(|i, j| a[*i.1][*i.1].total_cmp(&a[*j.1][*j.1])) {
            if a[pivot][pivot] < 1e-13 {
                break;
            }
            left.swap_remove(at);
            let row = a[pivot].clone();
            for i in (0..count).filter(|&i| i != pivot) {
                let factor = a[i][pivot] / row[pivot];
                (0..=count).for_each(|k| a[i][k] -= factor * row[k]);
            }
            done.push(pivot);
        }
        let mut theta = vec![0.0; p];
        done.iter().for_each(|&i| theta[chosen[i]] = a[i][count] / a[i][i] / root(chosen[i]));
        (self.value(&theta), theta)
    }

    /// The minimum over each set of columns. What is below zero is the rounding of a nearly singular matrix: the function is a sum of squares.
    pub(super) fn minima(&self) -> Vec<f64> {
        (0..1_usize << self.columns).map(|set| self.minimum(set).0.max(0.0)).collect()
    }

    /// What sums of this size may be rounded by.
    pub(super) fn rounding(&self) -> f64 {
        1e-12 * self.constant
    }
}

/// The smallest number among the sets of at most so many columns that have a property.
pub(super) fn least(minima: &[f64], size: usize, has: impl Fn(usize) -> bool) -> f64 {
    let sets = (0..minima.len()).filter(|set| set.count_ones() as usize <= size && has(*set));
    sets.map(|set| minima[set]).fold(f64::INFINITY, f64::min)
}

/// Columns as a set.
pub(super) fn set_of(support: &[usize]) -> usize {
    support.iter().map(|j| 1 << j).sum()
}
