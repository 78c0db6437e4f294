//! Text to sets and back, and the words in which a bad specification is refused.

// Test files have no public items to document.
#![allow(missing_docs)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use proxdist::constraint::{Ball, ConeInBall, Constraint, Dykstra, NonNegative, Simplex, Sparsity, intersection};
use proxdist::spec::{
    Block, Coordinates, Direction, Groups, Heredity, Place, Product, Quota, Row, SelectionRules, SetSpec, Term,
};
use proxdist::{Error, Shape};
use std::cell::Cell;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -4.0..4.0,
        2 => (-3..=3).prop_map(f64::from),
        1 => any::<f64>().prop_filter("a number", |v| !v.is_nan()),
        1 => prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e-300, 5e-324, f64::MAX, 0.1 + 0.2]),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(number(), 1..5)
}

fn range() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![3 => (0..20_usize, 0..5_usize), 1 => (0..usize::MAX, Just(0_usize))]
        .prop_map(|(first, more)| (first, first.saturating_add(more).min(usize::MAX - 1)))
}

/// Names as files have them, and names that the grammar would like to read.
fn name() -> impl Strategy<Value = String> {
    let hostile = [
        "a b",
        " lead",
        "trail ",
        "x,y",
        "[1]",
        "]",
        "&",
        "a;b",
        "`",
        "``",
        "a`b",
        "1",
        "4-7",
        "1..2",
        "..",
        "*",
        "a?b",
        "!",
        "=",
        "job=clerk",
        "a:b",
        "a|b",
        "a+b",
        "é",
        "名前",
        "\"q\"",
        "'",
        "sparsity:3",
        "none",
        "-",
        "1e5",
        "",
    ];
    prop_oneof![3 => "[a-z][a-z0-9_]{0,6}", 2 => prop::sample::select(hostile.map(str::to_owned).to_vec()), 1 => "[ -~é]{0,8}"]
}

fn place() -> impl Strategy<Value = Place> {
    let pattern =
        ("[a-z_,`. é-]{0,4}", "[*?]", "[a-z_;&*?]{0,4}").prop_map(|(a, b, c)| Place::Pattern(format!("{a}{b}{c}")));
    let simple = prop_oneof![
        3 => range().prop_map(|(first, last)| Place::Positions { first, last }),
        3 => name().prop_map(Place::Name),
        1 => (name(), name()).prop_map(|(first, last)| Place::Between { first, last }),
        1 => pattern,
    ];
    (simple, any::<bool>(), any::<bool>())
        .prop_map(|(place, not, really)| if not && really { Place::Except(Box::new(place)) } else { place })
}

fn coordinates() -> impl Strategy<Value = Coordinates> {
    prop::collection::vec(place(), 1..4).prop_map(|places| Coordinates { places })
}

fn row() -> impl Strategy<Value = Row> {
    let finite = || number().prop_filter("a finite number", |value| value.is_finite());
    let term = (finite(), coordinates()).prop_map(|(factor, on)| Term { factor, on });
    let limits = prop_oneof![
        finite().prop_map(|limit| (limit, f64::INFINITY)),
        finite().prop_map(|limit| (f64::NEG_INFINITY, limit)),
        finite().prop_map(|limit| (limit, limit)),
        (finite(), finite()),
    ];
    (prop::collection::vec(term, 1..4), limits).prop_map(|(terms, (lower, upper))| Row { terms, lower, upper })
}

fn groups() -> impl Strategy<Value = Groups> {
    prop_oneof![
        any::<usize>().prop_map(|size| Groups::Consecutive { size }),
        prop::collection::vec(coordinates(), 1..4).prop_map(Groups::Listed),
        prop_oneof![Just("_".to_owned()), name()].prop_map(|separator| Groups::Prefix { separator }),
        Just(Groups::Source),
        name().prop_map(Groups::File),
    ]
}

