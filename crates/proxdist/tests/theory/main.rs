//! The theory's constants and bounds against the paper's formulas in 200-bit arithmetic, written out here once more, and
//! against sums over all batches of small problems.

mod paper;

use paper::{Paper, close_logs, narrow, zeta};
use proxdist::constraint::{Ball, LinfBall, Rank, Sparsity, WholeSpace};
use proxdist::loss::{Huber, Logistic, Loss, Poisson, Squared};
use proxdist::sampling::Sampling;
use proxdist::simulate::{Response, Truth, vector};
use proxdist::theory::{Basis, Bounds, Constants, Study, Verdict, advise, assumptions, power_sum, rate};
use proxdist::{Data, Error, Problem, Result, Settings};

fn grid() -> Vec<(Constants, f64, f64)> {
    let problems = [
        Constants { lipschitz: 8.0, mu: 0.7, gradient_noise: 2.0, gradient_norm: 0.9, start_distance: 1.0 },
        Constants { lipschitz: 0.3, mu: 0.01, gradient_noise: 0.05, gradient_norm: 0.0, start_distance: 4.0 },
        Constants { lipschitz: 1.0, mu: 1.0, gradient_noise: 1e-9, gradient_norm: 1e-5, start_distance: 1e-3 },
    ];
    let mut grid = Vec::new();
    for constants in problems {
        for rho1 in [1e-3, 0.1, 0.55, 0.87 * constants.mu, 1.0, 20.0] {
            for gamma in [0.51, 0.6, 2.0 / 3.0, 0.75, 1.0] {
                grid.push((constants, rho1, gamma));
            }
        }
    }
    grid
}

#[test]
fn every_constant_and_bound_is_the_formula_of_the_paper() -> Result<()> {
    let mut overflows = 0;
    for (constants, rho1, gamma) in grid() {
        let paper = Paper::new(&constants, rho1, gamma);
        let bounds = Bounds::new(constants, rho1, gamma)?;
        let place = format!("{constants:?} rho1 {rho1} gamma {gamma}");
        assert!((bounds.s / narrow(&paper.s) - 1.0).abs() < 1e-12, "s {place}");
        close_logs(bounds.ln_r2, &paper.r2, &format!("r2 {place}"));
        close_logs(bounds.ln_c2, &paper.c2, &format!("c2 {place}"));
        close_logs(bounds.ln_m, &paper.m, &format!("m {place}"));
        close_logs(bounds.ln_b, &paper.b(), &format!("B {place}"));
        overflows += usize::from(bounds.ln_r2 > f64::MAX.ln());
        if paper.k0.is_none() {
            // Beyond the search here, or nowhere.
            assert!(bounds.k0.is_none_or(|k0| k0 >= 2e6), "k0 {place}: {:?}", bounds.k0);
            continue;
        }
        assert_eq!(bounds.k0, paper.k0.map(|k0| k0 as f64), "k0 {place}");
        close_logs(bounds.ln_a.unwrap(), &paper.a().unwrap(), &format!("A {place}"));
        for step in [1, 2, 10, 1000, 1_000_000] {
            let k = step as f64;
            close_logs(bounds.ln_forgetting(step), &paper.forgetting(k), &format!("forgetting {k} {place}"));
            close_logs(
                bounds.ln_parameter(step).unwrap(),
                &paper.parameter(k).unwrap(),
                &format!("Theorem 2 {k} {place}"),
            );
            close_logs(
                bounds.ln_objective(step).unwrap(),
                &paper.objective(k).unwrap(),
                &format!("Theorem 3 {k} {place}"),
            );
        }
    }
    assert!(overflows > 10, "the grid must reach what no f64 holds");
    Ok(())
}

#[test]
fn there_is_no_index_of_contraction_at_gamma_1_from_mu_on() -> Result<()> {
    let constants = grid()[0].0;
    assert!(Bounds::new(constants, constants.mu, 1.0)?.k0.is_none());
    assert!(Bounds::new(constants, 0.999 * constants.mu, 1.0)?.k0.is_some_and(|k0| k0 == 1001.0 || k0 == 1000.0));
    for gamma in [0.4, 0.5, 1.2] {
        let outside = Bounds::new(constants, 0.1, gamma)?;
        assert!(outside.k0.is_none() && outside.ln_parameter(10).is_none() && outside.ln_objective(10).is_none());
        assert_eq!(outside.s.is_finite(), gamma > 0.5);
        assert!(outside.ln_distance(1000).is_finite());
    }
    // So close to one that the index exceeds every number.
    assert_eq!(Bounds::new(constants, 1e3, 0.999)?.k0, Some(f64::INFINITY));
    Ok(())
}

