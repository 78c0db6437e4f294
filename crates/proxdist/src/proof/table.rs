//! The columns of the data side by side, in units in which they are alike, with F and its derivatives on any of them.
//!
//! With an intercept columns are moved to mean zero, $x_j - c_j$, and all of them are divided by powers of two, $x'_j = (x_j - c_j)/s_j$. So $\theta'_j = s_j\theta_j$,
//! $\beta' = \beta + \sum_jc_j\theta_j$, and F is the same function of other parameters. Numbers $x'$ are off by one unit roundoff of their own. With $k$ columns a predictor is then
//! off by at most $(k + 4)u\,A_i$, $A_i = \sum_j|x'_{ij}\theta'_j| + |\beta'| + |o_i|$, which is part of what [`At`] says about its own rounding.

use super::positive::UNIT;
use crate::data::{Wanted, length};
use crate::error::Result;
use crate::linalg::{axpy, dot, gram};
use crate::objective::Objective;

/// Units of rounding beyond the number of terms of a sum.
const MORE: usize = 24;

/// The data as columns, the intercept's among them as the last.
#[derive(Debug)]
pub(super) struct Table<'p> {
    pub(super) objective: Objective<'p>,
    /// Numbers of the columns in the data.
    pub(super) columns: Vec<usize>,
    /// Column after column.
    x: Vec<f64>,
    shifts: Vec<f64>,
    scales: Vec<f64>,
    /// The weights of the ridge term in the units of the table; zero for the intercept.
    pub(super) ridge: Vec<f64>,
    pub(super) response: Vec<f64>,
    /// They sum to one.
    pub(super) weights: Vec<f64>,
    offsets: Vec<f64>,
}

/// A point on some columns of a table, rising, the intercept's last if there is one.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) places: Vec<usize>,
    pub(super) values: Vec<f64>,
}

impl Point {
    /// The value at a place of the table.
    pub(super) fn at(&self, place: usize) -> f64 {
        self.places.binary_search(&place).map_or(0.0, |at| self.values[at])
    }
}

/// F at a point.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) predictors: Vec<f64>,
    /// $A_i$
    pub(super) sizes: Vec<f64>,
    /// $w_i\ell'_i$
    pub(super) slopes: Vec<f64>,
    pub(super) value: f64,
    /// F is within this of the value.
    pub(super) doubt: f64,
    /// A predictor is off by this much of its size.
    pub(super) share: f64,
}

impl<'p> Table<'p> {
    /// From some columns of the data, rising, without those that have no effect; a copy of them written out.
    pub(super) fn of(objective: Objective<'p>, columns: &[usize]) -> Result<Self> {
        let data = objective.data;
        let (rows, width) = (data.rows(), data.columns());
        let mut x = vec![0.0; rows * columns.len()];
        let mut places = vec![None; width];
        columns.iter().enumerate().for_each(|(at, &j)| places[j] = Some(at));
        let (mut offsets, mut weights) = (vec![0.0; rows], vec![0.0; rows]);
        let wanted = Wanted { rows: 0..rows, length: length(width), columns: None };
        data.chunks(&wanted, &mut |chunk| {
            for i in 0..chunk.len() {
                let row = chunk.first + i;
                let own = chunk.rows.row(i).filter_map(|(j, value)| places[j].map(|at| (at, value)));
                own.for_each(|(at, value)| x[at * rows + row] = value);
                offsets[row] = chunk.offset_of(i);
                weights[row] = chunk.weight(i) / data.weight_sum();
            }
        })?;
        let mut table = Self {
            objective,
            columns: Vec::new(),
            x: Vec::new(),
            shifts: Vec::new(),
            scales: Vec::new(),
            ridge: Vec::new(),
            response: data.response().to_vec(),
            weights,
            offsets,
        };
        for (&j, column) in columns.iter().zip(x.chunks_exact(rows.max(1))) {
            table.push(j, column);
        }
        if objective.has_intercept {
            table.x.extend(std::iter::repeat_n(1.0, rows));
            table.ridge.push(0.0);
        }
        Ok(table)
    }

    /// Takes a column in, unless it says nothing.
    fn push(&mut self, column: usize, values: &[f64]) {
        let is_counted = |i: usize| self.weights[i] > 0.0;
        let first = (0..values.len()).find(|&i| is_counted(i)).map_or(0.0, |i| values[i]);
        let is_even = (0..values.len()).all(|i| values[i] == first || !is_counted(i));
        let shift = match (self.objective.has_intercept, is_even) {
            (false, _) => 0.0,
            (true, true) => first,
            (true, false) => dot(values, &self.weights),
        };
        let moved = || values.iter().map(|value| value - shift);
        let size = moved().zip(&self.weights).map(|(x, w)| w * x * x).sum::<f64>().sqrt();
        let counted = moved().enumerate().filter(|(i, _)| is_counted(*i));
        let largest = counted.fold(0.0, |most: f64, (_, x)| most.max(x.abs()));
        if largest == 0.0 {
            return;
        }
        let size = if size > 0.0 && size.is_finite() { size } else { largest };
        let scale = size.log2().round().clamp(-500.0, 500.0).exp2();
        self.x.extend(moved().map(|x| x / scale));
        self.columns.push(column);
        self.shifts.push(shift);
        self.scales.push(scale);
        self.ridge.push(self.objective.ridge.at(column) / (scale * scale));
    }

