//! Exchanges and walks from known supports never end higher, and what is kept of second derivatives is what would be measured.

use super::costs::Costs;
use super::crosses::Crosses;
use super::curved::Curved;
use super::improve::{Reach, improved};
use super::testing::{Case, enumerated, minimum};
use crate::data::{Data, Marked};
use crate::loss::{Logistic, Loss, Poisson, SquaredHinge};
use crate::objective::Objective;
use std::ops::ControlFlow;

const COLUMNS: usize = 8;
const SIZE: usize = 3;

fn losses() -> [Box<dyn Loss>; 3] {
    [Box::new(Logistic), Box::new(Poisson), Box::new(SquaredHinge)]
}

#[test]
fn no_end_is_above_its_start_nor_below_the_best_of_all_choices() {
    let (mut hits, mut all) = (0, 0);
    for seed in 0..30 {
        for loss in losses() {
            let name = format!("{} {seed}", loss.spec());
            let case = Case { ridge: 1e-3, ..Case::random(60, COLUMNS, loss, seed) };
            let data = case.data();
            let problem = case.problem(&data, SIZE);
            let objective = problem.objective();
            let value = |support: &[usize]| minimum(objective, support, problem.has_intercept());
            let starts = [vec![1, 4, 6], vec![3, 5, 7]];
            let least = enumerated(&problem, SIZE)[SIZE];
            let rounding = 1e-8 * (least.abs() + 1e-3);
            let run = |moves: usize, starts: &[Vec<usize>]| {
                let reach = Reach { moves, kicks: moves / 4, operations: 1e9 };
                improved(objective, (SIZE, starts), reach, &mut || ControlFlow::Continue(())).unwrap()
            };
            for start in &starts {
                let ends = run(0, std::slice::from_ref(start));
                let (before, after) = (value(start), value(&ends[0].support));
                assert!(ends[0].support.len() == SIZE && after <= before + rounding, "{name}: {before} {after}");
                assert!(after >= least - rounding, "{name}: {after} below {least}");
            }
            let (settled, walked) = (run(0, &starts), run(40, &starts));
            assert!(value(&walked[0].support) <= value(&settled[0].support) + rounding, "{name}");
            all += 1;
            hits += usize::from(value(&walked[0].support) <= least + rounding);
        }
    }
    println!("walks reach the best of all choices in {hits} of {all}");
    assert!(10 * hits >= 9 * all, "{hits} of {all}");
}

#[test]
fn an_interrupt_leaves_a_support_that_is_no_worse() {
    let case = Case { ridge: 1e-3, ..Case::random(60, COLUMNS, Box::new(Logistic), 5) };
    let data = case.data();
    let problem = case.problem(&data, SIZE);
    let value = |support: &[usize]| minimum(problem.objective(), support, problem.has_intercept());
    let start = vec![1, 4, 6];
    for calls in 1..25 {
        let mut left = calls;
        let mut poll = || {
            left -= i32::from(left > 0);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let reach = Reach { moves: 30, kicks: 10, operations: 1e9 };
        let ends = improved(problem.objective(), (SIZE, std::slice::from_ref(&start)), reach, &mut poll).unwrap();
        assert!(ends.first().is_none_or(|end| value(&end.support) <= value(&start) + 1e-9), "{calls}");
    }
}

#[test]
fn a_walk_that_finds_nothing_leaves_room_for_a_swing_or_a_kick_where_there_is_any() {
    let case = Case::random(60, COLUMNS, Box::new(Logistic), 1);
    let data = case.data();
    let problem = case.problem(&data, SIZE);
    let mut curved = Curved::new(problem.objective(), problem.layout(), (1 << 20, SIZE)).unwrap();
    let leap = Costs::of(&data).leap(SIZE);
    for times in [0.5, 1.0, 1.5, 20.0] {
        curved.allow(times * leap);
        let left = times * leap - curved.walked_until(0.1, SIZE);
        assert!(left >= leap || left == 0.0 && 0.9 * times < 1.0, "{times}: {left} of {leap}");
    }
    curved.allow(f64::INFINITY);
    assert_eq!(curved.walked_until(0.1, SIZE), f64::INFINITY);
}

/// At one point second derivatives do not change, so those that were kept are those that would be measured.
#[test]
fn what_is_kept_from_support_to_support_is_what_would_be_measured() {
    for seed in 0..10 {
        let case = Case::random(40, COLUMNS, Box::new(Logistic), seed);
        let data = case.data();
        let problem = case.problem(&data, SIZE);
        let (objective, layout) = (problem.objective(), problem.layout());
        let mut theta = layout.zeros();
        layout.coefficients_mut(&mut theta)[4] = 1e-3;
        let mut kept = Crosses::default();
        for support in [vec![1, 4, 6], vec![1, 4, 7], vec![0, 4, 7], vec![0, 2]] {
            let known = kept.at(objective, layout, &support, &theta).unwrap().unwrap();
            let fresh = Crosses::default().at(objective, layout, &support, &theta).unwrap().unwrap();
            for (a, b) in [
                (&known.gradient, &fresh.gradient),
                (&known.diagonal, &fresh.diagonal),
                (&known.across, &fresh.across),
                (&known.hessian, &fresh.hessian),
            ] {
                let size = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * size), "{seed}");
            }
        }
        assert_eq!(kept.age(), 3);
    }
}

/// Indicators and counts, with one column of many values among them.
#[test]
fn columns_by_their_marks_lead_where_copies_of_them_lead() {
    const ROWS: usize = 300;
    const WIDTH: usize = 24;
    for (seed, loss) in losses().into_iter().enumerate() {
        let noise = |i: usize, j: usize| ((i * 37 + j * 101 + seed * 7) as f64 * 0.618).sin();
        let entry = |i: usize, j: usize| match j {
            0 => noise(i, j),
            1..8 => f64::from(u8::from(noise(i, j) > 0.8)) * (1 + i % 3) as f64,
            _ => f64::from(u8::from(noise(i, j) > 0.7)) - 0.2,
        };
        let x: Vec<f64> = (0..ROWS * WIDTH).map(|at| entry(at / WIDTH, at % WIDTH)).collect();
        let y: Vec<f64> = (0..ROWS)
            .map(|i| f64::from(u8::from(x[i * WIDTH] + x[i * WIDTH + 3] - x[i * WIDTH + 9] + noise(i, 50) > 0.3)))
            .collect();
        let data = Data::dense(&x, WIDTH, &y).unwrap();
        let marked = Marked::of(&data, usize::MAX).unwrap().unwrap();
        let by_marks = data.with_marked(&marked);
        let objective = Objective::new(&data, &loss, 1e-3).intercept(true);
        let reach = Reach { moves: 20, kicks: 10, operations: 1e9 };
        for start in [vec![1, 4, 6, 10, 20], vec![0, 2, 3, 9, 23]] {
            let run = |objective: Objective| {
                improved(objective, (start.len(), std::slice::from_ref(&start)), reach, &mut || {
                    ControlFlow::Continue(())
                })
                .unwrap()
            };
            let (copied, marked) = (run(objective), run(objective.on(&by_marks)));
            assert_eq!(copied[0].support, marked[0].support, "{} {start:?}", loss.spec());
            assert_ne!(copied[0].support, start);
        }
    }
}
