//! What a report is made of: plain values, measured elsewhere.

use crate::model_input::Image;
use serde::{Deserialize, Serialize};

/// The state of a run at a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracePoint {
    /// Steps taken.
    pub step: u64,
    /// The objective at the projected iterate.
    pub objective: f64,
    /// Distance of the iterate to the set.
    pub distance: f64,
    /// Penalty of the last step.
    pub rho: f64,
    /// Nonzero coefficients of the projected iterate.
    pub nonzeros: usize,
    /// Time since the run began.
    pub seconds: f64,
}

/// Where the search for a proof was at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProofPoint {
    /// Time since the fit began.
    pub seconds: f64,
    /// Nodes that were worked on.
    pub nodes: u64,
    /// F of the best choice found.
    pub value: f64,
    /// F is proven not to be below this for any choice.
    pub bound: f64,
}

/// What was proven about the choice of features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProofStory {
    /// What was proven, in plain words.
    pub words: String,
    /// How the search went.
    pub points: Vec<ProofPoint>,
}

/// A named coefficient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// Name of the feature, as in the data.
    pub name: String,
    /// Its weight in the linear predictor.
    pub value: f64,
}

impl Coefficient {
    /// A named coefficient.
    pub fn new(name: impl Into<String>, value: f64) -> Self {
        Coefficient { name: name.into(), value }
    }
}

/// A coefficient matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoefficientMatrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Entries, row by row; missing ones count as zero.
    pub values: Vec<f64>,
    /// Names of the rows, if they have any.
    #[serde(default)]
    pub row_names: Vec<String>,
    /// Names of the columns, if they have any.
    #[serde(default)]
    pub column_names: Vec<String>,
}

/// A receiver operating characteristic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RocCurve {
    /// Which data or model, such as `training`.
    pub label: String,
    /// Area under the curve; computed from the points by the trapezoid rule when left out.
    pub auc: Option<f64>,
    /// False and true positive rates, from (0, 0) to (1, 1).
    pub points: Vec<(f64, f64)>,
}

impl RocCurve {
    /// The area under the curve, as given or from the points.
    pub fn area(&self) -> f64 {
        let trapezoid = || self.points.windows(2).map(|w| (w[1].0 - w[0].0) * f64::midpoint(w[0].1, w[1].1)).sum();
        self.auc.unwrap_or_else(trapezoid)
    }
}

/// Observations with similar predicted probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Mean predicted probability.
    pub predicted: f64,
    /// Share of positives.
    pub observed: f64,
    /// Number of observations, or their total weight.
    pub count: f64,
}

/// An observation of a regression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Fitted value.
    pub fitted: f64,
    /// Observed minus fitted.
    pub residual: f64,
}

/// A candidate of cross-validation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CvPoint {
    /// Value of the parameter along the axis.
    pub value: f64,
    /// The other parameters, such as `ridge 0.01`; candidates with equal text form a line.
    pub line: String,
    /// Mean score over the folds.
    pub mean: f64,
    /// Standard error of that mean.
    pub standard_error: f64,
}

/// The outcome of cross-validation over a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CvCurve {
    /// Name of the parameter along the axis.
    pub parameter: String,
    /// Name of the score.
    pub score: String,
    /// Whether a larger score is better.
    pub larger_is_better: bool,
    /// Number of folds.
    pub folds: usize,
    /// The candidates.
    pub points: Vec<CvPoint>,
    /// Index of the chosen candidate.
    pub chosen: Option<usize>,
    /// Index of the simplest candidate within one standard error of the best.
    pub one_standard_error: Option<usize>,
}

/// A line of the certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CertificateLine {
    /// What was measured.
    pub label: String,
    /// The measurement, as text.
    pub value: String,
    /// What it means, in plain language.
    pub verdict: String,
    /// Whether that is good news; `None` where it is neither.
    pub good: Option<bool>,
}

/// A labelled value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What.
    pub label: String,
    /// How much, or which.
    pub value: String,
}

impl Fact {
    /// A labelled value.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Fact { label: label.into(), value: value.into() }
    }
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    #[default]
    Notice,
    /// The result may not be what was wanted.
    Warning,
}

/// Something the reader should know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// The message.
    pub text: String,
}

impl Notice {
    /// Good to know.
    pub fn remark(text: impl Into<String>) -> Self {
        Notice { severity: Severity::Notice, text: text.into() }
    }

    /// The result may not be what was wanted.
    pub fn warning(text: impl Into<String>) -> Self {
        Notice { severity: Severity::Warning, text: text.into() }
    }
}

/// Box plots side by side, in groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoxPlots {
    /// Title of the figure.
    pub title: String,
    /// What is measured.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Names of the series, one colour each.
    pub series: Vec<String>,
    /// The groups along the axis.
    pub groups: Vec<BoxGroup>,
}

/// Boxes that stand together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoxGroup {
    /// Name under the group.
    pub label: String,
    /// Measurements, one list per series.
    pub values: Vec<Vec<f64>>,
}

/// A named line of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// A range around it, as (x, low, high); empty for none.
    pub band: Vec<(f64, f64, f64)>,
    /// Places on the level axis that are marked below the line, such as quantiles of the data.
    pub rug: Vec<f64>,
}

impl Series {
    /// A line without a band.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { label: label.into(), points, ..Series::default() }
    }
}

/// A section of its own: a paragraph, a table of what was found and what it means, a plain table, figures. What is empty is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// A paragraph.
    pub text: String,
    /// The table.
    pub lines: Vec<CertificateLine>,
    /// Names of the columns of a plain table.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// Scores of cross-validation, drawn with their errors.
    pub curve: Option<CvCurve>,
    /// The figure.
    pub plot: Option<LinePlot>,
    /// Points and arrows in one plane.
    pub biplot: Option<Biplot>,
    /// Small plots side by side.
    pub plots: Vec<LinePlot>,
    /// Matrices as pictures side by side.
    pub images: Vec<Image>,
    /// Quiet remarks at the end.
    pub notes: Vec<String>,
}

/// Two kinds of things in one plane: points, and arrows from the origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Biplot {
    /// Title of the figure.
    pub title: String,
    /// What runs along the level axis.
    pub x_label: String,
    /// What runs along the upright axis.
    pub y_label: String,
    /// What the points are.
    pub points_label: String,
    /// The points.
    pub points: Vec<Place>,
    /// What the arrows are.
    pub arrows_label: String,
    /// The tips of the arrows.
    pub arrows: Vec<Place>,
}

/// A place with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The name.
    pub name: String,
    /// Along the level axis.
    pub x: f64,
    /// Along the upright axis.
    pub y: f64,
}

/// Lines on common axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinePlot {
    /// Title of the figure.
    pub title: String,
    /// What runs along the level axis.
    pub x_label: String,
    /// What runs along the upright axis.
    pub y_label: String,
    /// Whether the level axis is logarithmic.
    pub log_x: bool,
    /// Whether the upright axis is logarithmic.
    pub log_y: bool,
    /// The lines.
    pub series: Vec<Series>,
    /// A place on the level axis that matters.
    pub mark: Option<Mark>,
    /// Points that are singled out.
    pub rings: Option<Rings>,
}

/// Points with a ring around them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rings {
    /// What they have in common, for the legend.
    pub label: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// A place on the level axis, such as that of a choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// Where.
    pub at: f64,
    /// Its name in the legend.
    pub label: String,
}
