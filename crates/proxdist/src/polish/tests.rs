//! The finishing methods against an interior-point method and against the laws they must obey.

use super::testing::{Regression, Trial, check, interior_point, never, numbers, until};
use super::{Smooth, accelerated, convex, faces};
use crate::constraint::{
    Affine, Ball, Blocks, Bounds, ConeInBall, Constraint, HalfSpace, L1Ball, LinfBall, Monotone, NonNegative, Simplex,
    Sparsity, WholeSpace, intersection,
};
use crate::loss::{Huber, Logistic, Loss, Poisson, Squared};
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use proptest::prelude::*;
use std::ops::ControlFlow;

const TOLERANCE: f64 = 1e-12;
const P: usize = 7;

fn unit(size: usize, at: usize, value: f64) -> Vec<f64> {
    let mut row = vec![0.0; size];
    row[at] = value;
    row
}

/// A set with its description for the interior-point method: extra variables, rows, bounds, cones. One more column of
/// zeros is the free intercept.
type Case = (Box<dyn Constraint>, usize, Vec<Vec<f64>>, Vec<f64>, Vec<SupportedConeT<f64>>);

fn cases() -> Vec<Case> {
    let size = P + 1;
    let signs = |value: f64| (0..P).map(move |j| unit(size, j, value));
    let ones = |value: f64| (0..size).map(|j| if j < P { value } else { 0.0 }).collect::<Vec<f64>>();
    let mut l1 = Vec::new();
    for j in 0..P {
        for sign in [1.0, -1.0] {
            let mut row = unit(size + P, j, sign);
            row[size + j] = -1.0;
            l1.push(row);
        }
    }
    l1.push((0..size + P).map(|j| if j < size { 0.0 } else { 1.0 }).collect());
    let steps: Vec<Vec<f64>> = (1..P)
        .map(|j| {
            let mut row = unit(size, j, -1.0);
            row[j - 1] = 1.0;
            row
        })
        .collect();
    let normal: Vec<f64> = numbers(P, 77);
    let padded = |row: &[f64]| [row, &[0.0]].concat();
    let ball = |center: &[f64], radius: f64| {
        let rows: Vec<Vec<f64>> = std::iter::once(vec![0.0; size]).chain(signs(-1.0)).collect();
        let bound: Vec<f64> = std::iter::once(radius).chain(center.iter().map(|c| -c)).collect();
        (rows, bound, vec![SecondOrderConeT(P + 1)])
    };
    let center: Vec<f64> = numbers(P, 78);
    let mut all: Vec<Case> = vec![
        (Box::new(NonNegative), 0, signs(-1.0).collect(), vec![0.0; P], vec![NonnegativeConeT(P)]),
        (
            Box::new(Bounds::between(-0.5, 0.4).unwrap()),
            0,
            signs(1.0).chain(signs(-1.0)).collect(),
            [vec![0.4; P], vec![0.5; P]].concat(),
            vec![NonnegativeConeT(2 * P)],
        ),
        (
            Box::new(LinfBall::radius(0.8).unwrap()),
            0,
            signs(1.0).chain(signs(-1.0)).collect(),
            vec![0.8; 2 * P],
            vec![NonnegativeConeT(2 * P)],
        ),
        (
            Box::new(Simplex::total(2.0).unwrap()),
            0,
            std::iter::once(ones(1.0)).chain(signs(-1.0)).collect(),
            [vec![2.0], vec![0.0; P]].concat(),
            vec![ZeroConeT(1), NonnegativeConeT(P)],
        ),
        (Box::new(Monotone::increasing()), 0, steps.clone(), vec![0.0; P - 1], vec![NonnegativeConeT(P - 1)]),
        (
            Box::new(Affine::equations(vec![vec![1.0; P], normal.clone()], vec![1.0, 0.3]).unwrap()),
            0,
            vec![ones(1.0), padded(&normal)],
            vec![1.0, 0.3],
            vec![ZeroConeT(2)],
        ),
    ];
    for offset in [-1.0, 50.0] {
        let set = HalfSpace::below(normal.clone(), offset).unwrap();
        all.push((Box::new(set), 0, vec![padded(&normal)], vec![offset], vec![NonnegativeConeT(1)]));
    }
    for radius in [1.5, 100.0] {
        let set = L1Ball::radius(radius).unwrap();
        let bound = [vec![0.0; 2 * P], vec![radius]].concat();
        all.push((Box::new(set), P, l1.clone(), bound, vec![NonnegativeConeT(2 * P + 1)]));
    }
    for (center, radius) in [(vec![0.0; P], 1.0), (vec![0.0; P], 50.0), (center, 0.7)] {
        let set = Ball::radius(radius).unwrap().centered_at(center.clone()).unwrap();
        let (rows, bound, cones) = ball(&center, radius);
        all.push((Box::new(set), 0, rows, bound, cones));
    }
    all
}

