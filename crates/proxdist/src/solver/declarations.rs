//! One row for each setting: names, default, rule, help, and how its value is read and written.

use super::Settings;
use super::reading::{Refused, amount, bytes, from_one, number, or, plain, position, put, time, unless, word};
use super::setting::{Declaration, Kind, Setting, Topic};
use super::vocabulary::{EFFORT_WORDS, EFFORTS, RULE_WORDS, RULES, SAMPLING_WORDS, SAMPLINGS};
use crate::schedule::Growth;

/// In the order of the variants of [`Setting`].
pub(super) const DECLARATIONS: &[Declaration] = &[
    Declaration {
        setting: Setting::Method,
        name: "method",
        option: "method",
        parameter: "method",
        kind: Kind::Text,
        default: "spd",
        rule: "a method such as spd, pd or psgd",
        help: "Method; see `proxdist methods`",
        placeholder: "NAME",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.method, text.parse().map_err(Refused::Because)),
        write: |settings| settings.method.to_string(),
    },
    Declaration {
        setting: Setting::Rho1,
        name: "rho1",
        option: "rho1",
        parameter: "rho1",
        kind: Kind::Number,
        default: "auto",
        rule: "positive and finite, or auto",
        help: "Penalty of the first step, or `auto`",
        placeholder: "X|auto",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| {
            let is_fine = |rho1: &f64| *rho1 > 0.0 && rho1.is_finite();
            put(&mut settings.rho1, unless("auto", text, |text| number(text, is_fine)))
        },
        write: |settings| or("auto", settings.rho1),
    },
    Declaration {
        setting: Setting::Gamma,
        name: "gamma",
        option: "gamma",
        parameter: "gamma",
        kind: Kind::Number,
        default: "1",
        rule: "zero or positive, and finite",
        help: "Power with which the penalty grows",
        placeholder: "X",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.gamma, number(text, |gamma| *gamma >= 0.0 && gamma.is_finite())),
        write: |settings| settings.gamma.to_string(),
    },
    Declaration {
        setting: Setting::Schedule,
        name: "schedule",
        option: "schedule",
        parameter: "schedule",
        kind: Kind::Text,
        default: "poly",
        rule: Growth::RULE,
        help: "Growth of the penalty: poly, `geometric:FACTOR,EVERY[,CAP]` or constant; the last two need a number for rho1",
        placeholder: "SCHEDULE",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| {
            settings.growth = text.parse()?;
            settings.schedule = None;
            Ok(())
        },
        write: |settings| match (&settings.schedule, settings.growth) {
            (Some(own), Growth::Polynomial) => own.spec(),
            (_, growth) => growth.to_string(),
        },
    },
    Declaration {
        setting: Setting::BatchSize,
        name: "batch_size",
        option: "batch-size",
        parameter: "batch_size",
        kind: Kind::Count,
        default: "auto",
        rule: "at least 1, or auto",
        help: "Rows a step, or `auto`",
        placeholder: "N|auto",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.batch_size, unless("auto", text, from_one)),
        write: |settings| or("auto", settings.batch_size),
    },
    Declaration {
        setting: Setting::Sampling,
        name: "sampling",
        option: "sampling",
        parameter: "sampling",
        kind: Kind::Words(&SAMPLING_WORDS),
        default: "without-replacement",
        rule: "one of without-replacement, reshuffled, cyclic, full",
        help: "How batches are drawn",
        placeholder: "HOW",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.sampling, position(&SAMPLING_WORDS, text).map(|at| SAMPLINGS[at])),
        write: |settings| word(&SAMPLING_WORDS, &SAMPLINGS, &settings.sampling),
    },
    Declaration {
        setting: Setting::Polish,
        name: "polish",
        option: "no-polish",
        parameter: "polish",
        kind: Kind::Flag,
        default: "true",
        rule: "true or false",
        help: "Stop with the iteration, without the exact finish on all data",
        placeholder: "",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| put(&mut settings.polish, plain(text)),
        write: |settings| settings.polish.to_string(),
    },
    Declaration {
        setting: Setting::Effort,
        name: "effort",
        option: "effort",
        parameter: "effort",
        kind: Kind::Words(&EFFORT_WORDS),
        default: "normal",
        rule: "one of quick, normal, thorough",
        help: "How hard to look for another choice of features with a lower F",
        placeholder: "HOW",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| put(&mut settings.effort, position(&EFFORT_WORDS, text).map(|at| EFFORTS[at])),
        write: |settings| word(&EFFORT_WORDS, &EFFORTS, &settings.effort),
    },
    Declaration {
        setting: Setting::Prove,
        name: "prove",
        option: "prove",
        parameter: "prove",
        kind: Kind::Time,
        default: "none",
        rule: "a positive time, such as 500ms, 30s, 5m or 1h, or none",
        help: "Time for a proof of how far the choice of features is from the best one, by branch and bound",
        placeholder: "TIME",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| put(&mut settings.prove, unless("none", text, time)),
        write: |settings| or("none", settings.prove.map(|limit| format!("{}s", limit.as_secs_f64()))),
    },
    Declaration {
        setting: Setting::Gap,
        name: "gap",
        option: "gap",
        parameter: "gap",
        kind: Kind::Number,
        default: "0.000001",
        rule: "a number from 0 to 1",
        help: "Share of F by which a choice of features may be worse than the best one when a proof ends",
        placeholder: "X",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| put(&mut settings.gap, number(text, |gap| (0.0..=1.0).contains(gap))),
        write: |settings| settings.gap.to_string(),
    },
    Declaration {
        setting: Setting::Memory,
        name: "memory",
        option: "memory",
        parameter: "memory",
        kind: Kind::Memory,
        default: "1G",
        rule: "an amount of memory, such as 512M, 2G or a number of bytes, at least 1",
        help: "Memory that branch and bound (--prove) may hold; when it is full, the search goes depth first, to the same end. If it is given, also what a fit of data larger than memory may hold: otherwise half of what is free",
        placeholder: "SIZE",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| put(&mut settings.memory, bytes(text)),
        write: |settings| amount(settings.memory),
    },
    Declaration {
        setting: Setting::Average,
        name: "average",
        option: "average",
        parameter: "average",
        kind: Kind::Flag,
        default: "false",
        rule: "true or false",
        help: "Try averages of late iterates too, and keep one if it is better",
        placeholder: "",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.average, plain(text)),
        write: |settings| settings.average.to_string(),
    },
    Declaration {
        setting: Setting::Seed,
        name: "seed",
        option: "seed",
        parameter: "random_state",
        kind: Kind::Count,
        default: "0",
        rule: "a whole number from 0",
        help: "Fixes the batches, hence the fit",
        placeholder: "N",
        topic: Topic::Method,
        is_identity: true,
        read: |settings, text| put(&mut settings.seed, plain(text)),
        write: |settings| settings.seed.to_string(),
    },
    Declaration {
        setting: Setting::Threads,
        name: "threads",
        option: "threads",
        parameter: "n_jobs",
        kind: Kind::Count,
        default: "auto",
        rule: "from 1 to 1024, or auto",
        help: "Threads, up to 1024; never changes a result",
        placeholder: "N|auto",
        topic: Topic::Method,
        is_identity: false,
        read: |settings, text| {
            let threads = unless("auto", text, from_one)?;
            if threads.is_some_and(|threads| threads > Settings::MOST_THREADS) {
                return Err(Refused::ByRule);
            }
            settings.threads = threads;
            Ok(())
        },
        write: |settings| or("auto", settings.threads),
    },
    Declaration {
        setting: Setting::MaxSteps,
        name: "max_steps",
        option: "max-steps",
        parameter: "max_steps",
        kind: Kind::Count,
        default: "10000",
        rule: "at least 1",
        help: "Steps at most",
        placeholder: "N",
        topic: Topic::Stopping,
        is_identity: false,
        read: |settings, text| put(&mut settings.max_steps, from_one(text)),
        write: |settings| settings.max_steps.to_string(),
    },
    Declaration {
        setting: Setting::MaxPasses,
        name: "max_passes",
        option: "passes",
        parameter: "max_passes",
        kind: Kind::Number,
        default: "none",
        rule: "positive, or none",
        help: "Passes over the data at most",
        placeholder: "X",
        topic: Topic::Stopping,
        is_identity: false,
        read: |settings, text| {
            put(&mut settings.max_passes, unless("none", text, |text| number(text, |passes| *passes > 0.0)))
        },
        write: |settings| or("none", settings.max_passes),
    },
    Declaration {
        setting: Setting::TimeLimit,
        name: "time_limit",
        option: "time",
        parameter: "time_limit",
        kind: Kind::Time,
        default: "none",
        rule: "a positive time, such as 500ms, 30s, 5m or 1h, or none",
        help: "Time at most, as in 30s, 5m or 1h",
        placeholder: "TIME",
        topic: Topic::Stopping,
        is_identity: false,
        read: |settings, text| put(&mut settings.time_limit, unless("none", text, time)),
        write: |settings| or("none", settings.time_limit.map(|limit| format!("{}s", limit.as_secs_f64()))),
    },
    Declaration {
        setting: Setting::Tolerance,
        name: "tolerance",
        option: "tolerance",
        parameter: "tol",
        kind: Kind::Number,
        default: "0.0001",
        rule: "positive",
        help: "Change of the objective that counts as none",
        placeholder: "X",
        topic: Topic::Stopping,
        is_identity: false,
        read: |settings, text| put(&mut settings.tolerance, number(text, |tolerance| *tolerance > 0.0)),
        write: |settings| settings.tolerance.to_string(),
    },
    Declaration {
        setting: Setting::Stop,
        name: "stop",
        option: "stop",
        parameter: "stop",
        kind: Kind::Words(&RULE_WORDS),
        default: "settled",
        rule: "one of settled, paper",
        help: "Rule of convergence",
        placeholder: "RULE",
        topic: Topic::Stopping,
        is_identity: true,
        read: |settings, text| put(&mut settings.stop, position(&RULE_WORDS, text).map(|at| RULES[at])),
        write: |settings| word(&RULE_WORDS, &RULES, &settings.stop),
    },
    Declaration {
        setting: Setting::CheckEvery,
        name: "check_every",
        option: "check-every",
        parameter: "check_every",
        kind: Kind::Count,
        default: "auto",
        rule: "at least 1, or auto",
        help: "Steps between checkpoints, or `auto` for as often as is cheap",
        placeholder: "N|auto",
        topic: Topic::Stopping,
        is_identity: true,
        read: |settings, text| put(&mut settings.check_every, unless("auto", text, from_one)),
        write: |settings| or("auto", settings.check_every),
    },
    Declaration {
        setting: Setting::MonitorRows,
        name: "monitor_rows",
        option: "monitor-rows",
        parameter: "monitor_rows",
        kind: Kind::Count,
        default: "auto",
        rule: "at least 1, or auto",
        help: "Rows on which the objective is watched, or `auto` for all if that is cheap",
        placeholder: "N|auto",
        topic: Topic::Stopping,
        is_identity: true,
        read: |settings, text| put(&mut settings.monitor_rows, unless("auto", text, from_one)),
        write: |settings| or("auto", settings.monitor_rows),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_its_row() {
        for (position, declared) in DECLARATIONS.iter().enumerate() {
            assert_eq!(declared.setting as usize, position, "{}", declared.name);
        }
        // A variant without a row would be beyond the end.
        assert_eq!(Setting::MonitorRows as usize, DECLARATIONS.len() - 1);
    }

    #[test]
    fn defaults_are_what_default_settings_are() {
        for declared in DECLARATIONS {
            assert_eq!((declared.write)(&Settings::default()), declared.default, "{}", declared.name);
            let read = Settings::default().with(declared.setting, declared.default).unwrap();
            assert_eq!((declared.write)(&read), declared.default, "{}", declared.name);
        }
    }

    #[test]
    fn words_and_rules_say_the_same() {
        for (declared, words) in DECLARATIONS.iter().filter_map(|declared| match declared.kind {
            Kind::Words(words) => Some((declared, words)),
            _ => None,
        }) {
            let listed: Vec<&str> = words.iter().map(|word| word.name).collect();
            assert_eq!(declared.rule, format!("one of {}", listed.join(", ")));
            for word in words.iter().flat_map(|word| [Some(word.name), word.alias]).flatten() {
                assert!(Settings::default().with(declared.setting, &word.replace('-', "_")).is_ok(), "{word}");
            }
        }
    }
}
