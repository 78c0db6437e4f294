//! The choice of a number of shared features or of a rank for several outputs, offsets, and classes that are told apart: against naive twins and laws.

use proxdist::constraint::{Constraint, WholeSpace};
use proxdist::loss::Huber;
use proxdist::outputs::{
    OutputLoss, OutputsEvaluation, OutputsFit, OutputsProblem, OutputsValidation, Responses, Separation,
};
use proxdist::selection::{Grid, Scoring, Split, folds};
use proxdist::spec::SetSpec;
use proxdist::{Data, Result, Settings, Shape, Standardize};

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64) / f64::from(1u32 << 30) - 1.0
    }

    fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.next()).sum::<f64>() / 2.0_f64.sqrt()
    }
}

/// Features in units that are five decades apart; the first two matter most.
struct Made {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    zeros: Vec<f64>,
    sizes: (usize, usize, usize),
    loss: OutputLoss,
}

impl Made {
    fn new(seed: u64, (rows, features, outputs): (usize, usize, usize), loss: OutputLoss) -> Self {
        let mut random = Numbers(seed * 31 + 7);
        let truth: Vec<f64> = (0..features * outputs).map(|_| random.normal()).collect();
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let plain: Vec<f64> = (0..features).map(|_| random.normal()).collect();
            let share = |j: usize| if j < 2 { 1.0 } else { 0.1 };
            let eta = |k: usize| (0..features).map(|j| share(j) * plain[j] * truth[j * outputs + k]).sum::<f64>();
            let noisy: Vec<f64> = (0..outputs).map(|k| eta(k) + random.normal()).collect();
            if loss.is_classification() {
                y.push((0..outputs).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap_or(0) as f64);
            } else {
                y.extend(noisy);
            }
            x.extend(plain.iter().enumerate().map(|(j, value)| (value + 0.3) * 10.0_f64.powf((j % 6) as f64 - 3.0)));
        }
        let weights = (0..rows).map(|row| 1.0 + (row % 3) as f64).collect();
        Self { x, y, weights, zeros: vec![0.0; rows], sizes: (rows, features, outputs), loss }
    }

    fn data(&self) -> Result<Data<'_>> {
        Data::dense(&self.x, self.sizes.1, &self.zeros)?.weights(&self.weights)
    }

    fn responses(&self) -> Responses<'_> {
        if self.loss.is_classification() {
            Responses::classes(&self.y, self.sizes.2)
        } else {
            Responses::numbers(&self.y, self.sizes.2)
        }
    }

    fn names(&self) -> Vec<String> {
        (0..self.sizes.2).map(|k| format!("k{k}")).collect()
    }

    fn each(&self) -> usize {
        if self.loss.is_classification() { 1 } else { self.sizes.2 }
    }

    /// Some rows as a problem of their own.
    fn only(&self, rows: &[usize]) -> Self {
        let pick = |all: &[f64], each: usize| -> Vec<f64> {
            rows.iter().flat_map(|&i| all[i * each..(i + 1) * each].to_vec()).collect()
        };
        Self {
            x: pick(&self.x, self.sizes.1),
            y: pick(&self.y, self.each()),
            weights: pick(&self.weights, 1),
            zeros: vec![0.0; rows.len()],
            sizes: (rows.len(), self.sizes.1, self.sizes.2),
            loss: self.loss,
        }
    }

    fn fit(&self, set: &str, ridge: f64) -> Result<OutputsFit> {
        let shape = Shape::Matrix { rows: self.sizes.1, columns: self.sizes.2 };
        let set: Box<dyn Constraint> = SetSpec::parse(set)?.build(shape)?;
        let data = self.data()?;
        let units = proxdist::Preparation::decide(Standardize::Auto, [&*set], true)?.units(&data, ridge)?;
        let data = units.apply(data)?;
        let fit = OutputsProblem::new(&data, self.responses(), self.loss, set)
            .ridge(units.ridge(ridge))
            .intercept(true)
            .fit(&Settings::default())?;
        fit.restored(&units)
    }
}

