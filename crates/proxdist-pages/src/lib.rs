//! From a fit to the page about it: the sentence at its head, how well it predicts, what its coefficients do, what is certain, what else was possible.
//!
//! The program and the Python package describe a model as a [`Subject`] and get the same [`Report`], to which they add what only they know: the file, the command, the run.
//!
//! | part | file |
//! |---|---|
//! | the opening sentence and the figures beside it | `headline.rs` |
//! | measures with intervals, curves, decisions, gains, residuals | `performance.rs`, `classes.rs` |
//! | effects, raw coefficients, ratios, intervals | `effects.rs` |
//! | how features act | `partial.rs` |
//! | coefficient matrices and their factors | `matrix.rs` |
//! | what the certificate says in plain words and in numbers | `certificate.rs` |
//! | choices near that of the model | `alternatives.rs` |

mod alternatives;
mod certificate;
mod classes;
mod effects;
mod grid;
mod headline;
mod matrix;
mod partial;
mod performance;
mod words;

pub use certificate::{Measures, guarantees, lines};
pub use grid::Grid;
pub use headline::sentence;
pub use matrix::{Factors, factors};
pub use performance::{intervals_by_formula, level_in_words};
pub use words::{count, percent};

use proxdist::data::products;
use proxdist::inference::{Nobody, Procedure, Request, Summary, summary};
use proxdist::loss::Loss;
use proxdist::metrics::{Measured, measured};
use proxdist::objective::Objective;
use proxdist::{Certificate, Data, Error, Preparation, Result, Ridge, Scaling, Shape};
use proxdist_report::{Coefficient, Report};

/// The share of intervals that should hold the truth, on all pages.
pub const LEVEL: f64 = 0.95;

/// The numbers of a model, in the units of the data.
#[derive(Clone, Copy, Debug)]
pub struct Fitted<'a> {
    /// The coefficients.
    pub coefficients: &'a [f64],
    /// The intercept, if there is one.
    pub intercept: Option<f64>,
    /// Their arrangement.
    pub shape: Shape,
    /// F on the rows of the fit.
    pub objective: Option<f64>,
    /// What is known about the result.
    pub certificate: Option<&'a Certificate>,
}

/// The rows that a model was fitted to, as they are, and how.
#[derive(Clone, Copy, Debug)]
pub struct Training<'a> {
    /// How it was fitted.
    pub procedure: &'a Procedure<'a>,
    /// The rows.
    pub data: &'a Data<'a>,
}

/// Rows that predictions are compared with.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Which rows, such as `held out`.
    pub label: String,
    /// Linear predictors, offsets included.
    pub predictors: Vec<f64>,
    /// What was observed.
    pub response: Vec<f64>,
    /// Weights of the rows, if they differ.
    pub weights: Option<Vec<f64>>,
    /// Whether the model has seen them.
    pub is_training: bool,
}

impl Judged {
    /// The predictions of a model on some rows.
    pub fn of(label: &str, model: Fitted, data: &Data, is_training: bool) -> Result<Self> {
        let mut predictors = products(data.source(), model.coefficients)?;
        let intercept = model.intercept.unwrap_or(0.0);
        predictors.iter_mut().enumerate().for_each(|(row, eta)| *eta += intercept + data.offset_of(row));
        let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row)).collect();
        let weights = weights.iter().any(|w| *w != weights[0]).then_some(weights);
        Ok(Self { label: label.to_owned(), predictors, response: data.response().to_vec(), weights, is_training })
    }

    fn measured(&self, loss: &dyn Loss) -> Result<Vec<Measured>> {
        measured(loss, &self.predictors, &self.response, self.weights.as_deref(), LEVEL)
    }
}

/// What cross-validation said of the model that was chosen.
#[derive(Clone, Debug)]
pub struct Crossed {
    /// The score, such as `held-out loss`.
    pub score: String,
    /// Its mean over the folds.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// Number of folds.
    pub folds: usize,
    /// Whether the score is the mean loss of rows that were held out.
    pub is_loss: bool,
}

/// Everything that is known about a model.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The loss.
    pub loss: &'a dyn Loss,
    /// Its numbers.
    pub model: Fitted<'a>,
    /// Names of the coefficients.
    pub names: Vec<String>,
    /// The set in words; empty if coefficients are free.
    pub set: String,
    /// What is explained.
    pub target: Option<String>,
    /// The labels that stand for 0 and 1, for two classes.
    pub classes: Option<[String; 2]>,
    /// The rows of the fit, where they are at hand.
    pub training: Option<Training<'a>>,
    /// Other rows that it is judged by.
    pub judged: Option<Judged>,
    /// Cross-validation, where there was one.
    pub crossed: Option<Crossed>,
}

