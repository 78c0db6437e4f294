//! Columns by the rows in which they differ from their commonest value: $x_{ij} = c_j + m_{ij}$ with few marks $m_{ij} \ne 0$.
//!
//! Indicators, counts and text are like that, stored densely or not, centred or not. A sum over rows then costs as many operations as there are marks:
//! $\sum_ix_{ij}u_i = c_j\sum_iu_i + \sum_im_{ij}u_i$, and where all marks of a column are equal not even a multiplication each. Columns with many marks are kept as they are.

use super::{Data, Rows, Wanted, length};
use crate::error::Result;
use crate::linalg::{axpy, dot};
use rayon::prelude::*;

/// Share of the rows beyond which a column is kept as it is.
const MANY: f64 = 0.3;
/// Vectors that are summed side by side.
const LANES: usize = 4;
/// Columns that a thread works on at a time.
const TOGETHER: usize = 64;

/// One column.
#[derive(Debug)]
enum Column {
    /// All its numbers.
    Whole(Vec<f64>),
    /// The commonest number, the rows of the others, and by how much all of them differ.
    Alike { common: f64, rows: Vec<u32>, mark: f64 },
    /// The same where each differs by as much as stands beside it.
    Varied { common: f64, rows: Vec<u32>, marks: Vec<f64> },
}

/// All columns of a data set.
#[derive(Debug)]
pub(crate) struct Marked {
    rows: usize,
    columns: Vec<Column>,
    numbers: usize,
}

