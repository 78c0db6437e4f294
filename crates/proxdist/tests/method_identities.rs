//! The relations of the paper between methods, step by step: incremental and stochastic, stochastic and full batch, majorisation
//! and descent, and the problems that inner loops solve.

use proxdist::constraint::{Ball, Constraint, NonNegative, Sparsity, WholeSpace, projected};
use proxdist::loss::{Huber, Logistic, Loss, Squared, Sum};
use proxdist::objective::Objective;
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::{Constant, Geometric, Polynomial, Schedule};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::solver::{Iteration, Solver};
use proxdist::{Method, Problem, Settings};

const P: usize = 20;

fn simulated(response: Response) -> Simulated {
    vector(response, Truth::Sparse(4), 300, P, 1).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The set's projection of the coefficients, the intercept left alone.
fn feasible(set: &dyn Constraint, theta: &[f64]) -> Vec<f64> {
    [&projected(set, &theta[..P]).unwrap(), &theta[P..]].concat()
}

/// Iterates after each of `steps` steps from zero, batches of 16 unless all rows are asked for.
fn iterates<'a>(
    problem: &'a Problem<'a>,
    text: &str,
    schedule: &dyn Schedule,
    sampling: Sampling,
    steps: usize,
) -> Vec<Vec<f64>> {
    let method: Method = text.parse().unwrap();
    let sampler = Sampler::new(sampling, problem.data().rows(), 16, 5);
    let theta = problem.layout().zeros();
    let mut solver = Iteration::of(method.step(problem), problem.data(), schedule, sampler, theta).unwrap();
    let step = |_| {
        solver.advance().unwrap();
        solver.theta().to_vec()
    };
    (0..steps).map(step).collect()
}

/// With g = 0 and nothing projected in between, the iterates of `incremental` are the projections of those of `spd`: the same
/// two maps in turn, looked at half a cycle apart.
#[test]
fn incremental_without_g_is_spd_looked_at_after_its_projection() {
    let schedule = Polynomial::new(0.5, 0.8).unwrap();
    let ball = Ball::radius(2.0).unwrap();
    for (response, loss) in [(Response::Linear, &Squared as &dyn Loss), (Response::Logistic, &Logistic)] {
        let simulated = simulated(response);
        let data = simulated.data().unwrap();
        for set in [&Sparsity::at_most(4) as &dyn Constraint, &ball] {
            for sampling in [Sampling::WithoutReplacement, Sampling::Cyclic, Sampling::Reshuffled] {
                let problem = Problem::new(&data, loss, set).intercept(true).ridge(0.01);
                let run = |text: &str| iterates(&problem, text, &schedule, sampling, 30);
                for order in ["prox-first", "gradient-first"] {
                    let incremental = run(&format!("incremental:order={order}"));
                    for (step, (ours, theirs)) in incremental.iter().zip(run("spd")).enumerate() {
                        assert_eq!(bits(ours), bits(&feasible(set, &theirs)), "{order}, {sampling:?}, step {step}");
                    }
                }
            }
        }
    }
}

