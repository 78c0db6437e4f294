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