/// What is known of a column while it is read.
#[derive(Clone, Default)]
struct Reading {
    common: f64,
    votes: usize,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Marked {
    /// Share of all cells, in marks and numbers of whole columns, beyond which this form saves nothing.
    pub(crate) const WORTH: f64 = 0.3;

    /// The columns of a data set; `None` where many numbers differ, or where so many bytes are not enough.
    pub(crate) fn of(data: &Data, memory: usize) -> Result<Option<Self>> {
        let (rows, columns) = (data.rows(), data.columns());
        let cells = rows.saturating_mul(columns);
        if u32::try_from(rows).is_err() || data.random_access().is_err() {
            return Ok(None);
        }
        let most = ((Self::WORTH * cells as f64) as usize).min(memory / 16);
        let wanted = Wanted { rows: 0..rows, length: length(columns), columns: None };
        let mut reading = vec![Reading::default(); columns];
        // More than half of the rows make a majority, and whoever has one is found by a vote of all rows. What sparse rows do not store is zero.
        data.chunks(&wanted, &mut |chunk| {
            if let Rows::Dense { values, .. } = chunk.rows {
                for row in values.chunks_exact(columns) {
                    reading.iter_mut().zip(row).for_each(|(column, &x)| column.vote(x));
                }
            }
        })?;
        let mut count = 0_usize;
        data.chunks(&wanted, &mut |chunk| {
            for i in 0..chunk.len() {
                let row = (chunk.first + i) as u32;
                if count > most {
                    return;
                }
                for (j, x) in chunk.rows.row(i) {
                    let column = &mut reading[j];
                    if x != column.common {
                        column.rows.push(row);
                        column.values.push(x);
                        count += 1;
                    }
                }
            }
        })?;
        if count > most {
            return Ok(None);
        }
        let columns: Vec<Column> = reading.into_iter().map(|column| column.kept(rows)).collect();
        let numbers = columns.iter().map(Column::numbers).sum();
        let is_worth_it = numbers as f64 <= Self::WORTH * cells as f64;
        Ok(is_worth_it.then_some(Self { rows, columns, numbers }))
    }

    /// Marks, and numbers of whole columns.
    pub(crate) fn numbers(&self) -> usize {
        self.numbers
    }

    /// The commonest value of a column; zero for those that are kept as they are, which have a mark in every row.
    pub(crate) fn common(&self, column: usize) -> f64 {
        match &self.columns[column] {
            Column::Whole(_) => 0.0,
            Column::Alike { common, .. } | Column::Varied { common, .. } => *common,
        }
    }

    /// Calls `each` with row and mark of every mark of a column, in order.
    pub(crate) fn marks(&self, column: usize, mut each: impl FnMut(usize, f64)) {
        match &self.columns[column] {
            Column::Whole(values) => values.iter().enumerate().for_each(|(row, &x)| each(row, x)),
            Column::Alike { rows, mark, .. } => rows.iter().for_each(|&row| each(row as usize, *mark)),
            Column::Varied { rows, marks, .. } => {
                rows.iter().zip(marks).for_each(|(&row, &mark)| each(row as usize, mark));
            }
        }
    }

    /// `out += factor · m_j`, the marks of a column; the commonest value is left to the caller.
    pub(crate) fn add_marks(&self, column: usize, factor: f64, out: &mut [f64]) {
        match &self.columns[column] {
            Column::Whole(values) => axpy(factor, values, out),
            Column::Alike { rows, mark, .. } => {
                let step = factor * mark;
                rows.iter().for_each(|&row| out[row as usize] += step);
            }
            Column::Varied { rows, marks, .. } => {
                rows.iter().zip(marks).for_each(|(&row, mark)| out[row as usize] += factor * mark);
            }
        }
    }

    /// $\sum_im_{ij}u_i$
    pub(crate) fn dot_marks(&self, column: usize, u: &[f64]) -> f64 {
        match &self.columns[column] {
            Column::Whole(values) => dot(values, u),
            Column::Alike { rows, mark, .. } => mark * rows.iter().map(|&row| u[row as usize]).sum::<f64>(),
            Column::Varied { rows, marks, .. } => {
                rows.iter().zip(marks).map(|(&row, mark)| mark * u[row as usize]).sum()
            }
        }
    }

    /// $X v$ for a `v` that is zero outside `support`.
    pub(crate) fn times(&self, support: &[usize], coefficients: &[f64]) -> Vec<f64> {
        let shift: f64 = support.iter().zip(coefficients).map(|(&j, x)| self.common(j) * x).sum();
        let mut out = vec![shift; self.rows];
        support.iter().zip(coefficients).for_each(|(&j, &x)| self.add_marks(j, x, &mut out));
        out
    }

    /// A column times a number for each row.
    pub(crate) fn weighted(&self, column: usize, weights: &[f64]) -> Vec<f64> {
        let common = self.common(column);
        let mut out: Vec<f64> = weights.iter().map(|w| common * w).collect();
        self.marks(column, |row, mark| out[row] += mark * weights[row]);
        out
    }

    /// $\sum_iw_ix_{ij}^2$ for every column.
    pub(crate) fn weighted_squares(&self, weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let square = |column: &Column| match column {
            Column::Whole(values) => values.iter().zip(weights).map(|(x, w)| w * x * x).sum(),
            Column::Alike { common, rows, mark } => {
                let marked: f64 = rows.iter().map(|&row| weights[row as usize]).sum();
                common * common * (total - marked) + (common + mark) * (common + mark) * marked
            }
            Column::Varied { common, rows, marks } => {
                let more = |(&row, mark): (&u32, &f64)| weights[row as usize] * mark * (2.0 * common + mark);
                common * common * total + rows.iter().zip(marks).map(more).sum::<f64>()
            }
        };
        let mut out = vec![0.0; self.columns.len()];
        each_column(&mut out, 1, |j, out| out[0] = square(&self.columns[j]));
        out
    }

    /// $\sum_ix_{ij}u_{ik}$ for every column $j$, one number for each vector $u_k$.
    pub(crate) fn products(&self, vectors: &[&[f64]]) -> Vec<f64> {
        let width = vectors.len();
        let mut out = vec![0.0; self.columns.len() * width];
        for (number, some) in vectors.chunks(LANES).enumerate() {
            let mut beside = vec![[0.0; LANES]; self.rows];
            let mut totals = [0.0; LANES];
            for (lane, vector) in some.iter().enumerate() {
                beside.iter_mut().zip(*vector).for_each(|(beside, u)| beside[lane] = *u);
                totals[lane] = vector.iter().sum();
            }
            let first = number * LANES;
            each_column(&mut out, width, |j, out| {
                let sums = self.columns[j].sums(&beside, totals);
                out[first..first + some.len()].copy_from_slice(&sums[..some.len()]);
            });
        }
        out
    }
}

/// Calls `each` on every column with its part of `out`; no bit depends on the number of threads.
fn each_column(out: &mut [f64], width: usize, each: impl Fn(usize, &mut [f64]) + Sync) {
    out.par_chunks_mut((TOGETHER * width).max(1)).enumerate().for_each(|(number, out)| {
        for (at, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
            each(number * TOGETHER + at, out);
        }
    });
}

impl Column {
    fn numbers(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Alike { rows, .. } | Self::Varied { rows, .. } => rows.len(),
        }
    }

    fn sums(&self, beside: &[[f64; LANES]], totals: [f64; LANES]) -> [f64; LANES] {
        let mut sums = [[0.0; LANES]; 2];
        let common = match self {
            Self::Whole(values) => {
                for (x, u) in values.iter().zip(beside) {
                    (0..LANES).for_each(|lane| sums[0][lane] += x * u[lane]);
                }
                0.0
            }
            Self::Alike { common, rows, mark } => {
                let pairs = rows.chunks_exact(2);
                for &row in pairs.remainder() {
                    (0..LANES).for_each(|lane| sums[0][lane] += beside[row as usize][lane]);
                }
                for pair in pairs {
                    let (first, second) = (&beside[pair[0] as usize], &beside[pair[1] as usize]);
                    (0..LANES).for_each(|lane| sums[0][lane] += first[lane]);
                    (0..LANES).for_each(|lane| sums[1][lane] += second[lane]);
                }
                sums.iter_mut().flatten().for_each(|sum| *sum *= mark);
                *common
            }
            Self::Varied { common, rows, marks } => {
                for (&row, mark) in rows.iter().zip(marks) {
                    let u = &beside[row as usize];
                    (0..LANES).for_each(|lane| sums[0][lane] += mark * u[lane]);
                }
                *common
            }
        };
        std::array::from_fn(|lane| common * totals[lane] + (sums[0][lane] + sums[1][lane]))
    }
}