/// The mean loss of a model on some rows, by its definition.
fn held_out(fit: &OutputsFit, test: &Made) -> Result<f64> {
    let (model, size) = (fit.model(), test.sizes.2);
    let data = test.data()?;
    let eta = model.linear_predictors(data.source())?;
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, eta) in eta.chunks(size).enumerate() {
        let y = &test.y[i * test.each()..(i + 1) * test.each()];
        let loss = if test.loss.is_classification() {
            eta.iter().map(|e| (e - eta[y[0] as usize]).exp()).sum::<f64>().ln()
        } else {
            eta.iter().zip(y).map(|(e, y)| 0.5 * (e - y).powi(2)).sum()
        };
        sum += test.weights[i] * loss;
        total += test.weights[i];
    }
    Ok(sum / total)
}

fn validation<'a>(made: &'a Made, data: &'a Data<'a>) -> OutputsValidation<'a> {
    OutputsValidation::new(data, made.responses(), made.loss, made.names())
        .intercept(true)
        .standardize(Standardize::Auto)
        .folds(4)
        .seed(3)
}

#[test]
fn scores_are_those_of_a_loop_of_fits() -> Result<()> {
    for (seed, loss) in [(1, OutputLoss::Squared), (2, OutputLoss::Softmax), (3, OutputLoss::Squared)] {
        let made = Made::new(seed, (90, 5, 3), loss);
        let data = made.data()?;
        let grid = Grid::parse(["rows:0-3,5", "ridge:0.01,0.1"])?;
        let found = validation(&made, &data).run(&grid, &Settings::default())?;
        let labels = loss.is_classification().then_some(&made.y[..]);
        let fold_of = folds(90, 4, labels, 3)?;
        assert_eq!(found.table.scores.len(), 10);
        assert_eq!((found.table.folds, found.table.seed), (4, 3));
        for score in &found.table.scores {
            for fold in 0..4 {
                let rows =
                    |inside: bool| -> Vec<usize> { (0..90).filter(|&i| (fold_of[i] == fold) == inside).collect() };
                // Every choice of rows is fitted there.
                let fit = made.only(&rows(false)).fit(&score.point.constraint.to_string(), score.point.ridge)?;
                let expected = held_out(&fit, &made.only(&rows(true)))?;
                let away = (score.folds[fold] - expected).abs() / expected;
                assert!(away < 2e-3, "{} {loss}: {} {expected}", score.point, score.folds[fold]);
                assert!(loss.is_classification() || away < 1e-9, "{} {loss}: {away:e}", score.point);
            }
        }
        let chosen = found.chosen().point.clone();
        assert!(found.fit.model().support().len() <= 5);
        assert_eq!(found.fit.model().constraint, chosen.constraint.to_string());
        let alone = made.fit(&chosen.constraint.to_string(), chosen.ridge)?;
        assert!((alone.objective() - found.fit.objective()).abs() <= 1e-9 * alone.objective());
        // On all rows F never rises with the size.
        for ridge in 0..2 {
            let path = &found.points[5 * ridge..5 * ridge + 5];
            assert!(path.windows(2).all(|two| two[1].objective <= two[0].objective * (1.0 + 1e-6)), "{path:?}");
        }
    }
    Ok(())
}

#[test]
fn ranks_and_other_sets_are_fitted_one_by_one() -> Result<()> {
    for loss in [OutputLoss::Softmax, OutputLoss::Squared] {
        let made = Made::new(5, (120, 4, 3), loss);
        let data = made.data()?;
        let found = validation(&made, &data).run(&Grid::parse(["rank:1-3"])?, &Settings::default())?;
        let labels = loss.is_classification().then_some(&made.y[..]);
        let fold_of = folds(120, 4, labels, 3)?;
        for score in &found.table.scores {
            for fold in 0..4 {
                let rows =
                    |inside: bool| -> Vec<usize> { (0..120).filter(|&i| (fold_of[i] == fold) == inside).collect() };
                let fit = made.only(&rows(false)).fit(&score.point.constraint.to_string(), 0.0)?;
                let expected = held_out(&fit, &made.only(&rows(true)))?;
                assert!(
                    (score.folds[fold] - expected).abs() < 1e-5 * expected,
                    "{}: {score:?} {expected}",
                    score.point
                );
            }
        }
        assert!(found.points.is_empty());
        let other = validation(&made, &data).run(&Grid::parse(["ball:0.5,1"])?, &Settings::default())?;
        assert_eq!(other.table.scores.len(), 2);
    }
    Ok(())
}

