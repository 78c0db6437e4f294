//! The table of sets is whole: every variant has a row, and every row keeps its word.

use super::*;
use crate::error::Error;

/// A set of the variant after this one. A new variant does not compile until it is given a place here.
fn next(set: &SetSpec) -> Option<SetSpec> {
    let text = match set {
        SetSpec::WholeSpace => "ball:1",
        SetSpec::Ball { .. } => "sparsity:1",
        SetSpec::Sparsity { .. } => "sparsity:1;keep=1",
        SetSpec::Selection(_) => "rank:1",
        SetSpec::Rank { .. } => "rows:1",
        SetSpec::Rows { .. } => "box:0,1",
        SetSpec::Bounds { .. } => "box;lower=0;upper=1",
        SetSpec::BoundsEach { .. } => "nonneg",
        SetSpec::NonNegative => "l1:1",
        SetSpec::L1Ball { .. } => "linf:1",
        SetSpec::LinfBall { .. } => "simplex",
        SetSpec::Simplex { .. } => "affine;a=1;b=1",
        SetSpec::Affine { .. } => "halfspace;a=1;b=1",
        SetSpec::HalfSpace { .. } => "monotone",
        SetSpec::Monotone { .. } => "polyhedron;a=1;b=1",
        SetSpec::Polyhedron { .. } => "polyhedron;file=rows.csv",
        SetSpec::PolyhedronFile { .. } => "cone",
        SetSpec::Cone { .. } => "convex",
        SetSpec::Curved { bend: Bend::Convex, .. } => "concave",
        SetSpec::Curved { bend: Bend::Concave, .. } => "jumps:0",
        SetSpec::Breaks { kind: Break::Jump, .. } => "kinks:0",
        SetSpec::Breaks { kind: Break::Kink, .. } => "fused:1",
        SetSpec::Fused { .. } => "group-sparsity:1;size=1",
        SetSpec::GroupSparsity { .. } => "blocks[1: none]",
        SetSpec::Blocks(_) => "sum(1) <= 1",
        SetSpec::Linear(_) => "none & none",
        SetSpec::Intersection(_) => return Some(SetSpec::Custom("mine".to_owned())),
        SetSpec::Custom(_) => return None,
    };
    Some(SetSpec::parse(text).expect(text))
}

#[test]
fn every_variant_has_its_row_and_every_row_its_variant() {
    let all: Vec<SetSpec> = std::iter::successors(Some(SetSpec::WholeSpace), next).collect();
    let mut named: Vec<&str> = all.iter().filter_map(SetSpec::name).collect();
    named.dedup();
    let rows: Vec<&str> = sets().iter().map(|entry| entry.name).collect();
    assert_eq!(named, rows);
    let documented = include_str!("mod.rs");
    // Signs between names stand within their row.
    for entry in sets().iter().filter(|entry| !["&", "<="].contains(&entry.name)) {
        assert!(documented.contains(&format!("//! | `{}", entry.name)), "{} is not in the module's table", entry.name);
    }
}

#[test]
fn every_row_keeps_its_word() -> Result<()> {
    for entry in sets() {
        let spec = SetSpec::parse(entry.example)?;
        assert_eq!(spec.name(), Some(entry.name));
        assert_eq!(spec.to_string(), entry.example, "an example is written as it is printed");
        let set = spec.build(EXAMPLE_SHAPE)?;
        assert_eq!(set.spec(), spec);
        match entry.convex {
            Convexity::Yes => assert!(set.is_convex(), "{spec}"),
            Convexity::No => assert!(!set.is_convex(), "{spec}"),
            Convexity::Depends => assert!(matches!(spec, SetSpec::Blocks(_) | SetSpec::Intersection(_)), "{spec}"),
        }
        for text in [entry.syntax, entry.definition, entry.cost, &spec.words()] {
            assert!(!text.is_empty(), "{spec}");
        }
        assert!(entry.syntax.contains(entry.name), "{spec}");
    }
    Ok(())
}

#[test]
fn sets_are_described_in_words() -> Result<()> {
    let words = |text: &str| SetSpec::parse(text).map(|set| set.words());
    assert_eq!(words("sparsity:1 & nonneg")?, "at most 1 nonzero coefficient, and no negative coefficient");
    assert_eq!(words("box:-inf,inf")?, words("none")?);
    assert_eq!(words("blocks[1-2: simplex]")?, format!("for 1-2: {}", words("simplex")?));
    Ok(())
}

#[test]
fn all_of_opens_intersections() {
    let set = |text: &str| SetSpec::parse(text).expect(text);
    assert_eq!(SetSpec::all_of([]), SetSpec::WholeSpace);
    assert_eq!(SetSpec::all_of([set("ball:1")]), set("ball:1"));
    assert_eq!(SetSpec::all_of([set("ball:1 & nonneg"), set("l1:2")]), set("ball:1 & nonneg & l1:2"));
}

#[test]
fn a_set_of_ones_own_is_its_name_and_cannot_be_built() {
    let own = SetSpec::Custom("mine".to_owned());
    assert_eq!((own.to_string(), own.name()), ("mine".to_owned(), None));
    assert!(matches!(own.build(EXAMPLE_SHAPE), Err(Error::Constraint { spec, .. }) if spec == "mine"));
}
