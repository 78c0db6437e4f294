//! Blocks of rows that are seen once: what is found, what is followed, and what must never change.

use proxdist::constraint::projected;
use proxdist::loss::{self, Loss};
use proxdist::spec::SetSpec;
use proxdist::stream::{MeasuredOn, Stream, StreamProblem, StreamSettings, StreamState};
use proxdist::{Data, Problem, Settings, Shape, Standardize, Stop};

/// Random numbers of the tests: a small generator, and normal variates by the sum of twelve uniform ones.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Rows of a model whose coefficients are known.
struct Planted {
    x: Vec<f64>,
    y: Vec<f64>,
    columns: usize,
}

/// Units of column `j`: five decades in all.
fn unit(j: usize) -> f64 {
    [1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3][j % 6]
}

/// Effects of one standard deviation of each column.
fn effects(columns: usize, support: &[usize], size: f64) -> Vec<f64> {
    let mut effects = vec![0.0; columns];
    support.iter().enumerate().for_each(|(k, &j)| effects[j] = if k % 2 == 0 { size } else { -size });
    effects
}

impl Planted {
    /// Rows whose columns have units and means of their own.
    fn new(loss: &str, effects: &[f64], rows: usize, seed: u64) -> Self {
        let (mut random, columns) = (Random(seed), effects.len());
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let z: Vec<f64> = (0..columns).map(|_| random.normal()).collect();
            let eta = z.iter().zip(effects).map(|(z, effect)| z * effect).sum::<f64>() + 0.3;
            x.extend(z.iter().enumerate().map(|(j, z)| unit(j) * (z + (j % 3) as f64)));
            y.push(match loss {
                "logistic" => f64::from(u8::from(random.uniform() < 1.0 / (1.0 + (-eta).exp()))),
                "poisson" => poisson(eta.exp(), &mut random),
                // One row in twenty is far off.
                "huber" if random.uniform() < 0.05 => eta + 40.0 * random.normal(),
                _ => eta + 0.5 * random.normal(),
            });
        }
        Self { x, y, columns }
    }

    fn rows(&self) -> usize {
        self.y.len()
    }

    fn block(&self, rows: std::ops::Range<usize>) -> Data<'_> {
        let p = self.columns;
        Data::dense(&self.x[rows.start * p..rows.end * p], p, &self.y[rows]).unwrap()
    }

    /// Feeds all rows, cut into blocks of these sizes again and again.
    fn feed(&self, stream: &mut Stream, sizes: &[usize]) {
        let (mut first, mut sizes) = (0, sizes.iter().cycle());
        while first < self.rows() {
            let end = self.rows().min(first + sizes.next().unwrap());
            stream.learn(&self.block(first..end)).unwrap();
            first = end;
        }
    }
}

fn poisson(rate: f64, random: &mut Random) -> f64 {
    let (limit, mut product, mut count) = ((-rate).exp(), random.uniform(), 0.0);
    while product > limit {
        product *= random.uniform();
        count += 1.0;
    }
    count
}

fn problem(loss: &str, set: &str, shape: Shape) -> StreamProblem<'static> {
    let set = SetSpec::parse(set).unwrap().build(shape).unwrap();
    StreamProblem::new(loss::parse(loss).unwrap(), set, shape).intercept(true)
}

fn stream(loss: &str, set: &str, columns: usize, settings: StreamSettings) -> Stream<'static> {
    problem(loss, set, Shape::Vector(columns)).stream(settings).unwrap()
}

/// How far effects are from those that were planted.
fn error(stream: &Stream, planted: &[f64]) -> f64 {
    let found = stream.coefficients().iter().enumerate().map(|(j, value)| value * unit(j));
    found.zip(planted).map(|(found, planted)| (found - planted).abs()).fold(0.0, f64::max)
}

const SUPPORT: [usize; 3] = [2, 11, 27];