/// The two steps of Bertsekas written out: prox of f, gradient of g, projections.
#[test]
fn incremental_takes_the_two_steps_in_the_order_asked_for() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let set = Sparsity::at_most(4);
    let huber = Huber::with_delta(1.0).unwrap();
    let rho = 60.0;
    let schedule = Constant::new(rho).unwrap();
    let problem = Problem::new(&data, Squared, set);
    let prox = |anchor: &[f64]| {
        let settings = Settings::default().polish(false);
        // The prox of all rows is one step of the full-batch method on the whole space.
        let free = Problem::new(&data, Squared, WholeSpace);
        let settings = settings.method("pd".parse().unwrap()).schedule(Constant::new(rho).unwrap()).max_steps(1);
        free.fit(&settings.start(anchor.to_vec(), 0.0)).unwrap().coefficients().to_vec()
    };
    let descend = |theta: &[f64]| {
        let mut gradient = vec![0.0; P];
        Objective::new(&data, &huber, 0.0).gradient(theta, &mut gradient).unwrap();
        theta.iter().zip(&gradient).map(|(t, g)| t - g / rho).collect::<Vec<_>>()
    };
    for gradient_first in [false, true] {
        for is_projected in [false, true] {
            let order = if gradient_first { "gradient-first" } else { "prox-first" };
            let between = if is_projected { "projected" } else { "free" };
            let text = format!("incremental:g=huber:1;order={order};between={between}");
            let mut theta = vec![0.0; P];
            for ours in iterates(&problem, &text, &schedule, Sampling::FullBatch, 5) {
                let first = if gradient_first { descend(&theta) } else { prox(&theta) };
                let first = if is_projected { projected(&set, &first).unwrap() } else { first };
                let second = if gradient_first { prox(&first) } else { descend(&first) };
                theta = projected(&set, &second).unwrap();
                assert!(distance(&ours, &theta) < 1e-8, "{text}: {}", distance(&ours, &theta));
            }
        }
    }
}

/// Whichever way the objective is cut in two, the optimum is the same.
#[test]
fn a_second_loss_or_the_ridge_term_as_g_leads_to_the_optimum_of_the_sum() {
    let simulated = simulated(Response::Huber);
    let data = simulated.data().unwrap();
    let huber = Huber::with_delta(2.0).unwrap();
    let set = Ball::radius(3.0).unwrap();
    let fit = |problem: &Problem, text: &str, polish: bool| {
        problem.fit(&Settings::default().method(text.parse().unwrap()).polish(polish).max_steps(4000)).unwrap()
    };
    let whole = Problem::new(&data, Sum(Squared, huber), &set).ridge(0.1);
    let best = fit(&whole, "spd", true);
    assert_eq!(best.model().loss.as_str(), "squared + huber:2");
    assert!(best.model().loss.known().is_ok(), "a model of a sum can predict");
    let part = Problem::new(&data, Squared, &set).ridge(0.1);
    for text in ["incremental:g=huber:2", "incremental:g=huber:2;order=gradient-first"] {
        let split = fit(&part, text, false);
        assert!(split.objective() - best.objective() < 0.01 * best.objective(), "{text}: {}", split.objective());
        assert_eq!(split.model().loss.as_str(), "squared + huber:2");
        let finished = fit(&part, text, true);
        assert!((finished.objective() - best.objective()).abs() < 1e-7 * best.objective());
    }
    let ridge = fit(&part, "incremental:g=ridge", false);
    let best = fit(&part, "spd", true);
    assert!(ridge.objective() - best.objective() < 0.01 * best.objective());
}

#[test]
fn spd_on_all_rows_is_pd() {
    for (response, loss) in [(Response::Linear, &Squared as &dyn Loss), (Response::Logistic, &Logistic)] {
        let simulated = simulated(response);
        let weights: Vec<f64> = (0..300).map(|i| f64::from(1 + i % 3)).collect();
        let offset: Vec<f64> = (0..300).map(|i| f64::from(i % 7) * 0.1).collect();
        let data = simulated.data().unwrap().weights(&weights).unwrap().offset(&offset).unwrap();
        let schedules: [&dyn Schedule; 3] =
            [&Constant::new(0.7).unwrap(), &Polynomial::new(0.1, 1.0).unwrap(), &Geometric::new(0.1, 1.5, 4).unwrap()];
        for schedule in schedules {
            let set = Sparsity::at_most(4);
            let problem = Problem::new(&data, loss, set).intercept(true).ridge(0.02);
            let run = |text| iterates(&problem, text, schedule, Sampling::FullBatch, 20);
            for (step, (spd, pd)) in run("spd").iter().zip(run("pd")).enumerate() {
                // One eigendecomposition in place of a factorisation a step agrees to rounding; other losses take the same path.
                assert!(distance(spd, &pd) < 1e-7, "{} step {step}: {}", loss.spec(), distance(spd, &pd));
                assert!(loss.is_quadratic() || bits(spd) == bits(&pd));
            }
        }
    }
}

