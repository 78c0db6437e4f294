//! The search over choices against brute force: every choice fitted one by one, on random small problems in wild units.

use super::exchange::{Exchange, Round};
use super::refit::{EXACT, Fitted, Selecting, Watch};
use super::testing::{never, numbers};
use super::{Finish, Poll};
use crate::constraint::{Choice, Constraint, Structure, projected};
use crate::data::Data;
use crate::effort::Effort;
use crate::exchanges::Exchanges;
use crate::loss::{Gamma, Huber, Logistic, Loss, NegativeBinomial, Poisson, Squared, SquaredHinge, Task, Tweedie};
use crate::objective::Objective;
use crate::shape::Shape;
use crate::spec::SetSpec;
use std::ops::ControlFlow;

pub(super) const P: usize = 6;

const SETS: [&str; 33] = [
    "sparsity:2",
    "sparsity:3",
    "sparsity:2 & nonneg",
    "sparsity:2 & box:-0.3,0.4",
    "sparsity:3 & linf:0.5",
    "sparsity:2 & ball:0.7",
    "sparsity:2 & simplex",
    "sparsity:2 & l1:0.8",
    "sparsity:2 & nonneg & l1:0.8",
    "sparsity:2 & nonneg & ball:0.7",
    "group-sparsity:1;size=2",
    "group-sparsity:2;size=2",
    "blocks[1-2: none][3-6: sparsity:2]",
    "blocks[1-3: sparsity:1 & nonneg][4-6: sparsity:1]",
    "sparsity:3;keep=2;drop=5",
    "sparsity:3;most=1 per 1-3,4+6",
    "sparsity:4;keep=1;most=2 per 1-3|1 per 4-5 & nonneg",
    "sparsity:3;keep=3 & box;lower=-1,0,-0.2,-inf,0,-1;upper=1,0.5,0.2,inf,inf,0",
    "group-sparsity:2;size=2;keep=1",
    "group-sparsity:2;groups=1,2+3,4,5+6;most=1 per 1-3 & nonneg",
    "sparsity:3;heredity=strong;products=5=1*2,6=2*3",
    "sparsity:3;heredity=weak;products=5=1*2,6=2*3",
    "sparsity:4;keep=1;most=1 per 3-4;heredity=strong;products=5=1*2,6=2*3 & box:-0.3,inf",
    "sparsity:3 & simplex & box:0,0.4",
    "sparsity:3 & affine;a=1,1,1,1,1,1;b=0",
    "sparsity:3 & affine;a=1,1,1,1,1,1;b=0 & box:-0.3,0.5",
    "sparsity:3 & affine;a=1,2,0,-1,1,0;b=0.5",
    "sparsity:3;keep=1 & affine;a=1,1,1,1,1,1;b=0",
    "sparsity:3;most=1 per 1-2 & simplex & box:0,0.6",
    "sparsity:2 & halfspace;a=1,-1,2,0,1,0;b=0.2",
    "sparsity:2 & box:-1,1 & ball:0.7",
    "sparsity:2 & l1:0.8 & box:-0.5,1",
    "blocks[1-3: sparsity:2;keep=1][4-6: sparsity:1 & simplex:0.5]",
];

pub(super) struct Random {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    ridge: f64,
    intercept: bool,
}

/// Columns in units that differ by up to `decades`, sometimes one of them twice or constant; weights with zeros, offsets, a ridge.
pub(super) fn random(loss: &dyn Loss, rows: usize, seed: u64, decades: f64) -> Random {
    let mut x = numbers(rows * P, seed);
    let traits = numbers(40, seed + 1000);
    for row in x.chunks_exact_mut(P) {
        let common = row[0];
        for (j, x) in row.iter_mut().enumerate() {
            *x += 0.7 * traits[j] * common;
        }
    }
    let truth: Vec<f64> = traits[6..12].iter().map(|t| 2.0 * t).collect();
    let noise = numbers(rows, seed + 2000);
    let task = loss.task();
    let response = |(row, noise): (&[f64], &f64)| {
        let eta = row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>() + 0.3 + noise;
        match task {
            Task::TwoClasses => f64::from(u8::from(eta > 0.0)),
            Task::Counts => eta.abs().round(),
            Task::Amounts => eta.abs() + 0.1,
            Task::Regression => eta,
        }
    };
    let y: Vec<f64> = x.chunks_exact(P).zip(&noise).map(response).collect();
    for row in x.chunks_exact_mut(P) {
        if traits[12] > 0.7 {
            row[4] = row[1];
        }
        if traits[13] > 0.7 {
            row[3] = 1.0;
        }
        for (j, x) in row.iter_mut().enumerate() {
            *x *= 10.0_f64.powf((0.5 * decades * traits[14 + j]).round());
        }
    }
    let weights = numbers(rows, seed + 3000).iter().map(|w| if *w < -0.8 { 0.0 } else { 1.0 + w }).collect();
    let offset = numbers(rows, seed + 4000).iter().map(|o| if traits[20] > 0.0 { 0.3 * o } else { 0.0 }).collect();
    let ridge = if traits[21] > 0.0 { 0.02 } else { 0.0 };
    Random { x, y, weights, offset, ridge, intercept: traits[22] > 0.0 }
}