#[test]
fn the_planted_features_are_found_for_every_loss_in_raw_units_and_blocks_of_any_sizes() {
    for (loss, size, allowed) in
        [("squared", 0.6, 0.06), ("logistic", 1.0, 0.25), ("huber:1", 0.6, 0.08), ("poisson", 0.4, 0.08)]
    {
        let planted = effects(30, &SUPPORT, size);
        let name = loss.split(':').next().unwrap();
        let data = Planted::new(name, &planted, 12_000, 7);
        for sizes in [&[1000][..], &[64], &[1, 7, 300, 64, 2], &[12_000]] {
            let mut stream = stream(loss, "sparsity:3", 30, StreamSettings::default());
            data.feed(&mut stream, sizes);
            assert_eq!(stream.support(), SUPPORT, "{loss} {sizes:?}");
            let error = error(&stream, &planted);
            println!("{loss} {sizes:?}: {error:.3}, rho1 {:?}, {} steps", stream.rho1(), stream.steps());
            assert!(error < allowed, "{loss} {sizes:?}: {error}");
        }
    }
}

#[test]
fn single_rows_are_learned_too() {
    let planted = effects(12, &[3], 1.0);
    let data = Planted::new("squared", &planted, 1500, 3);
    let mut stream = stream("squared", "sparsity:1", 12, StreamSettings::default());
    data.feed(&mut stream, &[1]);
    assert_eq!(stream.support(), [3]);
    assert!(error(&stream, &planted) < 0.1);
}

/// The truth moves to other features after 30 000 rows, and 10 000 rows come after that. With a first penalty of the order of the curvature, 1, every row has its share in the model; a smaller one forgets a little by itself.
#[test]
fn a_drift_of_the_support_is_followed_with_a_half_life_and_not_without() {
    let (before, after) = (effects(30, &[2, 11, 27], 0.7), effects(30, &[5, 18, 20], 0.7));
    let parts = [Planted::new("squared", &before, 30_000, 1), Planted::new("squared", &after, 10_000, 2)];
    let run = |half_life: Option<f64>| {
        let settings = StreamSettings::default().rho1(1.0).half_life(half_life);
        let mut stream = stream("squared", "sparsity:3", 30, settings);
        parts[0].feed(&mut stream, &[500]);
        assert_eq!(stream.support(), [2, 11, 27]);
        let (rho, late) = (stream.rho().unwrap(), stream.progressive().recent.loss().unwrap());
        parts[1].feed(&mut stream, &[500]);
        (stream, rho, late)
    };
    let (forgets, rho, late) = run(Some(1000.0));
    assert_eq!(forgets.support(), [5, 18, 20]);
    println!("error after drift {:.3}", error(&forgets, &after));
    assert!(error(&forgets, &after) < 0.15);
    assert!(forgets.effective_rows() < 1000.0 / std::f64::consts::LN_2 + 64.0);
    assert!((forgets.rho().unwrap() / rho - 1.0).abs() < 0.01, "the penalty has a limit");
    assert!(forgets.progressive().recent.loss().unwrap() < 1.5 * late);
    let (remembers, rho, _) = run(None);
    assert_ne!(remembers.support(), [5, 18, 20]);
    assert!(remembers.rho().unwrap() > 1.3 * rho, "the penalty goes on");
}

fn copied(state: &StreamState) -> StreamState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

/// Stopped after every block, written down, read and resumed: the same bits as without a break, from the first row on.
#[test]
fn a_resumed_stream_has_the_same_bits() {
    let data = Planted::new("squared", &effects(9, &[1, 4], 0.5), 3000, 5);
    for (settings, set) in [
        (StreamSettings::default().reservoir(40).seed(3), "sparsity:2"),
        (StreamSettings::default().reservoir(40).half_life(300.0), "sparsity:2"),
        (StreamSettings::default().rho1(0.2).gamma(0.7), "ball:1"),
    ] {
        let make = || problem("squared", set, Shape::Vector(9)).ridge(0.01);
        let mut whole = make().stream(settings).unwrap();
        let mut state = whole.state().clone();
        let (mut first, mut sizes) = (0, [5, 20, 100, 64, 333].iter().cycle());
        while first < data.rows() {
            let end = data.rows().min(first + sizes.next().unwrap());
            let block = data.block(first..end);
            let mut resumed = make().resume(settings, copied(&state)).unwrap();
            let scores = (whole.learn(&block).unwrap(), resumed.learn(&block).unwrap());
            assert_eq!(scores.0, scores.1);
            assert_eq!(whole.coefficients(), resumed.coefficients());
            state = resumed.into_state();
            assert_eq!(*whole.state(), state, "after {end} rows");
            first = end;
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let data = Planted::new("logistic", &effects(40, &SUPPORT, 1.0), 4000, 9);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stream = stream("logistic", "sparsity:3", 40, StreamSettings::default().reservoir(100));
            data.feed(&mut stream, &[700]);
            serde_json::to_string(stream.state()).unwrap()
        })
    };
    assert!(run(1) == run(4));
}

