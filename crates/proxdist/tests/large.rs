//! A fit by readings is the fit in memory, and says only what it has read.

use proxdist::constraint::Constraint;
use proxdist::data::Rows;
use proxdist::large::{Block, LargeFit, LargeProblem, Part, Parts, Strip, VisitBlock};
use proxdist::loss::{Huber, Logistic, Loss, Poisson, Squared};
use proxdist::spec::SetSpec;
use proxdist::trace::{Observer, Progress, Reading};
use proxdist::{Data, Error, Exchanges, Fit, Model, Preparation, Problem, Result, Settings, Shape, Standardize, Stop};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Numbers between −1 and 1 that look random.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| 0.5 * (next() + next() + next())).collect()
}

/// Rows in units over five decades, far from zero, with everything that may belong to them.
struct World {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    columns: usize,
    shape: Option<(usize, usize)>,
}

impl World {
    /// Responses that suit a loss, of every third column.
    fn new(loss: &dyn Loss, rows: usize, columns: usize, seed: u64) -> Self {
        let z = numbers(rows * columns, seed);
        let noise = numbers(rows, seed + 1);
        let offset: Vec<f64> = numbers(rows, seed + 2).iter().map(|o| 0.2 * o).collect();
        let size = |j: usize| [1e-2, 1e-1, 1.0, 1e1, 1e2][j % 5];
        let (mut x, mut y) = (Vec::with_capacity(z.len()), Vec::with_capacity(rows));
        for (i, row) in z.chunks_exact(columns).enumerate() {
            let effects = row.iter().enumerate().step_by(3).take(5);
            let signal: f64 =
                effects.map(|(j, z)| (0.6 + 0.15 * (j % 4) as f64) * if j % 2 == 0 { 1.0 } else { -1.0 } * z).sum();
            let eta = 0.3 + signal + offset[i];
            y.push(match loss.spec().as_str() {
                "logistic" => f64::from(u8::from(1.0 / (1.0 + (-2.5 * eta).exp()) > 0.5 + 0.5 * noise[i])),
                "poisson" => (eta.exp() * (1.0 + noise[i])).round().max(0.0),
                _ => eta + 0.5 * noise[i] + if i % 17 == 0 { 3.0 } else { 0.0 },
            });
            x.extend(row.iter().enumerate().map(|(j, z)| size(j) * (z + 0.3 * row[0] + (j % 7) as f64)));
        }
        let weights = numbers(rows, seed + 3).into_iter().map(|w| 1.0 + 0.6 * w).map(|w| if w < 0.4 { 0.0 } else { w });
        Self { x, y, weights: weights.collect(), offset, columns, shape: None }
    }

    fn data(&self, is_full: bool) -> Data<'_> {
        let mut data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        if is_full {
            data = data.weights(&self.weights).unwrap().offset(&self.offset).unwrap();
        }
        match self.shape {
            Some((rows, columns)) => data.shape(rows, columns).unwrap(),
            None => data,
        }
    }

    fn set(&self, text: &str) -> Box<dyn Constraint> {
        let shape = self.shape.map_or(Shape::Vector(self.columns), |(rows, columns)| Shape::Matrix { rows, columns });
        SetSpec::parse(text).unwrap().build(shape).unwrap()
    }
}

/// What a case is about.
#[derive(Clone, Copy, Debug)]
struct Case {
    set: &'static str,
    ridge: f64,
    intercept: bool,
    is_full: bool,
}

fn in_memory(world: &World, loss: &dyn Loss, case: Case) -> (Fit, Model) {
    let set = world.set(case.set);
    let data = world.data(case.is_full);
    let units =
        Preparation::decide(Standardize::Auto, [&*set], case.intercept).unwrap().units(&data, case.ridge).unwrap();
    let data = units.apply(data).unwrap();
    let problem = Problem::new(&data, loss, set).ridge(units.ridge(case.ridge)).intercept(case.intercept);
    let fit = problem.fit(&Settings::default()).unwrap();
    let model = units.restored(fit.model()).unwrap();
    (fit, model)
}

