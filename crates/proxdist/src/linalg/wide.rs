//! Loops in the widest registers that the machine has, chosen when the program runs.
//!
//! Every entry is computed by itself, in the order of operations that is written down, so that the bits do not depend on the machine.

use pulp::Arch;

/// Runs a loop compiled for the registers of this machine; what it calls must be inlined.
#[inline]
pub(crate) fn wide<R>(run: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(run)
}

/// `rows[k] += factors[k] x` for all rows, one of which may be left out by a factor of zero.
pub(crate) fn add_multiples(factors: &[f64], x: &[f64], rows: &mut [Vec<f64>]) {
    wide(
        #[inline(always)]
        || {
            for (factor, row) in factors.iter().zip(rows) {
                row.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
            }
        },
    );
}

/// Rows that are added in one go, so that the sum is read and written less often.
const AT_ONCE: usize = 4;

/// `sum += Σ factors[k] row(k)`, some rows at a time.
pub(crate) fn add_rows<'a>(factors: &[f64], row: impl Fn(usize) -> &'a [f64], sum: &mut [f64]) {
    wide(
        #[inline(always)]
        || {
            let mut groups = factors.chunks_exact(AT_ONCE);
            for (group, f) in groups.by_ref().enumerate() {
                let first = AT_ONCE * group;
                let (a, b, c, d) = (row(first), row(first + 1), row(first + 2), row(first + 3));
                let rows = a.iter().zip(b).zip(c.iter().zip(d));
                sum.iter_mut()
                    .zip(rows)
                    .for_each(|(y, ((a, b), (c, d)))| *y += (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d));
            }
            let first = factors.len() - groups.remainder().len();
            for (k, factor) in groups.remainder().iter().enumerate() {
                sum.iter_mut().zip(row(first + k)).for_each(|(y, x)| *y += factor * x);
            }
        },
    );
}

/// Sums over rows that a survey of their columns needs, all of which one look at each number gives: $\sum w(x - c)$, $\sum w(x - c)^2$ and the largest $|x|$ of each column.
pub(crate) struct Extent<'e> {
    pub(crate) center: &'e [f64],
    pub(crate) sums: &'e mut [f64],
    pub(crate) squares: &'e mut [f64],
    pub(crate) largest: &'e mut [f64],
}

impl Extent<'_> {
    /// Adds rows of as many numbers as there are centers. NaN and infinities leave sums that are not finite.
    pub(crate) fn add(&mut self, values: &[f64], weights: &[f64]) {
        let columns = self.center.len();
        wide(
            #[inline(always)]
            || {
                let mut groups = weights.chunks_exact(AT_ONCE);
                let mut rows = values;
                for w in groups.by_ref() {
                    let (now, after) = rows.split_at(AT_ONCE * columns);
                    rows = after;
                    let row = |k: usize| &now[k * columns..(k + 1) * columns];
                    let rows = row(0).iter().zip(row(1)).zip(row(2).iter().zip(row(3)));
                    let totals = self.sums.iter_mut().zip(&mut *self.squares).zip(&mut *self.largest);
                    for ((((sum, square), most), c), ((x0, x1), (x2, x3))) in totals.zip(self.center).zip(rows) {
                        let (a0, a1, a2, a3) = (x0 - c, x1 - c, x2 - c, x3 - c);
                        let (b0, b1, b2, b3) = (w[0] * a0, w[1] * a1, w[2] * a2, w[3] * a3);
                        *sum += (b0 + b1) + (b2 + b3);
                        *square += (b0 * a0 + b1 * a1) + (b2 * a2 + b3 * a3);
                        *most = larger(larger(larger(x0.abs(), x1.abs()), larger(x2.abs(), x3.abs())), *most);
                    }
                }
                for (row, w) in rows.chunks_exact(columns.max(1)).zip(groups.remainder()) {
                    let totals = self.sums.iter_mut().zip(&mut *self.squares).zip(&mut *self.largest);
                    for ((((sum, square), most), c), x) in totals.zip(self.center).zip(row) {
                        *sum += w * (x - c);
                        *square += w * (x - c) * (x - c);
                        *most = larger(x.abs(), *most);
                    }
                }
            },
        );
    }
}

