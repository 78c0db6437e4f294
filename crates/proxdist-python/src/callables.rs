//! A user's own set and loss, written in Python.
//!
//! A set is an object with `project(x)`, what is said of it (`is_convex`, `is_scale_free`, `is_exact`) and perhaps a rule for its supports, a loss one with `value`, `slope` and `curvature` of arrays. The interpreter is
//! entered once a projection and once a batch or chunk of rows. An exception is left on the link, which ends the run, and is raised
//! there with its own traceback; the numbers computed meanwhile are discarded.

use crate::error::exception;
use crate::supervise::Link;
use numpy::{PyArray1, PyReadonlyArray1};
use proxdist::constraint::{Choice, Choosing, Constraint, ProjectionFault, SetFault, Structure, Workspace};
use proxdist::loss::{Loss, Task};
use proxdist::spec::SetSpec;
use proxdist::{Error, Result, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Calls `method` with arrays and copies the one it returns into `out`.
fn call(object: &Py<PyAny>, method: &str, arguments: &[&[f64]], out: &mut [f64]) -> PyResult<()> {
    Python::attach(|py| {
        let arrays: Vec<Bound<'_, PyArray1<f64>>> =
            arguments.iter().map(|values| PyArray1::from_slice(py, values)).collect();
        let arguments = pyo3::types::PyTuple::new(py, arrays)?;
        let returned = object.bind(py).call_method1(method, arguments)?;
        // Lists, scalars of NumPy and arrays of other types become what is wanted here.
        let array = py.import("numpy")?.call_method1("ascontiguousarray", (returned, "float64"))?;
        let array: PyReadonlyArray1<'_, f64> = array.extract()?;
        let values = array.as_slice()?;
        if values.len() != out.len() {
            let (found, expected) = (values.len(), out.len());
            let message = format!("{method} returned {found} numbers for {expected}");
            return Err(PyValueError::new_err(message));
        }
        if let Some(at) = values.iter().position(|value| value.is_nan()) {
            return Err(PyValueError::new_err(format!("{method} returned nan at position {at}")));
        }
        out.copy_from_slice(values);
        Ok(())
    })
}

/// What a user says of a set, besides its projection.
#[derive(FromPyObject)]
pub(crate) struct Said {
    is_convex: bool,
    is_scale_free: bool,
    is_exact: bool,
    #[pyo3(attribute("support"))]
    rule: Option<SupportRule>,
}

/// Which coordinates may be nonzero together, and the convex set that remains on them.
#[derive(FromPyObject)]
struct SupportRule {
    keep: usize,
    groups: Option<Vec<Vec<usize>>>,
    always: Vec<usize>,
    on_support: Py<PyAny>,
}

/// A set given by its projection.
pub(crate) struct PythonSet<'a> {
    object: Py<PyAny>,
    said: Said,
    link: &'a Link,
}

impl<'a> PythonSet<'a> {
    pub(crate) fn new(object: &Py<PyAny>, py: Python<'_>, link: &'a Link) -> PyResult<Self> {
        Ok(Self { object: object.clone_ref(py), said: object.extract(py)?, link })
    }
}

impl Constraint for PythonSet<'_> {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        let input = point.to_vec();
        call(&self.object, "project", &[&input], point).map_err(|raised| {
            let fault = ProjectionFault::Other(raised.to_string());
            self.link.fail(raised);
            Error::Projection { spec: self.spec().to_string(), fault }
        })
    }

    fn is_convex(&self) -> bool {
        self.said.is_convex
    }

    fn is_scale_free(&self) -> bool {
        self.said.is_scale_free
    }

    fn projects_exactly(&self) -> bool {
        self.said.is_exact
    }

    fn check(&self, shape: Shape) -> Result<()> {
        let Some(rule) = &self.said.rule else { return Ok(()) };
        let named = rule.always.iter().chain(rule.groups.iter().flatten().flatten());
        match named.max() {
            Some(last) if *last >= shape.len() => {
                let found = shape.len();
                let reason =
                    format!("its rule names position {last}, counted from 0, but there are {found} coefficients");
                Err(Error::Constraint { spec: self.spec().to_string(), fault: Box::new(SetFault::Other(reason)) })
            }
            _ => Ok(()),
        }
    }

    fn structure(&self) -> Structure<'_> {
        match &self.said.rule {
            Some(_) => Structure::Choice(self),
            None => Structure::Other,
        }
    }
}