#[test]
fn scores_with_names_are_what_they_say() -> Result<()> {
    let made = Made::new(8, (80, 3, 3), OutputLoss::Softmax);
    let data = made.data()?;
    let (train, test): (Vec<usize>, Vec<usize>) = (0..80).partition(|i| i % 4 > 0);
    let splits = vec![
        Split { training: train.clone(), held_out: test.clone() },
        Split { training: test.clone(), held_out: train.clone() },
    ];
    let fit = made.only(&train).fit("rows:2", 0.01)?;
    let rest = made.only(&test);
    let eta = fit.model().linear_predictors(rest.data()?.source())?;
    let OutputsEvaluation::Classes(found) = OutputsEvaluation::of(fit.model(), &eta, &rest.y, Some(&rest.weights))?
    else {
        panic!("classes are evaluated as classes");
    };
    let expected = [
        (Scoring::Accuracy, found.accuracy),
        (Scoring::Auc, found.macro_auc.unwrap()),
        (Scoring::Loss, found.log_loss),
    ];
    for (scoring, expected) in expected {
        let grid = Grid::parse(["rows:2", "ridge:0.01"])?;
        let table =
            validation(&made, &data).splits(splits.clone()).scoring(scoring).run(&grid, &Settings::default())?.table;
        assert!(
            (table.scores[0].folds[0] - expected).abs() < 1e-3,
            "{scoring}: {} {expected}",
            table.scores[0].folds[0]
        );
    }
    // Areas by every pair of rows.
    let mut chances = eta.clone();
    for row in chances.chunks_mut(3) {
        let sum: f64 = row.iter().map(|e| e.exp()).sum();
        row.iter_mut().for_each(|e| *e = e.exp() / sum);
    }
    for k in 0..3 {
        let (mut good, mut all) = (0.0, 0.0);
        for i in (0..test.len()).filter(|&i| rest.y[i] as usize == k) {
            for j in (0..test.len()).filter(|&j| rest.y[j] as usize != k) {
                let (own, other) = (chances[3 * i + k], chances[3 * j + k]);
                let weight = rest.weights[i] * rest.weights[j];
                all += weight;
                good += weight
                    * if own > other {
                        1.0
                    } else if own == other {
                        0.5
                    } else {
                        0.0
                    };
            }
        }
        assert!((found.auc[k].unwrap() - good / all).abs() < 1e-12);
    }
    for (made, scoring, message) in [
        (
            &made,
            Scoring::MeanSquaredError,
            "scoring must be loss, accuracy or auc where there are several classes, got mse",
        ),
        (
            &Made::new(8, (40, 3, 2), OutputLoss::Squared),
            Scoring::Auc,
            "scoring must be loss or mse where there are several responses, got auc",
        ),
    ] {
        let data = made.data()?;
        let refused = validation(made, &data).scoring(scoring).run(&Grid::parse(["rows:1"])?, &Settings::default());
        assert_eq!(refused.unwrap_err().to_string(), message);
    }
    Ok(())
}

