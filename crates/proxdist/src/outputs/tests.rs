//! Derivatives, the prox and the pieces of the search against their definitions.

use super::function::Function;
use super::loss::{OutputLoss, RowsLoss};
use super::objective::Objective;
use super::problem::Responses;
use super::prox::OutputsStep;
use crate::constraint::{WholeSpace, Workspace};
use crate::data::{Batch, Data};
use crate::error::Result;
use crate::loss::{Huber, RowLoss, check_derivatives};
use crate::polish::Smooth;
use crate::random::{Purpose, stream};
use crate::ridge::Ridge;
use crate::solver::{Iterate, Step};
use rand_core::Rng;

/// Numbers between −1 and 1.
fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let mut generator = stream(seed, Purpose::Batch, 1);
    (0..count).map(|_| f64::from(generator.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0).collect()
}

fn losses() -> [OutputLoss; 3] {
    [OutputLoss::Softmax, OutputLoss::Squared, OutputLoss::Huber(Huber::with_delta(0.4).unwrap())]
}

/// Rows, features and outputs of the problems below.
const SIZES: (usize, usize, usize) = (23, 4, 3);

struct Made {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    zeros: Vec<f64>,
    loss: OutputLoss,
}

impl Made {
    fn new(loss: OutputLoss) -> Self {
        let (rows, features, outputs) = SIZES;
        let y = match loss {
            OutputLoss::Softmax => (0..rows).map(|i| ((i * 7) % outputs) as f64).collect(),
            _ => numbers(3, rows * outputs),
        };
        let weights = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
        Self { x: numbers(1, rows * features), y, weights, zeros: vec![0.0; rows], loss }
    }

    fn data(&self) -> Data<'_> {
        Data::dense(&self.x, SIZES.1, &self.zeros).unwrap().weights(&self.weights).unwrap()
    }

    fn objective<'a>(&'a self, data: &'a Data<'a>, has_gauge: bool) -> Objective<'a> {
        let outputs = SIZES.2;
        let responses = match self.loss {
            OutputLoss::Softmax => Responses::classes(&self.y, outputs),
            _ => Responses::numbers(&self.y, outputs),
        };
        Objective {
            data,
            responses,
            loss: RowsLoss { loss: self.loss, outputs, has_gauge },
            ridge: Ridge::from(0.1),
            has_intercepts: true,
            has_intercept_gauge: !has_gauge,
        }
    }
}

#[test]
fn derivatives_of_rows_are_those_of_differences() {
    for loss in losses() {
        for has_gauge in [false, true] {
            let row = RowsLoss { loss, outputs: 3, has_gauge };
            for seed in 0..20 {
                let eta: Vec<f64> = numbers(seed, 3).iter().map(|v| 3.0 * v).collect();
                let y = if loss.is_classification() { vec![(seed % 3) as f64] } else { numbers(seed + 99, 3) };
                assert_eq!(check_derivatives(&row, &eta, &y), Ok(()), "{loss} {eta:?} {y:?}");
            }
        }
    }
}

#[test]
fn softmax_is_right_where_predictors_are_large() {
    let row = RowsLoss { loss: OutputLoss::Softmax, outputs: 3, has_gauge: false };
    assert_eq!(row.row_value(&[800.0, 0.0, -5.0], &[0.0]), 0.0);
    assert_eq!(row.row_value(&[800.0, 0.0, -5.0], &[1.0]), 800.0);
    let small = row.row_value(&[40.0, 0.0, 0.0], &[0.0]);
    assert!((small / (2.0 * (-40.0_f64).exp()) - 1.0).abs() < 1e-12, "{small:e}");
    let mut gradient = [0.0; 3];
    row.row_gradient(&[1e5, -1e5, 0.0], &[1.0], &mut gradient);
    assert_eq!(gradient, [1.0, -1.0, 0.0]);
}

