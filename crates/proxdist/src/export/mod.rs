//! A model in the words of other programs: SQL, Python, C, PMML, JSON, or one line for people.
//!
//! A [`Scorer`] is what is needed to score a row that is not encoded yet: columns as they are in the file, codes of text columns, what to fill in for missing values, the known part
//! of the predictor, and the link. Each form is written from it by a file of its own and computes the same number as [`crate::Model::predict`], up to rounding. Columns without a
//! coefficient are left out: they are not needed.

mod c;
mod formula;
mod json;
mod pmml;
mod python;
mod sql;

use crate::loss::{Link, Task};
use crate::model::Model;
use serde::Serialize;

/// A model of rows as they are in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scorer {
    /// The columns that matter.
    pub inputs: Vec<Input>,
    /// The intercept, zero if there is none.
    pub intercept: f64,
    /// A known part of the predictor.
    pub known: Option<KnownPart>,
    /// What the predictor means.
    pub link: ScoreLink,
    /// Negative and positive label, for two classes.
    pub labels: Option<[String; 2]>,
    /// What is explained.
    pub target: Option<String>,
    /// The loss of the model.
    pub loss: String,
}

/// A column of the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Input {
    /// Its name.
    pub column: String,
    /// What it adds to the predictor.
    #[serde(flatten)]
    pub kind: InputKind,
}

/// What a column adds to the predictor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum InputKind {
    /// A multiple of its number.
    Number {
        /// The factor.
        coefficient: f64,
        /// Taken for a missing number; without it there is no prediction.
        fill: Option<f64>,
    },
    /// A number for each text.
    Text {
        /// Every known text with what it adds.
        levels: Vec<(String, f64)>,
        /// Taken for a missing text; without it there is no prediction.
        fill: Option<String>,
    },
    /// A number for each bin of its number.
    Bins {
        /// Where one bin ends and the next begins, increasing.
        edges: Vec<f64>,
        /// What each bin adds: one more than there are edges.
        adds: Vec<f64>,
        /// What a missing number adds, if it has a bin.
        missing: Option<f64>,
        /// Taken for a missing number otherwise; without it there is no prediction.
        fill: Option<f64>,
    },
}

impl InputKind {
    /// What a missing number in bins adds; none if there is no prediction then.
    fn missing_adds(&self) -> Option<f64> {
        let Self::Bins { edges, adds, missing, fill } = self else { return None };
        let of = |value: f64| adds.get(edges.partition_point(|edge| *edge <= value)).copied();
        missing.or_else(|| fill.and_then(of))
    }
}

/// A known part of the predictor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownPart {
    /// A column that is added as it is.
    Offset(String),
    /// A column whose logarithm is added.
    Exposure(String),
}

/// What a predictor means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreLink {
    /// The prediction itself.
    Identity,
    /// Its logarithm.
    Log,
    /// The log odds of the positive label.
    Logit,
    /// Positive for the positive label, without a probability.
    Margin,
}

/// A form to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form<'a> {
    /// A SELECT statement on this table.
    Sql {
        /// Name of the table.
        table: &'a str,
    },
    /// A function in Python.
    Python,
    /// A function in C.
    C,
    /// Predictive Model Markup Language 4.4.
    Pmml,
    /// The scorer itself.
    Json,
    /// One line.
    Formula,
}

/// Why a model cannot be written in a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportFault {
    /// Only the loss knows how predictors become means.
    #[error("the {loss} loss has a link of its own, which other programs do not know")]
    OwnLink {
        /// The loss.
        loss: String,
    },
    /// A loss of the user's own.
    #[error("the library has no {loss} loss, so it does not know what a prediction is")]
    UnknownLoss {
        /// The loss.
        loss: String,
    },
    /// A column whose missing values have an indicator.
    #[error("the column {column:?} has an indicator of its missing values, which exported models do not have")]
    Marked {
        /// The column.
        column: String,
    },
    /// A name that the form cannot hold.
    #[error("{form} cannot hold the name {name:?}: it has the character {character:?}")]
    Name {
        /// The form.
        form: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it.
        character: char,
    },
    /// Two columns of the same name.
    #[error("two columns are called {name:?}")]
    Twice {
        /// The name.
        name: String,
    },
}

