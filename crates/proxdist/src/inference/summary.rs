//! Everything about a model that was asked for, and the sentences that say what it does and does not account for.

use super::bootstrap::{Bootstrap, bootstrap};
use super::prices::{Prices, prices};
use super::procedure::{Procedure, Replicate};
use super::resampling::{Audience, Draw, repetitions};
use super::split::{Split, split};
use super::stability::{Stability, check_threshold, stability};
use super::wald::{Covariance, Options, Wald, wald};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::preparation::Preparation;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a summary is to hold.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which errors, and how wide intervals are.
    pub options: Options,
    /// Repetitions of the bootstrap, if any.
    pub bootstrap: Option<u64>,
    /// Pairs of halves for stability selection, if any.
    pub stability: Option<u64>,
    /// The share of halves that makes a feature stable.
    pub threshold: f64,
    /// Whether to choose on one half and estimate on the other.
    pub split: bool,
    /// Decides which rows are drawn.
    pub seed: u64,
    /// Repetitions of an earlier run, of the bootstrap and of the halves.
    pub known: [BTreeMap<u64, Replicate>; 2],
}

impl Default for Request {
    fn default() -> Self {
        let known = [BTreeMap::new(), BTreeMap::new()];
        let options = Options::default();
        Self { options, bootstrap: None, stability: None, threshold: 0.75, split: false, seed: 0, known }
    }
}

/// A model and what is known about its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The loss.
    pub loss: String,
    /// The set.
    pub constraint: String,
    /// Rows of the data.
    pub rows: usize,
    /// Features of the data, and those with a coefficient.
    pub features: [usize; 2],
    /// Standard errors, where they can be computed.
    pub wald: Option<Wald>,
    /// Why there are none, where there are none and something else was asked for.
    pub without_errors: Option<String>,
    /// Active constraints, for a convex set.
    pub prices: Option<Prices>,
    /// Repetitions on rows drawn with replacement.
    pub bootstrap: Option<Bootstrap>,
    /// Repetitions on halves.
    pub stability: Option<Stability>,
    /// Estimates of features that other rows chose.
    pub split: Option<Split>,
    /// What the numbers do and do not account for.
    pub notes: Vec<String>,
}

/// A pull of less than this many standard errors is not worth a sentence.
const SLIGHT: f64 = 0.01;

/// The summary of a model with these coefficients on these rows, which should be those of its fit. `audience` is told of the repetitions of bootstrap and halves, in that order.
pub fn summary(
    procedure: &Procedure,
    data: &Data,
    at: (&[f64], Option<f64>),
    request: &Request,
    audience: [&dyn Audience; 2],
) -> Result<Summary> {
    check_threshold(request.threshold)?;
    let units = Preparation::decide(procedure.standardize, [procedure.set], procedure.intercept)?;
    // The ridge is one weight on scaled columns and one for each column as it is.
    let scaling = crate::scaling::Scaling::of(data, procedure.intercept)?;
    let squares = scaling.variances();
    let ridge = if units.is_on_effects() {
        crate::ridge::Ridge::on_effects(procedure.ridge, &squares)
    } else {
        crate::ridge::Ridge::from(procedure.ridge)
    };
    let is_resampled = request.bootstrap.is_some() || request.stability.is_some() || request.split;
    let (wald, without_errors) = match wald(data, procedure.loss, ridge, at, request.options) {
        Ok(found) => (Some(found), None),
        Err(Error::Inference(fault)) if is_resampled => (None, Some(format!("no standard errors: {fault}"))),
        Err(error) => return Err(error),
    };
    let prices = prices(data, procedure.loss, ridge, procedure.set, at)?;
    let name = |j: usize| data.feature_names().map_or_else(|| format!("V{}", j + 1), |names| names[j].clone());
    let [of_bootstrap, of_halves] = audience;
    let bootstrap = request.bootstrap.map(|count| {
        let found = repetitions(
            procedure,
            data,
            (Draw::WithReplacement, count, request.seed),
            &request.known[0],
            of_bootstrap,
        )?;
        bootstrap(&found, count, at, request.options.level, &name)
    });
    let stability = || {
        let Some(pairs) = request.stability else { return Ok(None) };
        let asked = (Draw::Halves, 2 * pairs, request.seed);
        let found = repetitions(procedure, data, asked, &request.known[1], of_halves)?;
        stability(&found, pairs, data.columns(), request.threshold, &name).map(Some)
    };
    let mut is_cut = false;
    // What was done before an interrupt is kept.
    let mut kept = |error: Error, has_some: bool| match error {
        Error::Interrupted if has_some => {
            is_cut = true;
            Ok(())
        }
        error => Err(error),
    };
    let bootstrap = match bootstrap.transpose() {
        Ok(found) => found,
        Err(error) => kept(error, wald.is_some()).map(|()| None)?,
    };
    let has_some = wald.is_some() || bootstrap.is_some();
    let stability = match stability() {
        Ok(found) => found,
        Err(error) => kept(error, has_some).map(|()| None)?,
    };
    let of_split = || split(procedure, data, request.seed, request.options, of_halves);
    let split = match request.split.then(of_split).transpose() {
        Ok(found) => found,
        Err(error) => kept(error, has_some || stability.is_some()).map(|()| None)?,
    };
    let chosen = at.0.iter().filter(|value| **value != 0.0).count();
    let mut found = Summary {
        loss: procedure.loss.spec(),
        constraint: procedure.set.spec().to_string(),
        rows: data.rows(),
        features: [data.columns(), chosen],
        wald,
        without_errors,
        prices,
        bootstrap,
        stability,
        split,
        notes: Vec::new(),
    };
    found.notes = notes(&found, procedure, data);
    if is_cut {
        found.notes.push("Interrupted: what was asked for beyond this has not been done.".to_owned());
    }
    Ok(found)
}