/// The recursions that the bounds are summed up from, run in plain arithmetic.
#[test]
fn following_the_recursions_step_by_step_is_never_above_the_bounds() -> Result<()> {
    for (constants, rho1, gamma) in grid() {
        let bounds = Bounds::new(constants, rho1, gamma)?;
        let steps = [1, 3, 10, 100, 3000];
        let stepwise = bounds.ln_parameter_step_by_step(&steps);
        let Constants { lipschitz: l, mu, gradient_noise: g2, start_distance, .. } = constants;
        let (mut sharp, mut first, mut second) = (start_distance, start_distance, start_distance);
        let m = bounds.ln_m.exp();
        for k in 1..=3000_u64 {
            let rho = rho1 * (k as f64).powf(gamma);
            let t = if rho < 4.0 * l { rho / (4.0 * l) } else { 1.0 };
            let contracted = sharp - mu * t / rho * (1.0 - 2.0 * t * l / rho) * sharp + 2.0 * g2 / rho / rho;
            sharp = contracted.min(sharp + g2 / rho / rho);
            first = (1.0 + 4.0 * l * l / rho / rho) * first + 4.0 * g2 / rho / rho;
            second = second / (1.0 + mu / rho) + m / rho / rho;
            let Some(i) = steps.iter().position(|&step| step == k) else { continue };
            let place = format!("{constants:?} rho1 {rho1} gamma {gamma} k {k}");
            assert!((stepwise[i] - sharp.ln()).abs() < 1e-9 * sharp.ln().abs().max(1.0), "{place}");
            assert!(stepwise[i] <= bounds.ln_distance(k) + 1e-9, "Proposition 2 {place}");
            assert!(!first.is_finite() || first.ln() <= bounds.ln_distance(k) + 1e-9, "{place}");
            if let Some(bound) = bounds.ln_parameter(k) {
                assert!(stepwise[i] <= bound, "Theorem 2 {place}");
                assert!(!second.is_finite() || second.ln() <= bound, "Lemma 4 {place}");
            }
        }
    }
    Ok(())
}

#[test]
fn bounds_have_the_limits_that_the_paper_names() -> Result<()> {
    let constants = Constants { lipschitz: 2.0, mu: 0.5, gradient_noise: 1.0, gradient_norm: 0.3, start_distance: 1.0 };
    let steps = [1, 10, 100, 10_000, 1_000_000, 1 << 50];
    for gamma in [0.55, 0.75, 1.0] {
        let bounds = Bounds::new(constants, 0.2, gamma)?;
        let falls = |values: &[f64]| values.windows(2).all(|pair| pair[1] < pair[0]);
        let forgetting = steps.map(|k| bounds.ln_forgetting(k));
        assert!(falls(&forgetting) && forgetting[5] < -20.0, "{forgetting:?}");
        assert!(falls(&steps.map(|k| bounds.ln_parameter(k).unwrap())));
        assert!(falls(&steps.map(|k| bounds.ln_objective(k).unwrap())));
        // Proposition 2 rises to its constants instead.
        let distance = steps.map(|k| bounds.ln_distance(k));
        assert!(distance.windows(2).all(|pair| pair[1] >= pair[0]) && distance[5] <= bounds.ln_r2);
        assert!((distance[5] - bounds.ln_r2).abs() < 0.04 * bounds.ln_r2);
        assert!(bounds.ln_gradient_square(1 << 50) <= bounds.ln_c2);
        // In the end Theorem 2 falls with its rate.
        let slope = (bounds.ln_parameter(1 << 52).unwrap() - bounds.ln_parameter(1 << 51).unwrap()) / 2.0_f64.ln();
        if gamma == 1.0 {
            assert!((slope + 1.0).abs() < 0.01, "{slope}");
        }
        assert_eq!(rate(0.5, 0.2, gamma).unwrap().parameter, gamma);
    }
    // The part of the noise is continuous at gamma = 1, that of the start is not: phi is 1 just below and log k at 1.
    let (below, at) = (Bounds::new(constants, 0.2, 1.0 - 1e-9)?, Bounds::new(constants, 0.2, 1.0)?);
    assert!((below.ln_m - at.ln_m).abs() < 1e-6 && (below.s - at.s).abs() < 1e-8);
    assert!((below.ln_forgetting(1000) + (1.0_f64 + 0.5 / 0.2).ln()).abs() < 1e-6);
    assert!((at.ln_forgetting(1000) / below.ln_forgetting(1000) - 1000.0_f64.ln()).abs() < 1e-5);
    // At gamma = 1 the rate falls off where rho1 exceeds mu / (e - 1).
    assert_eq!(rate(1.0, 0.5, 1.0).unwrap().parameter, 1.0);
    assert!((rate(1.0, 2.0, 1.0).unwrap().objective - 1.5_f64.ln() / 2.0).abs() < 1e-15);
    assert!(rate(1.0, 1.0, 0.5).is_none() && rate(1.0, 1.0, 1.1).is_none());
    Ok(())
}