/// Rules of a selection; one of them at least, since without any it is written as plain sparsity.
fn rules() -> impl Strategy<Value = SelectionRules> {
    let position = (0..20_usize).prop_map(|at| Place::Positions { first: at, last: at });
    let one = || {
        prop_oneof![position.clone(), name().prop_map(Place::Name)]
            .prop_map(|place| Coordinates { places: vec![place] })
    };
    let product =
        (one(), one(), one()).prop_map(|(product, first, second)| Product { product, factors: [first, second] });
    let listed = prop::collection::vec(coordinates(), 1..4).prop_map(Groups::Listed);
    let families = prop_oneof![
        3 => listed,
        1 => any::<usize>().prop_map(|size| Groups::Consecutive { size }),
        1 => prop_oneof![Just("_".to_owned()), "[.:]"].prop_map(|separator| Groups::Prefix { separator }),
        1 => Just(Groups::Source),
        1 => prop_oneof!["[a-z]{1,5}\\.csv", name()].prop_map(Groups::File),
    ];
    let quota = (any::<usize>(), families).prop_map(|(most, of)| Quota { most, of });
    let heredity = prop::sample::select(vec![Heredity::Strong, Heredity::Weak]);
    let lists = (coordinates(), prop::option::of(coordinates()));
    let products = (heredity, prop::collection::vec(product, 0..3));
    (any::<usize>(), prop::option::of(groups()), lists, prop::collection::vec(quota, 0..3), products).prop_map(
        |(most, units, (keep, drop), quotas, (heredity, products))| {
            // Without products the kind of heredity is not written.
            let heredity = if products.is_empty() { Heredity::Strong } else { heredity };
            SelectionRules { most, units, keep, drop: drop.unwrap_or_default(), quotas, heredity, products }
        },
    )
}

/// Any specification, sensible or not, that is neither a block nor an intersection.
fn leaf() -> impl Strategy<Value = SetSpec> {
    prop_oneof![
        rules().prop_map(|rules| SetSpec::Selection(Box::new(rules))),
        Just(SetSpec::WholeSpace),
        Just(SetSpec::NonNegative),
        (number(), prop::option::of(numbers())).prop_map(|(radius, center)| SetSpec::Ball { radius, center }),
        any::<usize>().prop_map(|keep| SetSpec::Sparsity { keep }),
        any::<usize>().prop_map(|rank| SetSpec::Rank { rank }),
        any::<usize>().prop_map(|keep| SetSpec::Rows { keep }),
        (number(), number()).prop_map(|(lower, upper)| SetSpec::Bounds { lower, upper }),
        (numbers(), numbers()).prop_map(|(lower, upper)| SetSpec::BoundsEach { lower, upper }),
        number().prop_map(|radius| SetSpec::L1Ball { radius }),
        number().prop_map(|radius| SetSpec::LinfBall { radius }),
        number().prop_map(|total| SetSpec::Simplex { total }),
        (prop::collection::vec(numbers(), 1..4), numbers()).prop_map(|(rows, right)| SetSpec::Affine { rows, right }),
        (numbers(), number()).prop_map(|(normal, offset)| SetSpec::HalfSpace { normal, offset }),
        prop::sample::select(vec![Direction::Increasing, Direction::Decreasing])
            .prop_map(|direction| SetSpec::Monotone { direction }),
        (any::<usize>(), groups()).prop_map(|(keep, groups)| SetSpec::GroupSparsity { keep, groups }),
        row().prop_map(SetSpec::Linear),
    ]
}

fn any_spec() -> impl Strategy<Value = SetSpec> {
    let blocks = |set: BoxedStrategy<SetSpec>| {
        let block = (coordinates(), set).prop_map(|(on, set)| Block { on, set });
        prop::collection::vec(block, 1..4).prop_map(SetSpec::Blocks).boxed()
    };
    let meet = |set: BoxedStrategy<SetSpec>| prop::collection::vec(set, 2..4).prop_map(SetSpec::Intersection).boxed();
    let simple = leaf().boxed();
    let inner = prop_oneof![simple.clone(), meet(simple.clone())].boxed();
    let blocky = blocks(inner);
    prop_oneof![simple.clone(), meet(simple.clone()), blocky.clone(), meet(prop_oneof![simple, blocky].boxed())]
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Config::default() })
}

