//! Several outputs against every choice of rows, closed forms and an independent solver, in raw units.

use proxdist::constraint::Constraint;
use proxdist::loss::Huber;
use proxdist::outputs::{OutputLoss, OutputsFit, OutputsModel, OutputsProblem, Responses, Unique};
use proxdist::spec::SetSpec;
use proxdist::{Data, Exchanges, Result, Settings, Shape, Stop};

/// A small generator of our own: problems must not depend on that of the library.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64) / f64::from(1u32 << 30) - 1.0
    }
    /// About normal.
    fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.next()).sum::<f64>() / 2.0_f64.sqrt()
    }
}

struct Raw {
    x: Vec<f64>,
    y: Vec<f64>,
    zeros: Vec<f64>,
    sizes: (usize, usize, usize),
    loss: OutputLoss,
}

impl Raw {
    /// Features in unequal units with means, outputs from some of them.
    fn new(seed: u64, sizes: (usize, usize, usize), loss: OutputLoss) -> Self {
        let (rows, features, outputs) = sizes;
        let mut random = Numbers(seed * 77 + 5);
        let truth: Vec<f64> = (0..features * outputs)
            .map(|place| if (place / outputs) % 2 == 0 { 1.5 * random.normal() } else { 0.0 })
            .collect();
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let common = random.normal();
            let plain: Vec<f64> = (0..features).map(|_| 0.5 * common + random.normal()).collect();
            let eta: Vec<f64> =
                (0..outputs).map(|k| (0..features).map(|j| plain[j] * truth[j * outputs + k]).sum()).collect();
            match loss {
                OutputLoss::Softmax => {
                    let noisy: Vec<f64> = eta.iter().map(|eta| eta + 1.5 * random.normal()).collect();
                    let best = (0..outputs).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap_or(0);
                    y.push(best as f64);
                }
                _ => y.extend(eta.iter().map(|eta| 3.0 + eta + random.normal())),
            }
            x.extend(plain.iter().enumerate().map(|(j, value)| 2.0 + value * (1.0 + j as f64)));
        }
        Self { x, y, zeros: vec![0.0; rows], sizes, loss }
    }

    fn fit(&self, set: &str, ridge: f64) -> Result<OutputsFit> {
        let data = Data::dense(&self.x, self.sizes.1, &self.zeros)?;
        let shape = Shape::Matrix { rows: self.sizes.1, columns: self.sizes.2 };
        let set: Box<dyn Constraint> = SetSpec::parse(set)?.build(shape)?;
        let responses = if self.loss.is_classification() {
            Responses::classes(&self.y, self.sizes.2)
        } else {
            Responses::numbers(&self.y, self.sizes.2)
        };
        OutputsProblem::new(&data, responses, self.loss, set).ridge(ridge).intercept(true).fit(&Settings::default())
    }

    /// F by its definition.
    fn value(&self, coefficients: &[f64], intercepts: &[f64], ridge: f64) -> f64 {
        let (rows, features, outputs) = self.sizes;
        let mut sum = 0.0;
        for i in 0..rows {
            let eta: Vec<f64> = (0..outputs)
                .map(|k| {
                    intercepts[k]
                        + (0..features).map(|j| self.x[i * features + j] * coefficients[j * outputs + k]).sum::<f64>()
                })
                .collect();
            sum += match self.loss {
                OutputLoss::Softmax => {
                    let top = eta.iter().copied().fold(f64::MIN, f64::max);
                    top + eta.iter().map(|eta| (eta - top).exp()).sum::<f64>().ln() - eta[self.y[i] as usize]
                }
                OutputLoss::Squared => (0..outputs).map(|k| 0.5 * (eta[k] - self.y[i * outputs + k]).powi(2)).sum(),
                _ => (0..outputs)
                    .map(|k| {
                        let away = (eta[k] - self.y[i * outputs + k]).abs();
                        if away <= 1.0 { 0.5 * away * away } else { away - 0.5 }
                    })
                    .sum(),
            };
        }
        sum / rows as f64 + 0.5 * ridge * coefficients.iter().map(|v| v * v).sum::<f64>()
    }

    /// The least F over matrices whose rows outside a support are zero, by accelerated gradient steps on standardised features: slow, and nothing like the library.
    fn least(&self, support: &[usize], ridge: f64) -> f64 {
        let (rows, features, outputs) = self.sizes;
        let count = support.len();
        let mean = |j: usize| (0..rows).map(|i| self.x[i * features + j]).sum::<f64>() / rows as f64;
        let deviation = |j: usize, mean: f64| {
            ((0..rows).map(|i| (self.x[i * features + j] - mean).powi(2)).sum::<f64>() / rows as f64).sqrt()
        };
        let moments: Vec<(f64, f64)> = support.iter().map(|&j| (mean(j), deviation(j, mean(j)))).collect();
        let z: Vec<f64> = (0..rows)
            .flat_map(|i| {
                support
                    .iter()
                    .zip(&moments)
                    .map(move |(&j, (m, s))| (self.x[i * features + j] - m) / s)
                    .collect::<Vec<_>>()
            })
            .collect();
        let width = (count + 1) * outputs;
        let gradient = |theta: &[f64]| {
            let mut out = vec![0.0; width];
            for i in 0..rows {
                let x = &z[i * count..(i + 1) * count];
                let eta: Vec<f64> = (0..outputs)
                    .map(|k| {
                        theta[count * outputs + k] + (0..count).map(|j| x[j] * theta[j * outputs + k]).sum::<f64>()
                    })
                    .collect();
                let slope: Vec<f64> = match self.loss {
                    OutputLoss::Softmax => {
                        let top = eta.iter().copied().fold(f64::MIN, f64::max);
                        let e: Vec<f64> = eta.iter().map(|eta| (eta - top).exp()).collect();
                        let total: f64 = e.iter().sum();
                        (0..outputs).map(|k| e[k] / total - f64::from(u8::from(self.y[i] as usize == k))).collect()
                    }
                    OutputLoss::Squared => (0..outputs).map(|k| eta[k] - self.y[i * outputs + k]).collect(),
                    _ => (0..outputs).map(|k| (eta[k] - self.y[i * outputs + k]).clamp(-1.0, 1.0)).collect(),
                };
                for k in 0..outputs {
                    (0..count).for_each(|j| out[j * outputs + k] += slope[k] * x[j] / rows as f64);
                    out[count * outputs + k] += slope[k] / rows as f64;
                }
            }
            for j in 0..count {
                let weight = ridge / moments[j].1.powi(2);
                (0..outputs).for_each(|k| out[j * outputs + k] += weight * theta[j * outputs + k]);
            }
            out
        };
        // An upper bound on the largest eigenvalue of correlated standardised features with a constant.
        let length = 1.0 / (1.0 + count as f64 + ridge);
        let (mut theta, mut ahead, mut t) = (vec![0.0; width], vec![0.0; width], 1.0_f64);
        for _ in 0..4000 {
            let slope = gradient(&ahead);
            let next: Vec<f64> = ahead.iter().zip(&slope).map(|(a, g)| a - length * g).collect();
            let descends = slope.iter().zip(next.iter().zip(&theta)).map(|(g, (n, o))| g * (n - o)).sum::<f64>() <= 0.0;
            let later = if descends { 0.5 + (0.25 + t * t).sqrt() } else { 1.0 };
            let push = if descends { (t - 1.0) / later } else { 0.0 };
            ahead = next.iter().zip(&theta).map(|(n, o)| n + push * (n - o)).collect();
            (theta, t) = (next, later);
            if slope.iter().all(|g| g.abs() < 1e-12) {
                break;
            }
        }
        let mut coefficients = vec![0.0; features * outputs];
        let mut intercepts = theta[count * outputs..].to_vec();
        for (place, &j) in support.iter().enumerate() {
            for k in 0..outputs {
                let value = theta[place * outputs + k] / moments[place].1;
                coefficients[j * outputs + k] = value;
                intercepts[k] -= value * moments[place].0;
            }
        }
        self.value(&coefficients, &intercepts, ridge)
    }

    fn model_value(&self, model: &OutputsModel, ridge: f64) -> f64 {
        self.value(&model.coefficients, model.intercepts.as_ref().unwrap(), ridge)
    }
}

