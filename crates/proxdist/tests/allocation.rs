//! A step in steady state allocates nothing: counted, for every path of the prox, every loss and every set.
//!
//! One test only, so that no other thread allocates at the same time.

use proxdist::constraint::Sparsity;
use proxdist::loss::{Huber, Logistic, Loss, Poisson, Squared, SquaredHinge};
use proxdist::prox::{Path, Prox};
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::Constant;
use proxdist::simulate::{Response, Truth, vector};
use proxdist::solver::{DistanceStep, Iteration, ProximalDistance, Solver};
use proxdist::spec::SetSpec;
use proxdist::stream::{StreamProblem, StreamSettings};
use proxdist::{Data, Method, Problem, Ridge, Scaling};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
#[allow(unsafe_code)] // An allocator cannot be written without it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Allocations in 50 steps after 100 to warm up.
fn count(data: &Data, set: &str, loss: &dyn Loss, path: Option<Path>, sampling: Sampling) -> usize {
    let set = SetSpec::parse(set).unwrap().build(data.parameter_shape()).unwrap();
    let prox = Prox::new(loss).intercept(true).ridge(0.01);
    let prox = match path {
        Some(path) => prox.force(path),
        None => prox,
    };
    // A constant penalty, so that the prox keeps to one path: memory is taken when a path is first used.
    let schedule = Constant::new(2.0).unwrap();
    let batch_size = if path == Some(Path::Scalar) { 1 } else { 20 };
    let sampler = Sampler::new(sampling, data.rows(), batch_size, 1);
    let theta = vec![0.0; data.columns() + 1];
    let mut solver =
        ProximalDistance::of(DistanceStep::new(&*set, Box::new(prox)), data, &schedule, sampler, theta).unwrap();
    (0..100).for_each(|_| solver.advance().unwrap());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..50).for_each(|_| solver.advance().unwrap());
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// The same for a method by name.
fn count_of_method(data: &Data, text: &str) -> usize {
    let squares: Vec<f64> = (0..data.columns()).map(|j| j as f64).collect();
    let ridge = Ridge::on_effects(0.01, &squares);
    let problem = Problem::new(data, Squared, Sparsity::at_most(3)).intercept(true).ridge(ridge);
    let method: Method = text.parse().unwrap();
    let schedule = Constant::new(40.0).unwrap();
    let sampling = if method.is_full_batch() { Sampling::FullBatch } else { Sampling::WithoutReplacement };
    let sampler = Sampler::new(sampling, data.rows(), 20, 1);
    let theta = vec![0.0; data.columns() + 1];
    let mut solver = Iteration::of(method.step(&problem), data, &schedule, sampler, theta).unwrap();
    (0..100).for_each(|_| solver.advance().unwrap());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..50).for_each(|_| solver.advance().unwrap());
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// Allocations while a stream learns 20 blocks, after 100 to warm up and to choose its first penalty.
fn count_of_stream(block: &Data, set: &str, ridge: f64, half_life: Option<f64>) -> usize {
    let set = SetSpec::parse(set).unwrap().build(block.parameter_shape()).unwrap();
    let settings = StreamSettings::default().half_life(half_life).reservoir(50);
    let problem = StreamProblem::new(Logistic, set, block.parameter_shape()).ridge(ridge).intercept(true);
    let mut stream = problem.stream(settings).unwrap();
    for _ in 0..100 {
        stream.learn(block).unwrap();
    }
    assert!(stream.is_decided());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..20 {
        stream.learn(block).unwrap();
    }
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

#[test]
fn a_steady_step_allocates_nothing() {
    let simulated = vector(Response::Logistic, Truth::Sparse(3), 400, 36, 1).unwrap();
    let dense = simulated.data().unwrap().shape(6, 6).unwrap();
    let starts: Vec<usize> = (0..=400).map(|i| 36 * i).collect();
    let indices: Vec<u32> = (0..400).flat_map(|_| 0..36).collect();
    let sparse = Data::sparse(&starts, &indices, &simulated.x, 36, &simulated.y).unwrap();
    let single: Vec<f32> = simulated.x.iter().map(|v| *v as f32).collect();
    let single = Data::dense(&single, 36, &simulated.y).unwrap();
    let huber = Huber::with_delta(1.0).unwrap();
    let losses: [&dyn Loss; 5] = [&Squared, &Logistic, &huber, &Poisson, &SquaredHinge];
    // Rows of rows, as in a fold of a fold, with columns scaled in between.
    let (outer, inner) = ((0..390).rev().collect(), (0..300).map(|row| row + 7).collect());
    let outer = dense.subset(outer).unwrap();
    let outer_data = outer.data().unwrap();
    let scaling = Scaling::of(&outer_data, true).unwrap();
    let scaled = outer.data().unwrap().scaled(scaling).unwrap();
    let inner = scaled.subset(inner).unwrap();
    let folds = inner.data().unwrap();
    let sparse_part = sparse.subset((50..350).collect()).unwrap();
    let sparse_fold = sparse_part.data().unwrap();
    // Threads that are only now being started allocate, too.
    let _ = count(&dense, "sparsity:3", &Squared, None, Sampling::WithoutReplacement);
    for (name, data) in [
        ("dense", &dense),
        ("sparse", &sparse),
        ("single", &single),
        ("some dense", &outer_data),
        ("some sparse", &sparse_fold),
        ("some of some scaled", &folds),
    ] {
        for loss in losses {
            for path in [None, Some(Path::Scalar), Some(Path::Dual), Some(Path::Primal), Some(Path::Conjugate)] {
                let allocations = count(data, "sparsity:3", loss, path, Sampling::WithoutReplacement);
                assert_eq!(allocations, 0, "{name} rows, {} loss, {path:?}", loss.spec());
            }
        }
        assert_eq!(count(data, "ball:1", &Logistic, None, Sampling::FullBatch), 0, "{name} rows, full batch");
        for entry in proxdist::solver::catalogue() {
            assert_eq!(count_of_method(data, entry.name), 0, "{name} rows, {}", entry.name);
        }
        for text in ["incremental:g=huber:1;between=projected", "pd:momentum=yes;tolerance=1e-6"] {
            assert_eq!(count_of_method(data, text), 0, "{name} rows, {text}");
        }
    }
    let sets = [
        "none",
        "ball:1",
        "sparsity:5",
        "rank:2",
        "box:-1,1",
        "nonneg",
        "l1:2",
        "linf:1",
        "simplex",
        "halfspace;a=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1;b=1",
        "monotone",
        "group-sparsity:2;size=4",
        "sparsity:5 & nonneg",
        "sparsity:5 & box:-1,2",
        "sparsity:5 & ball:1",
        "sparsity:5 & simplex",
        "rank:2 & ball:1",
        "blocks[1-10: simplex][11-36: sparsity:2 & nonneg]",
    ];
    for set in sets {
        let allocations = count(&dense, set, &Logistic, None, Sampling::WithoutReplacement);
        assert_eq!(allocations, 0, "{set}");
    }
    for (name, block) in [("dense", &dense), ("sparse", &sparse)] {
        for (set, ridge, half_life) in
            [("sparsity:5", 0.0, None), ("sparsity:5", 0.01, Some(2000.0)), ("ball:1", 0.01, None)]
        {
            assert_eq!(count_of_stream(block, set, ridge, half_life), 0, "a stream of {name} rows, {set}");
        }
    }
}
