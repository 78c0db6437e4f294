//! From options to a loss, a set and settings.

use crate::args::{Auto, RunArgs, SamplingArg, ScheduleArg, StopArg};
use crate::failure::{Failure, Result};
use crate::output::note;
use proxdist::loss::{self, Loss};
use proxdist::sampling::Sampling;
use proxdist::schedule::{Constant, Geometric};
use proxdist::spec::SetSpec;
use proxdist::{Settings, StopRule};

/// Steps a run takes at most unless told otherwise; the library's own default.
pub(crate) const MAX_STEPS: u64 = 10_000;

/// The loss of `--loss`.
pub(crate) fn loss(text: &str) -> Result<Box<dyn Loss>> {
    loss::parse(text).map_err(|error| {
        let failure = Failure::from(error).about(format_args!("--loss {text}"));
        if failure.hint.contains("constraints") { failure.hint("`proxdist losses` lists the losses") } else { failure }
    })
}

/// One set.
pub(crate) fn set(text: &str) -> Result<SetSpec> {
    SetSpec::parse(text).map_err(|error| {
        Failure::from(error)
            .about(format_args!("--constraint {text}"))
            .hint("`proxdist constraints` lists the sets and how they are written")
    })
}

/// The sets of repeated `--constraint`, together.
pub(crate) fn constraint(texts: &[String]) -> Result<SetSpec> {
    let sets = texts.iter().map(|text| set(text)).collect::<Result<Vec<_>>>()?;
    Ok(SetSpec::all_of(sets.into_iter().filter(|set| *set != SetSpec::WholeSpace)))
}

/// Says where the set does not fit the data, with the range it could have.
pub(crate) fn build(spec: &SetSpec, shape: proxdist::Shape) -> Result<Box<dyn proxdist::constraint::Constraint>> {
    spec.build(shape).map_err(|error| match error {
        proxdist::Error::Constraint { spec, reason } => {
            let failure = Failure::from(proxdist::Error::Constraint { spec: spec.clone(), reason: reason.clone() });
            Failure::new(format!("--constraint {spec}: {reason}"), failure.hint)
        }
        other => other.into(),
    })
}

/// How batches are drawn.
pub(crate) fn sampling(args: SamplingArg) -> Sampling {
    match args {
        SamplingArg::WithoutReplacement => Sampling::WithoutReplacement,
        SamplingArg::Reshuffled => Sampling::Reshuffled,
        SamplingArg::Cyclic => Sampling::Cyclic,
        SamplingArg::Full => Sampling::FullBatch,
    }
}

/// The settings of a run.
pub(crate) fn settings(args: &RunArgs, rho1: Auto<f64>, quiet: bool) -> Result<Settings> {
    let mut settings = Settings::default()
        .method(args.method.clone())
        .gamma(args.gamma)
        .max_steps(args.max_steps.unwrap_or(MAX_STEPS))
        .seed(args.seed)
        .polish(!args.no_polish)
        .average(args.average)
        .sampling(sampling(args.sampling))
        .stop(match args.stop {
            StopArg::Default => StopRule::Settled,
            StopArg::Paper => StopRule::Paper,
        });
    if let Auto::Given(size) = args.batch_size {
        settings = settings.batch_size(size);
    }
    if let Some(passes) = args.passes {
        settings = settings.max_passes(passes);
    }
    if let Some(time) = args.time {
        settings = settings.time_limit(time);
    }
    if let Some(tolerance) = args.tolerance {
        settings = settings.tolerance(tolerance);
    }
    if let Some(threads) = args.threads {
        settings = settings.threads(threads);
    }
    with_schedule(settings, args, rho1, quiet)
}

fn with_schedule(settings: Settings, args: &RunArgs, rho1: Auto<f64>, quiet: bool) -> Result<Settings> {
    let needed = || {
        let message = "--schedule geometric and --schedule constant need a number for --rho1";
        Failure::new(message, "add --rho1 0.1, for example, or leave --schedule out")
    };
    match (args.schedule, rho1) {
        (ScheduleArg::Polynomial, rho1) => {
            if !(args.gamma > 0.5 && args.gamma <= 1.0) {
                note(quiet, "the theory covers powers --gamma above 0.5 and up to 1");
            }
            Ok(match rho1 {
                Auto::Given(rho1) => settings.rho1(rho1),
                Auto::Auto => settings,
            })
        }
        (_, Auto::Auto) => Err(needed()),
        (ScheduleArg::Constant, Auto::Given(rho)) => Ok(settings.schedule(Constant::new(rho)?)),
        (ScheduleArg::Geometric { factor, every, cap }, Auto::Given(rho0)) => {
            let schedule = Geometric::new(rho0, factor, every)?;
            Ok(settings.schedule(match cap {
                Some(cap) => schedule.capped_at(cap)?,
                None => schedule,
            }))
        }
    }
}

/// The rank that the set allows, if it is about rank.
pub(crate) fn rank_of(spec: &SetSpec) -> Option<usize> {
    match spec {
        SetSpec::Rank { rank } => Some(*rank),
        SetSpec::Intersection(parts) => parts.iter().find_map(rank_of),
        _ => None,
    }
}
