//! From what the Python side asks for to the library's problem and settings.

use crate::callables::{PythonLoss, PythonSet};
use crate::data::RowNumbers;
use crate::error::exception;
use crate::supervise::Desk;
use proxdist::constraint::Constraint;
use proxdist::data::ChunkSource;
use proxdist::loss::{self, Loss, Task};
use proxdist::sampling::Sampling;
use proxdist::spec::SetSpec;
use proxdist::{Data, Error, Scaling, Settings, Shape, StopRule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

/// A name in the grammar of the library, or an object of the user's.
#[derive(FromPyObject)]
pub(crate) enum Named {
    Text(String),
    Object(Py<PyAny>),
}

/// The problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
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

/// The settings of a run.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wishes {
    pub(crate) rho1: Option<f64>,
    pub(crate) gamma: f64,
    pub(crate) batch_size: Option<usize>,
    pub(crate) sampling: String,
    pub(crate) max_steps: u64,
    pub(crate) max_passes: Option<f64>,
    pub(crate) time_limit: Option<f64>,
    pub(crate) stop: String,
    pub(crate) tolerance: f64,
    pub(crate) polish: bool,
    pub(crate) average: bool,
    pub(crate) seed: u64,
    pub(crate) threads: Option<usize>,
}

impl Named {
    /// The set in the grammar, if it is one.
    pub(crate) fn spec(&self) -> PyResult<Option<SetSpec>> {
        match self {
            Self::Text(text) => SetSpec::parse(text).map(Some).map_err(|error| exception(&error)),
            Self::Object(_) => Ok(None),
        }
    }

    pub(crate) fn set<'a>(&self, shape: Shape, desk: &'a Desk) -> PyResult<Box<dyn Constraint + 'a>> {
        match self {
            Self::Text(_) => match self.spec()? {
                Some(spec) => {
                    spec.build(shape).map(|set| set as Box<dyn Constraint>).map_err(|error| exception(&error))
                }
                None => Err(PyValueError::new_err("no set is given")),
            },
            Self::Object(object) => Python::attach(|py| {
                let is_convex = object.getattr(py, "is_convex")?.extract(py)?;
                Ok(Box::new(PythonSet { object: object.clone_ref(py), is_convex, desk }) as Box<dyn Constraint>)
            }),
        }
    }

    pub(crate) fn loss<'a>(&self, classes: bool, desk: &'a Desk) -> PyResult<Box<dyn Loss + 'a>> {
        match self {
            Self::Text(text) => loss::parse(text).map(|loss| loss as Box<dyn Loss>).map_err(|error| exception(&error)),
            Self::Object(object) => Python::attach(|py| {
                let bound = object.bind(py).getattr_opt("curvature_bound")?.map(|bound| bound.extract()).transpose()?;
                let task = if classes { Task::TwoClasses } else { Task::Regression };
                let loss = PythonLoss { object: object.clone_ref(py), task, bound: bound.flatten(), desk };
                Ok(Box::new(loss) as Box<dyn Loss>)
            }),
        }
    }
}

impl Asked {
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

impl Wishes {
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let unknown = |what: &str, value: &str, known: &str| {
            Err(PyValueError::new_err(format!("{what} must be one of {known}, got {value:?}")))
        };
        let sampling = match &self.sampling[..] {
            "without_replacement" => Sampling::WithoutReplacement,
            "reshuffled" => Sampling::Reshuffled,
            "full" => Sampling::FullBatch,
            other => return unknown("sampling", other, "\"without_replacement\", \"reshuffled\", \"full\""),
        };
        let stop = match &self.stop[..] {
            "settled" => StopRule::Settled,
            "paper" => StopRule::Paper,
            other => return unknown("stop", other, "\"settled\", \"paper\""),
        };
        let mut settings = Settings::default()
            .gamma(self.gamma)
            .sampling(sampling)
            .stop(stop)
            .max_steps(self.max_steps)
            .tolerance(self.tolerance)
            .polish(self.polish)
            .average(self.average)
            .seed(self.seed);
        if let Some(rho1) = self.rho1 {
            settings = settings.rho1(rho1);
        }
        if let Some(size) = self.batch_size {
            settings = settings.batch_size(size);
        }
        if let Some(passes) = self.max_passes {
            settings = settings.max_passes(passes);
        }
        if let Some(seconds) = self.time_limit {
            let limit = Duration::try_from_secs_f64(seconds);
            let refused =
                |_| PyValueError::new_err(format!("time_limit must be a positive number of seconds, got {seconds}"));
            settings = settings.time_limit(limit.map_err(refused)?);
        }
        if let Some(threads) = self.threads {
            settings = settings.threads(threads);
        }
        Ok(settings)
    }
}
