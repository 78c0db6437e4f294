//! Whether columns are scaled for the fit: they are where the sets allow it, unless the user says otherwise.
//!
//! A sparsity set compares coefficients, so their units matter. Where the set is unchanged when coordinates are stretched
//! (sparsity, groups, sign, none), scaled columns pose the same problem; for other sets it would be another one: a ball would
//! become an ellipsoid. The scaling itself is the library's.

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result};
use crate::output::note;
use proxdist::constraint::Constraint as _;
use proxdist::spec::SetSpec;
use proxdist::{Data, Scaling, Shape};

/// Whether stretching coordinates by positive factors maps the set to itself, as the set itself says. One that does not fit a
/// vector of this length (a rank, a count above it) is left as it is: the fit has the word on it.
fn is_unchanged(spec: &SetSpec, columns: usize) -> bool {
    spec.build(Shape::Vector(columns)).is_ok_and(|set| set.is_scale_free())
}

/// Whether columns are scaled for the fit: where the options and all sets allow it.
pub(crate) fn is_wanted(columns: usize, sets: &[SetSpec], args: &ProblemArgs) -> Result<bool> {
    if args.no_standardize {
        return Ok(false);
    }
    match sets.iter().find(|set| !is_unchanged(set, columns)) {
        None => Ok(true),
        Some(set) if args.standardize => {
            let message = format!("--standardize: the set {set} would be another one on scaled columns");
            Err(Failure::new(message, "leave --standardize out, or scale the columns of the file"))
        }
        Some(_) => Ok(false),
    }
}

/// The data with scaled columns if the options and the sets allow it; moments come from `rows`, or all rows.
pub(crate) fn standardised<'a>(
    data: Data<'a>,
    rows: Option<&[usize]>,
    sets: &[SetSpec],
    args: &ProblemArgs,
    quiet: bool,
) -> Result<(Data<'a>, Option<Scaling>)> {
    if !is_wanted(data.columns(), sets, args)? {
        return Ok((data, None));
    }
    let scaling = match rows {
        None => Scaling::of(&data, !args.no_intercept)?,
        Some(rows) => Scaling::of(&data.subset(rows.to_vec())?.data()?, !args.no_intercept)?,
    };
    let centred = if scaling.is_centred() { "mean 0 and " } else { "" };
    note(
        quiet,
        &format!("columns are scaled to {centred}standard deviation 1 for the fit (--no-standardize turns it off)"),
    );
    Ok((data.scaled(scaling.clone())?, Some(scaling)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cones_of_coordinates_are_unchanged() {
        let verdict = |text: &str| is_unchanged(&SetSpec::parse(text).unwrap(), 4);
        assert!(
            ["none", "sparsity:3", "nonneg", "box:0,inf", "sparsity:2 & nonneg", "group-sparsity:1;size=2"]
                .into_iter()
                .all(verdict)
        );
        assert!(
            !["ball:1", "l1:1", "simplex", "monotone", "box:0,1", "sparsity:2 & ball:1", "rank:1"]
                .into_iter()
                .any(verdict)
        );
    }
}