/// The rule of the user; without one, everything is in.
impl Choosing for PythonSet<'_> {
    fn choice(&self, length: usize) -> Choice {
        let Some(SupportRule { keep, groups, always, .. }) = &self.said.rule else { return Choice::always(0..length) };
        let units: Vec<Vec<usize>> = match groups {
            Some(groups) => groups.clone(),
            None => (0..length).filter(|j| !always.contains(j)).map(|j| vec![j]).collect(),
        };
        Choice::always(always.iter().copied()).beside(&Choice::of_units(*keep, units), |j| j)
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let rule = self.said.rule.as_ref()?;
        let asked = Python::attach(|py| -> PyResult<Option<Box<dyn Constraint>>> {
            let text: Option<String> = rule.on_support.call1(py, (support.to_vec(),))?.extract(py)?;
            let Some(text) = text else { return Ok(None) };
            let set = SetSpec::parse(&text).and_then(|spec| spec.build(Shape::Vector(support.len())));
            let set = set.map_err(|error| exception(&error))?;
            if !set.is_convex() {
                return Err(PyValueError::new_err(format!("on_support returned {text}, which is not convex")));
            }
            Ok(Some(set))
        });
        asked.unwrap_or_else(|raised| {
            self.link.fail(raised);
            None
        })
    }
}

/// A loss given by its value and two derivatives.
pub(crate) struct PythonLoss<'a> {
    pub(crate) object: Py<PyAny>,
    pub(crate) task: Task,
    pub(crate) bound: Option<f64>,
    pub(crate) link: &'a Link,
}

/// Rows as a loss sees them.
#[derive(Clone, Copy)]
struct Weighted<'r> {
    predictors: &'r [f64],
    responses: &'r [f64],
    weights: &'r [f64],
}

impl PythonLoss<'_> {
    /// The method at the predictors of some rows, times their weights.
    fn weighted(&self, method: &str, Weighted { predictors, responses, weights }: Weighted, out: &mut [f64]) {
        let asked = if self.link.is_over() || predictors.is_empty() {
            Ok(())
        } else {
            call(&self.object, method, &[predictors, responses], out)
        };
        match asked {
            Ok(()) => out.iter_mut().zip(weights).for_each(|(out, weight)| *out *= weight),
            Err(raised) => {
                self.link.fail(raised);
                out.fill(f64::NAN);
            }
        }
    }

    fn single(&self, method: &str, predictor: f64, response: f64) -> f64 {
        let mut out = [0.0];
        let row = Weighted { predictors: &[predictor], responses: &[response], weights: &[1.0] };
        self.weighted(method, row, &mut out);
        out[0]
    }
}

impl Loss for PythonLoss<'_> {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        self.single("value", predictor, response)
    }

    fn slope(&self, predictor: f64, response: f64) -> f64 {
        self.single("slope", predictor, response)
    }

    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        self.single("curvature", predictor, response)
    }

    fn curvature_bound(&self) -> Option<f64> {
        self.bound
    }

    fn task(&self) -> Task {
        self.task
    }

    fn weighted_value(&self, predictors: &[f64], responses: &[f64], weights: &[f64]) -> f64 {
        let mut values = vec![0.0; predictors.len()];
        self.weighted("value", Weighted { predictors, responses, weights }, &mut values);
        values.iter().sum()
    }

    fn weighted_slopes(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        self.weighted("slope", Weighted { predictors, responses, weights }, out);
    }

    fn weighted_curvatures(&self, predictors: &[f64], responses: &[f64], weights: &[f64], out: &mut [f64]) {
        self.weighted("curvature", Weighted { predictors, responses, weights }, out);
    }
}