#[test]
fn the_model_never_leaves_the_set() {
    let shape = Shape::Matrix { rows: 3, columns: 4 };
    let data = Planted::new("squared", &effects(12, &[1, 4, 7], 0.5), 900, 4);
    for text in [
        "none",
        "sparsity:2",
        "nonneg",
        "ball:0.1",
        "l1:0.2",
        "simplex",
        "box:-0.01,0.02",
        "monotone",
        "sparsity:2 & ball:0.1",
        "sparsity:3 & nonneg",
        "group-sparsity:2;size=3",
        "simplex & box:0,0.5",
        "rank:1",
    ] {
        let shape = if text.starts_with("rank") { shape } else { Shape::Vector(12) };
        let set = SetSpec::parse(text).unwrap().build(shape).unwrap();
        let mut stream = problem("squared", text, shape).ridge(0.001).stream(StreamSettings::default()).unwrap();
        for first in (0..900).step_by(45) {
            let mut block = data.block(first..first + 45);
            if let Shape::Matrix { rows, columns } = shape {
                block = block.shape(rows, columns).unwrap();
            }
            stream.learn(&block).unwrap();
            let nearest = projected(&*set, stream.coefficients()).unwrap();
            let size = stream.coefficients().iter().fold(1e-300_f64, |size, value| size.max(value.abs()));
            for (near, value) in nearest.iter().zip(stream.coefficients()) {
                assert!((near - value).abs() <= 1e-9 * size, "{text}: {near} {value}");
            }
        }
        assert!(stream.coefficients().iter().any(|value| *value != 0.0), "{text} has learned");
    }
}

/// The loss of each block under the model before it, by the definition.
#[test]
fn progressive_scores_are_those_of_a_naive_twin() {
    for (name, half_life) in [("squared", None), ("logistic", Some(300.0)), ("poisson", None)] {
        let data = Planted::new(name, &effects(8, &[1, 4], 0.4), 1200, 6);
        let loss = loss::parse(name).unwrap();
        let weights: Vec<f64> = (0..1200).map(|i| f64::from(i % 4)).collect();
        let offset: Vec<f64> = (0..1200).map(|i| f64::from(i % 5) * 0.1).collect();
        let mut stream = stream(name, "sparsity:2", 8, StreamSettings::default().half_life(half_life));
        let (mut blocks, sizes) = (Vec::new(), [30, 64, 100, 6]);
        let (mut first, mut cut) = (0, sizes.iter().cycle());
        while first < 1200 {
            let rows = first..1200.min(first + cut.next().unwrap());
            let block = data.block(rows.clone()).weights(&weights[rows.clone()]).unwrap();
            let block = block.offset(&offset[rows.clone()]).unwrap();
            let (mut losses, mut weight, mut right) = (0.0, 0.0, 0.0);
            for i in rows.clone() {
                let row = &data.x[i * 8..(i + 1) * 8];
                let eta = row.iter().zip(stream.coefficients()).map(|(x, c)| x * c).sum::<f64>()
                    + stream.intercept().unwrap()
                    + offset[i];
                losses += weights[i] * loss.value(eta, data.y[i]);
                right += weights[i] * f64::from(u8::from((eta > 0.0) == (data.y[i] == 1.0)));
                weight += weights[i];
            }
            let score = stream.learn(&block).unwrap();
            assert!((score.loss().unwrap() / (losses / weight) - 1.0).abs() < 1e-12, "{name}");
            if name == "logistic" {
                assert!((score.accuracy().unwrap() - right / weight).abs() < 1e-14);
            } else {
                assert!(score.accuracy().is_none());
            }
            blocks.push((losses, weight, rows.len()));
            first = rows.end;
        }
        let all = blocks.iter().fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1));
        let recent = blocks.iter().fold((0.0, 0.0), |sum, block| {
            let kept = (-(block.2 as f64) / half_life.unwrap_or(10_000.0)).exp2();
            (kept * sum.0 + block.0, kept * sum.1 + block.1)
        });
        let progressive = stream.progressive();
        assert!((progressive.running.loss().unwrap() / (all.0 / all.1) - 1.0).abs() < 1e-12);
        assert!((progressive.recent.loss().unwrap() / (recent.0 / recent.1) - 1.0).abs() < 1e-12);
        if name != "logistic" {
            assert!(progressive.recent.r_squared().unwrap() > 0.2);
        }
    }
}