pub(super) fn built(text: &str) -> Box<dyn Constraint> {
    SetSpec::parse(text).unwrap().build(Shape::Vector(P)).unwrap()
}

pub(super) fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Squared),
        Box::new(Logistic),
        Box::new(Huber::with_delta(0.5).unwrap()),
        Box::new(Poisson),
        Box::new(SquaredHinge),
        Box::new(Gamma),
        Box::new(Tweedie::with_power(1.6).unwrap()),
        Box::new(NegativeBinomial::with_alpha(0.5).unwrap()),
    ]
}

/// Calls `each` with a random problem for every set and loss.
fn for_each_problem(
    seeds: std::ops::Range<u64>,
    decades: f64,
    mut each: impl FnMut(&str, &Selecting, &dyn Constraint),
) {
    for (number, text) in SETS.iter().enumerate() {
        let set = built(text);
        let Structure::Choice(choosing) = set.structure() else { panic!("{text}") };
        let choice = choosing.choice(P);
        for (kind, loss) in losses().iter().enumerate() {
            for seed in seeds.clone() {
                let random = random(loss, 25, 100 * seed + 7 * number as u64 + kind as u64, decades);
                let data = Data::dense(&random.x, P, &random.y).unwrap();
                let data = data.weights(&random.weights).unwrap().offset(&random.offset).unwrap();
                let objective = Objective::new(&data, loss, random.ridge).intercept(random.intercept);
                let at_zero = objective.value(&objective.layout().zeros()).unwrap();
                let problem = Selecting { objective, choosing, choice: &choice, at_zero, block: None };
                each(&format!("{text}, {}, seed {seed}", loss.spec()), &problem, &set);
            }
        }
    }
}

pub(super) fn quiet() -> impl FnMut() -> ControlFlow<()> {
    never
}

/// The lowest F of all choices, each fitted from zero.
fn brute_force(problem: &Selecting) -> Fitted {
    let mut best: Option<Fitted> = None;
    problem.choice.every(usize::MAX, &mut |units| {
        // There may be no point of the set for some of the choices.
        let fitted = problem.refit(units.to_vec(), None, EXACT, &mut Watch::new(&mut quiet())).unwrap();
        if let Some(fitted) = fitted.filter(|fitted| best.as_ref().is_none_or(|best| fitted.value < best.value)) {
            best = Some(fitted);
        }
        ControlFlow::Continue(())
    });
    best.unwrap()
}

fn close(problem: &Selecting, found: f64, best: f64) -> bool {
    found <= best + 1e-6 * best.abs() + 1e-9 * problem.at_zero.abs()
}

fn finish<'p>(problem: &Selecting<'p>, set: &'p dyn Constraint) -> Finish<'p> {
    Finish { objective: problem.objective, constraint: set, l1: 0.0, is_near: false, effort: Effort::Normal, seed: 1 }
}

fn zero(problem: &Selecting, set: &dyn Constraint) -> Vec<f64> {
    let mut theta = projected(set, &[0.0; P]).unwrap();
    theta.resize(problem.objective.layout().len(), 0.0);
    theta
}

#[test]
fn small_problems_end_at_the_best_of_all_choices() {
    let (mut total, mut missed) = (0, Vec::new());
    for_each_problem(0..3, 2.0, |name, problem, set| {
        let best = brute_force(problem);
        let start = zero(problem, set);
        let found = finish(problem, set).run(&[&start], &mut never).unwrap();
        let outside = projected(set, &found.theta[..P]).unwrap();
        let moved = outside.iter().zip(&found.theta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved <= 1e-12 * (1.0 + found.theta.iter().map(|x| x.abs()).fold(0.0, f64::max)), "{name}: {moved:e}");
        total += 1;
        if !close(problem, found.value, best.value) {
            assert_ne!(found.exchanges, Exchanges::EveryChoice, "{name}: {} above {}", found.value, best.value);
            missed.push(format!("{name}: {} above {} ({:?})", found.value, best.value, found.exchanges));
        }
    });
    assert!(200 * missed.len() <= total, "{} of {total}: {missed:?}", missed.len());
}