impl Subject<'_> {
    fn support(&self) -> Vec<usize> {
        (0..self.model.coefficients.len()).filter(|&j| self.model.coefficients[j] != 0.0).collect()
    }

    fn name(&self, feature: usize) -> String {
        self.names.get(feature).cloned().unwrap_or_else(|| format!("V{}", feature + 1))
    }

    fn is_matrix(&self) -> bool {
        matches!(self.model.shape, Shape::Matrix { .. })
    }

    /// What is predicted, for an axis.
    fn predicted(&self) -> String {
        match (&self.classes, self.loss.has_probabilities(), &self.target) {
            (Some([_, positive]), true, _) => format!("probability of {positive}"),
            (Some([_, positive]), false, _) => format!("margin of {positive}"),
            (None, _, Some(target)) => format!("predicted {target}"),
            (None, ..) => "prediction".to_owned(),
        }
    }

    /// The share of the variance that cross-validation says is explained, where its score is a mean of squares.
    fn cross_validated_share(&self) -> Option<f64> {
        let crossed = self.crossed.as_ref().filter(|crossed| crossed.is_loss && self.loss.is_quadratic())?;
        let data = self.training?.data;
        let mean = |value: &dyn Fn(usize) -> f64| {
            (0..data.rows()).map(|row| data.weight(row) * value(row)).sum::<f64>() / data.weight_sum()
        };
        let center = mean(&|row| data.response()[row]);
        // The loss of the mean, half the variance.
        let without = mean(&|row| self.loss.value(center, data.response()[row]));
        (without > 0.0).then(|| 1.0 - crossed.mean / without)
    }

    /// All rows that it is judged by, those that it has not seen first, with their measures.
    fn all_judged(&self) -> Result<Vec<(Judged, Vec<Measured>)>> {
        let mut all = Vec::new();
        if let Some(judged) = &self.judged {
            all.push((judged.clone(), judged.measured(self.loss)?));
        }
        if let Some(training) = self.training {
            let own = Judged::of("rows of the fit", self.model, training.data, true)?;
            let found = own.measured(self.loss)?;
            all.push((own, found));
        }
        Ok(all)
    }

    /// Standard errors and prices on the rows of the fit, or why there are none.
    fn summary(&self) -> Result<std::result::Result<Summary, String>> {
        let Some(training) = self.training else {
            return Ok(Err("these are not the rows of the fit, which standard errors need".to_owned()));
        };
        if self.is_matrix() {
            return Ok(Err(
                "the coefficients of a matrix are restricted together, and no standard errors are known for that"
                    .to_owned(),
            ));
        }
        let at = (self.model.coefficients, self.model.intercept);
        match summary(training.procedure, training.data, at, &Request::default(), [&Nobody, &Nobody]) {
            Ok(found) => Ok(Ok(found)),
            Err(Error::Inference(fault)) => Ok(Err(fault.to_string())),
            Err(error) => Err(error),
        }
    }
}

/// The page about a model, all but the circumstances of its fit.
pub fn page(subject: &Subject) -> Result<Report> {
    let judged = subject.all_judged()?;
    let summary = subject.summary()?;
    let mut report = Report {
        headline: headline::of(subject, &judged),
        scores: headline::tiles(subject, &judged),
        performance: performance::sections(subject, &judged),
        residuals: performance::residuals(subject, &judged),
        intercept: subject.model.intercept,
        coefficients: (0..subject.model.coefficients.len())
            .map(|j| Coefficient::new(subject.name(j), subject.model.coefficients[j]))
            .collect(),
        ..Report::default()
    };
    classes::add(subject, &judged, &mut report)?;
    if subject.is_matrix() {
        matrix::add(subject, &mut report);
    } else {
        let (effects, order) = effects::of(subject, &summary)?;
        report.effects = Some(effects);
        let wald = summary.as_ref().ok().and_then(|found| found.wald.as_ref());
        report.model.extend(partial::section(subject, &order, wald)?);
    }
    report.model.extend(effects::prices(&summary));
    if let (Some(certificate), Some(objective)) = (subject.model.certificate, subject.model.objective) {
        report.guarantees = guarantees(certificate, objective, &subject.set);
    }
    report.alternatives.extend(alternatives::section(subject)?);
    Ok(report)
}

/// Share of F by which it may differ where it is that of the fit, summed up in another order.
const SAME: f64 = 1e-9;

/// Whether some rows are those of a fit, as far as F tells: it has the value that it had there.
pub fn are_rows_of_fit(procedure: &Procedure, data: &Data, model: Fitted) -> Result<bool> {
    let Some(objective) = model.objective else { return Ok(false) };
    let units = Preparation::decide(procedure.standardize, [procedure.set], procedure.intercept)?
        .units(data, procedure.ridge)?;
    let squares: Vec<f64>;
    let ridge = if units.is_scaled() {
        squares = Scaling::of(data, true)?.deviations().iter().map(|s| s * s).collect();
        Ridge::on_effects(procedure.ridge, &squares)
    } else {
        units.ridge(procedure.ridge)
    };
    let theta: Vec<f64> = model.coefficients.iter().copied().chain(model.intercept).collect();
    let found = Objective::new(data, procedure.loss, ridge).intercept(model.intercept.is_some()).value(&theta)?;
    Ok((found - objective).abs() <= SAME * objective.abs())
}
