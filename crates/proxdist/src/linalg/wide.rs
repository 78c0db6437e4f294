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
}
