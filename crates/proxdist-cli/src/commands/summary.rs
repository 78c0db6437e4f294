//! `proxdist summary`: what the coefficients of a model are worth, on the rows that it was fitted to.

use super::Ending;
use crate::args::SummaryArgs;
use crate::failure::{Failure, Result};
use crate::model_file::{Stored, StoredModel};
use crate::output::{self, note};
use crate::replicates::Keeper;
use crate::rows::FileRows;
use crate::{holdout, input, setup, signals};
use proxdist::Standardize;
use proxdist::data::Part;
use proxdist::inference::{Audience, Options, Procedure, RepetitionKind, Request, identity, settings_of, summary};
use proxdist_io::Table;
use serde_json::json;
use std::path::Path;

/// Reads, computes, tells.
pub(crate) fn run(args: &SummaryArgs) -> Result<Ending> {
    if args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-" {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    let inputs: Vec<&Path> = args.data.inputs().into_iter().chain([args.model.as_path()]).collect();
    output::check_places(&[("--state", args.state.as_ref())], &inputs)?;
    let is_repeated = args.bootstrap.is_some() || args.stability.is_some();
    if args.state.is_some() && !is_repeated {
        let message = "--state keeps repetitions, and none were asked for";
        return Err(Failure::new(message, "add --bootstrap 500 or --stability 50, or leave --state out"));
    }
    let stored = match Stored::load(&args.model)? {
        Stored::One(stored) => stored,
        Stored::Joint(_) => {
            let message =
                format!("{}: there are no standard errors yet for times and ordered labels", args.model.display());
            return Err(Failure::new(message, "`proxdist evaluate` measures such a model on other rows"));
        }
        Stored::Several(_) => {
            let message =
                format!("{}: standard errors are for models of one output, this one has several", args.model.display());
            return Err(Failure::new(
                message,
                "fit one target, or one label against the rest: --positive LABEL --one-vs-rest",
            ));
        }
    };
    if stored.model.streamed.is_some() && (is_repeated || args.split) {
        let message = format!(
            "{}: this model was learned from a stream, which cannot be repeated on other rows",
            args.model.display()
        );
        return Err(Failure::new(message, "fit the file without --stream, or ask for standard errors alone"));
    }
    signals::listen_saying(args.quiet, "stopping with the repetitions done so far; a second signal ends at once");
    let table = input::whole(&args.data, &stored.known()?, weights(&stored), args.quiet)?;
    told(args, &stored, &table)?;
    Ok(Ending::Written)
}

/// The column of weights of the fit.
fn weights(stored: &StoredModel) -> Option<&str> {
    stored.training.as_ref().and_then(|training| training.weights.as_deref())
}

fn told(args: &SummaryArgs, stored: &StoredModel, table: &Table) -> Result<()> {
    let (model, source) = (&stored.model, args.data.name());
    let whole = input::view_for_fit(&source, table, Some(model.shape))?;
    let rows = fitted_rows(args, stored, table)?;
    let part = rows.map(|rows| whole.subset(rows)).transpose()?;
    let subset = part.as_ref().map(Part::data).transpose()?;
    let data = subset.as_ref().unwrap_or(&whole);
    let rows_of_file = FileRows::of(&source, table).only(part.as_ref().map(Part::rows));
    let spec = setup::set(&model.constraint)?;
    let set = setup::build(&spec, data)?;
    let mut settings = settings_of(model)?;
    if let Some(threads) = args.threads {
        settings = settings.threads(threads);
    }
    let procedure = Procedure {
        loss: model.loss.known()?,
        set: &*set,
        ridge: model.ridge,
        intercept: model.intercept.is_some(),
        standardize: standardize(stored, set.is_scale_free()),
        settings,
    };
    let identity = identity(&model.to_json()?, data, args.seed)?;
    let keeper = Keeper::open(args.state.as_deref(), identity, args.quiet)?;
    let request = Request {
        options: Options { covariance: args.covariance.into(), level: args.level },
        bootstrap: args.bootstrap,
        stability: args.stability,
        threshold: args.threshold,
        split: args.split,
        seed: args.seed,
        known: keeper.known(),
    };
    let audiences = [
        keeper.audience(RepetitionKind::Bootstrap, args.bootstrap.unwrap_or(0)),
        keeper.audience(RepetitionKind::Halves, 2 * args.stability.unwrap_or(0)),
    ];
    let at = (&model.coefficients[..], model.intercept);
    let found = summary(&procedure, data, at, &request, [&audiences[0] as &dyn Audience, &audiences[1]]);
    keeper.finish();
    let found = found.map_err(|error| match error {
        proxdist::Error::Interrupted => Failure::interrupted(),
        error => rows_of_file.explain(error),
    })?;
    if args.json {
        let document = json!({
            "command": "summary",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": source, "rows": data.rows()},
            "summary": found,
        });
        return output::print(&format!("{document}\n"));
    }
    output::say(&found.to_string())
}

/// In which units the model was fitted.
fn standardize(stored: &StoredModel, is_scale_free: bool) -> Standardize {
    match &stored.training {
        Some(training) if training.as_they_are => Standardize::Never,
        // Sets that allow it are fitted on scaled columns unless that was turned off.
        Some(training) if is_scale_free && !training.standardized => Standardize::Never,
        _ => Standardize::Auto,
    }
}

/// The rows of the fit, unless all.
fn fitted_rows(args: &SummaryArgs, stored: &StoredModel, table: &Table) -> Result<Option<Vec<usize>>> {
    let Some(holdout) = stored.training.as_ref().and_then(|training| training.holdout) else { return Ok(None) };
    let response = table.response.as_deref().unwrap_or(&[]);
    if holdout.rows != response.len() {
        let text = format!(
            "the model was fitted to a part of {} rows, this file has {}: all of them are used",
            holdout.rows,
            response.len()
        );
        note(args.quiet, &text);
        return Ok(None);
    }
    note(args.quiet, "the rows that `fit --holdout` kept out are left out");
    Ok(Some(holdout::split(holdout, response, table.classes.is_some())?.training))
}
