//! Where results are written: known before the fit, links followed, permissions kept.

use crate::common::{Place, SMALL};

fn small() -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place
}

/// A fit that would take hours: an unwritable place must be noticed before it begins.
const LONG: &str =
    "fit small.csv -t y --ignore label -c sparsity:2 --no-polish --tolerance 1e-300 --max-steps 1000000000";

#[test]
fn an_unwritable_place_is_noticed_before_the_fit() {
    let place = small();
    place.ok("fit small.csv -t y --ignore label -c none --max-steps 20 --out m.json --quiet");
    place.write("protected.json", "kept");
    let mut permissions = std::fs::metadata(place.path("protected.json")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(place.path("protected.json"), permissions).unwrap();
    let before = place.files();
    let options = ["--out", "--report", "--trace", "--plot", "--checkpoint"];
    let tuned =
        "tune small.csv -t y --ignore label --grid sparsity:1,2 --no-polish --tolerance 1e-300 --max-steps 1000000000";
    let compared = "compare small.csv -t y --ignore label --tolerance 1e-300 --max-steps 1000000000";
    let mut commands: Vec<String> = options.iter().map(|option| format!("{LONG} {option}")).collect();
    commands.extend(["--out", "--report"].map(|option| format!("{tuned} {option}")));
    commands.extend(["--out", "--report", "--plot"].map(|option| format!("{compared} {option}")));
    commands.push("predict m.json small.csv --out".to_owned());
    commands.push("evaluate m.json small.csv --report".to_owned());
    commands.push("theory small.csv -t y --ignore label --out".to_owned());
    for command in &commands {
        for wrong in ["small.csv/below", "none/file", ".", "protected.json"] {
            let said = place.run(&format!("{command} {wrong}"));
            let option = command.rsplit(' ').next().unwrap();
            assert_eq!(said.code, Some(2), "{command} {wrong}: {}", said.stderr);
            assert!(said.stderr.starts_with(&format!("error: {option}: ")), "{command} {wrong}: {}", said.stderr);
            assert!(
                said.stderr.contains(wrong) && said.stderr.contains("\nhint:  "),
                "{command} {wrong}: {}",
                said.stderr
            );
        }
    }
    for command in ["reproduce all --quick --out", "simulate linear --n 9 --p 2 --out"] {
        let said = place.run(&format!("{command} small.csv/below"));
        assert!(said.code == Some(2) && said.stderr.contains("--out"), "{}", said.stderr);
    }
    assert_eq!(
        (place.files(), place.read("protected.json"), place.read("small.csv")),
        (before, "kept".into(), SMALL.into())
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = small();
    place.write("real.json", "old");
    std::fs::set_permissions(place.path("real.json"), std::fs::Permissions::from_mode(0o604)).unwrap();
    symlink("real.json", place.path("link.json")).unwrap();
    symlink("report.html", place.path("dangling.html")).unwrap();
    place.ok("fit small.csv -t y --ignore label -c none --max-steps 20 --out link.json --report dangling.html --quiet");
    for link in ["link.json", "dangling.html"] {
        assert!(std::fs::symlink_metadata(place.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert!(place.read("real.json").contains("proxdist-model") && place.read("report.html").contains("<html"));
    assert_eq!(std::fs::metadata(place.path("real.json")).unwrap().permissions().mode() & 0o777, 0o604);
    // Two names of one file are one place, and an input stays an input by any name.
    symlink("small.csv", place.path("alias.csv")).unwrap();
    let said = place.run("fit small.csv -t y --ignore label --out alias.csv");
    assert!(said.code == Some(2) && said.stderr.contains("input"), "{}", said.stderr);
    let said = place.run("fit small.csv -t y --ignore label --out real.json --trace link.json");
    assert!(said.code == Some(2) && said.stderr.contains("already used"), "{}", said.stderr);
}
