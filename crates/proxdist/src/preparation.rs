//! In which units a fit is made: decided by the sets, measured on the rows that are fitted to, undone in the model.
//!
//! A sparsity set compares coefficients, so their units matter to the iteration. Where all sets are unchanged when coordinates are stretched (sparsity, groups, sign, none), columns
//! are scaled to standard deviation $s_j = 1$, which poses the same problem; a ball would become an ellipsoid, so other sets see the columns as they
//! are. The ridge must not depend on that. It acts on standardised effects, $\tfrac\lambda2\sum_j(s_j\theta_j)^2$, either way: as one weight for all
//! scaled columns, or as a weight $\lambda s_j^2$ for each column as it is ([`Ridge`]). Who wants neither says [`Standardize::Never`]: then columns stay as they are and
//! the ridge is $\tfrac\lambda2\|\theta\|^2$, again for every set.
//!
//! ```
//! use proxdist::constraint::NonNegative;
//! use proxdist::loss::Squared;
//! use proxdist::{Data, Preparation, Problem, Settings, Standardize};
//!
//! let (x, y) = ([1.0, 100.0, 2.0, 500.0, 3.0, 200.0, 4.0, 900.0], [1.0, 2.0, 2.5, 4.0]);
//! let data = Data::dense(&x, 2, &y)?;
//! let units = Preparation::decide(Standardize::Auto, [&NonNegative as _], true)?.units(&data, 0.1)?;
//! let data = units.apply(data)?;
//! let problem = Problem::new(&data, Squared, NonNegative).ridge(units.ridge(0.1)).intercept(true);
//! let fit = problem.fit(&units.started(Settings::default()))?;
//! let model = units.restored(fit.model())?;
//! assert!((model.coefficients[0] - 0.6475).abs() < 1e-4);
//! # Ok::<(), proxdist::Error>(())
//! ```

use crate::constraint::{Constraint, brief};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::ridge::Ridge;
use crate::scaling::Scaling;
use crate::solver::Settings;

/// Whether columns are scaled for a fit, and what the ridge acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standardize {
    /// Columns are scaled where the sets allow it; the ridge acts on standardised effects, whatever the sets.
    #[default]
    Auto,
    /// Columns are scaled, and sets that do not allow it are an error.
    Always,
    /// Columns stay as they are, and the ridge acts on their coefficients.
    Never,
}

/// What is to be done with data before a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preparation {
    is_scaled: bool,
    /// Whether the ridge acts on standardised effects.
    on_effects: bool,
    intercept: bool,
}

/// The units of a fit: those of the columns, and those that the ridge acts in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    scaling: Option<Scaling>,
    /// $s_j^2$, where columns are as they are and the ridge acts on standardised effects.
    squares: Option<Vec<f64>>,
}

impl Preparation {
    /// What is to be done for models over these sets, with an intercept or without.
    pub fn decide<'s>(
        standardize: Standardize,
        sets: impl IntoIterator<Item = &'s dyn Constraint>,
        intercept: bool,
    ) -> Result<Self> {
        let on_effects = standardize != Standardize::Never;
        let bound = sets.into_iter().find(|set| !set.is_scale_free());
        match bound {
            Some(set) if standardize == Standardize::Always => Err(Error::DependsOnUnits { set: brief(set.spec()) }),
            _ => Ok(Self { is_scaled: on_effects && bound.is_none(), on_effects, intercept }),
        }
    }

    /// Whether columns are scaled.
    pub fn is_scaled(self) -> bool {
        self.is_scaled
    }

    /// Whether the ridge acts on standardised effects, by one weight or by one for each column.
    pub(crate) fn is_on_effects(self) -> bool {
        self.on_effects
    }

    /// The units by these rows, for a ridge of up to this weight: none need be known for columns as they are without a ridge.
    pub fn units(self, rows: &Data, ridge: f64) -> Result<Units> {
        if self.is_scaled {
            return Ok(Units { scaling: Some(Scaling::of(rows, self.intercept)?), squares: None });
        }
        let squares = (self.on_effects && ridge > 0.0).then(|| Scaling::of(rows, self.intercept)).transpose()?;
        Ok(Units { scaling: None, squares: squares.map(|scaling| scaling.variances()) })
    }
}

impl Preparation {
    /// The same where the moments of the columns are known.
    pub(crate) fn units_by(self, scaling: &Scaling, ridge: f64) -> Units {
        if self.is_scaled {
            return Units { scaling: Some(scaling.clone()), squares: None };
        }
        Units { scaling: None, squares: (self.on_effects && ridge > 0.0).then(|| scaling.variances()) }
    }
}

impl Units {
    /// Whether columns are scaled.
    pub fn is_scaled(&self) -> bool {
        self.scaling.is_some()
    }

    /// What is done to the columns, if they are scaled.
    pub(crate) fn scaling(&self) -> Option<&Scaling> {
        self.scaling.as_ref()
    }

    /// Whether means are subtracted, too.
    pub fn is_centered(&self) -> bool {
        self.scaling.as_ref().is_some_and(Scaling::is_centered)
    }

    /// Whether the ridge acts on standardised effects while columns are as they are.
    pub fn has_uneven_ridge(&self) -> bool {
        self.squares.is_some()
    }

