//! Selections of features within convex sets, on random small problems in raw units: no choice of features is better, by an independent solver on each.
//! `PROXDIST_INSTANCES` says how many problems there are.

mod selecting;

use proxdist::constraint::{Constraint as _, Workspace};
use proxdist::loss::Squared;
use proxdist::spec::SetSpec;
use proxdist::{Data, Exchanges, Problem, Settings, Shape};
use selecting::{Least, P, Random, some_beside, some_instance, some_rules};

#[test]
fn no_choice_of_features_is_better() {
    let count: u64 = std::env::var("PROXDIST_INSTANCES").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let (mut fitted, mut exhausted, mut unknown, mut above) = (0, 0, 0, Vec::new());
    for seed in 0..count {
        let mut random = Random::of(seed);
        let (instance, sizes) = some_instance(&mut random);
        let rules = some_rules(&mut random, None);
        let beside = some_beside(&mut random, &sizes);
        let text = beside.with(&rules);
        let best = instance.least_of(&rules, &beside);
        if best == Least::Unknown {
            unknown += 1;
            continue;
        }
        let best = best.value();
        let data = Data::dense(&instance.x, P, &instance.y).unwrap().weights(&instance.weights).unwrap();
        let set = SetSpec::parse(&text).and_then(|spec| spec.build(data.parameter_shape()));
        let (Some(best), Ok(set)) = (best, &set) else {
            assert!(
                best.is_none(),
                "seed {seed}, {text}: {}",
                set.err().map(|error| error.to_string()).unwrap_or_default()
            );
            continue;
        };
        let problem = Problem::new(&data, Squared, set).ridge(instance.ridge).intercept(instance.intercept);
        let fit = problem.fit(&Settings::default()).unwrap_or_else(|error| panic!("seed {seed}, {text}: {error}"));
        let tolerance = 1e-6 * best + 1e-9 * instance.value(&[0.0; P], 0.0);
        let theta: [f64; P] = fit.coefficients().try_into().unwrap();
        let value = instance.value(&theta, fit.intercept().unwrap_or(0.0));
        assert!((value - fit.objective()).abs() <= 1e-9 * value, "seed {seed}: {value} {}", fit.objective());
        let certificate = fit.certificate();
        assert!(certificate.distance <= 1e-9 * (1.0 + theta.iter().fold(0.0_f64, |top, t| top.max(t.abs()))), "{text}");
        fitted += 1;
        exhausted += u64::from(certificate.exchanges == Exchanges::EveryChoice);
        if value > best + tolerance {
            above.push(format!("seed {seed}, {text}: {value} above {best} ({:?})", certificate.exchanges));
        }
        assert!(value >= best - tolerance, "seed {seed}, {text}: {value} below {best}");
        if let Some(gap) = certificate.gap {
            assert!(value - gap.value <= best + tolerance, "seed {seed}, {text}: {gap:?} at {value}, but {best}");
        }
    }
    println!(
        "{fitted} problems, {exhausted} with every choice looked at, {unknown} that the other solver cannot judge"
    );
    assert!(above.is_empty(), "{} of {fitted}: {}", above.len(), above.join("\n"));
    assert!(2 * fitted > count && 10 * unknown < count, "{fitted} and {unknown} of {count}");
}

/// Where all entries are alike, as at zero, no price for the rows alone tells which assets to take of each sector; the nearest point is known by symmetry.
#[test]
fn ties_do_not_end_the_search_for_the_nearest_point() {
    let (sectors, each) = (5, 6);
    let length = sectors * each;
    let row = |sector: usize| {
        let entries = (0..length).map(|j| if j / each == sector { "1" } else { "0" });
        entries.collect::<Vec<_>>().join(",")
    };
    let rows = (0..sectors).map(row).collect::<Vec<_>>().join("|");
    let limits = vec!["0.3"; sectors].join(",");
    let text = format!("sparsity:10 & simplex & box:0,0.2 & polyhedron;a={rows};b={limits}");
    let set = SetSpec::parse(&text).unwrap().build(Shape::Vector(length)).unwrap();
    for (level, expected) in [(0.0, 0.1), (1.0, 28.1)] {
        let mut point = vec![level; length];
        set.project(&mut point, &mut Workspace::default()).unwrap();
        let used = point.iter().filter(|x| **x != 0.0).count();
        assert!(used <= 10 && (point.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{point:?}");
        assert!(point.chunks_exact(each).all(|sector| sector.iter().sum::<f64>() <= 0.3 + 1e-9), "{point:?}");
        let square: f64 = point.iter().map(|x| (x - level) * (x - level)).sum();
        assert!((square - expected).abs() < 1e-8, "{square} for {expected}");
    }
}
