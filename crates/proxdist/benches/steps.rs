//! How long is one step of the iteration, and how close is it to what the machine can do?
//!
//! Data of the paper: n = 10 000, p = 1000, sparsity 5, one thread. A step early in a run has a small penalty, so the prox
//! works harder; `late` is step 1000. Sizes and questions stand in the names.

use divan::{Bencher, black_box};
use proxdist::constraint::{Constraint, Rank, Sparsity, Workspace};
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::prox::Prox;
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::Polynomial;
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::solver::{DistanceStep, ProximalDistance, Solver};
use std::sync::OnceLock;

fn main() {
    divan::main();
}

const STEPS: [u64; 4] = [1, 10, 100, 1000];

fn simulated(response: Response) -> &'static Simulated {
    static LINEAR: OnceLock<Simulated> = OnceLock::new();
    static LOGISTIC: OnceLock<Simulated> = OnceLock::new();
    static HUBER: OnceLock<Simulated> = OnceLock::new();
    let cell = match response {
        Response::Linear => &LINEAR,
        Response::Logistic => &LOGISTIC,
        Response::Huber => &HUBER,
    };
    cell.get_or_init(|| vector(response, Truth::Sparse(5), 10_000, 1000, 1).unwrap())
}

/// A run on data of the paper.
struct Run<'l> {
    response: Response,
    loss: &'l dyn Loss,
    batch: usize,
    rho1: f64,
}

/// Times steps `step + 1`, `step + 2`, … of a run.
fn steps(bencher: Bencher, run: &Run, step: u64) {
    let Run { response, loss, batch, rho1 } = *run;
    let data = simulated(response).data().unwrap();
    let (set, schedule) = (Sparsity::at_most(5), Polynomial::new(rho1, 1.0).unwrap());
    let sampler = || Sampler::new(Sampling::WithoutReplacement, 10_000, batch, 0);
    let start = |theta, from| {
        let prox = Box::new(Prox::new(loss));
        ProximalDistance::of(DistanceStep::new(&set, prox), &data, &schedule, sampler(), theta)
            .unwrap()
            .resumed_at(from)
    };
    let mut run = start(vec![0.0; 1000], 0);
    (0..step).for_each(|_| run.advance().unwrap());
    let theta = run.theta().to_vec();
    // Always the same steps from the same point, so that the cost is that of step k however many samples are taken.
    let mut timed = start(theta.clone(), step);
    bencher.bench_local(|| {
        timed.advance().unwrap();
        if timed.step() > step + step.clamp(1, 20) {
            timed.rewind(step, &theta);
        }
    });
}

#[divan::bench(args = STEPS)]
fn linear_batch_50(bencher: Bencher, step: u64) {
    steps(bencher, &Run { response: Response::Linear, loss: &Squared, batch: 50, rho1: 0.1 }, step);
}

#[divan::bench(args = STEPS)]
fn logistic_batch_200(bencher: Bencher, step: u64) {
    steps(bencher, &Run { response: Response::Logistic, loss: &Logistic, batch: 200, rho1: 1e-3 }, step);
}

#[divan::bench(args = STEPS)]
fn logistic_batch_1000(bencher: Bencher, step: u64) {
    steps(bencher, &Run { response: Response::Logistic, loss: &Logistic, batch: 1000, rho1: 1e-3 }, step);
}

#[divan::bench(args = STEPS)]
fn huber_batch_50(bencher: Bencher, step: u64) {
    let loss = &Huber::with_delta(2.0).unwrap();
    steps(bencher, &Run { response: Response::Huber, loss, batch: 50, rho1: 0.1 }, step);
}

mod projections {
    use super::{Bencher, Constraint, Rank, Sparsity, Workspace, black_box};

    fn noise(count: usize) -> Vec<f64> {
        (0..count).map(|i| ((i as f64 * 12.9898).sin() * 43_758.547).fract()).collect()
    }

    fn project(bencher: Bencher, set: &dyn Constraint, point: &[f64]) {
        let mut work = Workspace::default();
        let mut target = point.to_vec();
        bencher.bench_local(|| {
            target.copy_from_slice(point);
            set.project(black_box(&mut target), &mut work).unwrap();
        });
    }

    #[divan::bench(args = [20, 1000, 100_000])]
    fn sparsity_of_a_million(bencher: Bencher, keep: usize) {
        project(bencher, &Sparsity::at_most(keep), &noise(1_000_000));
    }

    /// A matrix near rank 5, as in a run, with noise of this size beside singular values of about 30.
    #[divan::bench(args = [0.0001, 0.01, 1.0])]
    fn rank_5_of_64_by_64(bencher: Bencher, size: f64) {
        let (left, right) = (noise(64 * 5), noise(320 + 64 * 5));
        let mut matrix = noise(64 * 64);
        matrix.iter_mut().for_each(|v| *v *= size);
        for i in 0..64 {
            for j in 0..64 {
                matrix[i * 64 + j] += (0..5).map(|k| left[i * 5 + k] * right[320 + j * 5 + k]).sum::<f64>();
            }
        }
        project(bencher, &Rank::at_most(5, 64, 64), &matrix);
    }

    #[divan::bench]
    fn rank_5_of_64_by_64_noise_only(bencher: Bencher) {
        project(bencher, &Rank::at_most(5, 64, 64), &noise(64 * 64));
    }
}

/// The Gram matrix of a batch through the library's rows and straight through the matrix crate.
mod gram {
    use super::{Bencher, Response, black_box, simulated};
    use faer::linalg::matmul::triangular::{self, BlockStructure};
    use faer::{Accum, MatMut, MatRef, Par};
    use proxdist::data::Batch;

    #[divan::bench(args = [50, 200, 500])]
    fn through_the_library(bencher: Bencher, rows: usize) {
        let data = simulated(Response::Linear).data().unwrap();
        let mut batch = Batch::default();
        batch.fill(&data, &(0..rows).collect::<Vec<_>>()).unwrap();
        let (mut gram, mut work) = (vec![0.0; rows * rows], Vec::new());
        bencher.bench_local(|| batch.rows().gram(black_box(&mut gram), &mut work));
    }

    #[divan::bench(args = [50, 200, 500])]
    fn by_the_matrix_crate(bencher: Bencher, rows: usize) {
        let x = MatRef::from_row_major_slice(&simulated(Response::Linear).x[..rows * 1000], rows, 1000);
        let mut gram = vec![0.0; rows * rows];
        bencher.bench_local(|| {
            triangular::matmul(
                MatMut::from_column_major_slice_mut(black_box(&mut gram), rows, rows),
                BlockStructure::TriangularLower,
                Accum::Replace,
                x,
                BlockStructure::Rectangular,
                x.transpose(),
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        });
    }
}