#[test]
fn rare_and_absent_classes_have_one_outcome_each() -> Result<()> {
    let x: Vec<f64> = (0..24).map(|i| f64::from(i * i % 7)).collect();
    let zeros = [0.0; 12];
    let data = Data::dense(&x, 2, &zeros)?;
    let message = |y: &[f64], classes: usize, splits: Option<Vec<Split>>| {
        let names: Vec<String> =
            ["ash", "elm", "oak", "fir"][..classes].iter().map(|name| (*name).to_owned()).collect();
        let validation =
            OutputsValidation::new(&data, Responses::classes(y, classes), OutputLoss::Softmax, names).folds(3);
        let validation = match splits {
            Some(splits) => validation.splits(splits),
            None => validation,
        };
        validation.run(&Grid::parse(["rows:1,2"]).unwrap(), &Settings::default()).unwrap_err().to_string()
    };
    let few = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0];
    assert_eq!(message(&few, 3, None), "the class \"oak\" has 2 of the rows, and 3 folds need a row of it each");
    let absent = "no row with a positive weight is of the class \"fir\", one of 4: its coefficients have no size";
    assert_eq!(message(&few, 4, None), absent);
    let split = Split { training: (0..10).collect(), held_out: vec![10, 11] };
    let other = Split { training: (2..12).collect(), held_out: vec![0, 1] };
    let told = message(&few, 3, Some(vec![other, split]));
    assert!(told.contains("rows:1") && told.contains("2 of 2"), "{told}");
    let source = "no row with a positive weight is of the class \"oak\", one of 3: its coefficients have no size";
    assert!(told.ends_with(source), "{told}");
    Ok(())
}

#[test]
fn threads_change_no_bit_of_a_choice() -> Result<()> {
    let made = Made::new(11, (300, 7, 3), OutputLoss::Softmax);
    let data = made.data()?;
    let run = |threads: usize| {
        let grid = Grid::parse(["rows:1-4", "ridge:0,0.01"])?;
        validation(&made, &data).run(&grid, &Settings::default().threads(threads))
    };
    let (one, three) = (run(1)?, run(3)?);
    assert_eq!(one.table, three.table);
    assert_eq!(one.fit.model().coefficients, three.fit.model().coefficients);
    Ok(())
}

#[test]
fn an_offset_is_a_part_of_the_predictors() -> Result<()> {
    let huber = OutputLoss::Huber(Huber::with_delta(1.0)?);
    for loss in [OutputLoss::Squared, huber, OutputLoss::Softmax] {
        for set in ["none", "rows:2", "rank:2", "ball:0.7", "sparsity:6"] {
            let made = Made::new(21, (60, 4, 3), loss);
            let data = made.data()?;
            let shape = Shape::Matrix { rows: 4, columns: 3 };
            let mut random = Numbers(5);
            let known: Vec<f64> = (0..180).map(|_| random.normal()).collect();
            let fit = |responses: Responses| {
                let set = SetSpec::parse(set)?.build(shape)?;
                OutputsProblem::new(&data, responses, loss, set)
                    .ridge(0.01)
                    .intercept(true)
                    .fit(&Settings::default().max_steps(300))
            };
            let with = fit(made.responses().offset(&known))?;
            if loss.is_classification() {
                // F by its definition is that of the certificate, and without the offset it is another one.
                let model = with.model();
                let eta = model.linear_predictors(data.source())?;
                let mut sum = 0.0;
                for i in 0..60 {
                    let eta: Vec<f64> = (0..3).map(|k| eta[3 * i + k] + known[3 * i + k]).collect();
                    let own = eta[made.y[i] as usize];
                    sum += made.weights[i] * eta.iter().map(|e| (e - own).exp()).sum::<f64>().ln();
                }
                let ridge: f64 = model.coefficients.iter().map(|v| 0.005 * v * v).sum();
                let value = sum / made.weights.iter().sum::<f64>() + ridge;
                assert!((value - with.objective()).abs() < 1e-10, "{set}: {value} {}", with.objective());
                assert!(with.certificate().stationarity < 1e-4 || set == "sparsity:6", "{set}: {with:?}");
            } else {
                let less: Vec<f64> = made.y.iter().zip(&known).map(|(y, o)| y - o).collect();
                let without = fit(Responses::numbers(&less, 3))?;
                assert!((with.objective() - without.objective()).abs() < 1e-9 * without.objective(), "{loss} {set}");
                let pairs = with.model().coefficients.iter().zip(&without.model().coefficients);
                assert!(
                    set == "sparsity:6" || pairs.clone().all(|(a, b)| (a - b).abs() < 1e-4 * (1.0 + b.abs())),
                    "{loss} {set}"
                );
            }
        }
    }
    let made = Made::new(21, (60, 4, 3), OutputLoss::Squared);
    let data = made.data()?;
    let refused = |offset: &[f64]| {
        OutputsProblem::new(&data, made.responses().offset(offset), made.loss, WholeSpace)
            .names(["a", "b", "c"])
            .fit(&Settings::default())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&[0.0; 60]).contains("one for each row and output"));
    let mut wrong = vec![0.0; 180];
    wrong[4] = f64::NAN;
    assert_eq!(refused(&wrong), "offset at row 1, column b is NaN, not a finite number");
    Ok(())
}

