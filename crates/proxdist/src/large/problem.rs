//! A problem on rows that a backend reads, and the way from it to a fit.

use super::backend::{Backend, Parts};
use super::fitting::{self, Sizes};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::layout::Layout;
use crate::loss::{KinkFault, Loss};
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize, Units};
use crate::problem::Problem;
use crate::ridge::Ridge;
use crate::shape::Shape;
use crate::solver::{Fit, Settings};
use crate::trace::{Observer, Silent};

/// $\min F(\theta)$ over $\theta \in C$ for rows that are never in memory at once. Columns are scaled as [`Preparation`] says, by the moments of all rows.
///
/// ```
/// use proxdist::constraint::Sparsity;
/// use proxdist::large::{LargeProblem, Parts};
/// use proxdist::loss::Squared;
/// use proxdist::simulate::{Response, Truth, vector};
/// use proxdist::Settings;
///
/// let simulated = vector(Response::Linear, Truth::Sparse(3), 500, 50, 1)?;
/// let data = simulated.data()?;
/// let backend = Parts::of(&data);
/// let found = LargeProblem::new(&backend, Squared, Sparsity::at_most(3)).fit(&Settings::default())?;
/// assert_eq!(found.model()?.support(), [20, 28, 48]);
/// # Ok::<(), proxdist::Error>(())
/// ```
pub struct LargeProblem<'a> {
    backend: &'a dyn Backend,
    loss: Box<dyn Loss + 'a>,
    constraint: Box<dyn Constraint + 'a>,
    ridge: f64,
    intercept: bool,
    standardize: Standardize,
    shape: Option<Shape>,
    names: Option<Vec<String>>,
}

/// A fit, in its own units, and the way to those of the data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LargeFit {
    /// The fit, in the units it was made in.
    pub fit: Fit,
    /// The units it was made in.
    pub units: Units,
    /// Rows of the data.
    pub rows: u64,
}

impl LargeFit {
    /// The model in the units of the data.
    pub fn model(&self) -> Result<crate::Model> {
        self.units.restored(self.fit.model())
    }
}

impl std::fmt::Debug for LargeProblem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LargeProblem")
            .field("parts", &self.backend.parts())
            .field("loss", &self.loss.spec())
            .field("constraint", &self.constraint.spec().to_string())
            .finish_non_exhaustive()
    }
}

impl<'a> LargeProblem<'a> {
    /// A problem without ridge term or intercept.
    pub fn new(backend: &'a dyn Backend, loss: impl Loss + 'a, constraint: impl Constraint + 'a) -> Self {
        Self {
            backend,
            loss: Box::new(loss),
            constraint: Box::new(constraint),
            ridge: 0.0,
            intercept: false,
            standardize: Standardize::Auto,
            shape: None,
            names: None,
        }
    }

    /// Adds a ridge term of this weight, on standardised effects unless columns stay as they are; the intercept is never shrunk.
    #[must_use]
    pub fn ridge(self, ridge: f64) -> Self {
        Self { ridge, ..self }
    }

    /// Gives the model an intercept, which the set does not see.
    #[must_use]
    pub fn intercept(self, intercept: bool) -> Self {
        Self { intercept, ..self }
    }

    /// Whether columns are scaled.
    #[must_use]
    pub fn standardize(self, standardize: Standardize) -> Self {
        Self { standardize, ..self }
    }

    /// Declares that each row is a matrix of this shape, stored row by row.
    #[must_use]
    pub fn shape(self, rows: usize, columns: usize) -> Self {
        Self { shape: Some(Shape::Matrix { rows, columns }), ..self }
    }

    /// Names of the features.
    #[must_use]
    pub fn names(self, names: Vec<String>) -> Self {
        Self { names: Some(names), ..self }
    }

    /// Fits with the method of the settings.
    pub fn fit(&self, settings: &Settings) -> Result<LargeFit> {
        self.fit_observed(settings, &mut Silent)
    }

    /// Fits while an observer watches, who may end the run early.
    pub fn fit_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<LargeFit> {
        KinkFault::InOrder.unless_smooth(&*self.loss)?;
        let settings = &*settings.resolved()?;
        let preparation = Preparation::decide(self.standardize, [&*self.constraint], self.intercept)?;
        let shape = self.shape.unwrap_or(Shape::Vector(self.backend.columns()));
        let asked = fitting::Asked {
            backend: self.backend,
            loss: &*self.loss,
            constraint: &*self.constraint,
            layout: Layout::of(shape).intercepts(self.intercept),
            names: self.names.as_deref(),
            settings,
        };
        asked.check(self.ridge)?;
        in_pool(settings.threads, || {
            let begun = asked.begin(observer)?;
            let scaling = begun.surveyed.scaling(self.intercept);
            let units = preparation.units_by(&scaling, self.ridge);
            let started = units.started(settings.clone());
            let sizes = Sizes { units: &units, ridge: units.ridge(self.ridge), settings: &started };
            let rows = begun.surveyed.total_rows();
            let fit = asked.finish(begun, sizes)?;
            Ok(LargeFit { fit, units, rows })
        })
    }
}

/// Fits a problem whose data can only be read in order. They are in the units of the fit already.
pub(crate) fn fit_in_order(problem: &Problem, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
    let backend = Parts::of(problem.data());
    let asked = fitting::Asked {
        backend: &backend,
        loss: problem.loss(),
        constraint: problem.constraint(),
        layout: problem.layout(),
        names: problem.data().feature_names(),
        settings,
    };
    asked.check(problem.ridge_weight())?;
    let ridge: Ridge<'_> = problem.ridge_term();
    in_pool(settings.threads, || {
        let begun = asked.begin(observer)?;
        asked.finish(begun, Sizes { units: &Units::default(), ridge, settings })
    })
}
