//! What a page says about a model: what its coefficients do, and what its scores decide.

use serde::{Deserialize, Serialize};

/// A coefficient and what it means.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effect {
    /// Name of the feature, as in the data.
    pub name: String,
    /// Its weight in the linear predictor, in the units of the data.
    pub value: f64,
    /// Both ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// The same for a change of one standard deviation, which can be compared from feature to feature.
    pub effect: Option<f64>,
    /// Both ends of its interval.
    pub effect_interval: Option<(f64, f64)>,
    /// The factor for one unit more, such as an odds ratio.
    pub ratio: Option<f64>,
    /// Both ends of its interval.
    pub ratio_interval: Option<(f64, f64)>,
}

/// The coefficients that are not zero, the largest effect first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// What the figure and the first column show.
    pub effect_label: String,
    /// What intervals are, such as `95 % interval`.
    pub interval_label: String,
    /// What the ratio is, such as `odds ratio`; none if empty.
    pub ratio_label: String,
    /// The coefficients.
    pub rows: Vec<Effect>,
    /// The intercept, if there is one.
    pub intercept: Option<Effect>,
    /// What the reader should know about them, before the figure.
    pub text: String,
    /// What intervals do and do not account for, or why there are none, after the table.
    pub notes: Vec<String>,
}

/// Decisions at one threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cut {
    /// Rows above it are decided as positive.
    pub threshold: f64,
    /// Positive rows decided as positive.
    pub true_positives: f64,
    /// Negative rows decided as positive.
    pub false_positives: f64,
    /// Negative rows decided as negative.
    pub true_negatives: f64,
    /// Positive rows decided as negative.
    pub false_negatives: f64,
}

/// Decisions at many thresholds, of which the reader chooses one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// What is compared with the threshold.
    pub label: String,
    /// The positive label.
    pub positive: String,
    /// The other one.
    pub negative: String,
    /// Which rows.
    pub rows: String,
    /// From the lowest threshold to the highest.
    pub cuts: Vec<Cut>,
    /// The one that is shown first.
    pub start: usize,
}

/// A matrix as a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Image {
    /// Title of the picture.
    pub title: String,
    /// The matrix.
    pub matrix: crate::input::CoefficientMatrix,
}
