//! F on data: its derivatives, its parts on columns, and bounds that hold.

use super::objective::{Function, Objective, Restricted};
use crate::data::Data;
use crate::outputs::QuadraticForm as _;
use crate::polish::Smooth;
use crate::random::{Purpose, stream};
use crate::ridge::Ridge;
use crate::survival::{PartialLikelihood, SurvivalTimes, Ties};
use rand_core::Rng;

fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let mut generator = stream(seed, Purpose::Batch, 1);
    (0..count).map(|_| f64::from(generator.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0).collect()
}

/// Gradient by differences of F, Hessian by differences of the gradient, columns and diagonal of the Hessian as it is whole, and F on some columns.
#[test]
fn all_ways_to_the_derivatives_agree() {
    let (rows, features) = (40, 5);
    let x = numbers(1, rows * features);
    let time: Vec<f64> = numbers(2, rows).iter().map(|t| (5.0 * t).round() + 6.0).collect();
    let event: Vec<bool> = numbers(3, rows).iter().map(|e| *e > -0.4).collect();
    let offset = numbers(4, rows);
    let weights: Vec<f64> = numbers(5, rows).iter().map(|w| w + 1.0).collect();
    let zeros = vec![0.0; rows];
    let data = Data::dense(&x, features, &zeros).unwrap().weights(&weights).unwrap().offset(&offset).unwrap();
    let times = SurvivalTimes::new(&time, &event).unwrap();
    let loss = PartialLikelihood::new(&times, Ties::Efron, weights.clone()).unwrap();
    let squares = [0.5, 1.0, 2.0, 3.0, 4.0];
    let objective = Objective { data: &data, loss: &loss, ridge: Ridge::on_effects(0.3, &squares) };
    let mut function = Function::new(objective);
    let theta = [0.4, -0.8, 0.0, 1.1, -0.2];
    let mut gradient = [0.0; 5];
    let value = function.gradient(&theta, &mut gradient).unwrap();
    assert_eq!(value, function.value(&theta).unwrap());
    function.linearise(&theta).unwrap();
    let mut hessian = [0.0; 25];
    function.hessian(&mut hessian).unwrap();
    let step = 1e-5;
    for j in 0..features {
        let at = |by: f64| {
            let mut point = theta;
            point[j] += by;
            let mut slopes = [0.0; 5];
            let value = Function::new(objective).gradient(&point, &mut slopes).unwrap();
            (value, slopes)
        };
        let ((above, up), (below, down)) = (at(step), at(-step));
        assert!(((above - below) / (2.0 * step) - gradient[j]).abs() < 1e-8);
        let (mut unit, mut product) = ([0.0; 5], [0.0; 5]);
        unit[j] = 1.0;
        function.hessian_times(&unit, &mut product).unwrap();
        for i in 0..features {
            assert!(((up[i] - down[i]) / (2.0 * step) - hessian[j * 5 + i]).abs() < 1e-8);
            assert!((product[i] - hessian[j * 5 + i]).abs() < 1e-13);
        }
    }
    let diagonal = function.diagonal().unwrap();
    (0..5).for_each(|j| assert!((diagonal[j] - hessian[j * 6]).abs() < 1e-13));
    let mut form = super::form::Form::at(&mut function, &theta).unwrap();
    form.need(&[3, 1]).unwrap();
    (0..5).for_each(|i| assert!((form.column(3)[i] - hessian[15 + i]).abs() < 1e-13));

    let mut part = [0.4, -0.8, 0.0, 0.0, -0.2];
    let whole = Function::new(objective).value(&part).unwrap();
    let restricted = Restricted::to(objective, &[0, 1, 4]).unwrap();
    let same = restricted.with(objective, &mut part, |function, point| function.value(point)).unwrap();
    assert!((whole - same).abs() < 1e-14);
    assert_eq!(part, [0.4, -0.8, 0.0, 0.0, -0.2]);
}
