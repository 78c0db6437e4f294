//! What the coefficients of a model are worth, and a model in the words of other programs.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::problem::{self, Options as Told, Request};
use crate::supervise::{Link, supervised};
use proxdist::Model;
use proxdist::export::{Form, Scorer};
use proxdist::inference::{
    self, Audience, Covariance, Kept, KeptFault, Options, Procedure, RepetitionKind, Replicate, summary,
};
use proxdist::spec::Names;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

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
    /// File that keeps repetitions, and the text of the model that they are of.
    state: Option<(PathBuf, String)>,
}

/// Keeps repetitions, and says when it is enough: also when they cannot be kept.
struct Listener<'l> {
    link: &'l Link,
    kept: &'l Kept,
    kind: RepetitionKind,
    refused: &'l Mutex<Option<std::io::Error>>,
}

impl Audience for Listener<'_> {
    fn done(&self, replicate: &Replicate) {
        if let Err(error) = self.kept.keep(self.kind, replicate) {
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    fn is_over(&self) -> bool {
        self.link.is_over() || self.refused.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

fn fault(fault: &KeptFault) -> PyErr {
    match fault {
        KeptFault::Unreadable { source, .. } => std::io::Error::new(source.kind(), fault.to_string()).into(),
        other => PyValueError::new_err(format!("state={other}; give another file, or remove this one to start afresh")),
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
    let mut request = inference::Request {
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
        let (path, identity) = match &wanted.state {
            Some((path, model)) => {
                let identity = inference::identity(model, &data, wanted.seed).map_err(|error| exception(&error))?;
                (Some(path.as_path()), identity)
            }
            None => (None, String::new()),
        };
        let kept = Kept::open(path, identity).map_err(|error| fault(&error))?;
        request.known = kept.known();
        let refused = Mutex::new(None);
        let listener = |kind| Listener { link: &link, kept: &kept, kind, refused: &refused };
        let listeners = [listener(RepetitionKind::Bootstrap), listener(RepetitionKind::Halves)];
        let at = (&wanted.coef[..], wanted.intercept);
        let found = summary(&procedure, &data, at, &request, [&listeners[0], &listeners[1]]);
        let written = kept.finish();
        if let Some(error) = refused.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error.into());
        }
        written?;
        found.map_err(|error| exception(&error))
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
