//! From what the Python side asks for to the library's problem and settings.

use crate::callables::{PythonLoss, PythonSet};
use crate::data::RowNumbers;
use crate::error::exception;
use crate::supervise::Link;
use proxdist::constraint::Constraint;
use proxdist::data::ChunkSource;
use proxdist::loss::{self, Loss, Task};
use proxdist::spec::{Names, SetSpec};
use proxdist::{Data, Error, Note, Setting, Settings, Shape, Standardize};
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
    /// The column that each feature comes from.
    pub(crate) origins: Option<Vec<usize>>,
    /// Coefficients and intercept to start from, in the units of the data.
    pub(crate) start: Option<(Vec<f64>, f64)>,
    /// Whether that is the end of an earlier fit.
    pub(crate) is_finished: bool,
}

/// The settings of a run that are not as they are by default: values as text, by the names that the library declares.
pub(crate) type Options = BTreeMap<String, String>;

impl Named {
    /// The set in the grammar, if it is one.
    pub(crate) fn spec(&self) -> PyResult<Option<SetSpec>> {
        match self {
            Self::Text(text) => {
                let mut read = |path: &str| {
                    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.into(), source })
                };
                let spec = SetSpec::parse(text).and_then(|spec| spec.with_files(&mut read));
                spec.map(Some).map_err(|error| exception(&error))
            }
            Self::Object(_) => Ok(None),
        }
    }

    /// The set for the coefficients of several outputs: limits on entries are limits on features where they are to be shared.
    pub(crate) fn set_of_outputs<'a>(
        &self,
        data: &Data,
        outputs: &[String],
        is_shared: bool,
        link: &'a Link,
    ) -> PyResult<Box<dyn Constraint + 'a>> {
        let Some(spec) = self.spec()? else {
            let shape = Shape::Matrix { rows: data.columns(), columns: outputs.len() };
            return self.set(shape, &Names::of_shape(shape), link);
        };
        let spec = if is_shared { proxdist::outputs::shared(spec) } else { spec };
        proxdist::outputs::build_set(&spec, data, outputs).map_err(|error| exception(&error))
    }

    /// The set for features of these names.
    pub(crate) fn set<'a>(&self, shape: Shape, names: &Names, link: &'a Link) -> PyResult<Box<dyn Constraint + 'a>> {
        match self {
            Self::Text(_) => match self.spec()? {
                Some(spec) => spec
                    .build_with(shape, names)
                    .map(|set| set as Box<dyn Constraint>)
                    .map_err(|error| exception(&error)),
                None => Err(PyValueError::new_err("no set is given")),
            },
            Self::Object(object) => {
                Python::attach(|py| Ok(Box::new(PythonSet::new(object, py, link)?) as Box<dyn Constraint>))
            }
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

/// Rows with what belongs to them, without names.
pub(crate) fn plain_data<'a>(source: Box<dyn ChunkSource + 'a>, numbers: RowNumbers<'a>) -> proxdist::Result<Data<'a>> {
    let mut data = Data::new(source, numbers.response)?;
    if let Some(weights) = numbers.weights {
        data = data.weights(weights)?;
    }
    if let Some(offset) = numbers.offset {
        data = data.offset(offset)?;
    }
    Ok(data)
}

impl Request {
    /// The data of the problem, as they are.
    pub(crate) fn data<'a>(
        &self,
        source: Box<dyn ChunkSource + 'a>,
        numbers: RowNumbers<'a>,
    ) -> proxdist::Result<Data<'a>> {
        let mut data = plain_data(source, numbers)?;
        if let Some(names) = &self.names {
            data = data.names(names.iter().cloned())?;
        }
        if let Some(origins) = &self.origins {
            data = data.origins(origins.clone())?;
        }
        match self.shape {
            Some((rows, columns)) => data.shape(rows, columns),
            None => Ok(data),
        }
    }

    /// Whether columns are to be scaled for the fit.
    pub(crate) fn standardize(&self) -> Standardize {
        match self.standardize {
            None => Standardize::Auto,
            Some(true) => Standardize::Always,
            Some(false) => Standardize::Never,
        }
    }

    /// Settings with the start that was given, in the units of the data.
    pub(crate) fn started(&self, settings: Settings) -> Settings {
        match &self.start {
            None => settings,
            Some((coefficients, intercept)) => {
                let settings = settings.start(coefficients.clone(), *intercept);
                if self.is_finished { settings.start_is_finished() } else { settings }
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