#[test]
fn least_squares_ends_where_the_interior_point_method_does() {
    let mut function = Regression::random(60, P, Squared, true, 5);
    for (set, extra, rows, bound, cones) in cases() {
        let expected = interior_point(&mut function, extra, &rows, &bound, &cones);
        let start = numbers(P + 1, 9);
        let found = check(
            Trial { name: &set.spec().to_string(), set: &set, start: &start, accuracy: 1e-10 },
            &mut function,
            |f, s, x| convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never)),
        );
        let gap = super::descent::distance(&found, &expected);
        assert!(gap < 1e-6, "{}: {gap:e} from the interior-point method", set.spec());
        let best = function.value(&expected).unwrap();
        assert!(function.value(&found).unwrap() <= best + 1e-9 * best, "{}", set.spec());
    }
}

fn laws(loss: impl Loss, has_intercept: bool, seed: u64, accuracy: f64) {
    let mut function = Regression::random(80, P, loss, has_intercept, seed);
    let mut sets: Vec<Box<dyn Constraint>> = cases().into_iter().map(|case| case.0).collect();
    sets.push(Box::new(WholeSpace));
    sets.push(Box::new(Ball::radius(0.0).unwrap()));
    sets.push(Box::new(L1Ball::radius(0.0).unwrap()));
    sets.push(Box::new(Monotone::decreasing()));
    sets.push(Box::new(Blocks::new().with(0, 2, Simplex::default()).unwrap().with(4, 5, NonNegative).unwrap()));
    sets.push(Box::new(ConeInBall::new(NonNegative, 1.0).unwrap()));
    sets.push(Box::new(Blocks::new().with(0, 3, Ball::radius(0.5).unwrap()).unwrap()));
    for set in &sets {
        let start: Vec<f64> = numbers(P + usize::from(has_intercept), seed + 10).iter().map(|x| 2.0 * x).collect();
        let name = format!("{} {} {has_intercept} {seed}", function.loss.spec(), set.spec());
        check(Trial { name: &name, set, start: &start, accuracy }, &mut function, |f, s, x| {
            convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never))
        });
    }
}

#[test]
fn every_loss_on_every_convex_set_ends_stationary_in_the_set_without_raising_f() {
    for seed in [1, 2, 3] {
        for has_intercept in [false, true] {
            laws(Squared, has_intercept, seed, 1e-9);
            laws(Logistic, has_intercept, seed, 1e-9);
            laws(Huber::with_delta(0.5).unwrap(), has_intercept, seed, 1e-9);
        }
        laws(Poisson, true, seed, 1e-8);
    }
}

/// Nearly least absolute deviations on correlated columns far from zero: few rows lie on the curved piece of the loss, and in few directions.
#[test]
fn huber_with_a_small_delta_ends_stationary_whatever_the_columns() {
    let mut sets: Vec<Box<dyn Constraint>> = cases().into_iter().map(|case| case.0).collect();
    sets.push(Box::new(WholeSpace));
    for (delta, has_intercept) in [(1e-1, false), (1e-2, true), (1e-3, false), (1e-3, true)] {
        let loss = Huber::with_delta(delta).unwrap();
        let mut function = Regression::random(500, P, loss, has_intercept, 1);
        for row in function.x.chunks_exact_mut(P) {
            let first = row[0];
            for (j, x) in row.iter_mut().enumerate() {
                *x = 100.0 + 10.0 * (1.0 + j as f64) * (0.3 * *x + 0.7 * first);
            }
        }
        for set in &sets {
            let name = format!("{} {} {has_intercept}", loss.spec(), set.spec());
            let start = vec![0.1; function.dimension()];
            // Gradients are sums of slopes up to δ times entries up to 200.
            check(
                Trial { name: &name, set, start: &start, accuracy: 1e-7 * 200.0 * delta },
                &mut function,
                |f, s, x| convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never)),
            );
        }
    }
}