/// The larger of two numbers in one instruction, which `f64::max` is not; the second if one is NaN.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what runs in wide registers must be inlined")]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `out[i][j] = (rows[i][j] − means[j]) factors[j]`
pub(crate) fn scale_rows(rows: &[f64], means: &[f64], factors: &[f64], out: &mut [f64]) {
    let columns = means.len().max(1);
    wide(
        #[inline(always)]
        || {
            for (out, row) in out.chunks_exact_mut(columns).zip(rows.chunks_exact(columns)) {
                out.iter_mut().zip(row).zip(means.iter().zip(factors)).for_each(|((t, x), (m, f))| *t = (x - m) * f);
            }
        },
    );
}

/// `out[j] += Σ weights[i] rows[i][j]²`, row by row.
pub(crate) fn add_squares(rows: &[f64], weights: &[f64], out: &mut [f64]) {
    let columns = out.len().max(1);
    wide(
        #[inline(always)]
        || {
            for (row, &weight) in rows.chunks_exact(columns).zip(weights) {
                out.iter_mut().zip(row).for_each(|(out, x)| *out += weight * x * x);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::axpy;

    #[test]
    fn wide_loops_have_the_bits_of_plain_ones() {
        let x: Vec<f64> = (0..37).map(|i| f64::from(i).sin() * 1e3).collect();
        let mut rows: Vec<Vec<f64>> = (0..3).map(|k| (0..37).map(|i| f64::from(i + k).cos()).collect()).collect();
        let mut plain = rows.clone();
        let factors = [0.3, -1e-7, 1.0 / 3.0];
        add_multiples(&factors, &x, &mut rows);
        factors.iter().zip(&mut plain).for_each(|(factor, row)| axpy(*factor, &x, row));
        assert_eq!(rows, plain);
    }

    /// Whatever the number of rows; and a number that is none shows, wherever it is.
    #[test]
    fn an_extent_has_the_moments_and_the_largest_numbers() {
        let columns = 5;
        for count in 0..=9_usize {
            let values: Vec<f64> = (0..count * columns).map(|i| (i as f64 * 1.7).sin() * 3.0).collect();
            let weights: Vec<f64> = (0..count).map(|i| 0.5 + i as f64).collect();
            let center = [0.1, -0.2, 0.3, 0.0, 5.0];
            let measured = |values: &[f64]| {
                let (mut sums, mut squares, mut largest) = ([0.0; 5], [0.0; 5], [0.0; 5]);
                let mut extent =
                    Extent { center: &center, sums: &mut sums, squares: &mut squares, largest: &mut largest };
                extent.add(values, &weights);
                (sums, squares, largest)
            };
            let (sums, squares, largest) = measured(&values);
            for j in 0..columns {
                let away = |i: usize| values[i * columns + j] - center[j];
                let moment = |power: i32| (0..count).map(|i| weights[i] * away(i).powi(power)).sum::<f64>();
                assert!((sums[j] - moment(1)).abs() < 1e-12 && (squares[j] - moment(2)).abs() < 1e-11);
                let most = (0..count).map(|i| values[i * columns + j].abs()).fold(0.0, f64::max);
                assert_eq!(largest[j].to_bits(), most.to_bits());
            }
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for at in 0..values.len() {
                    let mut values = values.clone();
                    values[at] = bad;
                    let (_, squares, _) = measured(&values);
                    assert!(!squares[at % columns].is_finite());
                }
            }
        }
    }

    #[test]
    fn rows_added_together_are_rows_added_one_by_one() {
        let rows: Vec<Vec<f64>> = (0..11).map(|k| (0..37).map(|i| f64::from(7 * i + k).cos()).collect()).collect();
        for count in 0..=rows.len() {
            let factors: Vec<f64> = (0..count).map(|k| (k as f64).sin() - 0.2).collect();
            let mut together: Vec<f64> = (0..37).map(f64::from).collect();
            let mut plain = together.clone();
            add_rows(&factors, |k| &rows[k], &mut together);
            factors.iter().zip(&rows).for_each(|(factor, row)| axpy(*factor, row, &mut plain));
            assert!(together.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-12), "{count}");
        }
    }
}
