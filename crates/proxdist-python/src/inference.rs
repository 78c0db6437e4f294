//! What the coefficients of a model are worth, and a model in the words of other programs.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::problem::{self, Options as Told, Request};
use crate::supervise::{Link, supervised};
use proxdist::Model;
use proxdist::export::{Form, Scorer};
use proxdist::inference::{self, Audience, Covariance, Options, Procedure, Replicate, summary};
use proxdist::spec::Names;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// What is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    /// The model.
    coef: Vec<f64>,
    intercept: Option<f64>,
    covariance: String,
    level: f64,
    bootstrap: Option<u64>,
    stability: Option<u64>,
    threshold: f64,
    split: bool,
    seed: u64,
}

struct Listener<'l>(&'l Link);

impl Audience for Listener<'_> {
    fn done(&self, _replicate: &Replicate) {}
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

/// A summary as JSON and as text, and whether it was interrupted.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, wanted))]
pub(crate) fn summarize(
    features: Features<'_>,
    per_row: PerRow<'_>,
    problem: Request,
    settings: Told,
    wanted: Wanted,
) -> PyResult<(String, String, bool)> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let Some(covariance) = Covariance::parse(&wanted.covariance) else {
        let message = format!("covariance must be 'auto', 'model', 'hc0' or 'hc1', got {:?}", wanted.covariance);
        return Err(PyValueError::new_err(message));
    };
    let request = inference::Request {
        options: Options { covariance, level: wanted.level },
        bootstrap: wanted.bootstrap,
        stability: wanted.stability,
        threshold: wanted.threshold,
        split: wanted.split,
        seed: wanted.seed,
        ..inference::Request::default()
    };
    let link = Link::default();
    let found = supervised(py, &link, None, || {
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let set = problem.constraint.set(data.parameter_shape(), &Names::of_data(&data), &link)?;
        let loss = problem.loss.loss(problem.classes, &link)?;
        let procedure = Procedure {
            loss: &*loss,
            set: &*set,
            ridge: problem.ridge,
            intercept: problem.intercept,
            standardize: problem.standardize(),
            settings,
        };
        let listener = Listener(&link);
        summary(&procedure, &data, (&wanted.coef, wanted.intercept), &request, [&listener, &listener])
            .map_err(|error| exception(&error))
    })?;
    let text = serde_json::to_string(&found).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((text, found.to_string(), link.is_interrupted()))
}

/// The text of a model file, in another form.
#[pyfunction]
#[pyo3(signature = (model, form, table, labels=None))]
pub(crate) fn exported(model: &str, form: &str, table: &str, labels: Option<[String; 2]>) -> PyResult<String> {
    let model = Model::from_json(model).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let form = match form {
        "sql" => Form::Sql { table },
        "python" => Form::Python,
        "c" => Form::C,
        "pmml" => Form::Pmml,
        "json" => Form::Json,
        "formula" => Form::Formula,
        other => {
            let message = format!("the forms are sql, python, c, pmml, onnx, json and formula, got {other:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    let scorer = Scorer::of_numbers(&model, labels).and_then(|scorer| scorer.written(form));
    scorer.map_err(|fault| PyValueError::new_err(fault.to_string()))
}