#[test]
fn accelerated_gradients_agree_with_the_faces() {
    let mut function = Regression::random(60, P, Logistic, true, 6);
    for set in [Box::new(Simplex::default()) as Box<dyn Constraint>, Box::new(Bounds::between(-0.3, 0.3).unwrap())] {
        let start = vec![0.0; P + 1];
        let exact =
            check(Trial { name: "faces", set: &set, start: &start, accuracy: 1e-10 }, &mut function, |f, s, x| {
                let faces = s.structure().faces().unwrap();
                faces::minimise(f, s, faces, x, &mut until(TOLERANCE, &mut never))
            });
        let slow = check(Trial { name: "apg", set: &set, start: &start, accuracy: 1e-8 }, &mut function, |f, s, x| {
            accelerated::minimise(f, s, x, &mut until(1e-10, &mut never))
        });
        assert!(super::descent::distance(&exact, &slow) < 1e-6);
    }
}

#[test]
fn other_sets_go_through_projected_gradients() {
    let mut function = Regression::random(60, P, Squared, true, 6);
    let parts: Vec<Box<dyn Constraint>> = vec![Box::new(Monotone::increasing()), Box::new(Simplex::default())];
    let dykstra = intersection(parts).unwrap();
    check(Trial { name: "dykstra", set: &dykstra, start: &[0.0; P + 1], accuracy: 1e-7 }, &mut function, |f, s, x| {
        convex::minimise(f, s, x, &mut until(1e-8, &mut never))
    });
    let sparse = Sparsity::at_most(3);
    let found = check(
        Trial { name: "sparse", set: &sparse, start: &[0.0; P + 1], accuracy: f64::INFINITY },
        &mut function,
        |f, s, x| accelerated::minimise(f, s, x, &mut until(1e-10, &mut never)),
    );
    assert_eq!(found[..P].iter().filter(|x| **x != 0.0).count(), 3);
}

#[test]
fn many_free_variables_are_handled_by_conjugate_gradients() {
    let columns = 320;
    let mut function = Regression::random(700, columns, Logistic, true, 8);
    function.ridge = 0.01;
    for set in [Box::new(WholeSpace) as Box<dyn Constraint>, Box::new(Bounds::between(-0.2, 5.0).unwrap())] {
        let start = vec![0.0; columns + 1];
        check(
            Trial { name: &set.spec().to_string(), set: &set, start: &start, accuracy: 1e-9 },
            &mut function,
            |f, s, x| convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never)),
        );
    }
}

