//! Words that people bring along, columns that are kept beside predictions, and numbers with a decimal comma.

use crate::common::{Place, SMALL};

fn small() -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place
}

#[test]
fn other_words_for_sets_and_losses_are_answered_with_ours() {
    let place = small();
    for (words, wanted) in [
        ("-c lasso:3", "did you mean l1:R?"),
        ("-c l0:3", "did you mean sparsity:K?"),
        ("-c positive", "did you mean nonneg?"),
        ("-c isotonic", "did you mean monotone?"),
        ("-c ridge:1", "an option of its own"),
        ("--loss logit", "did you mean logistic?"),
        ("--loss ols", "did you mean squared?"),
        ("--loss mse", "did you mean squared?"),
        ("--loss lad", "did you mean"),
        ("--loss foo:3", "no such loss"),
        ("--loss foo:bar:1", "no such loss"),
    ] {
        let said = place.run(&format!("fit small.csv --target y --ignore label {words}"));
        assert_eq!(said.code, Some(2), "{words}");
        assert!(said.stderr.contains(wanted) && said.stderr.contains("hint:"), "{words}: {}", said.stderr);
    }
}

/// The hint of one error leads to a command that works.
#[test]
fn hints_about_missing_values_do_not_go_in_circles() {
    let place = small();
    place.write("new.csv", "a,b,c\n1,2,3\n,1,1\n2,0,1\n");
    place.ok("fit small.csv --target y --ignore label --out model.json -q");
    let said = place.run("predict model.json new.csv");
    assert!(said.code == Some(2) && said.stderr.contains("--missing drop"), "{}", said.stderr);
    assert!(!said.stderr.contains("--missing mean"), "{}", said.stderr);
    let said = place.run("predict model.json new.csv --missing mean");
    assert!(said.code == Some(2) && said.stderr.contains("fit the model again with --missing mean"), "{}", said.stderr);
    assert_eq!(place.ok("predict model.json new.csv --missing drop -q").lines().nth(2), Some("NA"));
    place.ok("fit small.csv --target y --ignore label --missing mean --out model.json -q");
    assert!(place.run("predict model.json new.csv").stderr.contains("--missing mean"));
    let filled = place.ok("predict model.json new.csv --missing mean -q");
    assert_eq!(filled.lines().count(), 4);
    assert!(!filled.contains("NA"), "{filled}");
}

#[test]
fn kept_columns_stand_in_front_of_their_rows_whatever_is_missing() {
    let place = small();
    place.ok("fit small.csv --target y --ignore label --out model.json -q");
    place.write("new.csv", "id,a,b,c,name\nr1,1,2,3,\"x, y\"\nr2,,1,1,b\nr3,2,0,1,=1+1\nr4,1,1,,d\n");
    let text = place.ok("predict model.json new.csv --missing drop --keep id,name -q");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "id,name,prediction");
    assert!(lines[1].starts_with("r1,\"x, y\",") && lines[3].starts_with("r3,'=1+1,"), "{text}");
    assert_eq!([lines[2], lines[4]], ["r2,b,NA", "r4,d,NA"]);
    assert_eq!(lines.len(), 5);
    // A feature can be kept as well, by its number, and from a pipe.
    let piped = place
        .command()
        .args(["predict", "model.json", "-", "--keep", "2", "--missing", "drop", "-q"])
        .write_stdin(place.read("new.csv"))
        .output()
        .unwrap();
    let piped = String::from_utf8(piped.stdout).unwrap();
    assert_eq!(piped.lines().nth(2), Some(",NA"), "{piped}");
    let plain = place.ok("predict model.json new.csv --missing drop -q");
    for (with, without) in text.lines().zip(plain.lines()).skip(1) {
        assert!(with.ends_with(&format!(",{without}")), "{with} {without}");
    }
    for (words, wanted) in [("--keep idd", "did you mean --keep id?"), ("--keep zzzzzz", "--keep takes names")] {
        let said = place.run(&format!("predict model.json new.csv --missing drop {words}"));
        assert!(said.code == Some(2) && said.stderr.contains(wanted), "{}", said.stderr);
    }
}