impl ScoreLink {
    /// That of a model.
    pub fn of(model: &Model) -> Result<Self, ExportFault> {
        let text = || model.loss.to_string();
        let loss = model.loss.known().map_err(|_| ExportFault::UnknownLoss { loss: text() })?;
        match loss.link() {
            Link::Identity => Ok(Self::Identity),
            Link::Log => Ok(Self::Log),
            Link::Logit => Ok(Self::Logit),
            Link::Margin => Ok(Self::Margin),
            Link::Own => Err(ExportFault::OwnLink { loss: text() }),
        }
    }

    /// Whether it is about two labels.
    pub fn has_labels(self) -> bool {
        matches!(self, Self::Logit | Self::Margin)
    }
}

impl Scorer {
    /// A model whose features are columns of numbers.
    pub fn of_numbers(model: &Model, labels: Option<[String; 2]>) -> Result<Self, ExportFault> {
        let name = |j: usize| model.names.as_ref().map_or_else(|| format!("V{}", j + 1), |names| names[j].clone());
        let input = |j: usize| Input {
            column: name(j),
            kind: InputKind::Number { coefficient: model.coefficients[j], fill: None },
        };
        Self::new(model, model.support().into_iter().map(input).collect(), labels)
    }

    /// A model with these columns.
    pub fn new(model: &Model, inputs: Vec<Input>, labels: Option<[String; 2]>) -> Result<Self, ExportFault> {
        let link = ScoreLink::of(model)?;
        let is_classes = model.task().is_ok_and(|task| task == Task::TwoClasses);
        let labels = is_classes.then(|| labels.unwrap_or_else(|| ["0".to_owned(), "1".to_owned()]));
        let intercept = model.intercept.unwrap_or(0.0);
        Ok(Self { inputs, intercept, known: None, link, labels, target: None, loss: model.loss.to_string() })
    }

    /// The text of a form.
    pub fn written(&self, form: Form) -> Result<String, ExportFault> {
        let mut names: Vec<&str> = self.inputs.iter().map(|input| input.column.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ExportFault::Twice { name: pair[0].to_owned() });
        }
        match form {
            Form::Sql { table } => sql::written(self, table),
            Form::Python => Ok(python::written(self)),
            Form::C => Ok(c::written(self)),
            Form::Pmml => pmml::written(self),
            Form::Json => Ok(json::written(self)),
            Form::Formula => Ok(formula::written(self)),
        }
    }

    /// Every name and text that the form writes down.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let columns = self.inputs.iter().flat_map(|input| {
            let levels: &[(String, f64)] = match &input.kind {
                InputKind::Number { .. } | InputKind::Bins { .. } => &[],
                InputKind::Text { levels, .. } => levels,
            };
            std::iter::once(input.column.as_str()).chain(levels.iter().map(|(level, _)| level.as_str()))
        });
        let known = self.known.iter().map(|known| match known {
            KnownPart::Offset(column) | KnownPart::Exposure(column) => column.as_str(),
        });
        columns.chain(known).chain(self.labels.iter().flatten().map(String::as_str)).chain(self.target.as_deref())
    }

    /// Refuses texts with a character that a form has no way to write.
    fn check(&self, form: &'static str, is_wrong: impl Fn(char) -> bool) -> Result<(), ExportFault> {
        for name in self.texts() {
            if let Some(character) = name.chars().find(|&c| is_wrong(c)) {
                return Err(ExportFault::Name { form, name: name.to_owned(), character });
            }
        }
        Ok(())
    }
}

/// A number that reads back to the same bits, in every language here.
fn exact(value: f64) -> String {
    format!("{value:e}")
}

/// A text in double quotes with JSON's escapes, which Python reads alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
