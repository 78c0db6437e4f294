//! The page about a fitted estimator: what the program writes, with what only Python knows.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::problem::Request;
use crate::supervise::{Link, supervised};
use proxdist::inference::Procedure;
use proxdist::spec::Names;
use proxdist::{Model, Settings};
use proxdist_pages::{Fitted, Judged, Measures, Subject, Training, are_rows_of_fit};
use proxdist_report::Report;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What the page is about.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    coef: Vec<f64>,
    intercept: Option<f64>,
    objective: f64,
    /// The text of the model file, where there is one.
    model: Option<String>,
    target: Option<String>,
    /// The labels that stand for 0 and 1.
    classes: Option<[String; 2]>,
    /// What only Python knows, as JSON.
    circumstances: String,
}

/// The page: about the rows given and, if they are others, the rows of the fit.
#[pyfunction]
#[pyo3(signature = (features, per_row, training, problem, about))]
pub(crate) fn report_page(
    features: Features<'_>,
    per_row: PerRow<'_>,
    training: Option<(Features<'_>, PerRow<'_>)>,
    problem: Request,
    about: About,
) -> PyResult<String> {
    let refused = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let own: Report = serde_json::from_str(&about.circumstances).map_err(refused)?;
    let stored = about.model.as_deref().map(Model::from_json).transpose();
    let stored = stored.map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let other = match &training {
        Some((features, per_row)) => Some((features.source()?, per_row.numbers()?)),
        None => None,
    };
    let words = problem.constraint.spec()?.map(|spec| spec.words()).unwrap_or_default();
    let link = Link::default();
    supervised(py, &link, None, || {
        let fault = |error: proxdist::Error| exception(&error);
        let data = problem.data(source, numbers).map_err(fault)?;
        let other = other.map(|(source, numbers)| problem.data(source, numbers)).transpose().map_err(fault)?;
        let set = problem.constraint.set(data.parameter_shape(), &Names::of_data(&data), &link)?;
        let loss = problem.loss.loss(problem.classes, &link)?;
        let procedure = Procedure {
            loss: &*loss,
            set: &*set,
            ridge: problem.ridge,
            intercept: problem.intercept,
            standardize: problem.standardize(),
            settings: Settings::default(),
        };
        let model = Fitted {
            coefficients: &about.coef,
            intercept: about.intercept,
            shape: data.parameter_shape(),
            objective: Some(about.objective),
            certificate: stored.as_ref().map(|model| &model.certificate),
        };
        let (fitted, judged) = match &other {
            Some(training) => {
                if !are_rows_of_fit(&procedure, training, model).map_err(fault)? {
                    let message = "training must be the rows of the fit: F is another one there";
                    return Err(PyValueError::new_err(message));
                }
                (Some(training), Some(Judged::of("held out", model, &data, false).map_err(fault)?))
            }
            None if are_rows_of_fit(&procedure, &data, model).map_err(fault)? => (Some(&data), None),
            None => (None, Some(Judged::of("these rows", model, &data, false).map_err(fault)?)),
        };
        let subject = Subject {
            loss: &*loss,
            model,
            names: problem.names.clone().unwrap_or_default(),
            set: words.clone(),
            target: about.target.clone(),
            classes: about.classes.clone(),
            training: fitted.map(|data| Training { procedure: &procedure, data }),
            judged,
            crossed: None,
        };
        let told = proxdist_pages::page(&subject).map_err(fault)?;
        let lines = stored.as_ref().map(|model| {
            let schedule = (model.steps > 0).then_some(model.schedule.as_str());
            proxdist_pages::lines(&model.certificate, Measures { objective: model.objective, schedule })
        });
        let page = Report {
            title: own.title,
            result: own.result,
            certificate: lines.unwrap_or_default(),
            proof: own.proof,
            data: own.data,
            data_notes: own.data_notes,
            problem: own.problem,
            trace: own.trace,
            ending: own.ending,
            settings: own.settings,
            versions: own.versions,
            seconds: own.seconds,
            ..told
        };
        Ok(page.to_html())
    })
}
