//! Rows from files, and curves of one column, from the shell.

use crate::common::{Place, coefficient};
use std::fmt::Write as _;

/// Returns of four firms, and of a mixture of them.
fn table() -> String {
    let mut text = "oil,gas,bank,fund,y\n".to_owned();
    for row in 0..60_u32 {
        let wave = |j: u32| f64::from((row * (2 * j + 3) + row * row * (j + 1)) % 17) / 5.0 - 1.6;
        let y = 0.9 * wave(0) + 0.8 * wave(1) + 0.1 * wave(2) + 0.2 * wave(3);
        let _ = writeln!(text, "{},{},{},{},{y}", wave(0), wave(1), wave(2), wave(3));
    }
    text
}

#[test]
fn rows_come_from_the_line_a_table_or_words() {
    let place = Place::new();
    place.write("t.csv", table());
    place.write("rows.csv", "gas,oil,fund,sense,bank,right\n1,1,0,<=,,0.8\n,,1,>=,-1,0\n1,1,1,=,1,1\n");
    place.write("rows.txt", "# caps\noil + gas <= 0.8\nfund - bank >= 0\nsum(oil..fund) = 1\n");
    let inline = "polyhedron;a=1,1,0,0|0,0,1,-1;b=0.8,0;e=1,1,1,1;f=1";
    let fit = |set: &str| place.json(&format!("fit t.csv --target y --no-intercept -c {set}"));
    let fits = [inline, "polyhedron;file=rows.csv", "polyhedron;file=rows.txt"].map(fit);
    for one in &fits {
        let [oil, gas, bank, fund] = ["oil", "gas", "bank", "fund"].map(|name| coefficient(one, name));
        assert!(
            (oil + gas - 0.8).abs() < 1e-12 && (oil + gas + bank + fund - 1.0).abs() < 1e-12 && fund >= bank - 1e-12
        );
        assert!(coefficient(one, "oil") - coefficient(&fits[0], "oil") < 1e-9);
        assert_eq!(one["stop"], "polished", "{one}");
    }
    place.write("wrong.csv", "oil,sense,right\n1,<,2\n");
    let refused = place.run("fit t.csv --target y -c polyhedron;file=wrong.csv");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("line 2: the sense is <=, >= or ="),
        "{}",
        refused.stderr
    );
    let refused = place.run("fit t.csv --target y -c polyhedron;file=none.csv");
    assert!(refused.code != Some(0) && refused.stderr.contains("none.csv"), "{}", refused.stderr);
}

/// A column of numbers as levels in order, and a set for them: isotonic regression with ties, changepoints.
#[test]
fn a_column_becomes_a_curve() {
    let place = Place::new();
    place.write(
        "pituitary.csv",
        "age,size\n8,21\n8,23.5\n8,23\n10,24\n10,21\n10,25\n12,21.5\n12,22\n12,19\n14,23.5\n14,25\n",
    );
    let fit = place.json("fit pituitary.csv --target size --categorical age --no-intercept -c monotone");
    for (name, value) in [("age=8", 200.0 / 9.0), ("age=10", 200.0 / 9.0), ("age=12", 200.0 / 9.0), ("age=14", 24.25)] {
        assert!((coefficient(&fit, name) - value).abs() < 1e-12, "{name}: {fit}");
    }
    place.write("steps.csv", "t,y\n1,0.1\n2,-0.1\n3,0\n4,5\n5,5.2\n10,4.8\n11,1\n");
    let fit = place.json("fit steps.csv --target y --categorical t --no-intercept -c jumps:2");
    assert!((coefficient(&fit, "t=4") - 5.0).abs() < 1e-12 && (coefficient(&fit, "t=11") - 1.0).abs() < 1e-12, "{fit}");
    assert!(fit["certificate"]["exchanges"].to_string().contains("every-choice"), "{fit}");
}
