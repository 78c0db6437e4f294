//! The simulated problems that several experiments share, their exact optima, and runs with checkpoints.

use crate::cell::Halt;
use crate::error::Result;
use crate::settings::Size;
use proxdist::constraint::{Ball, Constraint, Rank, Sparsity, Workspace};
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::Polynomial;
use proxdist::simulate::{self, Response, Simulated, Truth};
use proxdist::solver::{Iteration, Method, Solver};
use proxdist::{Problem, Settings};

/// The models of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Linear,
    Logistic,
    Huber,
    Matrix,
}

impl Model {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Model::Linear => "linear",
            Model::Logistic => "logistic",
            Model::Huber => "Huber",
            Model::Matrix => "matrix",
        }
    }

    /// Its loss; the paper's δ for Huber is 2.
    pub(crate) fn loss(self) -> Result<Box<dyn Loss>> {
        Ok(match self {
            Model::Linear | Model::Matrix => Box::new(Squared),
            Model::Logistic => Box::new(Logistic),
            Model::Huber => Box::new(Huber::with_delta(2.0)?),
        })
    }
}

/// The sets of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Ball,
    Sparsity(usize),
    Rank(usize),
}

impl Set {
    pub(crate) fn name(self) -> String {
        match self {
            Set::Ball => "unit ball".into(),
            Set::Sparsity(s) => format!("sparsity {s}"),
            Set::Rank(r) => format!("rank {r}"),
        }
    }

    pub(crate) fn constraint(self, shape: proxdist::Shape) -> Result<Box<dyn Constraint>> {
        Ok(match (self, shape) {
            (Set::Ball, _) => Box::new(Ball::radius(1.0)?),
            (Set::Sparsity(s), _) => Box::new(Sparsity::at_most(s)),
            (Set::Rank(r), proxdist::Shape::Matrix { rows, columns }) => Box::new(Rank::at_most(r, rows, columns)),
            (Set::Rank(r), proxdist::Shape::Vector(length)) => Box::new(Rank::at_most(r, length, 1)),
        })
    }
}

/// Data of the paper's generators. Matrices are 64 × 64 whatever `size.p` says.
pub(crate) fn simulate(model: Model, set: Set, size: Size, seed: u64) -> Result<Simulated> {
    let response = match model {
        Model::Linear | Model::Matrix => Response::Linear,
        Model::Logistic => Response::Logistic,
        Model::Huber => Response::Huber,
    };
    Ok(match set {
        Set::Ball => simulate::vector(response, Truth::OutsideBall, size.n, size.p, seed)?,
        Set::Sparsity(s) => simulate::vector(response, Truth::Sparse(s), size.n, size.p, seed)?,
        Set::Rank(r) => simulate::matrix(r, size.n, seed)?,
    })
}

/// The seed of a repeat: other data, other batches.
pub(crate) fn repeat_seed(seed: u64, repeat: u64) -> u64 {
    // A stride that no user of neighbouring seeds will meet.
    seed.wrapping_mul(1_000_003).wrapping_add(repeat)
}

/// The optimum on the sample by the exact finish, with its value and the residual of its certificate.
pub(crate) struct Optimum {
    pub(crate) theta: Vec<f64>,
    pub(crate) objective: f64,
    pub(crate) stationarity: f64,
}

/// $\theta_*$ of a problem.
pub(crate) fn optimum(problem: &Problem, seed: u64) -> Result<Optimum> {
    let fit = problem.fit(&Settings::default().seed(seed))?;
    Ok(Optimum {
        theta: fit.coefficients().to_vec(),
        objective: fit.objective(),
        stationarity: fit.certificate().stationarity,
    })
}

/// Draws data, and hands on their problem with its optimum.
pub(crate) fn with_optimum<T>(
    model: Model,
    set: Set,
    size: Size,
    seed: u64,
    then: impl FnOnce(&Problem, &Optimum) -> Result<T>,
) -> Result<T> {
    let simulated = simulate(model, set, size, seed)?;
    let data = simulated.data()?;
    let (loss, constraint) = (model.loss()?, set.constraint(simulated.shape)?);
    let problem = Problem::new(&data, &*loss, &*constraint);
    then(&problem, &optimum(&problem, seed)?)
}

/// $\|a - b\|^2$
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// How a method moves: $\rho_k = \rho_1k^\gamma$, or $\alpha_k = 1/\rho_k$ for those with a learning rate, and so many rows a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    pub(crate) rho1: f64,
    pub(crate) gamma: f64,
    pub(crate) batch: usize,
    pub(crate) steps: u64,
}

/// A method at work on a problem, from zero.
pub(crate) struct Run<'r> {
    pub(crate) problem: &'r Problem<'r>,
    pub(crate) method: Method,
    pub(crate) schedule: Schedule,
    pub(crate) seed: u64,
    pub(crate) halt: Halt<'r>,
}

impl Run<'_> {
    /// `see` gets $P_C(\theta_k)$ at each of the increasing `checkpoints` and may end the run by `false`.
    pub(crate) fn follow(
        &self,
        checkpoints: impl Iterator<Item = u64>,
        mut see: impl FnMut(u64, &[f64]) -> Result<bool>,
    ) -> Result<()> {
        let Self { problem, method, schedule, seed, halt } = self;
        let (data, constraint) = (problem.data(), problem.constraint());
        let penalties = Polynomial::new(schedule.rho1, schedule.gamma)?;
        let way = if schedule.batch >= data.rows() { Sampling::FullBatch } else { Sampling::WithoutReplacement };
        let sampler = Sampler::new(way, data.rows(), schedule.batch, *seed);
        let mut solver = Iteration::of(method.step(problem), data, &penalties, sampler, problem.layout().zeros())?;
        let (mut point, mut work) = (problem.layout().zeros(), Workspace::default());
        for checkpoint in checkpoints.take_while(|&step| step <= schedule.steps) {
            while solver.step() < checkpoint {
                halt.check()?;
                solver.advance()?;
            }
            point.copy_from_slice(solver.theta());
            constraint.project(problem.layout().coefficients_mut(&mut point), &mut work)?;
            if !see(checkpoint, &point)? {
                break;
            }
        }
        Ok(())
    }
}

/// Steps 1, 2, … at `per_decade` equal ratios a decade, each once, `last` included.
pub(crate) fn log_spaced(last: u64, per_decade: u32) -> Vec<u64> {
    let decades = (last as f64).log10();
    let count = (decades * f64::from(per_decade)).ceil() as u32;
    let mut steps: Vec<u64> =
        (0..=count).map(|i| 10_f64.powf(f64::from(i) / f64::from(per_decade)).round() as u64).collect();
    steps.retain(|&step| step <= last);
    steps.push(last);
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_rise_to_the_last_step() {
        let steps = log_spaced(1000, 5);
        assert!(steps.windows(2).all(|w| w[0] < w[1]), "{steps:?}");
        assert_eq!((steps[0], steps[steps.len() - 1]), (1, 1000));
    }
}