/// A sample that holds the whole stream makes the finish an ordinary fit, certificate and all.
#[test]
fn the_finish_is_the_fit_of_the_sample() {
    let data = Planted::new("squared", &effects(20, &SUPPORT[..2], 0.4), 800, 8);
    let mut all = stream("squared", "sparsity:2", 20, StreamSettings::default().reservoir(800));
    data.feed(&mut all, &[100]);
    let finished = all.finish(&Settings::default()).unwrap();
    let whole = data.block(0..800);
    let set = || SetSpec::parse("sparsity:2").unwrap().build(Shape::Vector(20)).unwrap();
    let units = proxdist::Preparation::decide(Standardize::Auto, [&*set()], true).unwrap().units(&whole, 0.0).unwrap();
    let whole = units.apply(whole).unwrap();
    let fit = Problem::new(&whole, loss::parse("squared").unwrap(), set()).intercept(true).fit(&Settings::default());
    let model = units.restored(fit.unwrap().model()).unwrap();
    assert!((model.objective - finished.model.objective).abs() < 1e-12);
    for (a, b) in model.coefficients.iter().zip(&finished.model.coefficients) {
        assert!((a - b).abs() <= 1e-9 * b.abs());
    }
    assert_eq!(finished.model.stop, Stop::Polished);
    let streamed = finished.model.streamed.unwrap();
    assert_eq!((streamed.measured_on, streamed.measured_rows, streamed.rows), (MeasuredOn::Sample, 800, 800));
    // A model file keeps what its certificate is about.
    let text = finished.model.to_json().unwrap();
    assert_eq!(proxdist::Model::from_json(&text).unwrap(), finished.model);
    assert!(text.contains("\"measured_on\": \"sample\""));
    let mut few = stream("squared", "sparsity:2", 20, StreamSettings::default().reservoir(100));
    data.feed(&mut few, &[100]);
    assert_eq!(few.finish(&Settings::default()).unwrap().model.streamed.unwrap().measured_rows, 100);
    let none = stream("squared", "sparsity:2", 20, StreamSettings::default());
    assert!(none.finish(&Settings::default()).unwrap_err().to_string().contains("reservoir must be a sample"));
}

#[test]
fn a_model_says_on_which_rows_it_was_measured() {
    let data = Planted::new("squared", &effects(6, &[1, 4], 0.5), 600, 2);
    let mut stream = stream("squared", "ball:3", 6, StreamSettings::default());
    data.feed(&mut stream, &[200]);
    let block = data.block(400..600);
    let model = stream.model_on(&block).unwrap();
    let streamed = model.streamed.unwrap();
    assert_eq!((streamed.measured_on, streamed.measured_rows, streamed.rows), (MeasuredOn::Block, 200, 600));
    assert_eq!(model.stop, Stop::Streaming);
    assert!(!model.certificate.is_stationary(), "nothing was finished");
    let loss = loss::parse("squared").unwrap();
    let source = block.source();
    let predictors = model.linear_predictors(source).unwrap();
    let naive: f64 = predictors.iter().zip(block.response()).map(|(eta, y)| loss.value(*eta, *y)).sum::<f64>() / 200.0;
    assert!((model.objective - naive).abs() < 1e-12);
    assert_eq!(proxdist::Model::from_json(&model.to_json().unwrap()).unwrap(), model);
}