#[test]
fn printed_specifications_read_back_the_same() {
    let law = |spec: SetSpec| {
        let text = spec.to_string();
        prop_assert_eq!(SetSpec::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?, spec);
        Ok(())
    };
    runner(256).run(&any_spec(), law).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn a_set_that_can_be_built_knows_its_specification() {
    let built = Cell::new(0);
    let law = |spec: SetSpec| {
        for shape in [Shape::Vector(1), Shape::Vector(3), Shape::Matrix { rows: 2, columns: 2 }] {
            if let Ok(set) = spec.build(shape) {
                prop_assert_eq!(set.spec(), spec.clone());
                built.set(built.get() + 1);
            }
        }
        Ok(())
    };
    runner(512).run(&any_spec(), law).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(built.get() >= 100, "{} sets were built", built.get());
}

#[test]
fn random_text_never_panics() {
    let alphabet = "[a-z0-9:;,=|&+.*?!` \\[\\]é-]{0,40}";
    let seeds = [
        "ball:",
        "box;lower=",
        "blocks[1-4: ",
        "affine;a=",
        "group-sparsity:2;groups=",
        "sparsity:3 & ",
        "nonneg[",
        "box:0,1[a*,",
        "",
    ];
    let text = (prop::sample::select(seeds.to_vec()), alphabet).prop_map(|(start, rest)| format!("{start}{rest}"));
    let law = |text: String| {
        if let Ok(spec) = SetSpec::parse(&text) {
            let _ = spec.build(Shape::Vector(4));
            prop_assert_eq!(SetSpec::parse(&spec.to_string()).ok(), Some(spec));
        }
        let _ = text.parse::<Shape>();
        Ok(())
    };
    runner(512).run(&text, law).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn white_space_and_defaults_lead_to_the_canonical_text() {
    let table = [
        (" none ", "none"),
        ("ball : 1.50", "ball:1.5"),
        ("ball:1;centre= 0.5, 0 ,1", "ball:1;center=0.5,0,1"),
        ("box: 0 , inf", "box:0,inf"),
        ("box;lower=0,-1", "box;lower=0,-1;upper=inf,inf"),
        ("box;upper=0", "box;lower=-inf;upper=0"),
        ("simplex:1", "simplex"),
        ("simplex:2e0", "simplex:2"),
        ("l1:1e-3", "l1:0.001"),
        ("l1:1e-30", "l1:1e-30"),
        ("monotone:increasing", "monotone"),
        ("affine; a = 1, 1 | 1,-1 ; b = 1,0", "affine;a=1,1|1,-1;b=1,0"),
        ("group-sparsity:2;groups=1-4, 5-8 ,9+11+13,10 + 12", "group-sparsity:2;groups=1-4,5-8,9+11+13,10+12"),
        ("group-sparsity:1; size=4", "group-sparsity:1;size=4"),
        ("blocks [1-10:simplex] [ 11 - 20 : box:0,1 ]", "blocks[1-10: simplex][11-20: box:0,1]"),
        ("blocks[21-30:sparsity:2&nonneg]&ball:1", "blocks[21-30: sparsity:2 & nonneg] & ball:1"),
        ("sparsity:2&nonneg", "sparsity:2 & nonneg"),
    ];
    for (text, canonical) in table {
        let spec = SetSpec::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(spec.to_string(), canonical);
        assert_eq!(canonical.parse::<SetSpec>().expect(canonical), spec);
    }
}

#[test]
fn a_bad_specification_says_what_was_wrong_and_where() {
    // Text, the part that is blamed, its position, a fragment of the reason.
    let table = [
        ("", "", 1, "a set is expected: none, ball, sparsity"),
        ("sparcity:3", "sparcity", 1, "did you mean sparsity?"),
        ("ball:1 & simlex", "simlex", 10, "did you mean simplex?"),
        ("Ball:1", "Ball", 1, "did you mean ball?"),
        ("quaternion", "quaternion", 1, "a set is expected: none, ball"),
        ("&", "", 1, "a set is expected"),
        ("nonneg &", "", 9, "a set is expected"),
        ("ball", "ball", 1, "a radius, as in ball:1, is missing"),
        ("ball:", "", 6, "a number is expected, such as 0.5, 1e-3, inf or -inf"),
        ("ball:one", "one", 6, "a number is expected"),
        ("ball:nan", "nan", 6, "a number is expected"),
        ("ball:1,2", "1,2", 6, "a number is expected"),
        ("ball:1;middle=3", "middle", 8, "no such option; allowed: center"),
        ("ball:1;center", "center", 8, "an option is written key=value"),
        ("ball:1;center=1;center=2", "center", 17, "this option is given twice"),
        ("ball:1;center=0,x,1", "x", 17, "a number is expected"),
        ("sparsity:2.5", "2.5", 10, "a whole number is expected"),
        ("sparsity:-1", "-1", 10, "a whole number is expected"),
        ("sparsity:99999999999999999999999", "99999999999999999999999", 10, "a whole number is expected"),
        ("sparsity:3;size=2", "size", 12, "no such option; allowed: keep, drop"),
        ("rank", "rank", 1, "a rank, as in rank:2, is missing"),
        ("box", "box", 1, "limits are missing, as in box:0,inf"),
        ("box:1", "1", 5, "two limits are expected, as in box:0,inf"),
        ("box:0,1;lower=0", "0", 15, "limits are either shared or given one by one, not both"),
        ("nonneg:3", "3", 8, "this set takes no number after the colon"),
        ("none x", "none x", 1, "a set is expected"),
        ("monotone:up", "up", 10, "increasing or decreasing is expected"),
        ("affine;a=1,1", "affine;a=1,1", 1, "b=... is missing, as in affine"),
        ("halfspace;b=1", "halfspace;b=1", 1, "a=... is missing, as in halfspace"),
        ("group-sparsity:2", "group-sparsity:2", 1, "the groups are missing, as in group-sparsity:2;groups="),
        ("group-sparsity:2;groups=1-4;size=2", "2", 34, "give groups, size, by or file, only one of them"),
        ("group-sparsity:2;groups=4-1", "4-1", 25, "the range runs backwards"),
        ("group-sparsity:2;groups=1-2-3", "1-2-3", 25, "a position such as 4 or a range such as 4-7 is expected"),
        ("group-sparsity:2;groups=1-4,,5", "", 29, "a name, a pattern or a position is expected here"),
        ("blocks", "blocks", 1, "at least one block is needed, as in blocks[1-10: simplex]"),
        ("blocks:3", ":3", 7, "a block in brackets is expected"),
        ("blocks[1-4]", "1-4", 8, "a block is a list of coordinates, a colon and a set"),
        ("blocks[1-4: simplx]", "simplx", 13, "did you mean simplex?"),
        ("blocks[1-4: simplex", "[1-4: simplex", 7, "this bracket is never closed"),
        ("ball:1]", "]", 7, "this bracket was never opened"),
        ("blocks[1-4: nonneg] 4", "4", 21, "a block in brackets is expected"),
        ("nonneg & é:1", "é", 10, "a set is expected"),
    ];
    for (text, blamed, place, fragment) in table {
        match SetSpec::parse(text) {
            Err(Error::Spec { text: whole, at, position, reason }) => {
                assert_eq!((whole.as_str(), at.as_str(), position), (text, blamed, place), "{reason}");
                assert!(reason.contains(fragment), "{text}: {reason}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let deep = "blocks[1: ".repeat(5000) + "nonneg" + &"]".repeat(5000);
    assert!(SetSpec::parse(&deep).is_err_and(|error| error.to_string().contains("nested more than 8 deep")));
}

#[test]
fn a_set_that_does_not_fit_says_why() {
    const V4: Shape = Shape::Vector(4);
    const M3X2: Shape = Shape::Matrix { rows: 3, columns: 2 };
    let table = [
        ("ball:-1", V4, "constraint ball:-1: the radius must be a finite number, zero or positive"),
        ("ball:inf", V4, "the radius must be a finite number, zero or positive"),
        ("ball:1;center=1,2", V4, "the set describes 2 coordinates, but the parameter has 4"),
        ("ball:1;center=1,2,3,inf", V4, "every coordinate of the center must be finite"),
        ("sparsity:5", V4, "constraint sparsity:5: the parameter has 4 entries, so at most 4 can be nonzero"),
        ("rank:1", V4, "the parameter is a vector of length 4; rank needs a matrix, such as 64x64"),
        ("rank:3", M3X2, "constraint rank:3: a 3x2 coefficient matrix has rank at most 2"),
        ("box:1,0", V4, "the lower limit is above the upper one"),
        ("box:inf,inf", V4, "no number lies between these limits"),
        ("box;lower=0,0;upper=1", V4, "there are 2 lower but 1 upper limits"),
        ("box;lower=0,2;upper=1,1", V4, "coordinate 2: the lower limit is above the upper one"),
        ("box;lower=0,0;upper=1,1", V4, "the set describes 2 coordinates, but the parameter has 4"),
        ("l1:-3", V4, "the radius must be a finite number, zero or positive"),
        ("linf:-3", V4, "the radius must be a finite number, zero or positive"),
        ("simplex:0", V4, "the total must be a positive finite number"),
        ("simplex:-2", V4, "the total must be a positive finite number"),
        ("simplex", Shape::Vector(0), "a parameter without entries cannot have a positive sum"),
        ("affine;a=1,1;b=1", V4, "the set describes 2 coordinates, but the parameter has 4"),
        ("affine;a=1,1|1;b=1,2", V4, "row 2 of a has 1 entries, row 1 has 2"),
        ("affine;a=1,1|1,0;b=1", V4, "a has 2 rows but b has 1 entries"),
        ("affine;a=1,1,0,0|0,0,1,1|1,1,1,1;b=1,1,2", V4, "row 3 of a is zero or a combination of the rows before it"),
        ("affine;a=1,inf;b=1", V4, "every number must be finite"),
        ("halfspace;a=0,0,0,0;b=1", V4, "the normal a must have a nonzero entry"),
        ("halfspace;a=1,1;b=1", V4, "the set describes 2 coordinates, but the parameter has 4"),
        ("halfspace;a=1,1,1,1;b=inf", V4, "every number must be finite"),
        ("group-sparsity:1;size=0", V4, "a group must have at least one entry"),
        ("group-sparsity:1;size=3", V4, "the parameter has 4 entries, not a multiple of the group size 3"),
        ("group-sparsity:3;size=2", V4, "there are 2 groups, so at most 2 can be nonzero"),
        ("group-sparsity:3;groups=1-2,3-4", V4, "there are 2 groups, so at most 2 can be nonzero"),
        ("group-sparsity:1;groups=1-2,2-4", V4, "position 2 is in two groups"),
        ("group-sparsity:1;groups=1-2,4", V4, "position 3 is in no group"),
        ("group-sparsity:1;groups=1-18446744073709551615", V4, "the positions are too large"),
        ("group-sparsity:1;groups=1-2,3-5", V4, "the set describes 5 coordinates, but the parameter has 4"),
        ("blocks[1-2: nonneg][2-3: simplex]", V4, "position 2 is in two parts"),
        ("blocks[3-5: nonneg]", V4, "the range 3-5 goes beyond the parameter, which has 4 entries"),
        ("blocks[1-2: sparsity:3]", V4, "on 1-2, sparsity:3: the parameter has 2 entries, so at most 2"),
        ("blocks[1-2: rank:1]", V4, "the parameter is a vector of length 2; rank needs a matrix"),
        (
            "sparsity:5 & monotone",
            Shape::Vector(60),
            "up to 12 rows about several coefficients and no ball (here 59 rows)",
        ),
        ("sparsity:1;keep=1,2", V4, "2 are always in, but at most 1 may be nonzero: the set is empty"),
        ("sparsity:2;keep=5", V4, "position 5 is beyond the parameter, which has 4 entries"),
        ("sparsity:2;keep=1;drop=1", V4, "feature 1 is both kept and dropped"),
        ("sparsity:5;drop=1", V4, "at most 4 can be nonzero"),
        ("sparsity:2;most=1 per 1-2,2-3", V4, "feature 2 is in two families"),
        ("sparsity:3;keep=1-2;most=1 per 1-3", V4, "more features of a family are always in than the family may have"),
        ("sparsity:2;heredity=strong;products=3=3*1", V4, "feature 3 is a product of itself or of its own group"),
        ("sparsity:2;keep=3;heredity=strong;products=3=1*2", V4, "feature 3 is kept, but not what it is a product of"),
        ("sparsity:2;heredity=weak;products=3=4*1,4=3*2", V4, "products need each other in a circle"),
        ("sparsity:1 & affine;a=1,1,0,0|0,0,1,1;b=1,1", V4, "no common point"),
        ("rank:1 & nonneg", M3X2, "no exact projection is known for rank:1 together with box:0,inf"),
        ("rank:1 & sparsity:2", M3X2, "no exact projection is known for sparsity:2 together with rank:1"),
        (
            "rank:1 & ball:1;center=1,1,1,1,1,1",
            M3X2,
            "no exact projection is known for rank:1 together with ball:1;center=",
        ),
        (
            "sparsity:2 & box:0.2,1 & simplex",
            V4,
            "the limits exclude zero for 4 entries, but at most 2 may be nonzero: the set is empty",
        ),
        (
            "sparsity:2 & box:1,2",
            V4,
            "the limits exclude zero for 4 entries, but at most 2 may be nonzero: the set is empty",
        ),
        ("sparsity:5 & nonneg", V4, "at most 4 can be nonzero"),
        ("sparsity:0 & simplex", V4, "with no nonzero entry the sum cannot be positive: the set is empty"),
        ("simplex & simplex:2", V4, "the entries cannot have two different sums: the set is empty"),
        ("box:0,1 & box:2,3", V4, "the limits leave no number for some coordinate: the set is empty"),
        ("simplex & box:0.5,1", V4, "box:0.5,1 and simplex have no common point: the set is empty"),
        ("box:3,4 & ball:1", V4, "box:3,4 and ball:1 have no common point: the set is empty"),
    ];
    for (text, shape, fragment) in table {
        let outcome = SetSpec::parse(text).unwrap_or_else(|error| panic!("{error}")).build(shape);
        match outcome.map(|set| set.spec()) {
            Err(error @ Error::Constraint { .. }) => assert!(error.to_string().contains(fragment), "{text}: {error}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn combinations_by_hand_are_checked_too() {
    let message = |outcome: proxdist::Result<Box<dyn Constraint>>| outcome.err().map(|error| error.to_string());
    let cone = ConeInBall::new(Simplex::default(), 1.0).map(|set| Box::new(set) as Box<dyn Constraint>);
    assert!(message(cone).is_some_and(|text| text.contains("simplex is not a cone")));
    let convex = Dykstra::new(vec![Box::new(Sparsity::at_most(1))]).map(|set| Box::new(set) as Box<dyn Constraint>);
    assert!(message(convex).is_some_and(|text| text.contains("sparsity:1 is not convex")));
    let nothing = intersection(Vec::new()).expect("no set, no constraint");
    assert!(nothing.check(Shape::Vector(3)).is_ok() && nothing.is_convex());
    assert!(Ball::radius(f64::NAN).is_err() && Simplex::total(f64::NAN).is_err());
    assert!(NonNegative.check(Shape::Vector(0)).is_ok());
}

#[test]
fn a_long_specification_is_told_in_words() {
    let center = vec!["1"; 500].join(",");
    let error =
        SetSpec::parse(&format!("ball:1;center={center}")).and_then(|spec| spec.build(Shape::Vector(2)).map(|_| ()));
    let message = error.unwrap_err().to_string();
    assert!(message.chars().count() < 250 && message.contains("500 coordinates"), "{message}");
    assert!(!message.contains("1,1,1"), "{message}");
}

#[test]
fn shapes_are_read_and_printed() {
    for (text, shape) in [("64x8", Shape::Matrix { rows: 64, columns: 8 }), ("1000", Shape::Vector(1000))] {
        assert_eq!(text.parse::<Shape>().expect(text), shape);
        assert_eq!(shape.to_string(), text);
    }
    assert_eq!(" 64 X 8 ".parse::<Shape>().expect("spaces"), Shape::Matrix { rows: 64, columns: 8 });
    for (text, fragment) in [("64x", "a shape such as 64x64"), ("4x4x4", "two sizes"), ("big", "a length such as 1000")]
    {
        let message = text.parse::<Shape>().unwrap_err().to_string();
        assert!(message.contains(fragment), "{message}");
    }
}