    pub(super) fn rows(&self) -> usize {
        self.weights.len()
    }

    /// Places of columns that can be chosen; the intercept's is next.
    pub(super) fn features(&self) -> usize {
        self.columns.len()
    }

    /// Places of some features and of the intercept, if there is one.
    pub(super) fn with_intercept(&self, features: &[usize]) -> Vec<usize> {
        let own = self.objective.has_intercept.then_some(self.features());
        features.iter().copied().chain(own).collect()
    }

    pub(super) fn column(&self, place: usize) -> &[f64] {
        &self.x[place * self.rows()..(place + 1) * self.rows()]
    }

    /// Coefficients of some features and the intercept, in the units of the data, as a point of the table.
    pub(super) fn point(&self, features: &[usize], theta: &[f64]) -> Point {
        let (coefficients, intercept) = theta.split_at(features.len());
        let mut values: Vec<f64> = features.iter().zip(coefficients).map(|(&j, t)| t * self.scales[j]).collect();
        let moved: f64 = features.iter().zip(coefficients).map(|(&j, t)| t * self.shifts[j]).sum();
        values.extend(intercept.first().filter(|_| self.objective.has_intercept).map(|own| own + moved));
        Point { places: self.with_intercept(features), values }
    }

    /// F at a point.
    pub(super) fn at(&self, point: &Point) -> At {
        let (mut predictors, mut sizes) = (self.offsets.clone(), vec![0.0; self.rows()]);
        sizes.iter_mut().zip(&self.offsets).for_each(|(size, offset)| *size = offset.abs());
        for (&place, &value) in point.places.iter().zip(&point.values).filter(|(_, value)| **value != 0.0) {
            axpy(value, self.column(place), &mut predictors);
            sizes.iter_mut().zip(self.column(place)).for_each(|(size, x)| *size += (x * value).abs());
        }
        let share = UNIT * (point.places.len() + MORE) as f64;
        let (mut value, mut terms, mut moved) = (0.0, 0.0, 0.0);
        let mut slopes = Vec::with_capacity(self.rows());
        let loss = self.objective.loss;
        for (i, &weight) in self.weights.iter().enumerate() {
            let (eta, response) = (predictors[i], self.response[i]);
            if weight == 0.0 {
                slopes.push(0.0);
                continue;
            }
            let (term, slope) = (weight * loss.value(eta, response), weight * loss.slope(eta, response));
            value += term;
            // The value of a loss may itself be a difference.
            terms += term.abs() + weight * response.abs() * eta.abs();
            // The slope may grow on the way; not by more than it is, unless that is nothing.
            moved += 2.0 * slope.abs() * sizes[i] + weight * share * sizes[i] * sizes[i];
            slopes.push(slope);
        }
        for (&place, z) in point.places.iter().zip(&point.values) {
            let term = 0.5 * self.ridge[place] * z * z;
            value += term;
            terms += term;
        }
        let doubt = UNIT * (self.rows() + MORE) as f64 * terms + share * moved;
        At { predictors, sizes, slopes, value, doubt, share }
    }

    /// The derivatives of F along columns, and what rounding they may have.
    pub(super) fn gradient(&self, at: &At, point: &Point, places: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let share = UNIT * (self.rows() + MORE) as f64;
        // What a slope may be off: by its own rounding and that of the predictor, times a curvature.
        let bend = |i: usize| self.objective.loss.curvature(at.predictors[i], self.response[i]).max(0.25);
        let doubts: Vec<f64> = (0..self.rows())
            .map(|i| share * at.slopes[i].abs() + 2.0 * at.share * self.weights[i] * bend(i) * at.sizes[i])
            .collect();
        let (mut gradient, mut doubt) = (Vec::with_capacity(places.len()), Vec::with_capacity(places.len()));
        for &place in places {
            let column = self.column(place);
            let own = self.ridge[place] * point.at(place);
            gradient.push(dot(column, &at.slopes) + own);
            doubt.push(1.01 * column.iter().zip(&doubts).map(|(x, d)| x.abs() * d).sum::<f64>() + share * own.abs());
        }
        (gradient, doubt)
    }

    /// $\sum_iw_ik_ix_ix_i^T$ of some columns and the ridge, full.
    pub(super) fn products(&self, places: &[usize], curvatures: &[f64]) -> Vec<f64> {
        let roots: Vec<f64> = self.weights.iter().zip(curvatures).map(|(w, k)| (w * k).max(0.0).sqrt()).collect();
        let mut scaled = Vec::with_capacity(places.len() * self.rows());
        for &place in places {
            scaled.extend(self.column(place).iter().zip(&roots).map(|(x, root)| x * root));
        }
        let mut products = vec![0.0; places.len() * places.len()];
        gram(&scaled, places.len(), self.rows(), &mut products);
        for (at, &place) in places.iter().enumerate() {
            products[at * places.len() + at] += self.ridge[place];
        }
        products
    }
}