/// On a convex set the gradient of $\frac\rho2\mathrm{dist}^2$ is $\rho(\theta - P_C(\theta))$; a step down it of length 1/ρ, then the prox of F.
#[test]
fn pd_on_a_convex_set_is_proximal_gradient_on_the_penalised_objective() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    let rho = 0.3;
    let schedule = Constant::new(rho).unwrap();
    for set in [&NonNegative as &dyn Constraint, &Ball::radius(1.0).unwrap()] {
        let problem = Problem::new(&data, Logistic, set);
        let objective = problem.objective();
        let mut theta = vec![0.0; P];
        for next in iterates(&problem, "pd", &schedule, Sampling::FullBatch, 15) {
            let nearest = projected(set, &theta).unwrap();
            let moved: Vec<f64> = theta.iter().zip(&nearest).map(|(t, c)| t - (rho * (t - c)) / rho).collect();
            // The prox of F/ρ at the moved point, by its optimality condition.
            let mut gradient = vec![0.0; P];
            objective.gradient(&next, &mut gradient).unwrap();
            let residual: Vec<f64> = (0..P).map(|j| gradient[j] + rho * (next[j] - moved[j])).collect();
            assert!(distance(&residual, &[0.0; P]) < 1e-8);
            theta = next;
        }
    }
}

#[test]
fn the_surrogate_of_pd_majorises_and_every_step_at_fixed_rho_descends() {
    let sparse = Sparsity::at_most(4);
    let ball = Ball::radius(1.0).unwrap();
    for (response, loss) in [(Response::Linear, &Squared as &dyn Loss), (Response::Logistic, &Logistic)] {
        let simulated = simulated(response);
        let data = simulated.data().unwrap();
        for set in [&sparse as &dyn Constraint, &ball] {
            let problem = Problem::new(&data, loss, set);
            let objective = problem.objective();
            let rho = 0.5;
            let penalised = |theta: &[f64]| {
                let apart = distance(theta, &projected(set, theta).unwrap());
                objective.value(theta).unwrap() + 0.5 * rho * apart * apart
            };
            let surrogate = |theta: &[f64], at: &[f64]| {
                let apart = distance(theta, &projected(set, at).unwrap());
                objective.value(theta).unwrap() + 0.5 * rho * apart * apart
            };
            let schedule = Constant::new(rho).unwrap();
            let run = iterates(&problem, "pd", &schedule, Sampling::FullBatch, 25);
            let mut before = vec![0.0; P];
            for theta in &run {
                for other in &run {
                    assert!(surrogate(other, &before) >= penalised(other) - 1e-12, "it majorises everywhere");
                }
                assert!((surrogate(&before, &before) - penalised(&before)).abs() < 1e-12, "and touches");
                assert!(penalised(theta) <= penalised(&before) + 1e-12, "so every step descends");
                before.clone_from(theta);
            }
        }
    }
}

/// At fixed ρ the limit is the minimiser of the penalised objective, which momentum reaches in fewer steps.
#[test]
fn momentum_gets_closer_to_the_limit_in_as_many_steps() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let set = Ball::radius(1.0).unwrap();
    let problem = Problem::new(&data, Squared, &set);
    let schedule = Constant::new(20.0).unwrap();
    let run = |text, steps| iterates(&problem, text, &schedule, Sampling::FullBatch, steps).pop().unwrap();
    let limit = run("pd", 5000);
    let (plain, fast) = (distance(&run("pd", 60), &limit), distance(&run("pd:momentum=yes", 60), &limit));
    assert!(fast < 0.1 * plain, "{fast:e} against {plain:e}");
}

