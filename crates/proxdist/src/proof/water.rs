//! The perspective penalty of a point.
//!
//! With $a_j = \sqrt{d_j}|\theta_j|$ and room for $m$ columns,
//! $$R = \min\Big\{\sum_j\frac{a_j^2}{z_j} : 0 \le z_j \le 1,\ \sum_jz_j \le m\Big\}$$
//! has $z_j = \min(1, a_j/\kappa)$ with the level $\kappa$ at which they sum to $m$: water filling. Then $R$ is the sum of $a_j^2$ above the level and of $\kappa a_j$
//! below it. Where no more than $m$ are nonzero the level is zero.

/// The level $\kappa$ of the magnitudes, which are used up.
///
/// Those above the level that all would have together are above the right one, too, which is lower: they are taken out, and so on until none is.
pub(super) fn level(mut magnitudes: &mut [f64], room: usize) -> f64 {
    if magnitudes.len() <= room {
        return 0.0;
    }
    let mut room = room;
    loop {
        let kappa = magnitudes.iter().sum::<f64>() / room as f64;
        let mut below = 0;
        for i in 0..magnitudes.len() {
            if magnitudes[i] <= kappa {
                magnitudes[below] = magnitudes[i];
                below += 1;
            }
        }
        let above = magnitudes.len() - below;
        // Fewer than there is room for, but for rounding.
        if above == 0 || above >= room {
            return kappa;
        }
        room -= above;
        magnitudes = &mut magnitudes[..below];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_fill_the_room() {
        let magnitudes = [5.0, 0.1, 0.3, 2.0, 0.2, 0.15];
        for room in 1..6 {
            let kappa = level(&mut magnitudes.clone(), room);
            let filled: f64 = magnitudes.iter().map(|a| (a / kappa).min(1.0)).sum();
            assert!((filled - room as f64).abs() < 1e-12, "{room}: {filled}");
        }
        assert_eq!(level(&mut magnitudes.clone(), 6), 0.0);
    }
}
