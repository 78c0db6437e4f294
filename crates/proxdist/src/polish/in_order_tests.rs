//! A source that is read in order only serves every pass: same bits as rows in memory, and an error on the way is the result.

use super::factors::Factors;
use super::gram::Gram;
use super::{OnColumns, OnData, Smooth, normal, sweep};
use crate::constraint::{NonNegative, Sparsity};
use crate::data::{Batch, ChunkSource, Piece, Rows, Visit, Wanted, products};
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, Squared};
use crate::objective::Objective;
use crate::{Data, Problem, Scaling, Settings};
use std::sync::atomic::{AtomicUsize, Ordering};

const ROWS: usize = 5000;
const COLUMNS: usize = 36;
const NEVER: usize = usize::MAX;

/// Rows in order, copied for each chunk as a file would have to; reading beyond a row may fail.
struct InOrder<'a> {
    x: &'a [f64],
    fails_at: &'a AtomicUsize,
    /// Rows that are left out of each chunk: a source that does not keep its word.
    missing: usize,
}

impl ChunkSource for InOrder<'_> {
    fn rows(&self) -> usize {
        ROWS
    }

    fn columns(&self) -> usize {
        COLUMNS
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        wanted.ranges().try_for_each(|range| {
            if range.contains(&self.fails_at.load(Ordering::Relaxed)) {
                return Err(Error::File { path: "rows".into(), source: std::io::Error::other("torn") });
            }
            let (first, range) = (range.start, range.start..range.end - self.missing);
            let rows = self.x[range.start * COLUMNS..range.end * COLUMNS].chunks_exact(COLUMNS);
            let values: Vec<f64> = match wanted.columns {
                None => rows.flatten().copied().collect(),
                Some(few) => rows.flat_map(|row| few.iter().map(|&j| row[j])).collect(),
            };
            let columns = wanted.columns.map_or(COLUMNS, <[usize]>::len);
            let rows = Rows::Dense { values: &values, rows: range.len(), columns };
            visit(Piece { first, rows, columns: wanted.columns })
        })
    }
}

/// Numbers between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The numbers of a problem: features, response, weights (some of them zero), offset.
struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
}

impl Table {
    fn new() -> Self {
        let weights = numbers(ROWS, 3).iter().map(|w| if *w < -0.8 { 0.0 } else { 1.0 + w }).collect();
        let y = numbers(ROWS, 2).iter().map(|y| f64::from(u8::from(*y > 0.0))).collect();
        Self { x: numbers(ROWS * COLUMNS, 1), y, weights, offset: numbers(ROWS, 4) }
    }

    fn data<'a>(&'a self, source: impl ChunkSource + 'a) -> Data<'a> {
        Data::new(source, &self.y).unwrap().weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    fn in_memory(&self) -> Data<'_> {
        self.data(crate::data::Dense::new(&self.x, COLUMNS).unwrap())
    }

    fn in_order<'a>(&'a self, fails_at: &'a AtomicUsize) -> Data<'a> {
        self.data(InOrder { x: &self.x, fails_at, missing: 0 })
    }
}

type Measure = fn(Objective) -> Result<Vec<f64>>;

/// A point with an intercept and this many nonzeros.
fn point(nonzeros: usize) -> Vec<f64> {
    let mut theta = numbers(COLUMNS + 1, 5);
    theta[nonzeros..COLUMNS].fill(0.0);
    theta
}

/// Value, gradient and second derivatives of a function at a point.
fn derivatives(function: &mut dyn Smooth, point: &[f64]) -> Result<Vec<f64>> {
    let size = function.dimension();
    let mut out = vec![0.0; size * size + 2 * size];
    let (gradient, rest) = out.split_at_mut(size);
    let (product, hessian) = rest.split_at_mut(size);
    let values = [function.value(point)?, function.gradient(point, gradient)?];
    function.linearise_with(point, 0.25)?;
    function.hessian_times(point, product)?;
    function.hessian(hessian)?;
    out.extend(values);
    out.extend(function.diagonal()?);
    Ok(out)
}