/// In blocks as in one piece: there are more rows than a block holds.
#[test]
fn kept_columns_keep_to_their_rows_over_blocks() {
    let place = small();
    place.ok("fit small.csv --target y --ignore label --out model.json -q");
    let mut text = "id,a,b,c\n".to_owned();
    for row in 0..400_000 {
        let gap = if row % 1000 == 7 { String::new() } else { (row % 5).to_string() };
        text += &[row.to_string(), format!(",{gap},1,2\n")].concat();
    }
    place.write("many.csv", text);
    let said = place.ok("predict model.json many.csv --missing drop --keep id -q");
    let mut rows = 0;
    for (row, line) in said.lines().skip(1).enumerate() {
        let (id, prediction) = line.split_once(',').unwrap();
        assert_eq!(id, row.to_string());
        assert_eq!(prediction == "NA", row % 1000 == 7, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 400_000);
}

#[test]
fn models_of_several_outputs_keep_columns_too_and_arrays_have_none() {
    let place = small();
    place.write("three.csv", "a,y\n1,u\n2,v\n3,w\n2,u\n1,v\n4,w\n");
    place.ok("fit three.csv --target y --loss logistic --ridge 0.1 --out three.json -q");
    place.write("new.csv", "who,a\nme,1\nyou,\n");
    let text = place.ok("predict three.json new.csv --keep who --missing drop -q");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("who,u,v,w,prediction", "you,NA,NA,NA,NA"));
    assert!(lines[1].starts_with("me,"), "{text}");
    place.ok("simulate linear --n 30 --p 3 --s 1 --out demo -q");
    place.ok("fit demo/data.npz --target y --out array.json -q");
    let said = place.run("predict array.json demo/data.npz --keep id");
    assert!(said.code == Some(2) && said.stderr.contains("only text files"), "{}", said.stderr);
}

#[test]
fn a_decimal_comma_is_found_and_can_be_said() {
    let place = small();
    let commas = "a;b;y\n1,5;2;3,1\n2,5;1;4,9\n3,5;4;7,2\n4,5;3;8,8\n0,5;0;1,2\n";
    place.write("commas.csv", commas);
    place.write("points.csv", commas.replace(',', ".").replace(';', ","));
    let said = place.run("fit commas.csv --target y");
    assert!(
        said.code == Some(2) && said.stderr.contains("decimal comma") && said.stderr.contains("--decimal ,"),
        "{}",
        said.stderr
    );
    let with = place.json("fit commas.csv --target y --decimal , -q --out commas.json");
    let points = place.json("fit points.csv --target y -q");
    assert_eq!(with["coefficients"], points["coefficients"]);
    let said = place.run("predict commas.json commas.csv");
    assert!(said.code == Some(2) && said.stderr.contains("--decimal ,"), "{}", said.stderr);
    assert_eq!(
        place.ok("predict commas.json commas.csv --decimal , -q"),
        place.ok("predict commas.json points.csv -q")
    );
    assert!(place.run("fit commas.csv --target y --decimal x").stderr.contains("point or a comma"));
    // Without names in the first line, and with more rows than are compared.
    let many: String =
        (0..300).map(|row| format!("{row},25;{},5;{},75\n", row % 7, 2 * row)).collect::<Vec<_>>().concat();
    place.write("many.csv", format!("a;b;y\n{many}"));
    assert!(place.run("fit many.csv --target y").stderr.contains("decimal comma"));
    place.ok("fit many.csv --target y --decimal , -q");
    place.write("bare.csv", &many);
    place.ok("fit bare.csv --target 3 --decimal , -q");
    // Text that happens to have commas is text.
    place.write("text.csv", "a;b;y\n1;x,y;2\n2;1,5;3\n3;z;5\n4;x,y;4\n5;z;6\n2;1,5;1\n");
    place.ok("fit text.csv --target y -q");
    let said = place.run("fit points.csv --target y --decimal ,");
    assert!(said.code == Some(2), "{}", said.stdout);
}