#[test]
fn singular_and_unbounded_problems_end_at_a_finite_point() {
    let rows = 30;
    let single = numbers(rows, 4);
    // Duplicate columns, a constant column beside the intercept, and a column of zeros.
    let x: Vec<f64> = single.iter().flat_map(|&x| [x, x, 1.0, 0.0]).collect();
    let noisy: Vec<f64> = single.iter().zip(numbers(rows, 5)).map(|(x, e)| 2.0 * x + e).collect();
    let classes: Vec<f64> = noisy.iter().map(|y| f64::from(u8::from(*y > 0.0))).collect();
    let separated: Vec<f64> = single.iter().map(|x| f64::from(u8::from(*x > 0.0))).collect();
    let sets: Vec<Box<dyn Constraint>> = vec![
        Box::new(WholeSpace),
        Box::new(NonNegative),
        Box::new(Ball::radius(0.5).unwrap()),
        Box::new(Ball::radius(1e3).unwrap()),
        Box::new(Simplex::default()),
        Box::new(L1Ball::radius(1.0).unwrap()),
        Box::new(Monotone::decreasing()),
    ];
    for set in &sets {
        let finish = |f: &mut dyn Smooth, s: &dyn Constraint, x: &mut [f64]| {
            convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never))
        };
        let mut function = Regression::new(x.clone(), noisy.clone(), Squared, true);
        check(Trial { name: &set.spec().to_string(), set, start: &[0.1; 5], accuracy: 1e-9 }, &mut function, finish);
        let mut function = Regression::new(x.clone(), classes.clone(), Logistic, true);
        check(Trial { name: &set.spec().to_string(), set, start: &[0.1; 5], accuracy: 1e-9 }, &mut function, finish);
        // Separable classes: over an unbounded set F has no minimum, and the end is where its gradient has vanished.
        let mut function = Regression::new(x.clone(), separated.clone(), Logistic, true);
        let end = check(
            Trial { name: &set.spec().to_string(), set, start: &[0.1; 5], accuracy: 1e-8 },
            &mut function,
            finish,
        );
        assert!(end.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn one_dimension_and_a_stationary_start_are_no_trouble() {
    let mut function = Regression::new(vec![1.0, 1.0], vec![1.0, 3.0], Squared, false);
    let half: Box<dyn Constraint> = Box::new(HalfSpace::below(vec![1.0], 1.5).unwrap());
    for (set, expected) in [
        (Box::new(WholeSpace) as Box<dyn Constraint>, 2.0),
        (Box::new(Ball::radius(1.0).unwrap()), 1.0),
        (Box::new(Ball::radius(3.0).unwrap()), 2.0),
        (Box::new(NonNegative), 2.0),
        (half, 1.5),
        (Box::new(Simplex::default()), 1.0),
        (Box::new(L1Ball::radius(0.5).unwrap()), 0.5),
    ] {
        for start in [-4.0, 0.0, expected] {
            let found = check(
                Trial { name: &set.spec().to_string(), set: &set, start: &[start], accuracy: 1e-12 },
                &mut function,
                |f, s, x| convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never)),
            );
            assert!((found[0] - expected).abs() < 1e-12, "{}: {found:?}", set.spec());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn from_any_start_f_never_rises_and_the_set_is_never_left(
        start in prop::collection::vec(-1e3..1e3, P + 1),
        seed in 0..50_u64,
    ) {
        let mut function = Regression::random(25, P, Logistic, true, seed);
        let mut linear = Regression::random(25, P, Squared, true, seed);
        for (set, ..) in cases() {
            let finish = |f: &mut dyn Smooth, s: &dyn Constraint, x: &mut [f64]| convex::minimise(f, s, x, &mut until(1e-9, &mut never));
            check(Trial { name: &set.spec().to_string(), set: &set, start: &start, accuracy: 1e-4 }, &mut linear, finish);
            // Far away the logistic loss is flat, and separable classes have no optimum: only the laws are asked for.
            check(Trial { name: &set.spec().to_string(), set: &set, start: &start, accuracy: f64::INFINITY }, &mut function, finish);
        }
    }
}

#[test]
fn a_gradient_step_from_corner_to_corner_is_taken() {
    // From the corner (−1, −1) the projected gradient step ends in (1, 1), a face of the same shape.
    let mut function = Regression::new(vec![1.0, 0.0, 0.0, 1.0], vec![9.0, 8.0], Squared, false);
    let set = Bounds::between(-1.0, 1.0).unwrap();
    let found =
        check(Trial { name: "corner", set: &set, start: &[-1.0, -1.0], accuracy: 1e-10 }, &mut function, |f, s, x| {
            convex::minimise(f, s, x, &mut until(TOLERANCE, &mut never))
        });
    assert_eq!(found, [1.0, 1.0]);
}

#[test]
fn an_interrupted_finish_keeps_the_best_point_so_far() {
    let mut function = Regression::random(200, P, Logistic, true, 3);
    for set in [&NonNegative as &dyn Constraint, &Ball::radius(0.5).unwrap(), &WholeSpace] {
        let start = vec![0.0; P + 1];
        let first = function.value(&start).unwrap();
        let mut values = vec![first];
        for patience in [0, 1, 100] {
            let mut asked = 0;
            let mut impatient = || {
                asked += 1;
                if asked > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut point = start.clone();
            let ended =
                convex::minimise(&mut function, set, &mut point, &mut until(TOLERANCE, &mut impatient)).unwrap();
            assert!(ended.iterations <= patience);
            values.push(function.value(&point).unwrap());
        }
        assert_eq!(values[1], first, "no step without leave");
        assert!(values[2] < values[1] && values[3] < values[2], "{}: {values:?}", set.spec());
    }
}
