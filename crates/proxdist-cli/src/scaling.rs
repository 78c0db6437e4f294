//! What the options say about the units of a fit, and what is said about them. Deciding, applying and undoing are the library's.

use crate::args::UnitArgs;
use crate::failure::Result;
use crate::output::note;
use proxdist::constraint::Constraint;
use proxdist::{Data, Preparation, Standardize, Units};

/// What `--standardize` and `--no-standardize` ask for.
pub(crate) fn wanted(args: &UnitArgs) -> Standardize {
    match (args.standardize, args.no_standardize) {
        (true, _) => Standardize::Always,
        (_, true) => Standardize::Never,
        _ => Standardize::Auto,
    }
}

/// The units of a fit to these rows, for a ridge of up to this weight.
pub(crate) fn units(rows: &Data, set: &dyn Constraint, args: &UnitArgs, ridge: f64) -> Result<Units> {
    Ok(Preparation::decide(wanted(args), [set], !args.no_intercept)?.units(rows, ridge)?)
}

/// Says what the units of a fit are.
pub(crate) fn tell(units: &Units, quiet: bool) {
    let centered = if units.is_centered() { "mean 0 and " } else { "" };
    if units.is_scaled() {
        let text =
            format!("columns are scaled to {centered}standard deviation 1 for the fit (--no-standardize turns it off)");
        note(quiet, &text);
    }
    if units.has_uneven_ridge() {
        note(quiet, "the ridge acts on coefficients times standard deviations (--no-standardize turns it off)");
    }
}
