//! The coefficients: effects of standard deviations to compare, raw units to use, ratios where the link makes them, intervals where there are any.

use crate::words::sentence;
use crate::{Subject, level_in_words};
use proxdist::inference::{Estimate, Summary};
use proxdist::loss::Link;
use proxdist::{Result, Scaling};
use proxdist_report::{Effect, Effects, Section, number};

type Found = std::result::Result<Summary, String>;

/// The effects, and their features in the same order.
pub(crate) fn of(subject: &Subject, summary: &Found) -> Result<(Effects, Vec<usize>)> {
    let deviations = subject.training.map(|training| Scaling::of(training.data, true)).transpose()?;
    let deviations = deviations.map(|scaling| scaling.deviations());
    let wald = summary.as_ref().ok().and_then(|found| found.wald.as_ref());
    let estimate = |feature: Option<usize>| -> Option<&Estimate> {
        wald?.estimates.iter().find(|one| one.feature == feature && one.low.is_finite() && one.high.is_finite())
    };
    let ratio_label = match subject.loss.link() {
        Link::Logit => "odds ratio",
        Link::Log => "rate ratio",
        _ => "",
    };
    let has_ratio = !ratio_label.is_empty();
    let effect = |feature: usize| {
        let value = subject.model.coefficients[feature];
        let interval = estimate(Some(feature)).map(|one| (one.low, one.high));
        let deviation = deviations.as_ref().map(|all| all[feature]);
        let times = |(low, high): (f64, f64)| deviation.map(|s| (low * s, high * s));
        Effect {
            name: subject.name(feature),
            value,
            interval,
            effect: deviation.map(|s| value * s),
            effect_interval: interval.and_then(times),
            ratio: has_ratio.then(|| value.exp()),
            ratio_interval: interval.filter(|_| has_ratio).map(|(low, high)| (low.exp(), high.exp())),
        }
    };
    let mut rows: Vec<(usize, Effect)> = subject.support().into_iter().map(|j| (j, effect(j))).collect();
    let size = |row: &Effect| row.effect.unwrap_or(row.value).abs();
    rows.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
    let (order, rows): (Vec<usize>, Vec<Effect>) = rows.into_iter().unzip();
    let intercept = subject.model.intercept.map(|value| Effect {
        name: "(intercept)".to_owned(),
        value,
        interval: estimate(None).map(|one| (one.low, one.high)),
        ..Effect::default()
    });
    let mut notes = Vec::new();
    match summary {
        Ok(found) => notes.extend(found.notes.iter().cloned()),
        Err(reason) => notes.push(format!("There are no intervals: {reason}.")),
    }
    if rows.is_empty() {
        notes.clear();
    }
    let effects = Effects {
        effect_label: if deviations.is_some() { "effect of one SD".to_owned() } else { String::new() },
        interval_label: format!("{} interval", level_in_words()),
        ratio_label: ratio_label.to_owned(),
        text: text(subject, has_ratio, deviations.is_some()),
        rows,
        intercept,
        notes,
    };
    Ok((effects, order))
}

/// What the numbers mean.
fn text(subject: &Subject, has_ratio: bool, has_effects: bool) -> String {
    let on = match subject.loss.link() {
        Link::Logit => "the log odds",
        Link::Log => "the logarithm of the mean",
        Link::Margin => "the margin",
        _ => "the prediction",
    };
    let mut text = String::new();
    if has_effects {
        let ending = if on.ends_with("odds") { "" } else { "s" };
        text = format!(
            "Bars compare features: by how much {on} change{ending} for one standard deviation (SD) more of each. "
        );
    }
    text += "The coefficient is the same for one unit of the data";
    if has_ratio {
        let of = if subject.loss.link() == Link::Logit { "odds" } else { "mean" };
        text = text + "; the ratio is the factor on the " + of + " for one unit";
    }
    text + "."
}

/// Active constraints that are listed.
const MOST: usize = 30;

/// The constraints that hold a convex model back, and at what price.
pub(crate) fn prices(summary: &Found) -> Option<Section> {
    let prices = summary.as_ref().ok()?.prices.as_ref().filter(|prices| !prices.active.is_empty())?;
    let row = |one: &proxdist::inference::Active| vec![one.constraint.clone(), number(one.price, 4)];
    let mut notes = Vec::new();
    if prices.active.len() > MOST {
        notes.push(sentence(&format!("the {MOST} dearest of {} are shown", prices.active.len())));
    }
    let mut active: Vec<_> = prices.active.iter().collect();
    active.sort_by(|a, b| b.price.total_cmp(&a.price));
    Some(Section {
        heading: "Active constraints".to_owned(),
        text: "These limits hold the model back. The price says by how much F, the average loss, falls for each unit that a limit gives way.".to_owned(),
        columns: ["constraint", "price"].map(str::to_owned).to_vec(),
        rows: active.into_iter().take(MOST).map(row).collect(),
        notes,
        ..Section::default()
    })
}