/// The claims of every way to judge exchanges hold: what it says cannot be improved by one exchange cannot.
#[test]
fn exchanges_that_are_ruled_out_do_not_lower_f() {
    for_each_problem(10..12, 2.0, |name, problem, _| {
        let mut exchange = Exchange::new(problem, None).unwrap();
        let mut units: Vec<Vec<usize>> = Vec::new();
        problem.choice.every(usize::MAX, &mut |chosen| {
            units.push(chosen.to_vec());
            ControlFlow::Continue(())
        });
        for units in units.into_iter().step_by(3) {
            let fitted = problem.refit(units, None, EXACT, &mut Watch::new(&mut quiet())).unwrap();
            let Some(fitted) = fitted else { continue };
            let lowest = exchange
                .pairs(&fitted)
                .map(|(leaves, enters)| {
                    let units = super::refit::exchanged(&fitted.units, leaves, enters);
                    let fitted = problem.refit(units, None, EXACT, &mut Watch::new(&mut quiet())).unwrap();
                    fitted.map_or(f64::INFINITY, |fitted| fitted.value)
                })
                .fold(f64::INFINITY, f64::min);
            let mut rounds = vec![("round", exchange.round(&fitted, &mut Watch::new(&mut quiet())).unwrap())];
            if problem.choice.is_single() && problem.choice.needs().is_empty() {
                rounds.push(("scores", exchange.by_scores(&fitted, &mut Watch::new(&mut quiet())).unwrap()));
            }
            if problem.choice.needs().is_empty() {
                rounds.push(("removal", exchange.by_removal(&fitted, &mut Watch::new(&mut quiet())).unwrap()));
            }
            for (way, round) in rounds {
                match round {
                    Round::Lower(lower) => assert!(problem.is_lower(lower.value, fitted.value), "{name}, {way}"),
                    Round::Ended(claim) => assert!(
                        !claim.are_exhausted() || close(problem, fitted.value, lowest),
                        "{name}, {way}: {claim:?} at {}, but {lowest}",
                        fitted.value
                    ),
                }
            }
        }
    });
}

#[test]
fn no_start_is_below_the_result() {
    for_each_problem(20..21, 2.0, |name, problem, set| {
        let best = problem.spread(&brute_force(problem));
        let scale: Vec<f64> = best.iter().map(|b| b.abs().max(0.1)).collect();
        let starts: Vec<Vec<f64>> = (0..3)
            .map(|seed| {
                let far: Vec<f64> = numbers(best.len(), seed).iter().zip(&scale).map(|(x, s)| x * s).collect();
                let mut start = projected(set, &far[..P]).unwrap();
                start.extend(&far[P..]);
                start
            })
            .chain([best.clone()])
            .collect();
        for end in 0..starts.len() {
            let some: Vec<&[f64]> = starts[end..].iter().map(|start| &start[..]).collect();
            let found = finish(problem, set).run(&some, &mut never).unwrap();
            for start in some {
                let value = problem.objective.value(start).unwrap();
                assert!(
                    problem.objective.value(&found.theta).unwrap() <= value,
                    "{name}: {} above {value}",
                    found.value
                );
            }
        }
    });
}