/// Parts of unequal sizes, one of them empty.
fn parts<'d>(data: &'d Data<'d>) -> Parts<'d> {
    let rows = data.rows();
    let cuts = [0, rows / 7, rows / 7, rows / 2, rows / 2 + 1, rows];
    let strip = |cut: &[usize]| Box::new(Strip::new(data, cut[0]..cut[1])) as Box<dyn Part + 'd>;
    Parts::new(cuts.windows(2).map(strip)).unwrap()
}

fn by_readings(world: &World, loss: &dyn Loss, case: Case, settings: &Settings) -> Result<LargeFit> {
    let data = world.data(case.is_full);
    let backend = parts(&data);
    let problem = LargeProblem::new(&backend, loss, world.set(case.set)).ridge(case.ridge).intercept(case.intercept);
    let problem = match world.shape {
        Some((rows, columns)) => problem.shape(rows, columns),
        None => problem,
    };
    problem.fit(settings)
}

/// The largest difference between the effects of two models, relative to the largest effect.
fn apart(world: &World, a: &Model, b: &Model) -> f64 {
    let rows = world.y.len() as f64;
    let deviation = |j: usize| {
        let column = || world.x.iter().skip(j).step_by(world.columns);
        let mean = column().sum::<f64>() / rows;
        (column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / rows).sqrt()
    };
    let (mut most, mut size) = (0.0_f64, 1e-300_f64);
    for j in 0..world.columns {
        let effect = |model: &Model| deviation(j) * model.coefficients[j];
        most = most.max((effect(a) - effect(b)).abs());
        size = size.max(effect(a).abs()).max(effect(b).abs());
    }
    let center = |model: &Model| {
        let means = (0..world.columns)
            .map(|j| world.x.iter().skip(j).step_by(world.columns).sum::<f64>() / rows * model.coefficients[j]);
        model.intercept.map_or(0.0, |intercept| intercept + means.sum::<f64>())
    };
    most.max((center(a) - center(b)).abs()) / size
}

/// Bytes with which a sample of 30 columns has some hundred rows.
const LITTLE: usize = 1_600_000;

fn same_as_in_memory(loss: &dyn Loss, world: &World, case: Case) {
    let (fit, expected) = in_memory(world, loss, case);
    let found = by_readings(world, loss, case, &Settings::default().memory(LITTLE)).unwrap();
    let name = format!("{} {case:?}", loss.spec());
    let model = found.model().unwrap();
    let apart = apart(world, &model, &expected);
    // The finish over matrices of low rank leaves a gradient of 1e-8, in memory as well, which F does not show.
    let most = if case.set.starts_with("rank") && !loss.is_quadratic() { 1e-6 } else { 1e-8 };
    assert!(apart <= most, "{name}: {apart:e}, F {} and {}", found.fit.objective(), fit.objective());
    let certificate = found.fit.certificate();
    assert_eq!(found.fit.stop(), Stop::Polished, "{name}: {certificate:?}");
    assert!((found.fit.objective() - fit.objective()).abs() <= 1e-12 * fit.objective().abs(), "{name}");
    assert!(certificate.distance <= 1e-9, "{name}: {certificate:?}");
    let reads = found.fit.reads().unwrap();
    let usual = if loss.is_quadratic() { 2..=4 } else { 3..=8 };
    assert!(usual.contains(&reads), "{name}: {reads} reads");
    if let Some(gap) = certificate.gap {
        assert!(gap.value >= 0.0 && gap.value <= 1e-6 * fit.objective(), "{name}: {gap:?}");
    }
}

const SETS: [&str; 8] = [
    "sparsity:4",
    "group-sparsity:2;size=3",
    "ball:0.5",
    "nonneg",
    "box:-0.2,0.3",
    "simplex",
    "sparsity:3 & nonneg",
    "none",
];

#[test]
fn squared_loss_has_the_model_of_memory() {
    let world = World::new(&Squared, 3000, 30, 1);
    for set in SETS {
        for (ridge, intercept, is_full) in [(0.0, true, true), (0.1, true, false), (0.1, false, true)] {
            same_as_in_memory(&Squared, &world, Case { set, ridge, intercept, is_full });
        }
    }
}

