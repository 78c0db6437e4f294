//! What is said of sets that are refused: in the words in which they were written, and never a whole vector.

use proxdist::Shape;
use proxdist::constraint::{Constraint as _, Workspace};
use proxdist::spec::{Names, SetSpec};

fn names() -> Vec<String> {
    ["age", "income", "debt", "score", "years"].map(str::to_owned).to_vec()
}

fn refusal(text: &str) -> String {
    let names = names();
    let spec = SetSpec::parse(text).unwrap();
    match spec.build_with(Shape::Vector(names.len()), &Names::of(&names)) {
        Ok(_) => panic!("{text} is accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn rows_in_words_are_refused_in_words() {
    for text in ["jumps:2 & age + 2*income <= 3", "rank:1 & age - debt >= 0", "kinks:1 & sum(age..debt) = 1"] {
        let row = text.split(" & ").nth(1).unwrap();
        let message = refusal(text);
        assert!(message.contains(row) || text.starts_with("rank"), "{message}");
        assert!(!message.contains("halfspace") && !message.contains("affine"), "{message}");
    }
}

#[test]
fn sets_that_exclude_each_other_are_told_as_written() {
    let message = refusal("nonneg & age + income <= -1 & ball:3");
    assert!(message.contains("age + income <= -1") && !message.contains("a=1,1"), "{message}");
    let message = refusal("sparsity:2;keep=age & income >= 1 & debt >= 1");
    assert!(message.contains("keep=age") && message.contains("income >= 1"), "{message}");
}

#[test]
fn long_vectors_are_told_in_words() {
    let half = SetSpec::HalfSpace { normal: vec![1.0; 40], offset: 2.0 };
    let limits = SetSpec::BoundsEach { lower: vec![0.0; 40], upper: vec![1.0; 40] };
    let spec = SetSpec::all_of([SetSpec::parse("jumps:2").unwrap(), half, limits]);
    let Err(error) = spec.build(Shape::Vector(40)) else { panic!("{spec} is accepted") };
    let message = error.to_string();
    assert!(message.contains("a linear inequality") && !message.contains("1,1,1"), "{message}");
    // The text of the grammar is still the whole set.
    assert_eq!(SetSpec::parse(&spec.to_string()).unwrap(), spec);
}

#[test]
fn a_choice_beside_rows_is_a_set_of_vectors_of_any_length() {
    let set = SetSpec::parse("sparsity:2 & simplex & box:0,0.6").unwrap().build(Shape::Vector(4)).unwrap();
    for length in [4, 7, 3, 7] {
        let mut point: Vec<f64> = (0..length).map(|j| j as f64).collect();
        set.check(Shape::Vector(length)).unwrap();
        set.project(&mut point, &mut Workspace::default()).unwrap();
        let used = point.iter().filter(|x| **x != 0.0).count();
        assert!(used <= 2 && (point.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{point:?}");
        assert!((point[length - 1] - 0.6).abs() < 1e-12 && (point[length - 2] - 0.4).abs() < 1e-12, "{point:?}");
    }
}