#[test]
fn an_inner_tolerance_leaves_levels_of_a_geometric_schedule_early() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(4));
    let last_rho = |text: &str| {
        let schedule = Geometric::new(0.1, 2.0, 50).unwrap().capped_at(1e4).unwrap();
        let settings = Settings::default().method(text.parse().unwrap()).schedule(schedule).polish(false);
        let fit = problem.fit(&settings.max_steps(120).tolerance(1e-15).check_every(5)).unwrap();
        fit.trace().last().unwrap().rho
    };
    assert_eq!(last_rho("pd"), 0.1 * 4.0, "two doublings in 120 steps");
    assert!(last_rho("pd:tolerance=1e-3") > 100.0);
}

/// A run that was interrupted goes on with the momentum it had and the level it was at.
#[test]
fn a_resumed_run_of_pd_equals_one_that_was_not_interrupted() {
    struct Keeper(Option<proxdist::run::State>, u64);
    impl proxdist::trace::Observer for Keeper {
        fn checkpoint(&mut self, progress: &proxdist::trace::Progress) -> std::ops::ControlFlow<()> {
            if progress.step == self.1 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        }
        fn snapshot(&mut self, state: &proxdist::run::State) {
            self.0 = Some(state.clone());
        }
    }
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Ball::radius(1.0).unwrap());
    let settings = || {
        let schedule = Geometric::new(0.5, 2.0, 20).unwrap();
        let method = "pd:momentum=yes;tolerance=1e-2".parse().unwrap();
        let settings = Settings::default().method(method).schedule(schedule).polish(false);
        settings.max_steps(40).tolerance(1e-15).check_every(5)
    };
    let whole = problem.fit(&settings()).unwrap();
    let mut keeper = Keeper(None, 15);
    problem.fit_observed(&settings(), &mut keeper).unwrap();
    let resumed = problem.fit(&settings().resume(keeper.0.unwrap())).unwrap();
    let objectives = |fit: &proxdist::Fit| fit.trace().iter().map(|at| at.objective.to_bits()).collect::<Vec<_>>();
    assert_eq!(objectives(&whole), objectives(&resumed));
    assert_eq!(bits(whole.coefficients()), bits(resumed.coefficients()));
}

#[test]
fn spg_on_the_set_is_psgd() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    let set = Sparsity::at_most(4);
    let problem = Problem::new(&data, Logistic, set).intercept(true);
    let schedule = Polynomial::new(2.0, 0.8).unwrap();
    let run = |text| iterates(&problem, text, &schedule, Sampling::WithoutReplacement, 30);
    for (spg, psgd) in run("spg").iter().zip(run("psgd")) {
        assert_eq!(bits(spg), bits(&psgd));
    }
}

/// At the minimiser of F + λ‖θ‖₁, ∂F/∂θⱼ = −λ sign θⱼ where θⱼ ≠ 0 and at most λ in size elsewhere.
#[test]
fn spg_with_an_l1_penalty_ends_at_the_lasso() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let lambda = 0.5;
    let problem = Problem::new(&data, Squared, WholeSpace);
    // All rows at every step, constant rate: proximal gradient, which converges to the point itself.
    let settings = Settings::default().method("spg:l1=0.5".parse().unwrap()).schedule(Constant::new(3.0).unwrap());
    let fit = problem.fit(&settings.sampling(Sampling::FullBatch).max_steps(400).tolerance(1e-15)).unwrap();
    let mut gradient = vec![0.0; P];
    let smooth = problem.objective().gradient(fit.coefficients(), &mut gradient).unwrap();
    for (theta, slope) in fit.coefficients().iter().zip(&gradient) {
        let excess = if *theta == 0.0 { (slope.abs() - lambda).max(0.0) } else { slope + lambda * theta.signum() };
        assert!(excess.abs() < 1e-8, "{theta}: {slope}");
    }
    let norm: f64 = fit.coefficients().iter().map(|theta| theta.abs()).sum();
    assert!((fit.objective() - smooth - lambda * norm).abs() < 1e-12, "the objective has the penalty in it");
    assert!((fit.trace().last().unwrap().objective - fit.objective()).abs() < 1e-9, "and so has the trace");
    assert!(fit.certificate().stationarity < 1e-7 && fit.certificate().gap.is_none());
    assert!((1..P).contains(&fit.support().len()));
    let refused =
        Problem::new(&data, Squared, NonNegative).fit(&Settings::default().method("spg:l1=1".parse().unwrap()));
    assert!(refused.unwrap_err().to_string().contains("no set"));
}

