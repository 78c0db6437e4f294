//! What a search over supports of all sizes asks of a loss: the minimiser on a support, and the way to supports one larger or smaller.

use super::settings::Kicks;
use super::watch::Watch;
use crate::error::Result;
use crate::ridge::Ridge;

/// The minimiser on a support.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// In ascending order.
    pub(super) support: Vec<usize>,
    /// F there, perhaps up to a constant that is the same for all supports.
    pub(super) value: f64,
    /// Coefficients of the support and the intercept, where the search knows them.
    pub(super) point: Vec<f64>,
    /// F has no minimum on this support; the value is what it tends to.
    pub(super) is_separated: bool,
    /// How far it is from stationary, where derivatives do not tell: for losses with a kink.
    pub(super) stationarity: Option<f64>,
}

/// Moves between supports that lower F.
pub(super) trait Climb<'p> {
    /// Puts another ridge into F.
    fn set_ridge(&mut self, ridge: Ridge<'p>);

    /// The minimiser on a support in ascending order, perhaps started from another one; `None` if its columns are nearly dependent.
    fn minimiser(&mut self, support: &[usize], from: Option<&Place>) -> Result<Option<Place>>;

    /// The best place that exchanges lead to from here.
    fn exchanged(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>>;

    /// The best place with one feature more, after exchanges; `None` if there is none worth a look.
    fn grown(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>>;

    /// The best place with one feature less, after exchanges; `None` if there is none worth a look.
    fn shrunk(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>>;

    /// A lower place that a walk over exchanges finds which may also lead uphill, up to so many times in a row.
    fn walked(&mut self, from: &Place, patience: usize, watch: &mut Watch) -> Result<Option<Place>>;

    /// A lower place that kicks lead to, where a place costs little.
    fn shaken(&mut self, _from: &Place, _kicks: Kicks, _watch: &mut Watch) -> Result<Option<Place>> {
        Ok(None)
    }

    /// Whether F is lower by more than rounding.
    fn is_lower(&self, value: f64, than: f64) -> bool;
}
