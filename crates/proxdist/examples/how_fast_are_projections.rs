//! How long does one projection take, at the sizes people use?
//!
//! `cargo run --release -p proxdist --example how_fast_are_projections`

use std::time::Instant;

use proxdist::constraint::Workspace;
use proxdist::spec::SetSpec;
use proxdist::{Result, Shape};

fn main() -> Result<()> {
    let million = gaussian(1_000_000, 1);
    for spec in ["sparsity:20", "sparsity:1000", "sparsity:100000", "sparsity:500000", "sparsity:900000"] {
        time(spec, "Gaussian", Shape::Vector(million.len()), &million)?;
    }
    for spec in ["nonneg", "ball:1", "l1:3", "l1:10000", "simplex", "monotone", "group-sparsity:50;size=10"] {
        time(spec, "Gaussian", Shape::Vector(million.len()), &million)?;
    }
    for spec in ["sparsity:20 & nonneg", "sparsity:20 & box:-1,2", "sparsity:20 & simplex", "nonneg & ball:1"] {
        time(spec, "Gaussian", Shape::Vector(million.len()), &million)?;
    }
    for (size, rank) in [(64, 1), (64, 2), (64, 5), (64, 10), (256, 5)] {
        let shape = Shape::Matrix { rows: size, columns: size };
        let spec = format!("rank:{rank}");
        for noise in [0.0, 1e-4, 1e-2, 1e-1] {
            time(&spec, &format!("rank {rank} plus {noise:e} noise"), shape, &near_low_rank(size, rank, noise))?;
        }
        time(&spec, "Gaussian", shape, &gaussian(size * size, 3))?;
    }
    Ok(())
}

/// Prints the shortest of several runs.
fn time(spec: &str, what: &str, shape: Shape, point: &[f64]) -> Result<()> {
    let set = SetSpec::parse(spec)?.build(shape)?;
    let mut work = Workspace::default();
    let mut copy = point.to_vec();
    let mut best = f64::INFINITY;
    for _ in 0..if point.len() > 100_000 { 8 } else { 200 } {
        copy.copy_from_slice(point);
        let start = Instant::now();
        set.project(&mut copy, &mut work)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{shape:>9}  {spec:<26} {what:<24} {:9.1} us", best * 1e6);
    Ok(())
}

/// Approximately normal numbers, the same on every run.
fn gaussian(length: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..length).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

fn near_low_rank(size: usize, rank: usize, noise: f64) -> Vec<f64> {
    let (left, right) = (gaussian(size * rank, 4), gaussian(size * rank, 5));
    let mut matrix = gaussian(size * size, 6);
    for (at, x) in matrix.iter_mut().enumerate() {
        let (i, j) = (at / size, at % size);
        *x = noise * *x + (0..rank).map(|k| left[i * rank + k] * right[j * rank + k]).sum::<f64>();
    }
    matrix
}
