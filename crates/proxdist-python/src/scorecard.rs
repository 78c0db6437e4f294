//! Bins of columns, and whole points for the features of a model.

use crate::data::{Features, PerRow};
use crate::error::exception;
use numpy::PyReadonlyArray1;
use proxdist::binning::{BinFault, BinRule, Bins, Column};
use proxdist::scorecard::{Attribute, COLUMNS, CardOptions, Feature, FeatureKind, Measured, Predictor, Scorecard};
use proxdist_report::{Fact, TablePage};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

fn refused(fault: BinFault) -> PyErr {
    PyValueError::new_err(format!("{fault}; {}", fault.remedy()))
}

/// The edges of a column by a rule, and whether missing numbers have a bin.
#[pyfunction]
#[pyo3(signature = (rule, values, response=None, weights=None))]
pub(crate) fn learn_bins(
    py: Python<'_>,
    rule: &str,
    values: PyReadonlyArray1<'_, f64>,
    response: Option<PyReadonlyArray1<'_, f64>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<(Vec<f64>, bool)> {
    let rule: BinRule = rule.parse().map_err(refused)?;
    let response = response.as_ref().map(|response| response.as_slice()).transpose()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let column = Column { values: values.as_slice()?, response, weights };
    let bins = py.detach(|| Bins::learn(&rule, &column)).map_err(refused)?;
    Ok((bins.edges, bins.missing))
}

/// What the bins of a column are, such as `in [30, 45)`.
#[pyfunction]
pub(crate) fn bin_texts(edges: Vec<f64>, missing: bool) -> Vec<String> {
    let bins = Bins { edges, missing };
    (0..bins.count()).map(|bin| bins.text(bin)).collect()
}

/// A name with attributes and their columns, or without them and with a column of numbers.
type Named = (String, Vec<(String, Option<usize>)>, usize);

/// What is asked of a card.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    coef: Vec<f64>,
    intercept: Option<f64>,
    features: Vec<Named>,
    labels: [String; 2],
    title: String,
    points: f64,
    odds: f64,
    pdo: Option<f64>,
    of_negative: bool,
    reach: f64,
    max_points: Option<u32>,
    units: Vec<(String, f64)>,
    max_nodes: usize,
}

impl Wanted {
    fn options(&self) -> CardOptions {
        let Self { points, odds, pdo, of_negative, reach, max_points, max_nodes, .. } = *self;
        CardOptions { points, odds, pdo, of_negative, reach, max_points, units: self.units.clone(), max_nodes }
    }

    fn features(&self) -> Vec<Feature> {
        let feature = |(name, attributes, column): &Named| {
            let attribute =
                |(text, column): &(String, Option<usize>)| Attribute { text: text.clone(), column: *column };
            let kind = if attributes.is_empty() {
                FeatureKind::Number { column: *column }
            } else {
                FeatureKind::Attributes(attributes.iter().map(attribute).collect())
            };
            Feature { name: name.clone(), kind }
        };
        self.features.iter().map(feature).collect()
    }
}

/// Rows with their labels.
type Rows<'py> = (Features<'py>, PerRow<'py>);

/// A card as JSON, as text and as a page; on other rows, what it is worth there as JSON.
#[pyfunction]
#[pyo3(signature = (wanted, rows=None, other=None))]
pub(crate) fn scorecard(
    py: Python<'_>,
    wanted: Wanted,
    rows: Option<Rows<'_>>,
    other: Option<Rows<'_>>,
) -> PyResult<(String, String, String)> {
    let features = wanted.features();
    let model = Predictor { coefficients: &wanted.coef, intercept: wanted.intercept, features: &features };
    let options = wanted.options();
    let made = match &rows {
        Some((features, per_row)) => {
            let (source, numbers) = (features.source()?, per_row.numbers()?);
            py.detach(|| Scorecard::new(&model, &options, Some(&crate::problem::plain_data(source, numbers)?)))
        }
        None => Scorecard::new(&model, &options, None),
    };
    let card = made.map_err(|error| exception(&error))?;
    let measured = match &other {
        Some((features, per_row)) => {
            let (source, numbers) = (features.source()?, per_row.numbers()?);
            let found = py.detach(|| card.measure(&model, &crate::problem::plain_data(source, numbers)?));
            Some(found.map_err(|error| exception(&error))?)
        }
        None => None,
    };
    let json = serde_json::json!({"scorecard": card, "test": measured});
    let text = sentences(&card, &wanted.labels, measured.as_ref());
    let shown = format!("{card}\n{}\n", text.join("\n"));
    let json = serde_json::to_string(&json).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((json, shown, page(&card, &wanted.title, text)))
}

fn sentences(card: &Scorecard, [negative, positive]: &[String; 2], other: Option<&Measured>) -> Vec<String> {
    let more = other.map(|measured| format!("Other rows: {}", measured.sentence()));
    card.sentences([negative, positive]).into_iter().chain(more).collect()
}

fn page(card: &Scorecard, title: &str, sentences: Vec<String>) -> String {
    let columns = if card.measured.is_some() { COLUMNS.len() } else { 4 };
    TablePage {
        title: title.to_owned(),
        sentences,
        scores: card.facts().into_iter().map(|(label, value)| Fact::new(label, value)).collect(),
        columns: COLUMNS[..columns].iter().map(|name| (*name).to_owned()).collect(),
        rows: card.table().into_iter().map(|row| row[..columns].to_vec()).collect(),
        notes: card.notes.clone(),
    }
    .to_html()
}