    /// The data in these units.
    pub fn apply<'a>(&self, data: Data<'a>) -> Result<Data<'a>> {
        match &self.scaling {
            Some(scaling) => data.scaled(scaling.clone()),
            None => Ok(data),
        }
    }

    /// The same for data that are only borrowed; `None` where they stay as they are.
    pub(crate) fn view<'d>(&self, data: &'d Data<'_>) -> Result<Option<Data<'d>>> {
        self.scaling.clone().map(|scaling| data.scaled_view(scaling)).transpose()
    }

    /// The ridge of this weight on data in these units.
    pub fn ridge(&self, weight: f64) -> Ridge<'_> {
        match &self.squares {
            Some(squares) => Ridge::on_effects(weight, squares),
            None => Ridge::from(weight),
        }
    }

    /// Settings whose start, told in the units of the data, is one in these units.
    pub fn started(&self, settings: Settings) -> Settings {
        match (&settings.start, &self.scaling) {
            (Some(coefficients), Some(scaling)) => {
                let (coefficients, intercept) = scaling.scaled_start(coefficients, settings.start_intercept);
                settings.start(coefficients, intercept)
            }
            _ => settings,
        }
    }

    /// Coefficients of several outputs, feature by feature, told in the units of the data, in these units.
    pub fn scaled_columns(&self, coefficients: &[f64], outputs: usize) -> Vec<f64> {
        let Some(scaling) = &self.scaling else { return coefficients.to_vec() };
        let mut scaled = coefficients.to_vec();
        for k in 0..outputs {
            let column: Vec<f64> = coefficients.iter().skip(k).step_by(outputs.max(1)).copied().collect();
            let (column, _) = scaling.scaled_start(&column, 0.0);
            scaled.iter_mut().skip(k).step_by(outputs.max(1)).zip(column).for_each(|(out, value)| *out = value);
        }
        scaled
    }

    /// A model of data in these units, in the units of the data. Fails where a coefficient is no number there.
    pub fn restored(&self, model: &Model) -> Result<Model> {
        self.scaling.as_ref().map_or_else(|| Ok(model.clone()), |scaling| scaling.restored(model))
    }

    /// The same for coefficients and an intercept.
    pub fn restored_point(&self, coefficients: Vec<f64>, intercept: Option<f64>) -> Result<(Vec<f64>, Option<f64>)> {
        match &self.scaling {
            Some(scaling) => scaling.restored_point(&coefficients, intercept, None),
            None => Ok((coefficients, intercept)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::spec::SetSpec;

    fn decided(standardize: Standardize, text: &str) -> Result<Preparation> {
        let set = SetSpec::parse(text)?.build(Shape::Vector(4))?;
        Preparation::decide(standardize, [&*set as &dyn Constraint], true)
    }

    #[test]
    fn only_cones_of_coordinates_are_scaled() {
        let verdict = |text: &str| decided(Standardize::Auto, text).unwrap().is_scaled();
        assert!(
            ["none", "sparsity:3", "nonneg", "box:0,inf", "sparsity:2 & nonneg", "group-sparsity:1;size=2"]
                .into_iter()
                .all(verdict)
        );
        assert!(!["ball:1", "l1:1", "simplex", "monotone", "box:0,1", "sparsity:2 & ball:1"].into_iter().any(verdict));
    }

    #[test]
    fn never_is_never_and_always_refuses_sets_with_units() {
        assert!(!decided(Standardize::Never, "none").unwrap().is_scaled());
        assert!(decided(Standardize::Always, "none").unwrap().is_scaled());
        let refused = decided(Standardize::Always, "ball:1").unwrap_err().to_string();
        assert_eq!(refused, "the set ball:1 would be another one on scaled columns");
    }

    /// One set that depends on units decides for all of a search.
    #[test]
    fn all_sets_must_allow_it() {
        let sets: Vec<_> =
            ["none", "ball:2"].map(|text| SetSpec::parse(text).unwrap().build(Shape::Vector(4)).unwrap()).into();
        let sets = || sets.iter().map(|set| &**set as &dyn Constraint);
        assert!(!Preparation::decide(Standardize::Auto, sets(), false).unwrap().is_scaled());
        assert!(Preparation::decide(Standardize::Always, sets(), false).is_err());
    }

    #[test]
    fn the_ridge_has_the_variances_of_columns_as_they_are() {
        let (x, y) = ([1.0, 10.0, 3.0, 30.0], [0.0, 1.0]);
        let data = Data::dense(&x, 2, &y).unwrap();
        let units = |standardize, text, ridge| decided(standardize, text).unwrap().units(&data, ridge).unwrap();
        let raw = units(Standardize::Auto, "ball:1", 0.5);
        assert_eq!(raw.ridge(0.5), Ridge::on_effects(0.5, &[1.0, 100.0]));
        assert!(raw.has_uneven_ridge() && !raw.is_scaled());
        for (standardize, text, ridge) in
            [(Standardize::Auto, "none", 0.5), (Standardize::Never, "ball:1", 0.5), (Standardize::Auto, "ball:1", 0.0)]
        {
            assert_eq!(units(standardize, text, ridge).ridge(0.5), Ridge::from(0.5), "{text}");
        }
    }
}
