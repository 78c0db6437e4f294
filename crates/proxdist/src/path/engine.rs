//! The search that a loss needs: algebra on one matrix, or Newton's method.

use super::algebra::Algebra;
use super::centred::Centred;
use super::climb::{Climb, Place};
use super::curved::Curved;
use super::form::Form;
use super::ladder::Ladder;
use super::moments::{Centre, Moments};
use super::on_demand::OnDemand;
use super::settings::PathSettings;
use super::sized::SizedSets;
use super::sweeps::Sweeps;
use super::watch::Watch;
use crate::data::Unscaled;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::Cholesky;
use crate::objective::Objective;
use crate::ridge::Ridge;

/// What is searched, as far as it does not depend on the ridge.
#[derive(Clone, Copy)]
pub(super) struct Searched<'p> {
    pub(super) objective: Objective<'p>,
    pub(super) layout: Layout,
    pub(super) largest: usize,
    pub(super) settings: &'p PathSettings,
    /// The sets of all sizes, where features are not chosen freely.
    pub(super) sets: Option<&'p SizedSets>,
}

/// One of the three searches.
pub(super) enum Engine<'p> {
    Algebra(Box<Algebra<'p>>),
    Curved(Box<Curved<'p>>),
    Ladder(&'p SizedSets),
}

impl<'p> Engine<'p> {
    /// The search for an objective; for a quadratic one perhaps with a matrix that is known already.
    pub(super) fn new(searched: Searched<'p>, known: Option<Form<'p>>) -> Result<Self> {
        let Searched { objective, layout, largest, settings, sets } = searched;
        if let Some(sets) = sets {
            return Ok(Self::Ladder(sets));
        }
        let form = match known {
            None if objective.loss.is_quadratic() => form_of(searched, None)?,
            known => known,
        };
        Ok(match form {
            Some(form) => Self::Algebra(Box::new(Algebra::new(form, largest))),
            // Numbers that are too extreme for the matrix are left to Newton's method as well.
            None => Self::Curved(Box::new(Curved::new(objective, layout, (settings.memory, largest))?)),
        })
    }

    /// The matrix, if there is one.
    pub(super) fn form(&mut self) -> Option<&mut Form<'p>> {
        match self {
            Self::Algebra(algebra) => Some(&mut algebra.form),
            Self::Curved(_) | Self::Ladder(_) => None,
        }
    }

    /// The matrix, when the search is over.
    pub(super) fn into_form(self) -> Option<Form<'p>> {
        match self {
            Self::Algebra(algebra) => Some(algebra.form),
            Self::Curved(_) | Self::Ladder(_) => None,
        }
    }

    /// Whether F is quadratic and a support so much better than others that these need not be looked at.
    pub(super) fn is_clear(&mut self, support: &[usize]) -> Result<bool> {
        match self {
            Self::Algebra(algebra) => algebra.is_clear(support),
            Self::Curved(_) | Self::Ladder(_) => Ok(false),
        }
    }

    /// Coefficients and intercept at a place.
    pub(super) fn point(&mut self, place: &Place) -> Result<Option<Vec<f64>>> {
        match self.form() {
            Some(form) => form.minimiser(&place.support, &mut Cholesky::default()),
            None => Ok(Some(place.point.clone())),
        }
    }

    /// The best places of all sizes for one ridge, from the least size on, started from those of another.
    pub(super) fn places(
        &mut self,
        searched: Searched<'p>,
        ridge: Ridge<'p>,
        known: &[Option<Place>],
        watch: &mut Watch,
    ) -> Result<Vec<Option<Place>>> {
        // Algebra is cheap enough to look at all neighbours again.
        let is_costly = matches!(self, Self::Curved(_));
        let climb: &mut dyn Climb<'p> = match self {
            Self::Algebra(algebra) => &mut **algebra,
            Self::Curved(curved) => &mut **curved,
            Self::Ladder(sets) => {
                let objective = Objective { ridge, ..searched.objective };
                return Ladder::new(objective, sets).places(ridge.weight(), known, watch);
            }
        };
        climb.set_ridge(ridge);
        let mut sweeps = Sweeps::new(searched.largest, ridge.weight());
        let Some(empty) = climb.minimiser(&[], None)? else { return Ok(sweeps.into_places()) };
        sweeps.offer(climb, empty);
        for place in known.iter().flatten().filter(|place| !place.support.is_empty()) {
            let again = if watch.is_over() { None } else { climb.minimiser(&place.support, Some(place))? };
            let lower = again.map(|again| climb.exchanged(&again, watch)).transpose()?;
            if let Some(lower) = lower.flatten() {
                let (size, is_same) = (lower.support.len(), lower.support == place.support);
                if sweeps.offer(climb, lower) && is_same && is_costly {
                    sweeps.settle(size);
                }
            }
        }
        sweeps.run(climb, searched.settings, watch)?;
        Ok(sweeps.into_places())
    }
}

/// The matrix of a quadratic F, whole or on demand; `None` if the numbers are too extreme for it. Columns that are scaled as they are read may be summed as they are stored.
pub(super) fn form_of<'p>(searched: Searched<'p>, stored: Option<&'p Unscaled<'p>>) -> Result<Option<Form<'p>>> {
    let Searched { objective, layout, largest, settings, .. } = searched;
    let objective = Objective { data: stored.map_or(objective.data, |stored| &stored.data), ..objective };
    let (has_intercept, scaling) = (layout.intercept_count() > 0, stored.map(|stored| stored.scaling));
    if !fits(objective.data.columns(), 1, settings.memory) {
        let rows = OnDemand::new(objective, has_intercept, (settings.memory, largest + 1))?;
        return Ok(Form::on_demand(rows, scaling));
    }
    let centre = match scaling {
        Some(scaling) if has_intercept && scaling.is_centered() => Centre::known(objective, &scaling.means)?,
        _ => Centre::of(objective, has_intercept)?,
    };
    let mut sums = Centred::new(Moments::of(objective, &centre)?, &centre, has_intercept, None);
    sums.mend(objective, has_intercept)?;
    Ok(Form::whole(sums, scaling, has_intercept))
}

/// Whether so many matrices of all products of columns may be kept.
pub(super) fn fits(columns: usize, count: usize, memory: usize) -> bool {
    columns.saturating_mul(columns).saturating_mul(8).saturating_mul(count) <= memory
}