/// Three groups along a line, and a second feature that is noise.
fn groups(is_mixed: bool) -> (Vec<f64>, Vec<f64>) {
    let mut random = Numbers(9);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..60 {
        let class = i % 3;
        // Mixed: the second and the third are in one place, the first far off.
        let place = if is_mixed { [0.0, 10.0, 10.0][class] } else { 10.0 * class as f64 };
        x.extend([place + 0.5 * random.next(), random.normal(), 1e3 * random.normal()]);
        y.push(class as f64);
    }
    (x, y)
}

#[test]
fn classes_told_apart_are_marked_and_cheap() -> Result<()> {
    for (is_mixed, expected) in [(false, Separation::AllRows), (true, Separation::SomeRows)] {
        let (x, y) = groups(is_mixed);
        let zeros = [0.0; 60];
        let data = Data::dense(&x, 3, &zeros)?;
        for set in ["none", "rows:1", "rows:2", "rank:2"] {
            let fit = |ridge: f64| {
                let set = SetSpec::parse(set)?.build(Shape::Matrix { rows: 3, columns: 3 })?;
                OutputsProblem::new(&data, Responses::classes(&y, 3), OutputLoss::Softmax, set)
                    .ridge(ridge)
                    .intercept(true)
                    .fit(&Settings::default())
            };
            let found = fit(0.0)?;
            let model = found.model();
            if !(is_mixed && set == "rank:2") {
                assert_eq!(model.separation(), expected, "{set}");
            }
            assert_eq!(fit(0.01)?.model().separation(), Separation::No, "{set}");
            if expected == Separation::AllRows {
                // Every row is on its side, and next to nothing is left of F, which no other parameter can be much below.
                let eta = model.linear_predictors(data.source())?;
                for (eta, class) in eta.chunks(3).zip(&y) {
                    assert!((0..3).all(|k| k == *class as usize || eta[k] < eta[*class as usize]), "{set}");
                }
                assert!(found.objective() < 1e-9 && found.stop().is_success(), "{set}: {found:?}");
            }
            let text = model.to_json()?;
            assert_eq!(proxdist::outputs::OutputsModel::from_json(&text).unwrap(), *model);
        }
        // Sizes that separate are marked in the table of a choice.
        let names = ["a", "b", "c"].map(str::to_owned);
        let validation = OutputsValidation::new(&data, Responses::classes(&y, 3), OutputLoss::Softmax, names);
        let grid = Grid::parse(["rows:0-3", "ridge:0,0.01"])?;
        let found = validation.intercept(true).folds(3).run(&grid, &Settings::default())?;
        if !is_mixed {
            assert_eq!(found.points[1].separation, Separation::AllRows);
            assert_eq!(found.table.scores[1].converged, 0);
        }
        assert!(!found.points[0].separation.is_there());
        assert!(found.points[4..].iter().all(|point| !point.separation.is_there()));
    }
    Ok(())
}

#[test]
fn classes_that_overlap_are_not_called_separated() -> Result<()> {
    for seed in 0..12 {
        let made = Made::new(100 + seed, (80, 3, 3), OutputLoss::Softmax);
        for set in ["none", "rows:1", "rows:2", "rank:1"] {
            assert_eq!(made.fit(set, 0.0)?.model().separation(), Separation::No, "{seed} {set}");
        }
    }
    Ok(())
}