/// What the numbers do and do not account for.
fn notes(of: &Summary, procedure: &Procedure, data: &Data) -> Vec<String> {
    let mut notes: Vec<String> = of.without_errors.iter().cloned().collect();
    if let Some(wald) = &of.wald {
        let source = match wald.covariance {
            Covariance::Model => "they assume that the loss is the likelihood of the responses",
            _ => "they hold whatever the spread of the responses, for many rows",
        };
        notes.push(format!("Standard errors are {}: {source}.", wald.covariance.words()));
        if of.features[0] > of.features[1] && !procedure.set.is_convex() {
            notes.push(
                "They take the chosen features as if they had been given beforehand. These features were chosen on data: if on these, p-values are too small and intervals too short. A \
                 split (choose on one half, estimate on the other) accounts for that; the bootstrap shows how much the whole procedure varies."
                    .to_owned(),
            );
        } else if of.features[0] > of.features[1] {
            notes.push(
                "Coefficients that the set holds at zero are left out, and the errors take that as given beforehand. The bootstrap repeats the fit with the set."
                    .to_owned(),
            );
        }
        if procedure.ridge > 0.0 {
            notes.push("The ridge shrinks coefficients towards zero. The intervals are about their spread and ignore that bias.".to_owned());
        }
        if wald.pull > SLIGHT {
            notes.push(format!(
                "A constraint holds the coefficients up to {} standard errors away from where their features alone would have them, or these rows are not those of the fit. The \
                 intervals are centred at the coefficients as they are and ignore that.",
                crate::words::number(wald.pull)
            ));
        }
        if has_weights(data) {
            notes.push(
                match wald.covariance {
                    Covariance::Model => "Weights count as known precisions: a row of weight 2 has half the variance of one of weight 1, as a mean of two has.",
                    _ => "Weights count as given numbers, such as those of a sampling design; only their sizes relative to each other matter.",
                }
                .to_owned(),
            );
        }
    }
    if of.prices.as_ref().is_some_and(|prices| prices.rest > 1e-4) {
        notes.push("The prices do not balance the gradient of F: these rows are not those of the fit, or the fit has not converged.".to_owned());
    }
    if let Some(found) = &of.bootstrap {
        notes.push(format!(
            "Bootstrap: the whole fit, constraint and choice included, on {} draws of rows with replacement; percentiles show how it varies, and are not centred at the truth where a set or a \
             ridge pulls coefficients. The number of features is taken as given where it was chosen by cross-validation.",
            found.done
        ));
        notes.extend(cut_short(found.done + found.failed, found.asked as usize, "repetitions"));
        notes.extend(
            found.failure.as_ref().map(|text| format!("{} repetitions failed, the first so: {text}", found.failed)),
        );
    }
    if let Some(found) = &of.stability {
        notes.push(format!(
            "Stability selection: the expected number of features at or above the threshold, among those that a fit to half the rows chooses with probability at most q/p, is at most q^2/((2 \
             threshold - 1) p) = {} (Shah and Samworth 2013, complementary pairs; q = {} is the mean number chosen, p = {}). It bounds the false ones among them if each false feature is chosen no \
             more often than that.",
            crate::words::number(found.bound),
            crate::words::number(found.chosen),
            found.features
        ));
        notes.extend(cut_short(2 * found.pairs + found.failed, 2 * found.asked as usize, "halves"));
    }
    if let Some(found) = &of.split {
        notes.push(format!(
            "Split: features chosen on {} rows, estimated on the other {} without constraint and ridge. These intervals account for the choice; they are about the best coefficients of these \
             features alone.",
            found.choosing, found.estimating
        ));
    }
    notes
}

fn cut_short(done: usize, asked: usize, what: &str) -> Option<String> {
    (done < asked).then(|| format!("Interrupted: {done} of {asked} {what} were done."))
}

fn has_weights(data: &Data) -> bool {
    (0..data.rows()).any(|row| data.weight(row) != data.weight(0))
}