/// Sparse rows without an intercept are the same stream as dense ones, up to rounding.
#[test]
fn sparse_rows_are_learned_like_dense_ones() {
    let mut random = Random(3);
    let (columns, rows) = (25, 3000);
    let (mut x, mut y) = (vec![0.0; columns * rows], Vec::new());
    let (mut starts, mut indices, mut values) = (vec![0_usize], Vec::new(), Vec::new());
    for i in 0..rows {
        let mut eta = 0.0;
        for j in 0..columns {
            if random.uniform() < 0.2 {
                let value = unit(j) * random.normal();
                x[i * columns + j] = value;
                indices.push(j as u32);
                values.push(value);
                eta += value / unit(j) * [0.0, 2.0, 0.0, 0.0, -2.0][j % 5] * f64::from(u8::from(j < 10));
            }
        }
        starts.push(values.len());
        y.push(eta + 0.3 * random.normal());
    }
    let make = || problem("squared", "sparsity:4", Shape::Vector(columns)).intercept(false);
    let mut dense = make().stream(StreamSettings::default().reservoir(200)).unwrap();
    let mut sparse = make().stream(StreamSettings::default().reservoir(200)).unwrap();
    for first in (0..rows).step_by(300) {
        let range = first..first + 300;
        let base = starts[first];
        let local: Vec<usize> = starts[first..=first + 300].iter().map(|start| start - base).collect();
        let entries = base..starts[first + 300];
        dense
            .learn(&Data::dense(&x[first * columns..(first + 300) * columns], columns, &y[range.clone()]).unwrap())
            .unwrap();
        let block = Data::sparse(&local, &indices[entries.clone()], &values[entries], columns, &y[range]).unwrap();
        sparse.learn(&block).unwrap();
    }
    assert_eq!(dense.support(), [1, 4, 6, 9]);
    assert_eq!(sparse.support(), dense.support());
    for (a, b) in dense.coefficients().iter().zip(sparse.coefficients()) {
        assert!((a - b).abs() <= 1e-6 * a.abs().max(1e-300), "{a} {b}");
    }
    let (a, b) = (dense.finish(&Settings::default()).unwrap(), sparse.finish(&Settings::default()).unwrap());
    assert!((a.model.objective - b.model.objective).abs() < 1e-10);
}

