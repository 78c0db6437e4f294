//! The small file of the README: how it is made, and that the first command of the README fits it.

use crate::common::{Place, support};
use std::fmt::Write as _;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/cellar.csv");

/// Names of the measurements with a mean and a spread.
const COLUMNS: [(&str, f64, f64); 12] = [
    ("acidity", 7.2, 1.1),
    ("sugar", 2.6, 0.9),
    ("chlorides", 0.9, 0.2),
    ("sulphur", 4.6, 1.5),
    ("density", 9.9, 0.6),
    ("ph", 3.3, 0.3),
    ("sulphates", 6.2, 1.2),
    ("alcohol", 10.6, 1.1),
    ("phenols", 2.3, 0.6),
    ("magnesium", 9.9, 1.4),
    ("hue", 1.9, 0.4),
    ("ash", 2.4, 0.3),
];

/// Simulated numbers in the dress of a wine cellar: quality depends on acidity, sulphates, alcohol and the coast.
fn recipe() -> String {
    let place = Place::new();
    place.ok("simulate linear --n 300 --p 12 --s 3 --seed 7 --format csv --out drawn --quiet");
    let mut text = COLUMNS.map(|(name, ..)| name).join(",") + ",region,quality\n";
    for (row, line) in place.read("drawn/data.csv").lines().skip(1).enumerate() {
        let drawn: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let region = ["north", "south", "coast"][(row * row + row / 7) % 3];
        let coast = if region == "coast" { 0.7 } else { 0.0 };
        // The last draw is the simulated response, whose noise is all that is used of it.
        let noise = 0.1 * (drawn[12] - drawn[12].round()) * 8.0;
        let quality = 5.6 - 0.6 * drawn[0] + 0.5 * drawn[6] + 0.9 * drawn[7] + coast + noise;
        for ((_, mean, spread), z) in COLUMNS.iter().zip(&drawn) {
            let _ = write!(text, "{:.2},", mean + spread * z);
        }
        let _ = writeln!(text, "{region},{quality:.1}");
    }
    text
}

#[test]
fn the_demo_file_is_what_its_recipe_makes() {
    let made = recipe();
    if std::env::var_os("PROXDIST_MAKE_DEMO").is_some() {
        std::fs::write(DEMO, &made).unwrap();
    }
    assert!(std::fs::read_to_string(DEMO).unwrap() == made, "make it again with PROXDIST_MAKE_DEMO=1");
}

#[test]
fn the_first_command_of_the_readme_finds_what_matters() {
    let place = Place::new();
    let words = format!(
        "fit {DEMO} --target quality --constraint sparsity:4 --holdout 0.2 --out model.json --report report.html"
    );
    let said = place.ok(&words);
    assert!(said.contains("rows kept out of the fit, 60 rows") && said.contains("R2"), "{said}");
    assert_eq!(support(&place.json(&words)), ["acidity", "alcohol", "region=coast", "sulphates"]);
    place.ok(&format!("predict model.json {DEMO} --out predictions.csv"));
    assert_eq!(place.read("predictions.csv").lines().count(), 301);
}