fn choices(all: usize, size: usize) -> Vec<Vec<usize>> {
    (0..1usize << all)
        .filter(|bits| bits.count_ones() as usize == size)
        .map(|bits| (0..all).filter(|j| bits >> j & 1 == 1).collect())
        .collect()
}

fn huber() -> OutputLoss {
    OutputLoss::Huber(Huber::with_delta(1.0).unwrap())
}

#[test]
fn rows_are_the_best_of_all_choices() -> Result<()> {
    for (loss, ridge) in [
        (OutputLoss::Squared, 0.0),
        (OutputLoss::Squared, 0.3),
        (OutputLoss::Softmax, 0.0),
        (OutputLoss::Softmax, 0.05),
        (huber(), 0.0),
    ] {
        for seed in 0..2 {
            let raw = Raw::new(seed, (60, 6, 3), loss);
            let fit = raw.fit("rows:2", ridge)?;
            let found = raw.model_value(fit.model(), ridge);
            assert!((found - fit.objective()).abs() < 1e-10 * found, "{loss}: {found} {}", fit.objective());
            let best = choices(6, 2).iter().map(|support| raw.least(support, ridge)).fold(f64::INFINITY, f64::min);
            assert!((found - best).abs() < 1e-8 * best, "{loss} {seed}: {found} against {best}");
            assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice);
            assert_eq!(fit.stop(), Stop::Polished, "{loss} {:?}", fit.certificate());
            assert_eq!(fit.model().support().len(), 2);
            assert_eq!(fit.certificate().distance, 0.0);
        }
    }
    Ok(())
}

