//! The power of $k$ with which a mean of several runs falls: the slope of $\log$ mean against $\log k$, with a confidence interval.
//!
//! Points of one run depend on each other, runs do not. So the interval comes from leaving out one run at a time (the
//! jackknife), with the quantile of Student's distribution for that many runs.

use serde::Serialize;

/// A slope with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// The least squares slope.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// First step of the tail that was used.
    pub from: u64,
}

/// Points needed for a slope.
const FEWEST: usize = 4;

/// The slope over the last decade of steps; `runs` holds a value per step for each run. `None` with fewer than two runs or four positive means.
pub(super) fn tail_slope(steps: &[u64], runs: &[Vec<f64>]) -> Option<Slope> {
    let from = steps.last()?.div_ceil(10);
    let first = steps.partition_point(|&step| step < from);
    let count = runs.len() as f64;
    if runs.len() < 2 {
        return None;
    }
    let totals: Vec<f64> = (first..steps.len()).map(|i| runs.iter().map(|run| run[i]).sum()).collect();
    let slope_without = |left_out: Option<&Vec<f64>>| {
        let rest = |(i, total): (usize, &f64)| {
            (steps[first + i] as f64, left_out.map_or(*total, |run| total - run[first + i]))
        };
        slope(totals.iter().enumerate().map(rest))
    };
    let value = slope_without(None)?;
    let others: Vec<f64> = runs.iter().map(|run| slope_without(Some(run))).collect::<Option<_>>()?;
    let mean = others.iter().sum::<f64>() / count;
    let spread: f64 = others.iter().map(|other| (other - mean).powi(2)).sum();
    let half = student(runs.len() - 1) * ((count - 1.0) / count * spread).sqrt();
    Some(Slope { value, low: value - half, high: value + half, from })
}

/// Least squares slope of $\log y$ against $\log x$ over the positive $y$.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.filter(|point| point.1 > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    if logs.len() < FEWEST {
        return None;
    }
    let n = logs.len() as f64;
    let (mean_x, mean_y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let products: f64 = logs.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let squares: f64 = logs.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    (squares > 0.0).then_some(products / squares)
}

/// The 97.5 % quantile of Student's distribution: exact for one and two degrees of freedom, the expansion of Cornish and
/// Fisher beyond, good to a percent at three and better after.
fn student(degrees: usize) -> f64 {
    let z = 1.959_963_984_540_054_f64;
    let v = degrees as f64;
    match degrees {
        0 => f64::INFINITY,
        1 => 12.706_204_736_432_095,
        2 => 4.302_652_729_696_142,
        _ => {
            let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
            z + (z3 + z) / (4.0 * v)
                + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
                + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_found_and_its_interval_covers_it() {
        let steps: Vec<u64> = (1..=200).collect();
        let run = |factor: f64| steps.iter().map(|&k| factor * (k as f64).powf(-0.7)).collect::<Vec<_>>();
        let exact = tail_slope(&steps, &[run(1.0), run(3.0)]).unwrap();
        assert!((exact.value + 0.7).abs() < 1e-12 && exact.high - exact.low < 1e-10);
        let bent = |power: f64| steps.iter().map(|&k| (k as f64).powf(-power)).collect::<Vec<_>>();
        let spread = tail_slope(&steps, &[bent(0.6), bent(0.7), bent(0.8)]).unwrap();
        assert!(spread.low < -0.7 && spread.high > -0.7 && spread.from == 20);
        assert_eq!(tail_slope(&steps, &[run(1.0)]), None);
        assert_eq!(tail_slope(&steps, &[vec![0.0; 200], vec![0.0; 200]]), None);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, table) in
            [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (19, 2.093), (100, 1.984)]
        {
            assert!((student(degrees) / table - 1.0).abs() < 1e-2, "{degrees}: {}", student(degrees));
        }
    }
}
