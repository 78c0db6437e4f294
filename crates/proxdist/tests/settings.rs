//! Settings are declared once: what is read is what is written, and what is refused is refused with the rule.

use proxdist::sampling::Sampling;
use proxdist::schedule::{Constant, Growth};
use proxdist::solver::Kind;
use proxdist::{Effort, Method, Setting, Settings, StopRule};
use std::collections::BTreeMap;
use std::time::Duration;

/// Values other than the default and how they are printed, and values that are refused.
fn samples(setting: Setting) -> (Vec<(&'static str, &'static str)>, Vec<&'static str>) {
    use Setting as S;
    let count = (vec![("7", "7")], vec!["0", "-1", "2.5", "many", ""]);
    match setting {
        S::Method => (vec![("psgd", "psgd"), ("pd:momentum=yes", "pd:momentum=yes")], vec!["magic", "pd:x=1", ""]),
        S::Rho1 => (vec![("0.01", "0.01"), ("1e-3", "0.001")], vec!["0", "-1", "inf", "nan", "fast"]),
        S::Gamma => (vec![("0.75", "0.75"), ("0", "0")], vec!["-1", "inf", "nan", "x"]),
        S::Schedule => (
            vec![("constant", "constant"), ("geometric:1.2,100", "geometric:1.2,100")],
            vec!["geometric:0.5,1", "linear"],
        ),
        S::BatchSize | S::CheckEvery | S::MonitorRows | S::MaxSteps => count,
        S::Threads => (vec![("2", "2"), ("1024", "1024")], vec!["0", "1025", "all"]),
        S::Sampling => (vec![("cyclic", "cyclic"), ("full", "full")], vec!["lucky", ""]),
        S::Polish => (vec![("false", "false")], vec!["no", "0"]),
        S::Effort => (vec![("quick", "quick"), ("thorough", "thorough")], vec!["much", ""]),
        S::Prove => (vec![("5m", "300s"), ("2", "2s")], vec!["0s", "soon", "-1"]),
        S::Memory => (vec![("512M", "512M"), ("2G", "2G")], vec!["0", "much", "-1"]),
        S::Gap => (vec![("0.01", "0.01"), ("0", "0")], vec!["-1", "2", "nan", "x"]),
        S::Average => (vec![("true", "true")], vec!["yes", "1"]),
        S::Seed => (vec![("11", "11")], vec!["-1", "0.5"]),
        S::MaxPasses => (vec![("2.5", "2.5")], vec!["0", "-1", "nan"]),
        S::TimeLimit => (vec![("5m", "300s"), ("250ms", "0.25s"), ("1.5", "1.5s")], vec!["0s", "soon", "-1", "inf"]),
        S::Tolerance => (vec![("1e-8", "0.00000001")], vec!["0", "-1", "nan"]),
        S::Stop => (vec![("paper", "paper")], vec!["never"]),
        other => panic!("{other:?} has no samples"),
    }
}

#[test]
fn what_is_read_is_what_is_written() {
    for declared in Setting::declarations() {
        for (text, printed) in samples(declared.setting).0 {
            let settings = Settings::default().set(declared.name, text).unwrap();
            assert_eq!(settings.value(declared.setting), printed, "{}", declared.name);
            let again = Settings::default().with(declared.setting, printed).unwrap();
            assert_eq!(again.value(declared.setting), printed, "{}", declared.name);
            // And nothing else has changed.
            let others = Setting::declarations().iter().filter(|other| other.setting != declared.setting);
            for other in others {
                assert_eq!(settings.value(other.setting), other.default, "{} through {}", other.name, declared.name);
                assert!(!settings.is_given(other.setting));
            }
            assert!(settings.is_given(declared.setting));
        }
    }
}

#[test]
fn what_breaks_a_rule_is_refused_by_name_rule_and_value() {
    for declared in Setting::declarations() {
        for text in samples(declared.setting).1 {
            let Err(error) = Settings::default().set(declared.name, text) else {
                panic!("{} = {text:?} is taken", declared.name)
            };
            let said = error.to_string();
            // Texts with a grammar of their own say where it is broken.
            if declared.kind != Kind::Text {
                assert_eq!(said, format!("{} must be {}, got {text}", declared.name, declared.rule));
            }
        }
    }
    let said = Settings::default().set("luck", "1").unwrap_err().to_string();
    assert!(said.contains("no setting \"luck\"") && said.contains("batch_size"), "{said}");
}

