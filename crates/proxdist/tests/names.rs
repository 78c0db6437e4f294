//! Features by name: what a list of coordinates means, what is refused and how, and that names and positions are the same fit.

// Test files have no public items to document.
#![allow(missing_docs)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use proxdist::constraint::Constraint as _;
use proxdist::loss::Squared;
use proxdist::spec::{Coordinates, Names, Place, Row, SetSpec};
use proxdist::{Data, Problem, Settings, Shape};

fn names(text: &[&str]) -> Vec<String> {
    text.iter().map(|name| (*name).to_owned()).collect()
}

fn refused(text: &str, names: &[String]) -> String {
    let spec = SetSpec::parse(text).unwrap_or_else(|error| panic!("{error}"));
    spec.resolve(&Names::of(names)).expect_err(text).to_string()
}

/// What a list means, by its definition: one entry after the other, over all features.
fn by_definition(on: &Coordinates, names: &[String]) -> Option<Vec<usize>> {
    fn has(place: &Place, j: usize, names: &[String]) -> bool {
        let at = |name: &String| names.iter().position(|other| other == name);
        match place {
            Place::Positions { first, last } => (*first..=*last).contains(&j),
            Place::Name(name) => &names[j] == name,
            Place::Between { first, last } => at(first) <= Some(j) && Some(j) <= at(last),
            // The patterns below have one star, at the end.
            Place::Pattern(pattern) => names[j].starts_with(pattern.trim_end_matches('*')),
            _ => false,
        }
    }
    let mut found: Vec<usize> = Vec::new();
    if matches!(on.places.first(), Some(Place::Except(_))) {
        found.extend(0..names.len());
    }
    for place in &on.places {
        match place {
            Place::Except(inside) => found.retain(|&j| !has(inside, j, names)),
            place => {
                for j in (0..names.len()).filter(|&j| has(place, j, names)) {
                    if !found.contains(&j) {
                        found.push(j);
                    }
                }
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

#[test]
fn a_list_means_what_its_definition_says() {
    let all = names(&["age", "age_2", "income", "asset_1", "asset_2", "asset_3", "job=clerk", "名前", "a, b", "3x"]);
    let count = all.len();
    let known = prop::sample::select(all.clone());
    let simple = prop_oneof![
        3 => known.clone().prop_map(Place::Name),
        1 => (0..count, 0..count).prop_map(|(a, b)| Place::Positions { first: a.min(b), last: a.max(b) }),
        1 => (0..count, 0..count).prop_map({
            let all = all.clone();
            move |(a, b)| Place::Between { first: all[a.min(b)].clone(), last: all[a.max(b)].clone() }
        }),
        1 => prop::sample::select(vec!["a*", "asset_*", "job=*", "*"]).prop_map(|text| Place::Pattern(text.to_owned())),
    ];
    let place = (simple, 0..4).prop_map(|(place, not)| if not == 0 { Place::Except(Box::new(place)) } else { place });
    let list = prop::collection::vec(place, 1..5).prop_map(|places| Coordinates { places });
    let law = |on: Coordinates| {
        let found = Names::of(&all).find(&on).ok();
        prop_assert_eq!(&found, &by_definition(&on, &all));
        // Text and back, then resolved and resolved again.
        let spec = SetSpec::parse(&format!("nonneg[{on}]")).map_err(|error| TestCaseError::fail(error.to_string()))?;
        if let (Some(found), Ok(resolved)) = (found, spec.resolve(&Names::of(&all))) {
            prop_assert_eq!(resolved.to_string(), format!("nonneg[{}]", Coordinates::positions(&found)));
            prop_assert_eq!(resolved.resolve(&Names::of(&all)).ok(), Some(resolved));
        }
        Ok(())
    };
    let config = Config { cases: 512, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Config::default() };
    TestRunner::new(config).run(&list, law).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let all = names(&["age", "income", "Income_2", "debt", "debt"]);
    let table = [
        ("nonneg[incme]", "no feature is called incme, of 5; did you mean income?"),
        ("nonneg[zzzzzz]", "no feature is called zzzzzz, of 5"),
        ("nonneg[debt]", "several features are called debt, those at 4 and 5 for two; say which by position"),
        ("nonneg[x_*]", "none of the 5 features has a name like x_*"),
        ("monotone[income..age]", "income comes after age: a range of names runs in the order of the columns"),
        ("nonneg[age,!age]", "the list age,!age leaves no coordinate"),
        ("nonneg[6]", "position 6 is beyond the parameter, which has 5 entries"),
        ("nonneg[5-7]", "the range 5-7 goes beyond the parameter, which has 5 entries"),
        ("group-sparsity:1;groups=age+income,Income_2", "the feature debt is in no group"),
        ("group-sparsity:1;groups=age+income,a*,Income_2", "the feature age is in two groups"),
        ("age + incom <= 3", "no feature is called incom, of 5; did you mean income?"),
        ("group-sparsity:1;file=nowhere.csv", "the table of groups nowhere.csv has not been read"),
        ("group-sparsity:1;by=source", "groups by source need data from a file"),
    ];
    for (text, message) in table {
        let found = refused(text, &all);
        assert!(found.contains(message), "{text}: {found}");
    }
    // A number is a position, unless a feature elsewhere has it for its name.
    let years = names(&["2009", "2010", "1"]);
    assert!(refused("nonneg[2010]", &years).contains("2010 could be a position or the name of a feature"));
    assert!(refused("nonneg[1]", &years).contains("write the name in backquotes, `1`"));
    let by_name = SetSpec::parse("nonneg[`2010`,`1`]").unwrap().resolve(&Names::of(&years)).unwrap();
    assert_eq!(by_name.to_string(), "nonneg[2-3]");
    // Matrices have positions only.
    let matrix = Shape::Matrix { rows: 2, columns: 2 };
    let error = SetSpec::parse("nonneg[age]").unwrap().build(matrix).unwrap_err().to_string();
    assert!(error.contains("the parameter is a matrix, whose entries have positions only"), "{error}");
    assert!(SetSpec::parse("nonneg[2-3]").unwrap().build(matrix).is_ok());
}

#[test]
fn messages_never_hold_whole_vectors() {
    let long = vec!["0.25"; 1000].join(",");
    let ages = vec!["age"; 1000].join(",");
    let texts = [
        format!("box;lower={long};upper={long}"),
        format!("box;lower={long};upper={long} & sparsity:2 & simplex"),
        format!("ball:1;center={long}"),
        format!("ball:1;center={long} & rank:1"),
        format!("halfspace;a={long};b=x"),
        format!("affine;a={long};b=1 & monotone & sparsity:2"),
        format!("nonneg[{ages},incme]"),
        format!("nonneg & none[{ages}]"),
        format!("blocks[{ages}: ball:1;center={long}] & sparsity:1"),
        format!("{}age <= x y", "age + ".repeat(1000)),
        format!("x{long}"),
    ];
    for text in texts {
        for shape in [Shape::Vector(4), Shape::Vector(1000), Shape::Matrix { rows: 2, columns: 2 }] {
            let built = SetSpec::parse(&text).and_then(|spec| spec.build(shape).map(|_| ()));
            let Err(error) = built else { continue };
            assert!(error.to_string().len() < 1500, "{} characters: {error}", error.to_string().len());
        }
    }
}

#[test]
fn coordinates_called_free_beside_other_sets_are_refused() {
    let all = names(&["a", "b", "c"]);
    let built = |text: &str| SetSpec::parse(text).unwrap().build_with(Shape::Vector(3), &Names::of(&all));
    let error = built("nonneg & free[a]").unwrap_err().to_string();
    assert!(error.contains("free[a] takes nothing from nonneg"), "{error}");
    assert!(built("free[a]").is_ok() && built("blocks[a: free][b..c: nonneg]").is_ok());
    assert_eq!(built("nonneg[!a]").unwrap().spec().to_string(), "nonneg[!a]");
}

#[test]
fn rows_are_read_as_they_are_meant() {
    let table = [
        ("age + 2*income <= 3", "age + 2*income <= 3"),
        (" a-b>=0 ", "a - b >= 0"),
        ("a + b + c == 1", "a + b + c = 1"),
        ("age <= income", "age - income <= 0"),
        ("3 >= 2*x", "-2*x >= -3"),
        ("0 <= sum(asset_*) ≤ .4", "0 <= sum(asset_*) <= 0.4"),
        ("1 >= x >= -1e-3", "-0.001 <= x <= 1"),
        ("x/4 - y*2 + 1 <= 2 - 3", "0.25*x - 2*y <= -2"),
        ("`a b` - `x<=``y` + sum(`,`,4) = -1", "`a b` - `x<=``y` + sum(`,`,4) = -1"),
        ("-x_1.2 + 2e3*é >= 1", "-x_1.2 + 2000*é >= 1"),
        ("sum(job=*) = 0", "sum(job=*) = 0"),
    ];
    for (text, canonical) in table {
        let row = Row::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(row.to_string(), canonical);
        assert_eq!(Row::parse(canonical).expect(canonical), row);
        assert_eq!(SetSpec::parse(text).expect(text), SetSpec::Linear(row));
    }
    let wrong = [
        ("age < 3", "sets hold their limits: write <= or >="),
        ("age <= ", "a name or a number is missing here"),
        ("1 <= 2", "a row names at least one feature"),
        ("a * b <= 1", "a number is expected here: a row is linear"),
        ("2 / a <= 1", "a number is expected here: a row is linear"),
        ("a b <= 1", "+, - or a comparison is expected here"),
        ("a <= b <= 1", "a row between two limits is written 0 <= a + b <= 1"),
        ("0 <= a >= 1", "a row between two limits"),
        ("0 <= a <= b <= 1", "a row has one comparison, or two around its middle"),
        ("sum(a <= 1", "this parenthesis is never closed"),
        ("3x <= 1", "+, - or a comparison is expected here"),
        ("a/0 <= 1", "the numbers of a row must be finite"),
        ("`a <= 1", "this backquote is never closed"),
    ];
    for (text, reason) in wrong {
        let error = SetSpec::parse(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

/// Columns over five decades, with a target that all of them move.
fn table() -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for row in 0..60_u32 {
        let wave = |j: u32| f64::from((row * (2 * j + 3) + row * row * (j + 1)) % 17) / 5.0 - 1.6;
        x.extend((0..6).map(|j| (wave(j) + 0.3) * 10_f64.powf(f64::from(j) - 3.0)));
        y.push((0..6).map(|j| wave(j) * (f64::from(j) - 2.5)).sum::<f64>() + f64::from(row % 7) / 3.0);
    }
    (x, y)
}

#[test]
fn names_and_positions_are_the_same_fit_to_the_last_bit() {
    let (x, y) = table();
    let weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
    let hostile = ["age", "in come", "a,b", "[x]", "`", "job=clerk"];
    let data = Data::dense(&x, 6, &y).unwrap().weights(&weights).unwrap().names(hostile).unwrap();
    let plain = Data::dense(&x, 6, &y).unwrap().weights(&weights).unwrap();
    let pairs = [
        ("sparsity:3 & nonneg[age,`in come`] & box:-1,1[job=*]", "sparsity:3 & nonneg[1,2] & box:-1,1[6]"),
        ("monotone[`[x]`,age]", "monotone[4,1]"),
        ("ball:1[age..`a,b`] & simplex[````,job=clerk]", "ball:1[1-3] & simplex[5-6]"),
        ("group-sparsity:1;groups=age+`a,b`,in come+`[x]`,````+job=*", "group-sparsity:1;groups=1+3,2+4,5+6"),
        ("age + `in come` - 2*````<= 0.5 & nonneg[!job=clerk]", "sum(1-2) - 2*sum(5) <= 0.5 & nonneg[1-5]"),
        ("blocks[job*,age: sparsity:1][in come: nonneg]", "blocks[6,1: sparsity:1][2: nonneg]"),
    ];
    for (by_name, by_position) in pairs {
        let [by_name, by_position] = [by_name, by_position].map(|text| SetSpec::parse(text).expect(text));
        let fit = |data: &Data, spec: &SetSpec| {
            let set = spec.build_for(data).unwrap_or_else(|error| panic!("{error}"));
            Problem::new(data, Squared, set).ridge(0.01).intercept(true).fit(&Settings::default()).unwrap()
        };
        let (one, other) = (fit(&data, &by_name), fit(&plain, &by_position));
        assert_eq!(one.coefficients(), other.coefficients(), "{by_name}");
        assert_eq!(one.certificate(), other.certificate(), "{by_name}");
        // The model keeps the words and reads back.
        assert_eq!(one.model().constraint, by_name.to_string());
        assert_eq!(SetSpec::parse(&one.model().constraint).unwrap(), by_name);
    }
}

#[test]
fn features_go_into_groups_by_prefix_and_by_origin() {
    let all = names(&["money_in", "age", "money_out", "age_2", "x"]);
    let spec = SetSpec::parse("group-sparsity:2;by=prefix").unwrap();
    assert_eq!(spec.resolve(&Names::of(&all)).unwrap().to_string(), "group-sparsity:2;groups=1+3,2+4,5");
    let (x, y) = table();
    let data = Data::dense(&x, 6, &y).unwrap().names(["a", "b=1", "b=2", "b=3", "c", "d"]).unwrap();
    let data = data.origins(vec![0, 1, 1, 1, 2, 3]).unwrap();
    let spec = SetSpec::parse("group-sparsity:2;by=source").unwrap();
    assert_eq!(spec.resolve(&Names::of_data(&data)).unwrap().to_string(), "group-sparsity:2;groups=1,2-4,5,6");
    let within = SetSpec::parse("blocks[b=*,d: group-sparsity:1;by=source]").unwrap();
    let resolved = within.resolve(&Names::of_data(&data)).unwrap().to_string();
    assert_eq!(resolved, "group-sparsity:1;groups=1-3,4[2-4,6]");
    let mut read = |path: &str| Ok(format!("feature,group\na,{path}\nb=1,B\n\"b=2\",B\nb=3,B\nc,rest\nd,rest\n"));
    let by_table =
        SetSpec::parse("group-sparsity:2;groups=my groups.csv & ball:1").unwrap().with_files(&mut read).unwrap();
    assert_eq!(by_table.to_string(), "group-sparsity:2;groups=a,b=1+b=2+b=3,c+d & ball:1");
}
