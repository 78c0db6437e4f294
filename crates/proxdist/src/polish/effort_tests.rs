//! What a search may say about choices, and what more effort may not do.

use super::Finish;
use super::every_choice::best_of_all;
use super::refit::{EXACT, Selecting, Watch};
use super::search_tests::{P, built, losses, quiet, random};
use super::testing::numbers;
use crate::constraint::{Choice, Choosing, Constraint, Workspace};
use crate::data::Data;
use crate::effort::Effort;
use crate::exchanges::Exchanges;
use crate::loss::Task;
use crate::objective::Objective;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// A map that moves every point a little, so that no fit over it can end.
struct Drifting;

impl Constraint for Drifting {
    fn project(&self, point: &mut [f64], _: &mut Workspace) -> crate::error::Result<()> {
        point.iter_mut().for_each(|x| *x += 0.3);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }
}

impl Choosing for Drifting {
    fn choice(&self, length: usize) -> Choice {
        Choice::of_coordinates(2, 0..length)
    }

    fn on_support(&self, _: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        Some(Box::new(Self))
    }
}

#[test]
fn choices_whose_fits_fall_short_are_never_vouched_for() {
    for loss in losses() {
        let random = random(&loss, 25, 3, 0.0);
        let data = Data::dense(&random.x, P, &random.y).unwrap();
        let objective = Objective::new(&data, &loss, 0.01).intercept(true);
        let finish = |set: &dyn Constraint| {
            let finish =
                Finish { objective, constraint: set, l1: 0.0, is_near: false, effort: Effort::Normal, seed: 1 };
            finish.run(&[&[0.0; P + 1]], &mut quiet()).unwrap().exchanges
        };
        assert_eq!(finish(&built("sparsity:2")), Exchanges::EveryChoice, "{}", loss.spec());
        let at_zero = objective.value(&[0.0; P + 1]).unwrap();
        let choice = Drifting.choice(P);
        let problem = Selecting { objective, choosing: &Drifting, choice: &choice, at_zero, block: None };
        let mut poll = quiet();
        let mut watch = Watch::new(&mut poll);
        let first = problem.refit(vec![0, 1], None, EXACT, &mut watch).unwrap().unwrap();
        let looked = best_of_all(&problem, None, &first, &mut watch).unwrap().unwrap();
        assert!(!looked.at_all, "{}", loss.spec());
    }
}

#[test]
fn more_effort_never_gives_a_higher_f() {
    const COLUMNS: usize = 30;
    const ROWS: usize = 60;
    let mut lower = 0;
    for loss in losses() {
        for seed in 0..6 {
            let mut x = numbers(ROWS * COLUMNS, seed);
            // Neighbours look alike, so that there are many local optima.
            for row in x.chunks_exact_mut(COLUMNS) {
                (1..COLUMNS).for_each(|j| row[j] = 0.8 * row[j - 1] + 0.6 * row[j]);
            }
            let noise = numbers(ROWS, seed + 50);
            let y: Vec<f64> = x
                .chunks_exact(COLUMNS)
                .zip(&noise)
                .map(|(row, noise)| {
                    let eta = row.iter().step_by(3).sum::<f64>() + 2.0 * noise;
                    match loss.task() {
                        Task::TwoClasses => f64::from(u8::from(eta > 0.0)),
                        Task::Counts => eta.abs().round(),
                        Task::Amounts => eta.abs() + 0.1,
                        Task::Regression => eta,
                    }
                })
                .collect();
            let data = Data::dense(&x, COLUMNS, &y).unwrap();
            let objective = Objective::new(&data, &loss, 1e-2).intercept(true);
            let set = SetSpec::parse("sparsity:8").unwrap().build(Shape::Vector(COLUMNS)).unwrap();
            let value = |effort: Effort| {
                let finish = Finish { objective, constraint: &set, l1: 0.0, is_near: false, effort, seed: 1 };
                finish.run(&[&[0.0; COLUMNS + 1]], &mut quiet()).unwrap().value
            };
            let [quick, normal, thorough] = [Effort::Quick, Effort::Normal, Effort::Thorough].map(value);
            let rounding = 1e-10 * quick.abs();
            assert!(normal <= quick + rounding, "{} {seed}: {normal} {quick}", loss.spec());
            assert!(thorough <= normal + rounding, "{} {seed}: {thorough} {normal}", loss.spec());
            lower += usize::from(thorough < quick - rounding);
        }
    }
    println!("the path over sizes found a lower F in {lower} of 30 problems");
    assert!(lower > 0);
}