#[test]
fn a_search_that_is_interrupted_says_so() {
    for text in ["sparsity:3", "sparsity:2 & simplex", "group-sparsity:2;size=2"] {
        let set = built(text);
        for loss in [&Squared as &dyn Loss, &Logistic] {
            let random = random(loss, 40, 3, 2.0);
            let data = Data::dense(&random.x, P, &random.y).unwrap();
            let problem = Finish {
                objective: Objective::new(&data, loss, 0.01).intercept(true),
                constraint: &set,
                l1: 0.0,
                is_near: false,
                effort: Effort::Normal,
                seed: 1,
            };
            let mut start = projected(&set, &[0.0; P]).unwrap();
            start.push(0.0);
            for patience in (0..60).chain([100, 1000, 100_000]) {
                let mut asked = 0;
                let mut impatient = || {
                    asked += 1;
                    if asked > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let poll: Poll = &mut impatient;
                let found = problem.run(&[&start], poll).unwrap();
                let was_cut = asked > patience;
                assert_eq!(
                    found.exchanges == Exchanges::CutShort,
                    was_cut,
                    "{text} after {patience}: {:?}",
                    found.exchanges
                );
            }
        }
    }
}

#[test]
fn nothing_to_choose_is_no_trouble() {
    let x = [1.0, 2.0, 2.0, 1.0, 3.0, 5.0, 4.0, 1.0];
    let y = [-1.0, -2.0, -3.0, -4.0];
    let data = Data::dense(&x, 2, &y).unwrap();
    for text in ["sparsity:1 & nonneg", "sparsity:2 & nonneg", "sparsity:0", "group-sparsity:0;size=1"] {
        let set = SetSpec::parse(text).unwrap().build(Shape::Vector(2)).unwrap();
        for loss in [&Squared as &dyn Loss, &Huber::with_delta(1.0).unwrap()] {
            let finish = Finish {
                objective: Objective::new(&data, loss, 0.0),
                constraint: &set,
                l1: 0.0,
                is_near: false,
                effort: Effort::Normal,
                seed: 1,
            };
            let found = finish.run(&[&[0.0, 0.0]], &mut never).unwrap();
            assert_eq!(found.theta, [0.0, 0.0], "{text}");
            assert_eq!(found.exchanges, Exchanges::EveryChoice, "{text}");
        }
    }
}

#[test]
fn the_simplex_keeps_the_right_column() {
    let x = [2.0, 0.0, 2.0, 3.0, 1.0, -1.0, -3.0, 1.0, -3.0, -2.0, 0.0, 2.0];
    let y = [-1.0, -2.0, 1.0, -3.0];
    let data = Data::dense(&x, 3, &y).unwrap();
    let set = SetSpec::parse("sparsity:1 & simplex").unwrap().build(Shape::Vector(3)).unwrap();
    let finish = Finish {
        objective: Objective::new(&data, &Squared, 0.0),
        constraint: &set,
        l1: 0.0,
        is_near: false,
        effort: Effort::Normal,
        seed: 1,
    };
    for start in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
        let found = finish.run(&[&start], &mut never).unwrap();
        assert_eq!((found.theta, found.value), (vec![0.0, 1.0, 0.0], 2.375));
    }
}

/// Two features stand out; which of two nearly equal ones is the third, a sample of the rows may well get wrong.
#[test]
fn on_many_rows_the_sample_leads_where_a_search_of_all_rows_does() {
    const ROWS: usize = 41_000;
    const COLUMNS: usize = 8;
    let set = SetSpec::parse("sparsity:3").unwrap().build(Shape::Vector(COLUMNS)).unwrap();
    let Structure::Choice(choosing) = set.structure() else { panic!("sparse") };
    for (seed, loss) in [(1, &Squared as &dyn Loss), (3, &Logistic)] {
        let x = numbers(ROWS * COLUMNS, seed);
        let classes = loss.task() == Task::TwoClasses;
        let response = |(row, noise): (&[f64], &f64)| {
            let eta = 2.0 * row[0] - row[5] + 0.30 * row[2] + 0.301 * row[6] + 0.2 + 2.0 * noise;
            if classes { f64::from(u8::from(eta > 0.0)) } else { eta }
        };
        let y: Vec<f64> = x.chunks_exact(COLUMNS).zip(&numbers(ROWS, seed + 1)).map(response).collect();
        let data = Data::dense(&x, COLUMNS, &y).unwrap();
        let objective = Objective::new(&data, loss, 1e-3).intercept(true);
        let mut start = vec![0.0; COLUMNS + 1];
        [1, 3, 4].iter().for_each(|&j| start[j] = 0.1);
        let choice: Choice = choosing.choice(COLUMNS);
        let at_zero = objective.value(&[0.0; COLUMNS + 1]).unwrap();
        let problem = Selecting { objective, choosing, choice: &choice, at_zero, block: None };
        let lowest = brute_force(&problem).value;
        let found = Finish { objective, constraint: &set, l1: 0.0, is_near: false, effort: Effort::Normal, seed }
            .run(&[&start], &mut never)
            .unwrap();
        assert!((found.value - lowest).abs() <= 1e-10 * lowest, "seed {seed}: {} and {lowest}", found.value);
        assert!(!matches!(found.exchanges, Exchanges::CutShort | Exchanges::NotApplicable), "{:?}", found.exchanges);
        // What the finish hands to the certificate is what a pass of its own would have found.
        let mut gradient = vec![0.0; COLUMNS + 1];
        let value = objective.gradient(&found.theta, &mut gradient).unwrap();
        assert!((found.value - value).abs() <= 1e-13 * value);
        if let Some(handed) = found.gradient {
            assert!(handed.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-12), "{handed:?} {gradient:?}");
        }
    }
}