#[test]
fn sums_of_powers_agree_with_an_accelerated_alternating_series() {
    for gamma in [0.51, 0.55, 0.6, 2.0 / 3.0, 0.75, 0.9, 1.0, 4.0 / 3.0] {
        let found = power_sum(2.0 * gamma, None);
        assert!((found / narrow(&zeta(2.0 * gamma)) - 1.0).abs() < 1e-12, "{gamma}: {found}");
    }
}

/// Every batch of a small problem, with weights, an intercept and a ridge term.
#[test]
fn l_and_g_are_those_of_all_batches() -> Result<()> {
    let (n, size) = (7, 3);
    let x = [1.0, 2.0, -1.0, 0.5, 0.3, -2.0, 2.0, 2.0, -0.7, 1.1, 0.2, 0.1, 1.5, -0.4];
    let (y, w) = ([1.0, 0.0, 2.0, -1.0, 0.5, 1.5, -0.5], [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 0.7]);
    let data = Data::dense(&x, 2, &y)?.weights(&w)?;
    let ridge = 0.3;
    let problem = Problem::new(&data, Squared, Ball::radius(0.1)?).intercept(true).ridge(ridge);
    let study = Study::of(&problem, &Settings::default().batch_size(size))?;
    let theta = &study.solution;
    let scale = n as f64 / w.iter().sum::<f64>();
    let row = |i: usize| [x[2 * i], x[2 * i + 1], 1.0];
    let gradient = |batch: &[usize]| {
        let mut g = [ridge * theta[0], ridge * theta[1], 0.0];
        for &i in batch {
            let residual = row(i).iter().zip(theta).map(|(x, t)| x * t).sum::<f64>() - y[i];
            (0..3).for_each(|j| g[j] += scale * w[i] * residual * row(i)[j] / batch.len() as f64);
        }
        g
    };
    let curvature = |batch: &[usize], v: &[f64; 3]| {
        let sum: f64 =
            batch.iter().map(|&i| scale * w[i] * (0..3).map(|j| row(i)[j] * v[j]).sum::<f64>().powi(2)).sum();
        sum / batch.len() as f64 + ridge * (v[0] * v[0] + v[1] * v[1])
    };
    let batches: Vec<Vec<usize>> = (0..1_u32 << n)
        .filter(|mask| mask.count_ones() == size as u32)
        .map(|mask| (0..n).filter(|i| mask >> i & 1 == 1).collect())
        .collect();
    let square = |g: [f64; 3]| g.iter().map(|g| g * g).sum::<f64>();
    let expected = batches.iter().map(|batch| square(gradient(batch))).sum::<f64>() / batches.len() as f64;
    assert!((study.constants.gradient_noise / expected - 1.0).abs() < 1e-10);
    let all: Vec<usize> = (0..n).collect();
    assert!((study.constants.gradient_norm.powi(2) / square(gradient(&all)) - 1.0).abs() < 1e-9);
    let mut steepest: f64 = 0.0;
    for i in 0..40 {
        for j in 0..40 {
            let (a, b) = (f64::from(i) * 0.16, f64::from(j) * 0.08);
            let v = [a.sin() * b.cos(), a.sin() * b.sin(), a.cos()];
            steepest = batches.iter().map(|batch| curvature(batch, &v)).fold(steepest, f64::max);
            assert!(curvature(&all, &v) >= study.constants.mu - 1e-12);
        }
    }
    assert!(steepest <= study.constants.lipschitz && study.constants.lipschitz < 2.0 * steepest, "{steepest}");
    let largest = (0..n).map(|i| scale * w[i] * square(row(i)) + ridge).fold(0.0, f64::max);
    assert!((study.row_lipschitz / largest - 1.0).abs() < 1e-14);
    // With all rows in a batch nothing varies, and L is that of F.
    let full = Study::of(&problem, &Settings::default().sampling(Sampling::FullBatch))?;
    assert!((full.constants.gradient_noise.sqrt() / full.constants.gradient_norm - 1.0).abs() < 1e-12);
    assert!(full.constants.lipschitz < study.constants.lipschitz);
    Ok(())
}