/// Too many choices to look at all: what is claimed of exchanges must hold for every one of them.
#[test]
fn no_exchange_of_one_row_lowers_f_where_that_is_claimed() -> Result<()> {
    let mut claims = 0;
    for (seed, loss, size) in
        [(1, OutputLoss::Squared, 14), (2, OutputLoss::Squared, 14), (3, OutputLoss::Softmax, 9), (4, huber(), 9)]
    {
        let features = if size == 14 { 40 } else { 9 };
        let raw = Raw::new(seed, (90, features, 2), loss);
        let keep = if size == 14 { 5 } else { 4 };
        let fit = raw.fit(&format!("rows:{keep}"), 0.0)?;
        let support = fit.model().support();
        assert_eq!(support.len(), keep);
        let here = raw.least(&support, 0.0);
        assert!((here - fit.objective()).abs() < 1e-8 * here);
        let is_claimed = fit.certificate().exchanges.are_exhausted();
        claims += usize::from(is_claimed);
        for place in 0..keep {
            for into in (0..features).filter(|j| !support.contains(j)) {
                let mut other = support.clone();
                other[place] = into;
                other.sort_unstable();
                let there = raw.least(&other, 0.0);
                assert!(
                    !is_claimed || there > here - 1e-7 * here,
                    "{loss} {support:?} {other:?}: {there} below {here}"
                );
            }
        }
    }
    assert!(claims >= 2, "squared loss has exact exchanges");
    Ok(())
}

#[test]
fn softmax_coefficients_sum_to_zero_and_say_why() -> Result<()> {
    let raw = Raw::new(5, (80, 5, 4), OutputLoss::Softmax);
    for (set, ridge, unique) in [
        ("none", 0.0, Unique::ZeroSum),
        ("none", 0.1, Unique::Ridge),
        ("rows:3", 0.0, Unique::ZeroSum),
        ("ball:1", 0.0, Unique::Intercepts),
    ] {
        let fit = raw.fit(set, ridge)?;
        let model = fit.model();
        assert_eq!(model.unique, unique, "{set}");
        assert_eq!(fit.stop(), Stop::Polished, "{set}: {:?}", fit.certificate());
        assert!(model.intercepts.as_ref().unwrap().iter().sum::<f64>().abs() < 1e-12);
        let sums: f64 = model.coefficients.chunks_exact(4).map(|row| row.iter().sum::<f64>().abs()).sum();
        assert!(unique == Unique::Intercepts || sums < 1e-12, "{set}: {sums:e}");
        if set == "none" {
            let all: Vec<usize> = (0..5).collect();
            let least = raw.least(&all, ridge);
            assert!((fit.objective() - least).abs() < 1e-9 * least, "{set} {ridge}");
        }
    }
    Ok(())
}

