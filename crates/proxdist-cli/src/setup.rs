//! From options to a loss, a set and settings.

use crate::failure::{Failure, Result, constraint_hint};
use crate::joint;
use crate::output::note;
use proxdist::constraint::Constraint;
use proxdist::loss::{self, Loss};
use proxdist::spec::SetSpec;
use proxdist::{Data, Note, Setting, Settings};

/// The loss of `--loss`.
pub(crate) fn loss(text: &str) -> Result<Box<dyn Loss>> {
    if joint::Loss::of(text).is_some() {
        let message = format!("--loss {text}: this command takes losses that are sums over rows");
        return Err(Failure::new(message, "`proxdist fit`, `path`, `tune`, `predict` and `evaluate` take it"));
    }
    loss::parse(text).map_err(|error| {
        let failure = Failure::from(error).about(format_args!("--loss {text}"));
        if failure.hint.contains("constraints") { failure.hint("`proxdist losses` lists the losses") } else { failure }
    })
}

/// One set, with the tables of groups that it names; their paths are relative to the current folder.
pub(crate) fn set(text: &str) -> Result<SetSpec> {
    let spec = SetSpec::parse(text).map_err(|error| {
        Failure::from(error)
            .about(format_args!("--constraint {}", brief(text)))
            .hint("`proxdist constraints` lists the sets and how they are written")
    })?;
    let mut read = |path: &str| {
        std::fs::read_to_string(path).map_err(|source| proxdist::Error::File { path: path.into(), source })
    };
    Ok(spec.with_files(&mut read)?)
}

/// A text that may be long, for a message.
fn brief(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The sets of repeated `--constraint`, together.
pub(crate) fn constraint(texts: &[String]) -> Result<SetSpec> {
    let sets = texts.iter().map(|text| set(text)).collect::<Result<Vec<_>>>()?;
    Ok(SetSpec::all_of(sets.into_iter().filter(|set| *set != SetSpec::WholeSpace)))
}

/// The set for these data: names of features are theirs. Says where it does not fit, with the range it could have.
pub(crate) fn build(spec: &SetSpec, data: &Data) -> Result<Box<dyn Constraint>> {
    spec.build_for(data).map_err(|error| match error {
        proxdist::Error::Constraint { spec, fault } => {
            Failure::new(format!("--constraint {spec}: {fault}"), constraint_hint(&fault))
        }
        other => other.into(),
    })
}

/// The settings that were given, if they make sense before the data are seen.
pub(crate) fn settings(given: proxdist::Result<Settings>, quiet: bool) -> Result<Settings> {
    let settings = given?;
    let is_poly = settings.value(Setting::Schedule) == Setting::Schedule.declaration().default;
    if !is_poly && settings.rho1_value().is_none() {
        let message = "--schedule geometric and --schedule constant need a number for --rho1";
        return Err(Failure::new(message, "add --rho1 0.1, for example, or leave --schedule out"));
    }
    settings.validate()?;
    let gamma = settings.gamma_value();
    if is_poly && !(gamma > 0.5 && gamma <= 1.0) {
        note(quiet, "the theory covers powers --gamma above 0.5 and up to 1");
    }
    Ok(settings)
}

/// What to say about options that had no effect, but for those that had one outside of the fit.
pub(crate) fn without_effect(notes: &[Note], elsewhere: &[Setting]) -> Vec<String> {
    let text = |note: &Note| format!("--{} had no effect: {}", note.setting.declaration().option, note.reason);
    // The memory decides what is read into it, whatever the fit does with the rest.
    let has_effect = |note: &Note| note.setting == Setting::Memory || elsewhere.contains(&note.setting);
    notes.iter().filter(|note| !has_effect(note)).map(text).collect()
}

/// The rank that the set allows, if it is about rank.
pub(crate) fn rank_of(spec: &SetSpec) -> Option<usize> {
    match spec {
        SetSpec::Rank { rank } => Some(*rank),
        SetSpec::Intersection(parts) => parts.iter().find_map(rank_of),
        _ => None,
    }
}