#[test]
fn mu_says_what_it_is_made_of() -> Result<()> {
    let simulated = vector(Response::Logistic, Truth::Sparse(3), 400, 12, 3)?;
    let data = simulated.data()?;
    let study = |problem: Problem| Study::of(&problem, &Settings::default().batch_size(20));
    let on_set = study(Problem::new(&data, Logistic, Ball::radius(2.0)?))?;
    assert_eq!(on_set.basis, Basis::OnSet);
    assert!(on_set.constants.mu < on_set.mu_at_solution);
    let tighter = study(Problem::new(&data, Logistic, LinfBall::radius(0.1)?))?;
    assert!(tighter.basis == Basis::OnSet && tighter.constants.mu > on_set.constants.mu);
    let free = study(Problem::new(&data, Logistic, Ball::radius(2.0)?).intercept(true))?;
    assert_eq!(free.basis, Basis::AtSolution);
    let ridged = study(Problem::new(&data, Squared, Ball::radius(2.0)?).ridge(0.5))?;
    let plain = study(Problem::new(&data, Squared, Ball::radius(2.0)?))?;
    assert_eq!(plain.basis, Basis::Everywhere);
    assert!((ridged.constants.mu - plain.constants.mu - 0.5).abs() < 1e-12);
    assert!((ridged.constants.lipschitz - plain.constants.lipschitz - 0.5).abs() < 1e-9);
    // On a support the least eigenvalue can only be larger.
    let sparse = study(Problem::new(&data, Squared, Sparsity::at_most(3)))?;
    assert!(sparse.basis == Basis::OnSupport && sparse.constants.mu >= plain.constants.mu);
    let matrix = Data::dense(&simulated.x, 12, &simulated.y)?.shape(3, 4)?;
    let tangent = study(Problem::new(&matrix, Squared, Rank::at_most(1, 3, 4)))?;
    assert!(tangent.basis == Basis::OnTangent && tangent.constants.mu >= plain.constants.mu);
    let flat = study(Problem::new(&data, Huber::with_delta(1.0)?, Ball::radius(9.0)?))?;
    assert_eq!(flat.basis, Basis::AtSolution);
    Ok(())
}

#[test]
fn assumptions_fail_where_they_should() -> Result<()> {
    use Verdict::{Fails, Holds, Open};
    let simulated = vector(Response::Linear, Truth::Sparse(2), 200, 6, 4)?;
    let data = simulated.data()?;
    let verdicts = |problem: &Problem, settings: Settings, gamma| -> Result<Vec<Verdict>> {
        let study = Study::of(problem, &settings)?;
        Ok(assumptions(problem, &study, gamma).iter().map(|a| a.verdict).collect())
    };
    let ball = Problem::new(&data, Squared, Ball::radius(1.0)?);
    assert_eq!(verdicts(&ball, Settings::default(), 0.8)?, [Holds; 7]);
    assert_eq!(verdicts(&ball, Settings::default(), 0.4)?[0], Fails);
    assert_eq!(verdicts(&ball, Settings::default().sampling(Sampling::Reshuffled), 1.4)?[5], Fails);
    let sparse = Problem::new(&data, Squared, Sparsity::at_most(2));
    assert_eq!(verdicts(&sparse, Settings::default(), 1.0)?, [Holds, Fails, Holds, Holds, Open, Holds, Holds]);
    let huber = Problem::new(&data, Huber::with_delta(1.0)?, Ball::radius(20.0)?);
    assert_eq!(verdicts(&huber, Settings::default(), 1.0)?[1], Open);
    Ok(())
}