/// Reduced-rank regression from the singular values of the fitted responses, by Jacobi rotations.
#[test]
fn reduced_rank_is_the_closed_form() -> Result<()> {
    let raw = Raw::new(8, (70, 6, 4), OutputLoss::Squared);
    let all: Vec<usize> = (0..6).collect();
    let full = raw.least(&all, 0.0);
    let free = raw.fit("none", 0.0)?;
    assert!((free.objective() - full).abs() < 1e-10 * full);
    // Squared singular values of the centred fitted responses X̃Θ̂/√n.
    let (rows, features, outputs) = raw.sizes;
    let model = free.model();
    let mut fitted = vec![0.0; rows * outputs];
    for i in 0..rows {
        for k in 0..outputs {
            fitted[i * outputs + k] = (0..features).map(|j| raw.x[i * features + j] * model.coefficient(j, k)).sum();
        }
    }
    for k in 0..outputs {
        let mean = (0..rows).map(|i| fitted[i * outputs + k]).sum::<f64>() / rows as f64;
        (0..rows).for_each(|i| fitted[i * outputs + k] -= mean);
    }
    let mut squares = one_sided_jacobi(&mut fitted, rows, outputs);
    squares.sort_by(|a, b| b.total_cmp(a));
    for rank in 0..=4 {
        let fit = raw.fit(&format!("rank:{rank}"), 0.0)?;
        let expected = full + squares[rank..].iter().sum::<f64>() / (2.0 * rows as f64);
        assert!((fit.objective() - expected).abs() < 1e-9 * expected, "rank {rank}: {} {expected}", fit.objective());
        assert!((raw.model_value(fit.model(), 0.0) - fit.objective()).abs() < 1e-10 * expected);
        let gap = fit.certificate().gap.expect("a proof");
        assert!(fit.objective() - expected <= gap.value && gap.value < 1e-8 * expected, "{gap:?}");
        assert_eq!(fit.stop(), Stop::Polished, "rank {rank}: {:?}", fit.certificate());
    }
    Ok(())
}

/// Squared singular values.
fn one_sided_jacobi(matrix: &mut [f64], rows: usize, columns: usize) -> Vec<f64> {
    for _ in 0..60 {
        for a in 0..columns {
            for b in a + 1..columns {
                let dot = |p: usize, q: usize, m: &[f64]| {
                    (0..rows).map(|i| m[i * columns + p] * m[i * columns + q]).sum::<f64>()
                };
                let (aa, bb, ab) = (dot(a, a, matrix), dot(b, b, matrix), dot(a, b, matrix));
                if ab.abs() < 1e-300 {
                    continue;
                }
                let angle = 0.5 * (2.0 * ab).atan2(aa - bb);
                let (sin, cos) = angle.sin_cos();
                for i in 0..rows {
                    let (p, q) = (matrix[i * columns + a], matrix[i * columns + b]);
                    matrix[i * columns + a] = cos * p + sin * q;
                    matrix[i * columns + b] = cos * q - sin * p;
                }
            }
        }
    }
    (0..columns).map(|k| (0..rows).map(|i| matrix[i * columns + k].powi(2)).sum()).collect()
}

/// With another loss the result is stationary, of that rank, and not above what rows and the best of fewer ranks give.
#[test]
fn low_rank_with_other_losses_is_stationary_and_ordered() -> Result<()> {
    for loss in [OutputLoss::Softmax, huber()] {
        let raw = Raw::new(11, (120, 6, 4), loss);
        let mut before = f64::INFINITY;
        for rank in 0..=4 {
            let fit = raw.fit(&format!("rank:{rank}"), 0.01)?;
            assert_eq!(fit.stop(), Stop::Polished, "{loss} rank {rank}: {:?}", fit.certificate());
            assert!(fit.objective() <= before * (1.0 + 1e-9), "{loss} rank {rank}");
            assert!((raw.model_value(fit.model(), 0.01) - fit.objective()).abs() < 1e-10 * before.min(1e3));
            assert!(fit.certificate().gap.is_none(), "no proof is known");
            before = fit.objective();
        }
        let all: Vec<usize> = (0..6).collect();
        let full = raw.least(&all, 0.01);
        assert!((before - full).abs() < 1e-7 * full, "{loss}: {before} {full}");
    }
    Ok(())
}