#[test]
fn spg_with_an_l2_penalty_is_a_ridge_fit() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let fit = |ridge, text: &str| {
        let problem = Problem::new(&data, Squared, WholeSpace).ridge(ridge).intercept(true);
        problem.fit(&Settings::default().method(text.parse().unwrap())).unwrap()
    };
    let (ridge, penalty) = (fit(0.4, "spd"), fit(0.0, "spg:l2=0.4"));
    assert!(distance(ridge.coefficients(), penalty.coefficients()) < 1e-6);
    assert!((ridge.objective() - penalty.objective()).abs() < 1e-10);
}

/// With more and more gradient steps inside, the step of `prm` becomes that of `spd`.
#[test]
fn prm_approaches_spd_as_its_inner_loop_grows() {
    let simulated = simulated(Response::Logistic);
    let weights: Vec<f64> = (0..300).map(|i| f64::from(1 + i % 3)).collect();
    let data = simulated.data().unwrap().weights(&weights).unwrap();
    let set = Sparsity::at_most(4);
    let problem = Problem::new(&data, Logistic, set).intercept(true).ridge(0.05);
    let schedule = Constant::new(0.2).unwrap();
    let first = |text: &str| iterates(&problem, text, &schedule, Sampling::WithoutReplacement, 1).remove(0);
    let exact = first("spd");
    let errors = [16, 1600, 160_000].map(|m| distance(&first(&format!("prm:steps={m}")), &exact));
    assert!(errors[0] < 0.5 * distance(&exact, &[0.0; P + 1]), "{errors:?}");
    assert!(errors[1] < 0.3 * errors[0] && errors[2] < 0.1 * errors[1], "{errors:?}");
    assert_eq!(bits(&first("prm")), bits(&first("prm:steps=16")), "one a row of the batch, unless told otherwise");
}

/// On a convex set: h(u) ≥ h(θ) for feasible u, that is ∇h(θ)ᵀ(u − θ) ≥ 0, at u the projection of the next gradient step.
#[test]
fn cspp_minimises_its_step_over_the_set() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    let rho = 0.05;
    let schedule = Constant::new(rho).unwrap();
    let ball = Ball::radius(1.0).unwrap();
    for set in [&ball as &dyn Constraint, &NonNegative, &Sparsity::at_most(4)] {
        let problem = Problem::new(&data, Logistic, set).intercept(true);
        let objective = problem.objective();
        let mut before = vec![0.0; P + 1];
        for theta in iterates(&problem, "cspp:tolerance=1e-9", &schedule, Sampling::FullBatch, 6) {
            assert!(distance(&theta, &feasible(set, &theta)) < 1e-12);
            let value = |u: &[f64]| objective.value(u).unwrap() + 0.5 * rho * distance(u, &before).powi(2);
            assert!(value(&theta) <= value(&feasible(set, &before)) + 1e-12, "h does not rise");
            let mut gradient = vec![0.0; P + 1];
            objective.gradient(&theta, &mut gradient).unwrap();
            (0..=P).for_each(|j| gradient[j] += rho * (theta[j] - before[j]));
            let step: Vec<f64> = theta.iter().zip(&gradient).map(|(t, g)| t - g).collect();
            let residual = distance(&feasible(set, &step), &theta);
            assert!(residual < 1e-6, "{}: {residual:e}", set.spec());
            before = theta;
        }
    }
    let problem = Problem::new(&data, Logistic, WholeSpace);
    let run = |text| iterates(&problem, text, &schedule, Sampling::WithoutReplacement, 20);
    for (cspp, isgd) in run("cspp").iter().zip(run("isgd")) {
        assert!(distance(cspp, &isgd) < 1e-4, "without a set it is the proximal point method");
    }
}