#[test]
fn other_losses_have_the_model_of_memory() {
    let losses: [&dyn Loss; 3] = [&Logistic, &Huber::with_delta(0.4).unwrap(), &Poisson];
    for loss in losses {
        let world = World::new(loss, 3000, 30, 5);
        for set in SETS {
            let ridge = if set == "sparsity:4" { 0.0 } else { 0.05 };
            same_as_in_memory(loss, &world, Case { set, ridge, intercept: true, is_full: true });
        }
    }
}

#[test]
fn matrices_of_low_rank_are_those_of_memory() {
    let losses: [&dyn Loss; 3] = [&Squared, &Logistic, &Huber::with_delta(0.4).unwrap()];
    for loss in losses {
        let mut world = World::new(loss, 3000, 30, 9);
        // Units of the entries matter to a rank: all the same.
        world.x = numbers(world.x.len(), 77)
            .iter()
            .enumerate()
            .map(|(at, x)| x + 0.5 * f64::from((at % 30) as u32 % 3))
            .collect();
        world.shape = Some((5, 6));
        same_as_in_memory(loss, &world, Case { set: "rank:2", ridge: 0.01, intercept: true, is_full: true });
    }
}

/// Many columns: the support and its rivals are gathered, and one reading rules out the others. A quadratic F needs only the sums that do the latter.
#[test]
fn a_free_choice_among_many_columns_takes_three_readings_or_two() {
    let losses: [&dyn Loss; 2] = [&Squared, &Logistic];
    for loss in losses {
        let world = World::new(loss, 2500, 300, 3);
        let case = Case { set: "sparsity:5", ridge: 0.0, intercept: true, is_full: true };
        let (fit, expected) = in_memory(&world, loss, case);
        let found = by_readings(&world, loss, case, &Settings::default().memory(4_000_000)).unwrap();
        let model = found.model().unwrap();
        assert!(
            apart(&world, &model, &expected) <= 1e-8,
            "{} {:?} {:?}",
            loss.spec(),
            model.support(),
            expected.support()
        );
        assert_eq!(found.fit.reads(), Some(if loss.is_quadratic() { 2 } else { 3 }), "{}", loss.spec());
        let exchanges = if loss.is_quadratic() { Exchanges::Algebra } else { Exchanges::Model };
        assert_eq!(found.fit.certificate().exchanges, exchanges);
        assert!(found.fit.certificate().stationarity <= 1e-9);
        assert!((found.fit.objective() - fit.objective()).abs() <= 1e-12 * fit.objective());
    }
}

/// With ridge, without an intercept, with bounds beside the choice, and on so many features that columns are gathered instead of sums.
#[test]
fn choices_by_sums_are_those_of_memory() {
    let world = World::new(&Squared, 2500, 300, 13);
    for (set, ridge, intercept, is_full) in [
        ("sparsity:5", 0.1, true, true),
        ("sparsity:5", 0.0, false, true),
        ("sparsity:5", 0.2, false, false),
        ("sparsity:4 & nonneg", 0.01, true, true),
        ("sparsity:60", 0.0, true, false),
    ] {
        let case = Case { set, ridge, intercept, is_full };
        let (fit, expected) = in_memory(&world, &Squared, case);
        let found = by_readings(&world, &Squared, case, &Settings::default().memory(8_000_000)).unwrap();
        // Weak features among many are a search that may end in several places; the better one is no worse.
        if set == "sparsity:60" {
            assert!(found.fit.objective() <= fit.objective() * (1.0 + 1e-3), "{case:?}");
            continue;
        }
        assert!(apart(&world, &found.model().unwrap(), &expected) <= 1e-8, "{case:?}");
        assert!((found.fit.objective() - fit.objective()).abs() <= 1e-12 * fit.objective(), "{case:?}");
        assert!(found.fit.certificate().stationarity <= 1e-9, "{case:?}");
    }
}