#[test]
fn gradient_hessian_and_diagonal_are_those_of_the_value() -> Result<()> {
    for loss in losses() {
        for has_gauge in [false, true] {
            let made = Made::new(loss);
            let data = made.data();
            let objective = made.objective(&data, has_gauge);
            let mut function = Function::new(objective);
            let size = objective.arrangement().len();
            let point = numbers(9, size);
            let mut gradient = vec![0.0; size];
            let value = function.gradient(&point, &mut gradient)?;
            assert!((value - function.value(&point)?).abs() < 1e-13);
            function.linearise(&point)?;
            let mut hessian = vec![0.0; size * size];
            function.hessian(&mut hessian)?;
            let diagonal = function.diagonal()?;
            let step = 1e-6;
            for j in 0..size {
                let moved = |by: f64| {
                    let mut at = point.clone();
                    at[j] += by;
                    at
                };
                let slope = (function.value(&moved(step))? - function.value(&moved(-step))?) / (2.0 * step);
                assert!((slope - gradient[j]).abs() < 1e-7, "{loss} {j}: {slope} {}", gradient[j]);
                let (mut above, mut below) = (vec![0.0; size], vec![0.0; size]);
                function.gradient(&moved(step), &mut above)?;
                function.gradient(&moved(-step), &mut below)?;
                let mut unit = vec![0.0; size];
                unit[j] = 1.0;
                let mut column = vec![0.0; size];
                function.hessian_times(&unit, &mut column)?;
                for i in 0..size {
                    let bend = (above[i] - below[i]) / (2.0 * step);
                    assert!((bend - hessian[j * size + i]).abs() < 1e-6, "{loss} ({i}, {j}): {bend}");
                    assert!((column[i] - hessian[j * size + i]).abs() < 1e-13);
                }
                assert!((diagonal[j] - hessian[j * size + j]).abs() < 1e-13);
            }
        }
    }
    Ok(())
}

/// $\nabla f_B(\Theta) + \rho(\Theta - Z) = 0$, with the ridge in $f_B$ and the batch's own weights.
#[test]
fn the_prox_of_a_batch_is_stationary() -> Result<()> {
    for loss in losses() {
        let made = Made::new(loss);
        let data = made.data();
        let objective = Objective { has_intercept_gauge: false, ..made.objective(&data, false) };
        let layout = objective.arrangement();
        let anchor = numbers(5, layout.len());
        for rows in [vec![3], vec![1, 4, 9, 16, 20]] {
            let mut batch = Batch::default();
            batch.fill(&data, &rows)?;
            let mut at = Iterate::at(anchor.clone());
            let rho = 0.7;
            OutputsStep { objective, constraint: &WholeSpace, work: Workspace::default() }
                .take(&batch, rho, &mut at)?;
            let (outputs, mut pull) = (SIZES.2, layout.zeros());
            for (place, &row) in rows.iter().enumerate() {
                let x = &made.x[row * SIZES.1..(row + 1) * SIZES.1];
                let eta: Vec<f64> = (0..outputs)
                    .map(|k| {
                        (0..SIZES.1).map(|j| x[j] * at.theta[j * outputs + k]).sum::<f64>()
                            + at.theta[SIZES.1 * outputs + k]
                    })
                    .collect();
                let each = objective.responses.each;
                let mut slope = vec![0.0; outputs];
                objective.loss.row_gradient(&eta, &made.y[row * each..(row + 1) * each], &mut slope);
                for k in 0..outputs {
                    let slope = batch.weights()[place] * slope[k];
                    (0..SIZES.1).for_each(|j| pull[j * outputs + k] += slope * x[j]);
                    pull[SIZES.1 * outputs + k] += slope;
                }
            }
            for (place, pull) in pull.iter().enumerate() {
                let ridge = if layout.is_coefficient(place) { 0.1 * at.theta[place] } else { 0.0 };
                let left = pull + ridge + rho * (at.theta[place] - anchor[place]);
                assert!(left.abs() < 1e-9, "{loss}, {} rows, place {place}: {left:e}", rows.len());
            }
        }
    }
    Ok(())
}