/// Only relative weights count, and rows without weight are not learned.
#[test]
fn weights_are_relative_and_rows_without_weight_teach_nothing() {
    let planted = effects(10, &[1, 6], 0.8);
    let data = Planted::new("squared", &planted, 4000, 12);
    let other = Planted::new("squared", &effects(10, &[3, 4], 5.0), 4000, 13);
    let (mut x, mut y, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..4000 {
        for (part, weight) in [(&data, 1.0), (&other, 0.0)] {
            x.extend_from_slice(&part.x[i * 10..(i + 1) * 10]);
            y.push(part.y[i]);
            weights.push(weight);
        }
    }
    let run = |factor: f64| {
        let mut stream = stream("squared", "sparsity:2", 10, StreamSettings::default());
        let weights: Vec<f64> = weights.iter().map(|weight| factor * weight).collect();
        for first in (0..8000).step_by(400) {
            let rows = first..first + 400;
            let block = Data::dense(&x[first * 10..(first + 400) * 10], 10, &y[rows.clone()]).unwrap();
            stream.learn(&block.weights(&weights[rows]).unwrap()).unwrap();
        }
        stream
    };
    let stream = run(1.0);
    assert_eq!(stream.support(), [1, 6]);
    assert!(error(&stream, &planted) < 0.05);
    assert_eq!(run(8.0).coefficients(), stream.coefficients());
}

#[test]
fn what_is_kept_does_not_grow_with_the_stream() {
    let data = Planted::new("squared", &effects(9, &[1, 4], 0.5), 4000, 5);
    let mut stream = stream("squared", "sparsity:2", 9, StreamSettings::default().reservoir(50));
    data.feed(&mut stream, &[400]);
    let before = serde_json::to_string(stream.state()).unwrap().len();
    (0..10).for_each(|_| data.feed(&mut stream, &[400]));
    let after = serde_json::to_string(stream.state()).unwrap().len();
    assert!((after as f64) < 1.05 * before as f64, "{before} {after}");
    assert_eq!((stream.rows(), stream.sample_rows()), (44_000, 50));
}

#[test]
fn a_stream_goes_on_from_the_end_of_a_fit() {
    let planted = effects(10, &[1, 6], 0.8);
    let data = Planted::new("squared", &planted, 4000, 12);
    let start: Vec<f64> = planted.iter().enumerate().map(|(j, effect)| effect / unit(j)).collect();
    let intercept = 0.3 - (0..10).map(|j| planted[j] * (j % 3) as f64).sum::<f64>();
    let begun = problem("squared", "sparsity:2", Shape::Vector(10)).start(start.clone(), intercept, 100_000);
    let mut stream = begun.stream(StreamSettings::default().rho1(0.3)).unwrap();
    assert_eq!(stream.coefficients(), start);
    data.feed(&mut stream, &[500]);
    assert_eq!(stream.support(), [1, 6]);
    assert!(error(&stream, &planted) < 0.02, "votes of 100 000 rows do not move far");
    assert!(stream.progressive().running.loss().unwrap() < 0.14);
}

/// Each mistake has its error, and leaves the stream as it was.
#[test]
fn a_block_that_cannot_be_learned_leaves_the_stream_as_it_was() {
    let data = Planted::new("logistic", &effects(5, &[1], 1.0), 300, 5);
    let mut stream = stream("logistic", "sparsity:1", 5, StreamSettings::default().reservoir(10));
    data.feed(&mut stream, &[100]);
    let before = stream.state().clone();
    let mut refused = |block: &Data, text: &str| {
        let error = stream.learn(block).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
        assert_eq!(*stream.state(), before);
    };
    refused(&Data::dense(&data.x[..8], 4, &data.y[..2]).unwrap(), "a row has length 4, expected 5");
    refused(&Data::dense(&data.x[..10], 5, &[0.0, 2.0]).unwrap(), "response at row 1 is 2");
    refused(&Data::dense(&[1e80; 5], 5, &[0.0]).unwrap(), "products of numbers beyond");
    let sparse = Data::sparse(&[0_usize, 1], &[0_u32], &[1.0], 5, &[0.0]).unwrap();
    refused(&sparse, "dense or sparse as the first block was, got sparse");
    // A Poisson rate that no number holds is met in the middle of a step.
    let counts = Planted::new("poisson", &effects(3, &[1], 0.5), 300, 5);
    let poisson =
        StreamProblem::new(loss::parse("poisson").unwrap(), proxdist::constraint::WholeSpace, Shape::Vector(3));
    let mut poisson = poisson.standardize(Standardize::Never).stream(StreamSettings::default().rho1(0.1)).unwrap();
    counts.feed(&mut poisson, &[100]);
    let before = poisson.state().clone();
    let error = poisson.learn(&Data::dense(&[1e9, 1e9, 1e9, -1e9, -1e9, -1e9], 3, &[1.0, 1.0]).unwrap()).unwrap_err();
    assert!(error.to_string().contains("overflows"), "{error}");
    assert_eq!(*poisson.state(), before);
}

#[test]
fn settings_and_states_that_make_no_sense_are_refused() {
    let wrong = |settings: StreamSettings| {
        problem("squared", "none", Shape::Vector(3)).stream(settings).map(|_| ()).unwrap_err().to_string()
    };
    let usual = StreamSettings::default;
    assert_eq!(wrong(usual().half_life(0.0)), "half_life must be positive and finite, got 0");
    assert_eq!(wrong(usual().rho1(-1.0)), "rho1 must be positive and finite, got -1");
    assert_eq!(wrong(usual().batch_size(0)), "batch_size must be at least 1, got 0");
    assert_eq!(wrong(usual().gamma(f64::NAN)), "gamma must be zero or positive, and finite, got NaN");
    let data = Planted::new("squared", &effects(3, &[1], 1.0), 200, 5);
    let mut stream = stream("squared", "none", 3, usual());
    data.feed(&mut stream, &[100]);
    let state = stream.into_state();
    let resumed = |set: &str, columns: usize, settings: StreamSettings, state: StreamState| {
        problem("squared", set, Shape::Vector(columns)).resume(settings, state).map(|_| ()).map_err(|e| e.to_string())
    };
    assert!(resumed("none", 3, usual().seed(9), state.clone()).is_ok(), "the seed comes with the state");
    for (outcome, text) in [
        (resumed("nonneg", 3, usual(), state.clone()), "one with constraint none, not nonneg"),
        (resumed("none", 4, usual(), state.clone()), "one with features 3, not 4"),
        (resumed("none", 3, usual().half_life(7.0), state.clone()), "one with half_life none, not 7"),
    ] {
        assert!(outcome.unwrap_err().contains(text), "{text}");
    }
    let mut text = serde_json::to_value(&state).unwrap();
    text["learned"]["scaling"]["means"].as_array_mut().unwrap().pop();
    let damaged: StreamState = serde_json::from_value(text).unwrap();
    assert!(resumed("none", 3, usual(), damaged).unwrap_err().contains("do not fit together"));
}