/// Convex sets against projected gradient steps that know nothing of the library's finishes.
#[test]
fn convex_sets_are_at_their_optimum() -> Result<()> {
    for loss in [OutputLoss::Squared, OutputLoss::Softmax, huber()] {
        let raw = Raw::new(21, (50, 3, 3), loss);
        for set in [
            "nonneg",
            "box:-0.2,0.3",
            "ball:0.5",
            "l1:0.7",
            "linf:0.2",
            "simplex",
            "simplex[1-3] & simplex[4-6] & nonneg[7-9]",
        ] {
            let fit = raw.fit(set, 0.0)?;
            let shape = Shape::Matrix { rows: 3, columns: 3 };
            let built = SetSpec::parse(set)?.build(shape)?;
            let best = projected_gradient(&raw, &*built)?;
            let found = raw.model_value(fit.model(), 0.0);
            assert!((found - best).abs() < 2e-7 * best, "{loss} {set}: {found} {best}");
            assert_eq!(fit.stop(), Stop::Polished, "{loss} {set}: {:?}", fit.certificate());
            if let Some(gap) = fit.certificate().gap {
                assert!(found - best <= gap.value + 1e-9 * best, "{loss} {set}: {gap:?}");
            }
        }
    }
    Ok(())
}

fn projected_gradient(raw: &Raw, set: &dyn Constraint) -> Result<f64> {
    let (rows, features, outputs) = raw.sizes;
    let size = features * outputs;
    // Intercepts are those of centred features, which makes them easy.
    let means: Vec<f64> =
        (0..features).map(|j| (0..rows).map(|i| raw.x[i * features + j]).sum::<f64>() / rows as f64).collect();
    let centered: Vec<f64> = raw.x.iter().enumerate().map(|(place, x)| x - means[place % features]).collect();
    let moved =
        Raw { x: centered.clone(), y: raw.y.clone(), zeros: raw.zeros.clone(), sizes: raw.sizes, loss: raw.loss };
    let bend: f64 = centered.iter().map(|x| x * x).sum::<f64>() / rows as f64 + 1.0;
    let slope = |theta: &[f64]| {
        let step = 1e-6;
        let value = |at: &[f64]| moved.value(&at[..size], &at[size..], 0.0);
        (0..theta.len())
            .map(|j| {
                let (mut above, mut below) = (theta.to_vec(), theta.to_vec());
                above[j] += step;
                below[j] -= step;
                (value(&above) - value(&below)) / (2.0 * step)
            })
            .collect::<Vec<f64>>()
    };
    let (mut theta, mut ahead, mut t) = (vec![0.0; size + outputs], vec![0.0; size + outputs], 1.0_f64);
    set.project(&mut theta[..size], &mut proxdist::constraint::Workspace::default())?;
    for _ in 0..1500 {
        let g = slope(&ahead);
        let mut next: Vec<f64> = ahead.iter().zip(&g).map(|(a, g)| a - g / bend).collect();
        set.project(&mut next[..size], &mut proxdist::constraint::Workspace::default())?;
        let is_downhill = g.iter().zip(next.iter().zip(&theta)).map(|(g, (n, o))| g * (n - o)).sum::<f64>() <= 0.0;
        let later = if is_downhill { 0.5 + (0.25 + t * t).sqrt() } else { 1.0 };
        let push = if is_downhill { (t - 1.0) / later } else { 0.0 };
        ahead = next.iter().zip(&theta).map(|(n, o)| n + push * (n - o)).collect();
        (theta, t) = (next, later);
    }
    Ok(moved.value(&theta[..size], &theta[size..], 0.0))
}

/// Entries by their own name: feasible, stationary on the entries, and honest about exchanges.
#[test]
fn sparsity_of_entries_counts_entries() -> Result<()> {
    let raw = Raw::new(31, (80, 5, 3), OutputLoss::Squared);
    let fit = raw.fit("sparsity:4", 0.0)?;
    assert!(fit.model().coefficients.iter().filter(|value| **value != 0.0).count() <= 4);
    assert_eq!(fit.certificate().exchanges, Exchanges::CutShort);
    assert_eq!(fit.stop(), Stop::Polished, "{:?}", fit.certificate());
    Ok(())
}