impl Reading {
    fn vote(&mut self, x: f64) {
        match () {
            () if x == self.common => self.votes += 1,
            () if self.votes == 0 => (self.common, self.votes) = (x, 1),
            () => self.votes -= 1,
        }
    }

    fn kept(self, count: usize) -> Column {
        let Self { common, rows, values, .. } = self;
        if rows.len() as f64 > MANY * count as f64 {
            let mut whole = vec![common; count];
            rows.iter().zip(&values).for_each(|(&row, x)| whole[row as usize] = *x);
            return Column::Whole(whole);
        }
        match values.first() {
            Some(first) if values.iter().all(|x| x == first) => Column::Alike { common, rows, mark: first - common },
            _ => Column::Varied { common, rows, marks: values.iter().map(|x| x - common).collect() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: usize = 100;
    const ROWS: usize = 401;

    /// Indicators, counts, a constant column and a few columns of many values.
    fn entry(i: usize, j: usize) -> f64 {
        let noise = ((i * 31 + j * 17) as f64).sin();
        match j % 50 {
            0 => noise,
            1 => 3.0,
            2..10 => f64::from(u8::from(noise > 0.9)) * (1.0 + (i % 3) as f64),
            _ => f64::from(u8::from(noise > 0.8)),
        }
    }

    #[test]
    fn sums_are_those_of_the_numbers_themselves() -> Result<()> {
        let plain: Vec<f64> = (0..ROWS * COLUMNS).map(|at| entry(at / COLUMNS, at % COLUMNS)).collect();
        let centred: Vec<f64> = plain.iter().map(|x| 1.7 * (x - 0.2)).collect();
        let y = vec![0.0; ROWS];
        let vectors: Vec<Vec<f64>> =
            (0..6).map(|k| (0..ROWS).map(|i| ((i * (k + 3)) as f64).cos().abs()).collect()).collect();
        let borrowed: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        for values in [&plain, &centred] {
            let data = Data::dense(values, COLUMNS, &y)?;
            let Some(marked) = Marked::of(&data, usize::MAX)? else { panic!("worth it") };
            assert!(marked.numbers() < ROWS * COLUMNS / 4, "{}", marked.numbers());
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * (1.0 + b.abs());
            let (products, squares) = (marked.products(&borrowed), marked.weighted_squares(&vectors[0]));
            for j in 0..COLUMNS {
                let column: Vec<f64> = (0..ROWS).map(|i| values[i * COLUMNS + j]).collect();
                for (k, u) in vectors.iter().enumerate() {
                    assert!(near(products[j * vectors.len() + k], dot(&column, u)), "{j} {k}");
                }
                let weighted: Vec<f64> = column.iter().zip(&vectors[0]).map(|(x, w)| x * w).collect();
                assert!(near(squares[j], dot(&weighted, &column)), "{j}");
                assert!(marked.weighted(j, &vectors[0]).iter().zip(&weighted).all(|(a, b)| near(*a, *b)), "{j}");
                assert!(marked.times(&[j], &[1.0]).iter().zip(&column).all(|(a, b)| near(*a, *b)), "{j}");
                let sum: f64 = vectors[1].iter().sum();
                assert!(near(marked.dot_marks(j, &vectors[1]) + marked.common(j) * sum, dot(&column, &vectors[1])));
            }
        }
        Ok(())
    }

    #[test]
    fn numbers_that_mostly_differ_are_left_alone() -> Result<()> {
        let values: Vec<f64> = (0..ROWS * COLUMNS).map(|at| (at as f64).sin()).collect();
        let y = vec![0.0; ROWS];
        assert!(Marked::of(&Data::dense(&values, COLUMNS, &y)?, usize::MAX)?.is_none());
        let marks: Vec<f64> = values.iter().map(|x| f64::from(u8::from(*x > 0.99))).collect();
        assert!(Marked::of(&Data::dense(&marks, COLUMNS, &y)?, usize::MAX)?.is_some());
        assert!(Marked::of(&Data::dense(&marks, COLUMNS, &y)?, 100)?.is_none(), "no memory");
        Ok(())
    }
}