#[test]
fn advice_is_better_than_its_neighbours() -> Result<()> {
    let constants = Constants { lipschitz: 6.0, mu: 0.8, gradient_noise: 0.2, gradient_norm: 0.1, start_distance: 1.0 };
    let advice = advise(constants, 2000)?;
    assert!(((1.0 + 0.8 / advice.fastest_rho1).ln() - 1.0).abs() < 1e-14);
    let (theorem, stepwise) = (advice.theorem, advice.step_by_step);
    for gamma in [0.51, 0.6, 0.75, 0.9, 1.0] {
        for i in -30..30 {
            let bounds = Bounds::new(constants, 10.0_f64.powf(f64::from(i) / 10.0), gamma)?;
            assert!(bounds.ln_parameter(2000).is_none_or(|bound| bound >= theorem.ln_bound - 1e-6));
            assert!(bounds.ln_parameter_step_by_step(&[2000])[0] >= stepwise.ln_bound - 1e-6);
        }
    }
    assert!(stepwise.ln_bound < constants.start_distance.ln());
    assert!(matches!(advise(constants, 0), Err(Error::Setting { .. })));
    Ok(())
}

/// A loss with a corner.
struct Absolute;

impl Loss for Absolute {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        (response - predictor).abs()
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        (predictor - response).signum()
    }
    fn curvature(&self, _predictor: f64, _response: f64) -> f64 {
        0.0
    }
    fn is_differentiable(&self) -> bool {
        false
    }
}

#[test]
fn what_the_theory_cannot_say_is_refused_with_a_reason() -> Result<()> {
    let refusal = |problem: Problem| match Study::of(&problem, &Settings::default()) {
        Err(Error::Theory(fault)) => (fault.to_string(), fault.remedy()),
        Err(other) => panic!("{other}"),
        Ok(study) => panic!("{:?}", study.constants),
    };
    let x = [1.0, 2.0, 1.0, 0.0, 0.5, 0.0, 3.0, -1.0, 1.5, 2.0, 0.0, 1.0];
    let y = [1.0, 0.0, 2.0, 1.0];
    let data = Data::dense(&x, 3, &y)?.names(["age", "dose", "both"])?;
    let (reason, _) = refusal(Problem::new(&data, Absolute, WholeSpace));
    assert!(reason.contains("not differentiable"), "{reason}");
    let (reason, remedy) = refusal(Problem::new(&data, Poisson, WholeSpace));
    assert!(reason.contains("poisson") && reason.contains("no known bound") && remedy.contains("logistic"), "{reason}");

    let twins: Vec<f64> = x.chunks(3).flat_map(|row| [row[0], row[1], 2.0 * row[0]]).collect();
    let data = Data::dense(&twins, 3, &y)?.names(["age", "dose", "both"])?;
    let (reason, remedy) = refusal(Problem::new(&data, Squared, Ball::radius(1.0)?));
    assert!(reason.contains("age") && reason.contains("both") && !reason.contains("dose"), "{reason}");
    assert!(remedy.contains("ridge"), "{remedy}");
    let study = Study::of(&Problem::new(&data, Squared, Ball::radius(1.0)?).ridge(0.1), &Settings::default())?;
    assert!((study.constants.mu - 0.1).abs() < 1e-12);

    let empty: Vec<f64> = x.chunks(3).flat_map(|row| [row[0], 0.0, row[1]]).collect();
    let data = Data::dense(&empty, 3, &y)?;
    let (reason, _) = refusal(Problem::new(&data, Squared, Ball::radius(1.0)?));
    assert!(reason.contains("column V2 "), "{reason}");
    let data = Data::dense(&x[..6], 3, &y[..2])?;
    let (reason, _) = refusal(Problem::new(&data, Squared, Ball::radius(1.0)?));
    assert!(reason.contains("2 rows cannot determine 3 coefficients"), "{reason}");
    let wide = vec![1.0; 2 * 2001];
    let data = Data::dense(&wide, 2001, &y[..2])?;
    let (reason, remedy) = refusal(Problem::new(&data, Squared, Ball::radius(1.0)?));
    assert!(reason.contains("2001 x 2001") && remedy.contains("sparsity"), "{reason}");
    Ok(())
}
