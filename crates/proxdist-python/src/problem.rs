//! From what the Python side asks for to the library's problem and settings.

use crate::callables::{PythonLoss, PythonSet};
use crate::data::RowNumbers;
use crate::error::exception;
use crate::supervise::Link;
use proxdist::constraint::Constraint;
use proxdist::data::ChunkSource;
use proxdist::loss::{self, Loss, Task};
use proxdist::spec::SetSpec;
use proxdist::{Data, Error, Note, Scaling, Setting, Settings, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A name in the grammar of the library, or an object of the user's.
#[derive(FromPyObject)]
pub(crate) enum Named {
    Text(String),
    Object(Py<PyAny>),
}

/// The problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    pub(crate) loss: Named,
    /// Whether the response is one of two classes: an object of the user's does not say.
    pub(crate) classes: bool,
    pub(crate) constraint: Named,
    pub(crate) ridge: f64,
    pub(crate) intercept: bool,
    /// `None` is auto.
    pub(crate) standardize: Option<bool>,
    pub(crate) shape: Option<(usize, usize)>,
    pub(crate) names: Option<Vec<String>>,
    /// Coefficients and intercept to start from, in the units of the data.
    pub(crate) start: Option<(Vec<f64>, f64)>,
}

/// The settings of a run that are not as they are by default: values as text, by the names that the library declares.
pub(crate) type Options = BTreeMap<String, String>;

impl Named {
    /// The set in the grammar, if it is one.
    pub(crate) fn spec(&self) -> PyResult<Option<SetSpec>> {
        match self {
            Self::Text(text) => SetSpec::parse(text).map(Some).map_err(|error| exception(&error)),
            Self::Object(_) => Ok(None),
        }
    }

    pub(crate) fn set<'a>(&self, shape: Shape, link: &'a Link) -> PyResult<Box<dyn Constraint + 'a>> {
        match self {
            Self::Text(_) => match self.spec()? {
                Some(spec) => {
                    spec.build(shape).map(|set| set as Box<dyn Constraint>).map_err(|error| exception(&error))
                }
                None => Err(PyValueError::new_err("no set is given")),
            },
            Self::Object(object) => Python::attach(|py| {
                let is_convex = object.getattr(py, "is_convex")?.extract(py)?;
                Ok(Box::new(PythonSet { object: object.clone_ref(py), is_convex, link }) as Box<dyn Constraint>)
            }),
        }
    }

    pub(crate) fn loss<'a>(&self, classes: bool, link: &'a Link) -> PyResult<Box<dyn Loss + 'a>> {
        match self {
            Self::Text(text) => loss::parse(text).map(|loss| loss as Box<dyn Loss>).map_err(|error| exception(&error)),
            Self::Object(object) => Python::attach(|py| {
                let bound = object.bind(py).getattr_opt("curvature_bound")?.map(|bound| bound.extract()).transpose()?;
                let task = if classes { Task::TwoClasses } else { Task::Regression };
                let loss = PythonLoss { object: object.clone_ref(py), task, bound: bound.flatten(), link };
                Ok(Box::new(loss) as Box<dyn Loss>)
            }),
        }
    }
}

impl Request {
    /// The data of the problem, as they are.
    pub(crate) fn data<'a>(
        &self,
        source: Box<dyn ChunkSource + 'a>,
        numbers: RowNumbers<'a>,
    ) -> proxdist::Result<Data<'a>> {
        let mut data = Data::new(source, numbers.response)?;
        if let Some(weights) = numbers.weights {
            data = data.weights(weights)?;
        }
        if let Some(offset) = numbers.offset {
            data = data.offset(offset)?;
        }
        if let Some(names) = &self.names {
            data = data.names(names.iter().cloned())?;
        }
        match self.shape {
            Some((rows, columns)) => data.shape(rows, columns),
            None => Ok(data),
        }
    }

    /// Whether columns are to be scaled for the fit: where that is wanted and all `sets` allow it.
    pub(crate) fn is_scaled(&self, sets: &[&dyn Constraint]) -> proxdist::Result<bool> {
        let bound = sets.iter().find(|set| !set.is_scale_free());
        match (self.standardize, bound) {
            (Some(false), _) | (None, Some(_)) => Ok(false),
            (_, None) => Ok(true),
            (Some(true), Some(set)) => {
                let (setting, rule) =
                    ("standardize", "\"auto\" or False where the set depends on the units of the columns");
                Err(Error::Setting { setting, rule: rule.to_owned(), value: format!("True with {}", set.spec()) })
            }
        }
    }

    /// The data as the fit sees them.
    pub(crate) fn scaled<'a>(
        &self,
        data: Data<'a>,
        sets: &[&dyn Constraint],
    ) -> proxdist::Result<(Data<'a>, Option<Scaling>)> {
        if !self.is_scaled(sets)? {
            return Ok((data, None));
        }
        let scaling = Scaling::of(&data, self.intercept)?;
        Ok((data.scaled(scaling.clone())?, Some(scaling)))
    }

    /// Where the fit starts, in the units it sees.
    pub(crate) fn started(&self, settings: Settings, scaling: Option<&Scaling>) -> Settings {
        match (&self.start, scaling) {
            (None, _) => settings,
            (Some((coefficients, intercept)), None) => settings.start(coefficients.clone(), *intercept),
            (Some((coefficients, intercept)), Some(scaling)) => {
                let (coefficients, intercept) = scaling.scaled_start(coefficients, *intercept);
                settings.start(coefficients, intercept)
            }
        }
    }
}

/// The library's settings. Estimators pass all their parameters, so what is as it is by default counts as not given.
pub(crate) fn settings(options: &Options) -> PyResult<Settings> {
    let mut settings = Settings::default();
    for (name, value) in options {
        let setting = Setting::named(name).map_err(|error| exception(&error))?;
        let refused = |error| match error {
            // Users know the parameter.
            Error::Setting { rule, value, .. } => {
                PyValueError::new_err(format!("{} must be {rule}, got {value}", setting.declaration().parameter))
            }
            other => exception(&other),
        };
        let changed = settings.clone().with(setting, value).map_err(refused)?;
        if changed.value(setting) != setting.declaration().default {
            settings = changed;
        }
    }
    Ok(settings)
}

/// Parameters that had no effect, each with the reason.
pub(crate) fn without_effect(notes: &[Note]) -> Vec<(&'static str, String)> {
    notes.iter().map(|note| (note.setting.declaration().parameter, note.reason.to_string())).collect()
}