/// Where the response is known but for a millionth, F falls so far below that of the start that sums have no digits left, and the result is read.
#[test]
fn a_quadratic_function_is_read_again_where_its_sums_have_lost_their_digits() {
    let mut world = World::new(&Squared, 3000, 300, 15);
    let noise = numbers(3000, 99);
    for (i, y) in world.y.iter_mut().enumerate() {
        let row = &world.x[i * 300..(i + 1) * 300];
        *y = 2.0 * row[2] - row[7] + 0.3 * row[12] + 1e-6 * noise[i];
    }
    for (set, is_convex) in [("sparsity:3", false), ("nonneg", true)] {
        let case = Case { set, ridge: 0.0, intercept: true, is_full: true };
        let (fit, expected) = in_memory(&world, &Squared, case);
        let found = by_readings(&world, &Squared, case, &Settings::default().memory(12_000_000)).unwrap();
        assert!(apart(&world, &found.model().unwrap(), &expected) <= 1e-8, "{set}");
        assert!((found.fit.objective() - fit.objective()).abs() <= 1e-7 * fit.objective(), "{set}");
        // The start of a convex set is zero.
        let reads = found.fit.reads().unwrap();
        assert!(reads >= if is_convex { 3 } else { 2 }, "{set}: {reads}");
    }
}

/// A sample that cannot know better is set right by the readings.
#[test]
fn a_column_that_the_sample_does_not_know_is_found_on_all_rows() {
    let loss = &Squared;
    let (rows, columns) = (4000, 300);
    let mut world = World::new(loss, rows, columns, 11);
    // A column that is zero on nearly all rows, and decides on the others.
    let rare: Vec<usize> = (0..rows).step_by(200).collect();
    for i in 0..rows {
        world.x[i * columns + 299] = if rare.contains(&i) { 1.0 } else { 0.0 };
        world.y[i] += if rare.contains(&i) { 40.0 } else { 0.0 };
    }
    let case = Case { set: "sparsity:4", ridge: 0.0, intercept: true, is_full: false };
    let (_, expected) = in_memory(&world, loss, case);
    assert!(expected.support().contains(&299));
    for seed in 0..3 {
        let settings = Settings::default().memory(4_000_000).seed(seed);
        let found = by_readings(&world, loss, case, &settings).unwrap();
        assert!(apart(&world, &found.model().unwrap(), &expected) <= 1e-8, "seed {seed}");
        assert!(found.fit.certificate().exchanges.are_exhausted());
    }
}

#[test]
fn threads_change_no_bit_and_parts_no_digit() {
    let losses: [&dyn Loss; 2] = [&Squared, &Logistic];
    for loss in losses {
        for (set, columns) in [("sparsity:4", 30), ("ball:0.5", 30), ("sparsity:4", 300)] {
            let world = World::new(loss, 3000, columns, 2);
            let case = Case { set, ridge: 0.0, intercept: true, is_full: true };
            let settings = Settings::default().memory(LITTLE / 30 * columns);
            let bits = |threads: usize| {
                let found = by_readings(&world, loss, case, &settings.clone().threads(threads)).unwrap();
                (found.fit.coefficients().iter().map(|value| value.to_bits()).collect::<Vec<_>>(), found.fit.reads())
            };
            assert_eq!(bits(1), bits(3), "{} {set}", loss.spec());
        }
    }
}

#[test]
fn rows_that_fit_into_the_sample_are_read_once() {
    let world = World::new(&Logistic, 400, 12, 4);
    let case = Case { set: "sparsity:3", ridge: 0.0, intercept: true, is_full: true };
    let (_, expected) = in_memory(&world, &Logistic, case);
    let found = by_readings(&world, &Logistic, case, &Settings::default()).unwrap();
    assert_eq!(found.fit.reads(), Some(1));
    assert!(apart(&world, &found.model().unwrap(), &expected) <= 1e-8);
}

