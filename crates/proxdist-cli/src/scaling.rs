//! Columns brought to mean 0 and standard deviation 1 for the fit, and coefficients brought back to the units of the file.
//!
//! A sparsity set compares coefficients, so their units matter. Where the set is unchanged when coordinates are stretched
//! (sparsity, groups, sign, none), fitting $z_j = (x_j - m_j)/s_j$ and returning $\theta_j/s_j$ solves the same problem; for
//! other sets it would be another one: a ball would become an ellipsoid. Means are subtracted only where an intercept can
//! take them up and the table is dense. A ridge term acts on the coefficients of the scaled columns.

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result};
use crate::output::note;
use proxdist::constraint::Constraint as _;
use proxdist::spec::SetSpec;
use proxdist::{Model, Shape};
use proxdist_io::Features;

/// What was done to each column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scaling {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

/// Whether stretching coordinates by positive factors maps the set to itself, as the set itself says. One that does not fit a
/// vector of this length (a rank, a count above it) is left as it is: the fit has the word on it.
fn is_unchanged(spec: &SetSpec, columns: usize) -> bool {
    spec.build(Shape::Vector(columns)).is_ok_and(|set| set.is_scale_free())
}

/// Scales the columns in place if the options and the sets allow it; moments come from `rows`, or all rows.
pub(crate) fn standardise(
    features: &mut Features,
    rows: Option<&[usize]>,
    sets: &[SetSpec],
    args: &ProblemArgs,
    quiet: bool,
) -> Result<Option<Scaling>> {
    let is_empty = features.rows() == 0 || features.columns() == 0;
    if args.no_standardize || is_empty {
        return Ok(None);
    }
    if let Some(set) = sets.iter().find(|set| !is_unchanged(set, features.columns())) {
        if args.standardize {
            let message = format!("--standardize: the set {set} would be another one on scaled columns");
            return Err(Failure::new(message, "leave --standardize out, or scale the columns of the file"));
        }
        return Ok(None);
    }
    let is_mapped = matches!(features, Features::MappedF64(_) | Features::MappedF32(_));
    if is_mapped {
        if args.standardize {
            let message = "--standardize: the array is mapped from its file and cannot be changed";
            return Err(Failure::new(message, "give it as .npz, or scale it before saving"));
        }
        note(quiet, "columns are not scaled, since the array is mapped from its file");
        return Ok(None);
    }
    let scaling = scale(features, rows, !args.no_intercept);
    let centred = if scaling.means.iter().any(|mean| *mean != 0.0) { "mean 0 and " } else { "" };
    note(
        quiet,
        &format!("columns are scaled to {centred}standard deviation 1 for the fit (--no-standardize turns it off)"),
    );
    Ok(Some(scaling))
}

fn scale(features: &mut Features, rows: Option<&[usize]>, has_intercept: bool) -> Scaling {
    let (count, columns) = (features.rows(), features.columns());
    let every: Vec<usize> = if rows.is_none() { (0..count).collect() } else { Vec::new() };
    let rows = rows.unwrap_or(&every);
    match features {
        Features::Dense { values, .. } => {
            let scaling = moments(rows, columns, has_intercept, |row, j| values[row * columns + j]);
            values.chunks_exact_mut(columns).for_each(|row| scaling.apply(row, |value, z| *value = z(*value)));
            scaling
        }
        Features::DenseF32 { values, .. } => {
            let scaling = moments(rows, columns, has_intercept, |row, j| f64::from(values[row * columns + j]));
            let narrow = |value: &mut f32, z: &dyn Fn(f64) -> f64| *value = z(f64::from(*value)) as f32;
            values.chunks_exact_mut(columns).for_each(|row| scaling.apply(row, narrow));
            scaling
        }
        Features::Sparse { row_starts, columns_of, values, .. } => {
            let (mut sums, mut squares) = (vec![0.0; columns], vec![0.0; columns]);
            for entry in rows.iter().flat_map(|&row| row_starts[row]..row_starts[row + 1]) {
                let column = columns_of[entry] as usize;
                sums[column] += values[entry];
                squares[column] += values[entry] * values[entry];
            }
            let n = rows.len() as f64;
            let deviation = |(sum, square): (&f64, &f64)| usable((square / n - (sum / n) * (sum / n)).max(0.0).sqrt());
            let deviations: Vec<f64> = sums.iter().zip(&squares).map(deviation).collect();
            values.iter_mut().zip(columns_of).for_each(|(value, column)| *value /= deviations[*column as usize]);
            Scaling { means: vec![0.0; columns], deviations }
        }
        Features::MappedF64(_) | Features::MappedF32(_) => {
            Scaling { means: vec![0.0; columns], deviations: vec![1.0; columns] }
        }
    }
}

/// Means and standard deviations of the columns; means stay 0 where nothing can take them up.
fn moments(rows: &[usize], columns: usize, centred: bool, at: impl Fn(usize, usize) -> f64) -> Scaling {
    let n = rows.len() as f64;
    let mut means = vec![0.0; columns];
    rows.iter().for_each(|&row| means.iter_mut().enumerate().for_each(|(j, mean)| *mean += at(row, j) / n));
    let mut squares = vec![0.0; columns];
    for &row in rows {
        squares.iter_mut().enumerate().for_each(|(j, sum)| *sum += (at(row, j) - means[j]).powi(2));
    }
    let deviations = squares.iter().map(|sum| usable((sum / n).sqrt())).collect();
    if !centred {
        means.fill(0.0);
    }
    Scaling { means, deviations }
}

/// A constant column is left as it is.
fn usable(deviation: f64) -> f64 {
    if deviation.is_normal() { deviation } else { 1.0 }
}

impl Scaling {
    fn apply<T>(&self, row: &mut [T], change: impl Fn(&mut T, &dyn Fn(f64) -> f64)) {
        for ((value, mean), deviation) in row.iter_mut().zip(&self.means).zip(&self.deviations) {
            change(value, &|x| (x - mean) / deviation);
        }
    }

    /// The model in the units of the file.
    pub(crate) fn restored(&self, model: &Model) -> Model {
        let mut model = model.clone();
        model.coefficients.iter_mut().zip(&self.deviations).for_each(|(value, deviation)| *value /= deviation);
        let shift: f64 = model.coefficients.iter().zip(&self.means).map(|(value, mean)| value * mean).sum();
        model.intercept = model.intercept.map(|intercept| intercept - shift);
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cones_of_coordinates_are_unchanged() {
        let verdict = |text: &str| is_unchanged(&SetSpec::parse(text).unwrap(), 4);
        assert!(
            ["none", "sparsity:3", "nonneg", "box:0,inf", "sparsity:2 & nonneg", "group-sparsity:1;size=2"]
                .into_iter()
                .all(verdict)
        );
        assert!(
            !["ball:1", "l1:1", "simplex", "monotone", "box:0,1", "sparsity:2 & ball:1", "rank:1"]
                .into_iter()
                .any(verdict)
        );
    }

    #[test]
    fn scaled_columns_have_mean_zero_and_deviation_one() {
        let values = vec![1.0, 10.0, 5.0, 3.0, 30.0, 5.0];
        let mut features = Features::Dense { rows: 2, columns: 3, values };
        let scaling = scale(&mut features, None, true);
        assert_eq!(features.dense_f64().unwrap(), [-1.0, -1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!((scaling.means, scaling.deviations), (vec![2.0, 20.0, 5.0], vec![1.0, 10.0, 1.0]));
    }
}