#[test]
fn a_model_file_reads_back_and_others_are_told_apart() -> Result<()> {
    let raw = Raw::new(41, (40, 4, 3), OutputLoss::Softmax);
    let fit = raw.fit("rows:2", 0.0)?;
    let text = fit.model().to_json()?;
    assert!(OutputsModel::is_one(&text));
    assert_eq!(&OutputsModel::from_json(&text).unwrap(), fit.model());
    let wrong = proxdist::Model::from_json(&text).unwrap_err().to_string();
    assert_eq!(wrong, "this is a model of several outputs, and a model of one output is needed here");
    let predicted = fit.model().predict(&proxdist::data::Dense::new(&raw.x, 4)?)?;
    assert!(predicted.chunks_exact(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-14));
    for (from, to, what) in [
        ("\"version\": 2", "\"version\": 3", "version 3"),
        ("\"features\": 4", "\"features\": 1", "of 1 features"),
        ("\"softmax\"", "\"hinge\"", "not a loss of several outputs"),
    ] {
        assert!(text.contains(from));
        let fault = OutputsModel::from_json(&text.replace(from, to)).unwrap_err().to_string();
        assert!(fault.contains(what), "{fault}");
    }
    Ok(())
}

#[test]
fn bad_input_has_one_error_each() -> Result<()> {
    let x = [1.0, 2.0, 3.0, 4.0];
    let data = Data::dense(&x, 1, &[0.0; 4])?;
    let none = || proxdist::constraint::WholeSpace;
    let message = |problem: OutputsProblem| problem.fit(&Settings::default()).unwrap_err().to_string();
    let classes = |y: &'static [f64], count| {
        OutputsProblem::new(&data, Responses::classes(y, count), OutputLoss::Softmax, none())
    };
    assert_eq!(message(classes(&[0.0; 4], 1)), "all rows are of the class \"1\": at least two classes are needed");
    let absent = "no row with a positive weight is of the class \"3\", one of 5: its coefficients have no size";
    assert_eq!(message(classes(&[0.0, 1.0, 0.0, 1.0], 5)), absent);
    assert!(
        message(classes(&[0.0, 1.0, 0.5, 1.0], 2))
            .contains("response at row 2 is 0.5, not the number of one of 2 classes")
    );
    let y = [1.0, 2.0, f64::NAN, 1.0, 0.0, 1.0, 0.0, 1.0];
    let problem = OutputsProblem::new(&data, Responses::numbers(&y, 2), OutputLoss::Squared, none()).names(["a", "b"]);
    assert_eq!(message(problem), "response at row 1, column a is NaN, not a finite number");
    let offset = Data::dense(&x, 1, &[0.0; 4])?.offset(&[1.0; 4])?;
    let problem =
        OutputsProblem::new(&offset, Responses::classes(&[0.0, 1.0, 0.0, 1.0], 2), OutputLoss::Softmax, none());
    assert_eq!(message(problem), "an offset of one number for each row is not available for several outputs");
    let problem = classes(&[0.0, 1.0, 0.0, 1.0], 2);
    let refused = problem.fit(&Settings::default().set("method", "psgd")?).unwrap_err().to_string();
    assert_eq!(refused, "another method than spd is not available for several outputs");
    Ok(())
}

#[test]
fn classes_that_can_be_told_apart_are_reported() -> Result<()> {
    let x = [0.0, 1.0, 10.0, 11.0, 20.0, 21.0];
    let y = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0];
    let data = Data::dense(&x, 1, &[0.0; 6])?;
    let fit = |ridge: f64| {
        OutputsProblem::new(&data, Responses::classes(&y, 3), OutputLoss::Softmax, proxdist::constraint::WholeSpace)
            .ridge(ridge)
            .intercept(true)
            .fit(&Settings::default())
    };
    assert!(fit(0.0)?.model().separates_classes());
    assert!(!fit(0.1)?.model().separates_classes());
    Ok(())
}

#[test]
fn threads_change_no_bit() -> Result<()> {
    let raw = Raw::new(51, (3000, 12, 3), OutputLoss::Softmax);
    let data = Data::dense(&raw.x, 12, &raw.zeros)?;
    let fit = |threads: usize| {
        let set = SetSpec::parse("rows:4")?.build(Shape::Matrix { rows: 12, columns: 3 })?;
        OutputsProblem::new(&data, Responses::classes(&raw.y, 3), OutputLoss::Softmax, set)
            .intercept(true)
            .fit(&Settings::default().threads(threads))
    };
    assert_eq!(fit(1)?.model().coefficients, fit(3)?.model().coefficients);
    Ok(())
}