#[test]
fn sparse_rows_are_fitted_as_in_memory() {
    let world = World::new(&Squared, 3000, 30, 6);
    let (mut starts, mut indices, mut values) = (vec![0_usize], Vec::new(), Vec::new());
    for (i, row) in world.x.chunks_exact(30).enumerate() {
        for (j, x) in row.iter().enumerate().filter(|(j, _)| (i + j) % 3 != 0) {
            indices.push(j as u32);
            values.push(*x);
        }
        starts.push(values.len());
    }
    for set in ["sparsity:4", "nonneg"] {
        let data = || Data::sparse(&starts, &indices, &values, 30, &world.y).unwrap();
        let chosen = world.set(set);
        let units = Preparation::decide(Standardize::Auto, [&*chosen], true).unwrap().units(&data(), 0.01).unwrap();
        let scaled = units.apply(data()).unwrap();
        let fit = Problem::new(&scaled, Squared, &*chosen)
            .ridge(units.ridge(0.01))
            .intercept(true)
            .fit(&Settings::default())
            .unwrap();
        let expected = units.restored(fit.model()).unwrap();
        let (data, settings) = (data(), Settings::default().memory(LITTLE));
        let backend = parts(&data);
        let found = LargeProblem::new(&backend, Squared, &*chosen).ridge(0.01).intercept(true).fit(&settings).unwrap();
        assert!(apart(&world, &found.model().unwrap(), &expected) <= 1e-8, "{set}");
    }
}

/// A part that fails in the middle of one reading, or has another row more in it.
struct Failing<'d> {
    data: &'d Data<'d>,
    readings: AtomicU64,
    fails_in: u64,
    row: AtomicUsize,
    grows: bool,
}

impl Part for Failing<'_> {
    fn columns(&self) -> usize {
        self.data.columns()
    }

    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        let number = self.readings.fetch_add(1, Ordering::Relaxed) + 1;
        let row = self.row.load(Ordering::Relaxed);
        self.data.read(columns, &mut |block| {
            if number == self.fails_in && !self.grows && (block.first..block.first + block.rows.len()).contains(&row) {
                let source = std::io::Error::other("the disk is gone");
                return Err(Error::File { path: "rows.bin".into(), source });
            }
            visit(block)
        })?;
        if number == self.fails_in && self.grows {
            return Strip::new(self.data, 0..1).read(columns, visit);
        }
        Ok(())
    }
}

#[test]
fn a_source_that_fails_in_any_reading_is_the_error_of_the_fit() {
    let losses: [&dyn Loss; 2] = [&Squared, &Logistic];
    for loss in losses {
        let world = World::new(loss, 3000, 30, 8);
        let data = world.data(true);
        for set in ["sparsity:4", "ball:0.5"] {
            // A quadratic F is read twice.
            let last = if loss.is_quadratic() { 2 } else { 3 };
            for (fails_in, row) in [(1, 0), (1, 2999), (2, 1500), (last, 2222)] {
                for grows in [false, true] {
                    let part = Failing {
                        data: &data,
                        readings: AtomicU64::new(0),
                        fails_in,
                        row: AtomicUsize::new(row),
                        grows,
                    };
                    let backend =
                        Parts::new([Box::new(part) as Box<dyn Part>]).unwrap().named(vec!["rows.bin".to_owned()]);
                    let problem = LargeProblem::new(&backend, loss, world.set(set)).intercept(true);
                    let found = problem.fit(&Settings::default().memory(LITTLE));
                    match (grows, fails_in) {
                        // What has changed before it was counted is not seen.
                        (true, 1) => assert!(
                            matches!(found, Err(Error::Changed { found: 3000, expected: 3001, .. })),
                            "{found:?}"
                        ),
                        (true, _) => assert!(
                            matches!(found, Err(Error::Changed { found: 3001, expected: 3000, .. })),
                            "{found:?}"
                        ),
                        (false, _) => assert!(
                            matches!(found, Err(Error::File { .. })),
                            "{} {set} {fails_in} {row}: {found:?}",
                            loss.spec()
                        ),
                    }
                }
            }
        }
    }
}

