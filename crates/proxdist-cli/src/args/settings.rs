//! Options that are settings of the library, made from their declarations.
//!
//! Name, help, default and rule of each are the library's; a setting that is declared there is an option here without further ado.
//! Only what stands on the command line is kept, so that the library knows what was given.

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use proxdist::solver::{Declaration, Kind, Topic};
use proxdist::{Setting, Settings};
use std::marker::PhantomData;

/// Which settings a command takes.
pub(crate) trait Subset {
    /// Whether this is one of them.
    fn has(setting: Setting) -> bool;
}

/// All settings of a run but its first penalty, of which `tune` takes several and `compare` none.
#[derive(Debug)]
pub(crate) struct OfRun;

impl Subset for OfRun {
    fn has(setting: Setting) -> bool {
        setting != Setting::Rho1
    }
}

/// The first penalty.
#[derive(Debug)]
pub(crate) struct FirstPenalty;

impl Subset for FirstPenalty {
    fn has(setting: Setting) -> bool {
        setting == Setting::Rho1
    }
}

/// What the theory depends on.
#[derive(Debug)]
pub(crate) struct OfTheory;

impl Subset for OfTheory {
    fn has(setting: Setting) -> bool {
        use Setting as S;
        matches!(setting, S::Rho1 | S::Gamma | S::BatchSize | S::Sampling | S::Seed | S::Threads | S::Memory)
    }
}

/// What a path depends on: the seed deals the folds, and sizes can be proven.
#[derive(Debug)]
pub(crate) struct OfPath;

impl Subset for OfPath {
    fn has(setting: Setting) -> bool {
        use Setting as S;
        matches!(setting, S::Seed | S::Threads | S::Prove | S::Gap | S::Memory)
    }
}

/// The settings that were given, as text that the library has accepted.
#[derive(Debug)]
pub(crate) struct SettingArgs<S> {
    given: Vec<(Setting, String)>,
    subset: PhantomData<S>,
}

impl<S: Subset> SettingArgs<S> {
    /// The settings with what was given.
    pub(crate) fn apply(&self, settings: Settings) -> proxdist::Result<Settings> {
        self.given.iter().try_fold(settings, |settings, (setting, value)| settings.with(*setting, value))
    }

    /// The memory that was given, if one was.
    pub(crate) fn memory(&self, settings: &Settings) -> Option<usize> {
        self.has(Setting::Memory).then(|| settings.memory_value())
    }

    /// Whether a setting was given.
    pub(crate) fn has(&self, setting: Setting) -> bool {
        self.given.iter().any(|(given, _)| *given == setting)
    }
}

fn subset<S: Subset>() -> impl Iterator<Item = &'static Declaration> {
    Setting::declarations().iter().filter(|declared| S::has(declared.setting))
}

impl<S: Subset> Args for SettingArgs<S> {
    fn augment_args(command: Command) -> Command {
        command.args(subset::<S>().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Subset> FromArgMatches for SettingArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = subset::<S>().filter(|declared| is_given(declared.option)).filter_map(|declared| {
            let value = match declared.kind {
                Kind::Flag => Some((declared.default != "true").to_string()),
                _ => matches.get_one::<String>(declared.option).cloned(),
            };
            Some((declared.setting, value?))
        });
        Ok(Self { given: given.collect(), subset: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option of a setting.
pub(super) fn option(declared: &'static Declaration) -> Arg {
    let heading = match declared.topic {
        Topic::Stopping => "Stopping",
        _ => "Method",
    };
    let option = Arg::new(declared.option).long(declared.option).help(declared.help).help_heading(heading);
    let parser: ValueParser = match declared.kind {
        Kind::Flag => return option.action(ArgAction::SetTrue),
        Kind::Words(words) => PossibleValuesParser::new(words.iter().map(|word| {
            let value = PossibleValue::new(word.name).help(word.help);
            word.alias.into_iter().fold(value, PossibleValue::alias)
        }))
        .into(),
        _ => ValueParser::from(move |text: &str| checked(declared, text)),
    };
    let option = option.value_name(declared.placeholder).default_value(declared.default).value_parser(parser);
    // A proof may be asked for without saying for how long.
    if declared.setting == Setting::Prove { option.num_args(0..=1).default_missing_value("1m") } else { option }
}

/// The text itself, if the library takes it.
pub(super) fn checked(declared: &Declaration, text: &str) -> Result<String, String> {
    match Settings::default().with(declared.setting, text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(why(declared, text, error)),
    }
}

/// What is wrong, for a line that has shown the option and the text already.
fn why(declared: &Declaration, text: &str, error: proxdist::Error) -> String {
    match error {
        proxdist::Error::Setting { setting, rule, .. } if setting == declared.name => format!("it must be {rule}"),
        proxdist::Error::Spec { at, reason, .. } if at == text => reason,
        proxdist::Error::Spec { at, reason, .. } => format!("{at:?}: {reason}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory as _;

    /// `fit` takes every setting, with the words of its declaration.
    #[test]
    fn every_declared_setting_is_an_option_of_fit() {
        let cli = Cli::command();
        let fit = cli.find_subcommand("fit").unwrap();
        for declared in Setting::declarations() {
            let arg = fit.get_arguments().find(|arg| arg.get_long() == Some(declared.option));
            let arg = arg.unwrap_or_else(|| panic!("--{} is missing", declared.option));
            assert_eq!(arg.get_help().map(ToString::to_string).as_deref(), Some(declared.help));
            if declared.kind != Kind::Flag {
                let defaults: Vec<_> = arg.get_default_values().iter().map(|text| text.to_str().unwrap()).collect();
                assert_eq!(defaults, [declared.default], "--{}", declared.option);
            }
        }
    }

    #[test]
    fn what_is_given_reaches_the_settings_and_defaults_do_not_count_as_given() {
        let words = ["fit", "--no-polish", "--passes", "2.5", "--stop", "default", "--sampling", "cyclic"];
        let matches = SettingArgs::<OfRun>::augment_args(Command::new("fit")).get_matches_from(words);
        let args = SettingArgs::<OfRun>::from_arg_matches(&matches).unwrap();
        let settings = args.apply(Settings::default()).unwrap();
        let is_given = |declared: &&Declaration| settings.is_given(declared.setting);
        let given: Vec<_> = Setting::declarations().iter().filter(is_given).map(|declared| declared.name).collect();
        assert_eq!(given, ["sampling", "polish", "max_passes", "stop"]);
        let value = |setting| settings.value(setting);
        assert_eq!(
            [value(Setting::Polish), value(Setting::MaxPasses), value(Setting::Sampling)],
            ["false", "2.5", "cyclic"]
        );
    }

    #[test]
    fn a_value_outside_the_rule_is_refused_with_the_rule() {
        let refused = |words: [&str; 3]| {
            let command = SettingArgs::<OfRun>::augment_args(Command::new("fit"));
            command.try_get_matches_from(words).unwrap_err().to_string()
        };
        assert!(refused(["fit", "--max-steps", "0"]).contains("--max-steps <N>': it must be at least 1"));
        assert!(refused(["fit", "--sampling", "lucky"]).contains("without-replacement, reshuffled, cyclic, full"));
        assert!(refused(["fit", "--schedule", "geometric:0.5,10"]).contains("at least 1 and finite, got 0.5"));
    }
}