/// Every kind of pass, by name.
fn passes() -> Vec<(&'static str, Measure)> {
    vec![
        ("F", |f| Ok(vec![f.value(&point(36))?, f.value(&point(3))?, f.value(&point(0))?])),
        ("F at a few columns", |f| Ok(vec![f.value(&point(3))?])),
        ("the gradient", |f| {
            let mut gradient = vec![0.0; COLUMNS + 1];
            let value = f.gradient(&point(36), &mut gradient)?;
            gradient.push(value);
            Ok(gradient)
        }),
        ("derivatives on all columns", |f| derivatives(&mut OnData::new(f), &point(36))),
        ("derivatives on a support", |f| {
            let point: Vec<f64> = numbers(4, 6);
            derivatives(&mut OnColumns::new(f, &[1, 8, 30])?, &point)
        }),
        ("a sweep", |f| {
            let found = sweep::sweep(f, &point(3), &[0, 1, 2], None)?;
            Ok([found.gradient, found.diagonal, vec![found.value], found.crosses.unwrap_or_default()].concat())
        }),
        ("gradients at several points", |f| sweep::gradients(f, &[2, 5], &[numbers(3, 7), numbers(3, 8)])),
        ("the normal equations of a rank", |f| {
            let theta = point(36);
            let found =
                normal::derivatives(f, &Factors::of(f.layout().coefficients(&theta), 6, 6, 2, 0.0), &theta, true)?;
            Ok([found.gradient, found.normal.unwrap_or_default(), found.curvatures, found.cross, vec![found.value]]
                .concat())
        }),
        ("the Gram matrix", |f| {
            let found = Gram::new(Objective { loss: &Squared, ..f })?;
            Ok(vec![found.and_then(|mut gram| gram.least(&[0, 7, 9])).unwrap_or(f64::NAN)])
        }),
        ("moments", |f| {
            let Scaling { means, factors } = Scaling::of(f.data, true)?;
            Ok([means, factors].concat())
        }),
        ("F on scaled columns", |f| {
            let ones = Scaling { means: vec![0.1; COLUMNS], factors: vec![3.0; COLUMNS] };
            let data = f.data.scaled_view(ones)?;
            let f = Objective { data: &data, ..f };
            Ok(vec![f.value(&point(36))?, f.value(&point(3))?])
        }),
        ("predictions", |f| products(f.data.source(), &point(36)[..COLUMNS])),
        ("a bound by curvature", |f| {
            let theta: Vec<f64> = point(36).iter().map(|value| value.abs()).collect();
            let mut gradient = vec![0.0; COLUMNS + 1];
            let value = f.gradient(&theta, &mut gradient)?;
            let measured = crate::gap::Measured { theta: &theta, value, gradient: &gradient, metric: &[1.0; COLUMNS] };
            let bound = crate::gap::by_curvature(f, &NonNegative, measured)?;
            Ok(vec![bound.unwrap_or(-1.0)])
        }),
        ("the largest feature", |f| Ok(vec![f.data.source().find_beyond(0.999)?.map_or(0.0, |cell| cell.value)])),
        ("all rows at once", |f| {
            let mut batch = Batch::default();
            batch.fill_whole(f.data)?;
            Ok(batch.rows().spread(&mut Vec::new()).to_vec())
        }),
    ]
}

#[test]
fn every_pass_gives_the_same_bits_in_order_as_in_memory_and_returns_the_error_of_a_chunk() {
    let (table, fails_at) = (Table::new(), AtomicUsize::new(NEVER));
    let (memory, order) = (table.in_memory(), table.in_order(&fails_at));
    let losses: [&dyn Loss; 2] = [&Squared, &Logistic];
    for loss in losses {
        for (name, pass) in passes() {
            let expected = pass(Objective::new(&memory, loss, 0.1).intercept(true)).unwrap();
            assert!(!expected.is_empty() && expected.iter().all(|value| value.is_finite()), "{name}");
            // Twice: every pass starts again at the first row.
            for _ in 0..2 {
                let found = pass(Objective::new(&order, loss, 0.1).intercept(true)).unwrap();
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
                assert!(bits(&found) == bits(&expected), "{name}, {} loss", loss.spec());
            }
            for row in [0, 2345, ROWS - 1] {
                fails_at.store(row, Ordering::Relaxed);
                let found = pass(Objective::new(&order, loss, 0.1).intercept(true));
                fails_at.store(NEVER, Ordering::Relaxed);
                assert!(matches!(found, Err(Error::File { .. })), "{name}, row {row}: {found:?}");
            }
        }
    }
}

#[test]
fn a_source_that_gives_other_rows_than_it_was_asked_for_is_found_out() {
    let (table, fails_at) = (Table::new(), AtomicUsize::new(NEVER));
    let data = table.data(InOrder { x: &table.x, fails_at: &fails_at, missing: 1 });
    for (name, pass) in passes().into_iter().filter(|(name, _)| *name != "the largest feature") {
        let found = pass(Objective::new(&data, &Squared, 0.0).intercept(true));
        assert!(matches!(found, Err(Error::Chunks { first: 0, .. })), "{name}: {found:?}");
    }
}

#[test]
fn what_needs_rows_in_any_order_says_so() {
    let (table, fails_at) = (Table::new(), AtomicUsize::new(NEVER));
    let data = table.in_order(&fails_at);
    assert!(matches!(Batch::default().fill(&data, &[1, 0]), Err(Error::InOrderOnly)));
    assert!(matches!(
        Objective::new(&data, &Squared, 0.0).intercept(true).value_on(&point(3), &[1]),
        Err(Error::InOrderOnly)
    ));
    // Some of the rows are read in order, too.
    let part = data.subset(vec![1]).unwrap();
    assert!(part.data().is_ok_and(|part| part.rows() == 1 && part.random_access().is_err()));
    // A fit takes its batches from a sample.
    let settings = Settings::default().rho1(1.0).memory(4 << 20);
    let fit = Problem::new(&data, Squared, Sparsity::at_most(3)).fit(&settings).unwrap();
    let expected = Problem::new(&table.in_memory(), Squared, Sparsity::at_most(3)).fit(&settings).unwrap();
    assert!(fit.reads().is_some_and(|reads| reads > 1) && fit.support() == expected.support());
}

#[test]
fn an_error_in_the_features_is_found_while_they_are_read_for_the_first_time() {
    let (mut table, fails_at) = (Table::new(), AtomicUsize::new(NEVER));
    table.x[1234 * COLUMNS + 5] = f64::NAN;
    let found = Data::new(InOrder { x: &table.x, fails_at: &fails_at, missing: 0 }, &table.y).err();
    assert!(matches!(found, Some(Error::NotFiniteData { row: 1234, .. })), "{found:?}");
    fails_at.store(4999, Ordering::Relaxed);
    let found = Data::new(InOrder { x: &table.x, fails_at: &fails_at, missing: 0 }, &table.y).err();
    assert!(matches!(found, Some(Error::File { .. })), "{found:?}");
}
