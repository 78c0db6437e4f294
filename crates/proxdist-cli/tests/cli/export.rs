//! `export` writes what was asked for, or one error; that the forms compute the same numbers is checked from Python, where they can be run.

use crate::common::{Place, SMALL};

fn fitted() -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place.ok("fit small.csv --target y --ignore label -c sparsity:2 --out model.json -q");
    place
}

#[test]
fn a_formula_names_the_target_and_every_chosen_column() {
    let place = fitted();
    let text = place.ok("export model.json --to formula");
    assert!(text.starts_with("y = ") && text.contains(" a") && text.contains(" b") && !text.contains(" c"), "{text}");
    place.ok("export model.json --to formula --out formula.txt");
    assert_eq!(place.read("formula.txt"), text);
}

#[test]
fn mistakes_have_one_error_and_a_hint() {
    let place = fitted();
    place.write("three.csv", "a,y\n1,u\n2,v\n3,w\n2,u\n1,v\n4,w\n");
    place.ok("fit three.csv --target y --loss logistic --out three.json -q");
    place.write("bell.csv", "a,g\u{7}t,y\n1,2,1\n2,1,2.5\n3,4,2\n4,3,5\n");
    place.ok("fit bell.csv --target y --out bell.json -q");
    for (words, wanted) in [
        ("export", "MODEL"),
        ("export model.json", "--to"),
        ("export model.json --to xml", "xml"),
        ("export missing.json --to sql", "missing.json"),
        ("export small.csv --to sql", "not a model file"),
        ("export model.json --to onnx", "ONNX"),
        ("export model.json --to c --table t", "--table"),
        ("export three.json --to sql", "several outputs"),
        ("export bell.json --to pmml", "PMML cannot hold"),
        ("export model.json --to sql --out model.json", "model.json"),
        ("export model.json --to sql --out nowhere/file.sql", "nowhere"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}\n{}{}", said.stdout, said.stderr);
        let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert!(errors.len() == 1 && errors[0].contains(wanted), "{words}: {}", said.stderr);
        assert!(said.stderr.lines().any(|line| line.starts_with("hint:")), "{words}: {}", said.stderr);
        assert!(said.stdout.is_empty(), "{words}");
    }
}