#[test]
fn names_are_distinct_and_known_in_kebab_and_snake_case() {
    let declared = Setting::declarations();
    for (i, one) in declared.iter().enumerate() {
        assert_eq!(Setting::named(one.name).unwrap(), one.setting);
        assert_eq!(Setting::named(&one.name.replace('_', "-")).unwrap(), one.setting);
        assert_eq!(one.setting.declaration().name, one.name);
        for other in &declared[..i] {
            assert!(one.name != other.name && one.option != other.option && one.parameter != other.parameter);
        }
    }
}

/// The builder and the texts are two ways to say the same, to the settings and to those who ask what was given.
#[test]
fn builder_methods_say_what_texts_say() {
    let both = [
        (Settings::default().method(Method::ProjectedGradient), "method", "psgd"),
        (Settings::default().rho1(0.5), "rho1", "0.5"),
        (Settings::default().gamma(0.75), "gamma", "0.75"),
        (Settings::default().growth(Growth::Constant), "schedule", "constant"),
        (Settings::default().batch_size(7), "batch_size", "7"),
        (Settings::default().sampling(Sampling::Cyclic), "sampling", "cyclic"),
        (Settings::default().polish(false), "polish", "false"),
        (Settings::default().effort(Effort::Quick), "effort", "quick"),
        (Settings::default().prove(Duration::from_secs(60)), "prove", "1m"),
        (Settings::default().gap(0.5), "gap", "0.5"),
        (Settings::default().memory(1 << 20), "memory", "1M"),
        (Settings::default().average(true), "average", "true"),
        (Settings::default().seed(3), "seed", "3"),
        (Settings::default().threads(2), "threads", "2"),
        (Settings::default().max_steps(9), "max_steps", "9"),
        (Settings::default().max_passes(2.0), "max_passes", "2"),
        (Settings::default().time_limit(Duration::from_secs(60)), "time_limit", "1m"),
        (Settings::default().tolerance(0.5), "tolerance", "0.5"),
        (Settings::default().stop(StopRule::Paper), "stop", "paper"),
        (Settings::default().check_every(4), "check_every", "4"),
        (Settings::default().monitor_rows(5), "monitor_rows", "5"),
    ];
    assert_eq!(both.len(), Setting::declarations().len());
    for (built, name, text) in both {
        let told = Settings::default().set(name, text).unwrap();
        for declared in Setting::declarations() {
            assert_eq!(built.value(declared.setting), told.value(declared.setting), "{name}: {}", declared.name);
            assert_eq!(built.is_given(declared.setting), told.is_given(declared.setting), "{name}: {}", declared.name);
        }
        assert_ne!(built.value(Setting::named(name).unwrap()), Setting::named(name).unwrap().declaration().default);
    }
}

#[test]
fn a_record_holds_what_is_not_as_it_is_by_default() {
    assert_eq!(Settings::default().seed(0).threads(3).changes(), BTreeMap::new());
    let settings = Settings::default().rho1(0.1).growth(Growth::Constant).polish(false).threads(3);
    let expected = [("polish", "false"), ("rho1", "0.1"), ("schedule", "constant")];
    assert_eq!(settings.changes(), expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    let own = Settings::default().growth(Growth::Constant).schedule(Constant::new(2.0).unwrap());
    assert_eq!(own.value(Setting::Schedule), "constant:2");
}

#[test]
fn another_run_has_another_identity_unless_only_its_length_or_speed_differ() {
    let identity = |settings: Settings| settings.identity().map(|(_, value)| value).collect::<Vec<_>>();
    let usual = identity(Settings::default());
    for declared in Setting::declarations() {
        let (text, _) = samples(declared.setting).0[0];
        let is_other = identity(Settings::default().with(declared.setting, text).unwrap()) != usual;
        assert_eq!(is_other, declared.is_identity, "{}", declared.name);
    }
}

#[test]
fn a_growth_other_than_a_power_needs_a_first_penalty() {
    let said = Settings::default().growth(Growth::Constant).validate().unwrap_err().to_string();
    assert_eq!(said, "schedule must be poly unless rho1 is a number, got constant");
    assert!(Settings::default().growth(Growth::Constant).rho1(1.0).validate().is_ok());
}
