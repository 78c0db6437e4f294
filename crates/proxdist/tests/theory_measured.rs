//! The bounds and rates of the theory against the iteration itself, on ball-constrained data where all assumptions hold.

use proxdist::constraint::Ball;
use proxdist::loss::{Logistic, Loss, Squared};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::theory::{Basis, Bounds, Measured, Plan, Study, Verdict, assumptions, measure};
use proxdist::{Problem, Result, Settings};

/// The paper's two models, small, with first penalties for which the asymptotics set in early.
struct Case {
    simulated: Simulated,
    loss: fn() -> Box<dyn Loss>,
    rho1: f64,
    basis: Basis,
}

fn cases() -> Result<[Case; 2]> {
    let draw = |response, seed| vector(response, Truth::OutsideBall, 300, 4, seed);
    Ok([
        Case { simulated: draw(Response::Linear, 1)?, loss: || Box::new(Squared), rho1: 1.0, basis: Basis::Everywhere },
        Case { simulated: draw(Response::Logistic, 2)?, loss: || Box::new(Logistic), rho1: 0.04, basis: Basis::OnSet },
    ])
}

fn settings() -> Settings {
    Settings::default().batch_size(15)
}

fn measured(problem: &Problem, study: &Study, rho1: f64, gamma: f64) -> Result<Measured> {
    let plan = Plan { rho1, gamma, steps: 2000, repeats: 24, seed: 100, threads: None };
    Ok(measure(problem, study, &plan, &|| false)?.expect("nobody ends it"))
}

#[test]
fn the_bounds_hold_at_every_checkpoint() -> Result<()> {
    for case in cases()? {
        let data = case.simulated.data()?;
        let problem = Problem::new(&data, (case.loss)(), Ball::radius(1.0)?);
        let study = Study::of(&problem, &settings())?;
        assert_eq!(study.basis, case.basis);
        let l = study.constants.lipschitz;
        for (rho1, gamma) in [(case.rho1, 2.0 / 3.0), (l, 0.6), (0.3 * l, 0.8), (20.0 * l, 1.0)] {
            let verdicts = assumptions(&problem, &study, gamma);
            assert!(verdicts.iter().all(|a| a.verdict == Verdict::Holds), "{verdicts:?}");
            let bounds = Bounds::new(study.constants, rho1, gamma)?;
            let found = measured(&problem, &study, rho1, gamma)?;
            let stepwise = bounds.ln_parameter_step_by_step(&found.steps);
            for (i, &step) in found.steps.iter().enumerate() {
                let (delta, zeta) = (found.parameter.mean[i], found.objective.mean[i]);
                let place = format!("rho1 {rho1} gamma {gamma} step {step}: {delta:e} {zeta:e}");
                assert!(delta > 0.0 && zeta > 0.0, "{place}");
                assert!(delta.ln() <= stepwise[i], "{place} {}", stepwise[i]);
                assert!(zeta.ln() <= bounds.ln_objective_from(stepwise[i]), "{place}");
                assert!(delta.ln() <= bounds.ln_distance(step), "{place}");
                assert!(bounds.ln_parameter(step).is_none_or(|bound| delta.ln() <= bound), "{place}");
                assert!(bounds.ln_objective(step).is_none_or(|bound| zeta.ln() <= bound), "{place}");
            }
            // The bound step by step is of use, not only true: below one it falls with the rate of Theorem 2.
            if gamma < 1.0 {
                let later = bounds.ln_parameter_step_by_step(&[1_000_000])[0].exp();
                assert!(later < 0.1 * study.constants.start_distance, "rho1 {rho1} gamma {gamma}: {later}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_measured_rate_is_at_least_that_of_theorem_2() -> Result<()> {
    for case in cases()? {
        let data = case.simulated.data()?;
        let problem = Problem::new(&data, (case.loss)(), Ball::radius(1.0)?);
        let study = Study::of(&problem, &settings())?;
        for gamma in [0.6, 2.0 / 3.0, 0.8] {
            let slope = measured(&problem, &study, case.rho1, gamma)?.parameter.slope.expect("a slope");
            assert!(slope.value <= -gamma + 0.1, "{} gamma {gamma}: {slope:?}", problem.loss().spec());
            assert!(slope.low < slope.value && slope.value < slope.high);
        }
    }
    Ok(())
}

#[test]
fn progress_is_ordered_by_gamma_as_the_paper_reports() -> Result<()> {
    for case in cases()? {
        let data = case.simulated.data()?;
        let problem = Problem::new(&data, (case.loss)(), Ball::radius(1.0)?);
        let study = Study::of(&problem, &settings())?;
        let runs = [1.0 / 3.0, 2.0 / 3.0, 1.0].map(|gamma| measured(&problem, &study, case.rho1, gamma));
        let mut ends = Vec::new();
        for run in runs {
            let run = run?;
            ends.push((*run.parameter.mean.last().unwrap(), *run.objective.mean.last().unwrap()));
        }
        assert!(ends.windows(2).all(|pair| pair[1].0 < pair[0].0 && pair[1].1 < pair[0].1), "{ends:?}");
    }
    Ok(())
}