#[test]
fn a_bad_number_is_named_with_its_place() {
    let mut world = World::new(&Logistic, 3000, 30, 8);
    let fit = |world: &World| {
        let sound = World::new(&Logistic, 3000, 30, 8);
        // Checked on the way in, so the numbers are put in by a part.
        let data = sound.data(true);
        let bad = Overwritten { data: &data, world };
        let backend = Parts::new([Box::new(Strip::new(&data, 0..10)) as Box<dyn Part>, Box::new(bad)]).unwrap();
        let set = world.set("sparsity:4");
        let plain = LargeProblem::new(&backend, Logistic, &*set)
            .fit(&Settings::default().memory(LITTLE))
            .unwrap_err()
            .to_string();
        let backend = Parts::new([
            Box::new(Strip::new(&data, 0..10)) as Box<dyn Part>,
            Box::new(Overwritten { data: &data, world }),
        ])
        .unwrap();
        let backend = backend.named(vec!["a.csv".to_owned(), "b.csv".to_owned()]);
        let named = LargeProblem::new(&backend, Logistic, &*set)
            .fit(&Settings::default().memory(LITTLE))
            .unwrap_err()
            .to_string();
        (plain, named)
    };
    world.x[2000 * 30 + 7] = f64::NAN;
    let (plain, named) = fit(&world);
    assert_eq!(plain, "feature at row 2010, column 7 is NaN, not a finite number");
    assert_eq!(named, "b.csv: feature at row 2000, column 7 is NaN, not a finite number");
    world.y[1999] = 0.5;
    assert!(fit(&world).0.starts_with("response at row 2009 is 0.5: the logistic loss needs"), "{:?}", fit(&world));
    world.x[5 * 30 + 1] = 1e200;
    assert!(fit(&world).1.starts_with("b.csv: feature at row 5, column 1 is 1e200: products"), "{:?}", fit(&world));
}

/// The rows of a table whose numbers nobody has checked.
struct Overwritten<'d> {
    data: &'d Data<'d>,
    world: &'d World,
}

impl Part for Overwritten<'_> {
    fn columns(&self) -> usize {
        self.data.columns()
    }

    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        assert!(columns.is_none());
        self.data.read(None, &mut |block| {
            let range = block.first..block.first + block.rows.len();
            let width = self.world.columns;
            let values = &self.world.x[range.start * width..range.end * width];
            let rows = Rows::Dense { values, rows: range.len(), columns: width };
            visit(Block { rows, response: &self.world.y[range], ..block })
        })
    }
}

#[test]
fn what_does_not_fit_into_memory_is_an_error_with_its_size() {
    let world = World::new(&Squared, 3000, 30, 8);
    let case = |set| Case { set, ridge: 0.0, intercept: true, is_full: false };
    let error =
        by_readings(&world, &Squared, case("ball:1"), &Settings::default().memory(10_000)).unwrap_err().to_string();
    assert_eq!(
        error,
        "a sample of the rows would take 46.9 KiB of memory, more than the 9.8 KiB that the fit may take"
    );
    let error =
        by_readings(&world, &Squared, case("ball:1"), &Settings::default().memory(60_000)).unwrap_err().to_string();
    assert!(error.starts_with("the second derivatives of all pairs of columns would take 84.4 KiB"), "{error}");
    let world = World::new(&Logistic, 3000, 30, 8);
    let error = by_readings(&world, &Logistic, case("sparsity:25"), &Settings::default().memory(LITTLE))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the columns of a support in memory would take 1.9 MiB"), "{error}");
}

/// An observer that says stop at the part with this number of a reading.
struct Stops {
    after: usize,
}

impl Observer for Stops {
    fn checkpoint(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reading(&mut self, reading: &Reading) -> ControlFlow<()> {
        assert!(reading.of.is_none_or(|of| reading.rows <= of));
        self.after = self.after.saturating_sub(1);
        if self.after == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn an_interrupt_leaves_a_feasible_model_and_no_claim() {
    let world = World::new(&Logistic, 3000, 30, 8);
    let data = world.data(true);
    for set in ["sparsity:4", "simplex"] {
        let chosen = world.set(set);
        for after in 1..12 {
            let backend = parts(&data);
            let problem = LargeProblem::new(&backend, Logistic, &*chosen).intercept(true);
            let found = problem.fit_observed(&Settings::default().memory(LITTLE), &mut Stops { after });
            if after < 5 {
                assert!(matches!(found, Err(Error::Interrupted)), "{after}");
                continue;
            }
            let found = found.unwrap();
            assert!(found.fit.certificate().distance <= 1e-9, "{set} {after}");
            assert_eq!(found.fit.stop(), Stop::Interrupted, "{set} {after}");
            assert!(
                !found.fit.certificate().exchanges.are_exhausted()
                    && found.fit.certificate().exchanges != Exchanges::Model
            );
        }
    }
}
