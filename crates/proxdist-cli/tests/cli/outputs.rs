//! More than two labels, and several targets, from the shell to the model file.

use crate::common::Place;
use serde_json::Value;
use std::fmt::Write as _;

/// Three kinds that `size` and `tone` tell apart, mostly; `first` and `second` are numbers to explain.
fn table() -> String {
    let mut text = "size,tone,noise,extra,kind,first,second\n".to_owned();
    for row in 0..120_u32 {
        let wave = |j: u32| f64::from((row * (7 * j + 5) + row * row * (j + 2)) % 23) / 11.0 - 1.0;
        let (size, tone, noise, extra) = (wave(1), wave(2), wave(3), wave(4));
        let scores = [2.0 * size + wave(5), 2.0 * tone + wave(6), -size - tone + wave(7)];
        let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
        let kind = ["oak", "ash", "elm"][best];
        let (first, second) = (3.0 * size + 0.1 * noise, size - 2.0 * tone + 0.2 * extra + 5.0);
        let _ = writeln!(text, "{},{tone},{noise},{extra},{kind},{first},{second}", 100.0 * size);
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

const CLASSES: &str = "fit t.csv --target kind --loss logistic --ignore first,second --ridge 0.01";

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').filter_map(|field| field.parse().ok()).collect()
}

#[test]
fn more_than_two_labels_are_explained_together() {
    let place = place();
    let said = place.run(&format!("{CLASSES} -c rows:2 --out m.json --report r.html"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("3 labels: \"ash\", \"elm\", \"oak\""), "{}", said.stderr);
    assert!(said.stderr.contains("3 classes are explained together"), "{}", said.stderr);
    assert!(said.stdout.contains("softmax loss, ridge 0.01: at most 2 features for all outputs together"));
    assert!(said.stdout.contains("coefficients sum to zero over the classes, by the ridge"), "{}", said.stdout);
    let page = place.read("r.html");
    assert!(page.contains("Coefficients by output") && page.contains("Classes on the rows of the fit"));
    let fit = place.json(&format!("{CLASSES} -c rows:2"));
    assert_eq!(fit["outputs"], serde_json::json!(["ash", "elm", "oak"]));
    assert_eq!(fit["features_used"], 2);
    let used: Vec<&str> = fit["coefficients"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert!(used.contains(&"size") && used.contains(&"tone"), "{used:?}");

    let text = place.ok("predict m.json t.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("ash,elm,oak,prediction"));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 120);
    let kinds: Vec<String> = table().lines().skip(1).map(|line| line.split(',').nth(4).unwrap().to_owned()).collect();
    let mut right = 0;
    for (row, kind) in rows.iter().zip(&kinds) {
        let chances = numbers(row);
        assert_eq!(chances.len(), 3);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let best = (0..3).max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap();
        let label = row.rsplit(',').next().unwrap();
        assert_eq!(label, ["ash", "elm", "oak"][best]);
        right += usize::from(label == kind);
    }
    let evaluated: Value = place.json("evaluate m.json t.csv");
    let accuracy = evaluated["evaluation"]["accuracy"].as_f64().unwrap();
    assert!((accuracy - right as f64 / 120.0).abs() < 1e-12);
    let confusion = evaluated["evaluation"]["confusion"].as_array().unwrap();
    let total: f64 = confusion.iter().flat_map(|row| row.as_array().unwrap()).map(|v| v.as_f64().unwrap()).sum();
    assert_eq!(total, 120.0);
    assert_eq!(place.ok("predict m.json t.csv --proba").lines().next(), Some("ash,elm,oak"));
}

/// The log loss of held-out rows, from the probabilities that `predict` writes.
#[test]
fn rows_kept_out_are_scored_the_same_later() {
    let place = place();
    let fit = place.json(&format!("{CLASSES} -c rank:1 --holdout 0.25 --seed 4 --out m.json"));
    let later = place.json("evaluate m.json t.csv --rows heldout");
    assert_eq!(fit["heldout"]["rows"], later["evaluation"]["rows"]);
    let close = |a: &Value, b: &Value| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-12;
    assert!(close(&fit["heldout"]["log_loss"], &later["evaluation"]["log_loss"]));
    assert!(close(&fit["heldout"]["accuracy"], &later["evaluation"]["accuracy"]));
}

#[test]
fn several_targets_have_one_model() {
    let place = place();
    let words = "fit t.csv --target first,second --ignore kind";
    let fit = place.json(&format!("{words} -c rows:2 --out m.json"));
    assert_eq!(fit["outputs"], serde_json::json!(["first", "second"]));
    assert_eq!(fit["certificate"]["exchanges"], "every-choice");
    // Each response by itself, on the two features that both use.
    let used: Vec<&str> = fit["coefficients"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    let others: Vec<&str> =
        ["size", "tone", "noise", "extra"].into_iter().filter(|name| !used.contains(name)).collect();
    for (output, name) in ["first", "second"].iter().enumerate() {
        let other = if output == 0 { "second" } else { "first" };
        let alone = place.json(&format!("fit t.csv --target {name} --ignore kind,{other},{}", others.join(",")));
        for coefficient in fit["coefficients"].as_array().unwrap() {
            let value = coefficient["values"][output].as_f64().unwrap();
            let expected = crate::common::coefficient(&alone, coefficient["name"].as_str().unwrap());
            assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name}: {value} {expected}");
        }
    }
    let text = place.ok("predict m.json t.csv");
    assert_eq!(text.lines().next(), Some("first,second"));
    let evaluated = place.json("evaluate m.json t.csv");
    let responses = evaluated["evaluation"]["responses"].as_array().unwrap();
    let mut squares = 0.0;
    for (predicted, line) in text.lines().skip(1).zip(table().lines().skip(1)) {
        let truth: f64 = line.split(',').nth(5).unwrap().parse().unwrap();
        squares += (numbers(predicted)[0] - truth).powi(2) / 120.0;
    }
    let told = responses[0]["mean_squared_error"].as_f64().unwrap();
    assert!((told - squares).abs() < 1e-9 * (1.0 + squares), "{told} {squares}");
}

#[test]
fn one_output_can_be_bound_by_name() {
    let place = place();
    let said = place.run(&format!("{CLASSES} -c nonneg[*@oak] --json"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let fit: Value = serde_json::from_str(&said.stdout).unwrap();
    let oak: Vec<f64> =
        fit["coefficients"].as_array().unwrap().iter().map(|c| c["values"][2].as_f64().unwrap()).collect();
    assert!(oak.iter().all(|value| *value >= 0.0), "{oak:?}");
}

#[test]
fn what_is_not_there_is_an_error_with_a_hint() {
    let place = place();
    place.write("one.csv", "a,y\n1,x\n2,x\n");
    let rows = |label: &dyn Fn(usize) -> String| -> String {
        (0..20).map(|i| format!("{},{}\n", (i * 7) % 11, label(i))).collect::<Vec<_>>().concat()
    };
    let rare = rows(&|i| ["a", "b", "c"][if i > 17 { 2 } else { i % 2 }].to_owned());
    place.write("rare.csv", format!("x,y\n{rare}"));
    // As many classes as rows.
    place.write("single.csv", format!("x,y\n{}", rows(&|i| format!("r{i}"))));
    place.ok(&format!("{CLASSES} -c rows:1 --out m.json"));
    for (words, message, hint) in [
        ("fit one.csv --target y --loss logistic", "two classes are needed", "classifier cannot learn"),
        ("fit t.csv --target kind --loss squared-hinge", "more than two classes", "--one-vs-rest"),
        ("fit t.csv --target first,kind", "holds text", "explain labels alone"),
        ("fit t.csv --target first,nothing", "no column \"nothing\"", "names of columns"),
        ("fit t.csv --target first,second,second", "given twice", "once"),
        (
            "fit t.csv --target first,second --ignore kind --loss poisson",
            "not one of several outputs",
            "--loss squared",
        ),
        (
            "fit t.csv --target first,second --ignore kind --checkpoint c",
            "--checkpoint is not available",
            "leave it out",
        ),
        ("fit t.csv --target first,second --ignore kind --prove 1", "a search for a proof", "explain one output"),
        (
            "fit t.csv --target first,second --ignore kind --method psgd",
            "another method than spd",
            "explain one output",
        ),
        ("fit t.csv --target first,second --ignore kind -c rows:9", "has 4 rows", "1 to 4"),
        ("path t.csv --target first,second --ignore kind --select none", "--select none", "--select bic"),
        ("path t.csv --target first,second --ignore kind -c rank:2 --select bic", "--select bic", "rows"),
        ("path t.csv --target first,second --ignore kind --sizes 1-9", "the number of features is 4", "1 to 4"),
        ("path t.csv --target first,second --ignore kind -c nonneg", "over rows or rank", "tune --grid"),
        ("path t.csv --target first,second --ignore kind -c rank:1 --sizes 3", "ranks go up to 2", "1 to 2"),
        ("path rare.csv --target y --loss logistic", "the class \"c\" has 2 of the rows", "--folds 2 or fewer"),
        ("tune rare.csv --target y --loss logistic --grid rows:1 --folds 3", "3 folds need a row of it", "--folds 2"),
        ("tune single.csv --target y --loss logistic --grid rows:1", "the class \"r0\" has 1 of", "leave it out"),
        (
            "tune t.csv --target first,second --ignore kind --grid rows:1 --score auc",
            "--score must be loss or mse",
            "--score loss",
        ),
        ("compare t.csv --target first,second --methods spd,psgd", "this command explains one column", "proxdist fit"),
        ("theory t.csv --target first,second", "this command explains one column", "proxdist fit"),
        ("fit t.csv --stream --target first,second", "this command explains one column", "proxdist fit"),
        ("predict m.json one.csv", "", "column"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}\n{}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains("error:") && said.stderr.contains(message), "{words}\n{}", said.stderr);
        assert!(said.stderr.contains("hint:") && said.stderr.contains(hint), "{words}\n{}", said.stderr);
    }
}

#[test]
fn a_number_of_shared_features_is_chosen() {
    let place = place();
    let data = "t.csv --target kind --loss logistic --ignore first,second";
    let said = place.run(&format!("path {data} --out m.json --report r.html --table p.csv"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("models of 1-4 features shared by all outputs"), "{}", said.stdout);
    let rule = "chosen by 10-fold cross-validation, the smallest size within one standard error of the best";
    assert!(said.stdout.contains(rule), "{}", said.stdout);
    let path = place.json(&format!("path {data}"));
    assert_eq!((path["folds"].as_u64(), path["select"].as_str()), (Some(10), Some("cv")));
    let points = path["points"].as_array().unwrap();
    assert_eq!(points.len(), 4 * 5);
    let table = place.read("p.csv");
    assert_eq!(table.lines().count(), 21);
    assert!(table.lines().next().unwrap().starts_with("ridge,size,objective,mean,standard_error"));
    let chosen = path["chosen"]["size"].as_u64().unwrap();
    // The rule, from the numbers that are shown.
    let number = |point: &Value, key: &str| point[key].as_f64().unwrap();
    let best = points.iter().min_by(|a, b| number(a, "mean").total_cmp(&number(b, "mean"))).unwrap();
    let limit = number(best, "mean") + number(best, "standard_error");
    let near = points.iter().filter(|point| number(point, "mean") <= limit + 1e-12);
    assert_eq!(near.map(|point| point["size"].as_u64().unwrap()).min(), Some(chosen));
    assert_eq!(path["fit"]["constraint"], format!("rows:{chosen}"));
    assert_eq!(path["fit"]["features_used"].as_u64(), Some(chosen));
    let page = place.read("r.html");
    for part in ["Cross-validation", "Sizes", "against the rest", "Coefficients by output"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(place.json("evaluate m.json t.csv")["evaluation"]["rows"], 120);

    // The same grid by `tune` has the same scores.
    let tuned = place.json(&format!("tune {data} --grid rows:1-4 --grid ridge:0,1e-4,1e-3,1e-2,1e-1"));
    let scores = tuned["table"]["scores"].as_array().unwrap();
    for (score, point) in scores.iter().zip(points) {
        assert_eq!(score["mean"], point["mean"]);
    }
    assert_eq!(tuned["fit"]["objective"], path["fit"]["objective"]);
}

#[test]
fn ranks_and_responses_are_chosen_too() {
    let place = place();
    let data = "t.csv --target first,second --ignore kind";
    let path = place.json(&format!("path {data} -c rank:2 --ridge-grid 0 --folds 5"));
    assert_eq!(path["points"].as_array().unwrap().len(), 2);
    assert_eq!(path["chosen"]["size"], 2);
    assert_eq!(path["fit"]["constraint"], "rank:2");
    let rows = place.run(&format!("tune {data} --grid rows:1-4 --score mse --choice best --report r.html"));
    assert_eq!(rows.code, Some(0), "{}", rows.stderr);
    assert!(rows.stdout.contains("mse by 10-fold cross-validation, smaller is better"), "{}", rows.stdout);
    let page = place.run(&format!("fit {data} -c rank:2 --report f.html"));
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    let page = place.read("f.html");
    assert!(page.contains("singular value") && page.contains("Biplot"), "no factors on the page");
}

#[test]
fn areas_of_each_class_and_hostile_names() {
    let place = Place::new();
    let evil = "<script>alert(1)</script>";
    let text = table().replace("size,tone", &format!("\"{evil}\",\"a&b\"")).replace(",oak,", &format!(",\"{evil}\","));
    place.write("t.csv", text);
    let said = place.run(&format!("{CLASSES} -c rank:2 --out m.json --report r.html --holdout 0.3"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("mean over the classes, each against the rest"), "{}", said.stdout);
    place.ok("evaluate m.json t.csv --report e.html");
    for page in [place.read("r.html"), place.read("e.html")] {
        assert!(!page.contains(evil) && page.contains("&lt;script&gt;alert(1)"), "a name is not escaped");
    }
    let found = place.json("evaluate m.json t.csv");
    let areas = found["evaluation"]["auc"].as_array().unwrap();
    assert_eq!(areas.len(), 3);
    // From the probabilities that `predict` writes, by every pair of rows.
    let chances: Vec<Vec<f64>> = place.ok("predict m.json t.csv --proba").lines().skip(1).map(numbers).collect();
    let kinds: Vec<String> = table().lines().skip(1).map(|line| line.split(',').nth(4).unwrap().to_owned()).collect();
    let labels = place.ok("predict m.json t.csv --proba --raw");
    let ash = labels.lines().next().unwrap().split(',').position(|name| name == "ash").unwrap();
    let (mut good, mut all) = (0.0, 0.0);
    for (i, own) in chances.iter().enumerate().filter(|(i, _)| kinds[*i] == "ash") {
        for (j, other) in chances.iter().enumerate().filter(|(j, _)| kinds[*j] != "ash") {
            let _ = (i, j);
            all += 1.0;
            good += if own[ash] > other[ash] {
                1.0
            } else if own[ash] < other[ash] {
                0.0
            } else {
                0.5
            };
        }
    }
    assert!((areas[ash].as_f64().unwrap() - good / all).abs() < 1e-9);
    let mean = areas.iter().map(|area| area.as_f64().unwrap()).sum::<f64>() / 3.0;
    assert!((found["evaluation"]["macro_auc"].as_f64().unwrap() - mean).abs() < 1e-12);
}

#[test]
fn classes_told_apart_are_told() {
    let place = Place::new();
    let rows: String = (0..60)
        .map(|i| format!("{},{},{}\n", 10 * (i % 3) + i % 2, (i * 7) % 11, ["a", "b", "c"][i % 3]))
        .collect::<Vec<_>>()
        .concat();
    place.write("t.csv", format!("x,z,kind\n{rows}"));
    let said = place.run("fit t.csv --target kind --loss logistic -c rows:1 --report r.html");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stderr.contains("separates the classes of all rows") && said.stderr.contains("--ridge 1e-3"),
        "{}",
        said.stderr
    );
    assert!(place.read("r.html").contains("No minimum: the model separates"));
    let fit = place.json("fit t.csv --target kind --loss logistic -c rows:1");
    assert_eq!((fit["separation"].as_str(), fit["converged"].as_bool()), (Some("all-rows"), Some(true)));
    let path = place.run("path t.csv --target kind --loss logistic --ridge-grid 0 --folds 5");
    assert!(path.stderr.contains("some sizes are separated"), "{}", path.stderr);
    assert!(path.stdout.contains("5 of 5 folds separated"), "{}", path.stdout);
}

/// A known part of each predictor: the responses less their offsets are explained, and predictions have them again.
#[test]
fn every_output_has_an_offset_of_its_own() {
    let place = place();
    let mut shifted = "size,tone,noise,extra,kind,first,second,up,down,plain1,plain2\n".to_owned();
    for (row, line) in table().lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let (first, second): (f64, f64) = (fields[5].parse().unwrap(), fields[6].parse().unwrap());
        let (up, down) = (f64::from(row as u32 % 7), -0.5 * f64::from(row as u32 % 5));
        let known = fields[..5].join(",");
        let _ = writeln!(shifted, "{known},{},{},{up},{down},{first},{second}", first + up, second + down);
    }
    place.write("s.csv", shifted);
    let with = "fit s.csv --target first,second --offset up,down --ignore kind,plain1,plain2 -c rows:2";
    let fit = place.json(&format!("{with} --out m.json"));
    let plain =
        place.json("fit s.csv --target plain1,plain2 --ignore kind,up,down,first,second -c rows:2 --out p.json");
    let (own, other) = (fit["objective"].as_f64().unwrap(), plain["objective"].as_f64().unwrap());
    assert!((own - other).abs() <= 1e-9 * other.max(1e-12), "{own} {other}");
    let (predicted, without) = (place.ok("predict m.json s.csv"), place.ok("predict p.json s.csv"));
    for (row, (line, other)) in predicted.lines().zip(without.lines()).skip(1).enumerate() {
        let (found, plain) = (numbers(line), numbers(other));
        let (up, down) = (f64::from(row as u32 % 7), -0.5 * f64::from(row as u32 % 5));
        assert!((found[0] - plain[0] - up).abs() < 1e-7 && (found[1] - plain[1] - down).abs() < 1e-7, "{line} {other}");
    }
    let evaluated = place.json("evaluate m.json s.csv");
    assert_eq!(evaluated["data"]["rows"], 120);
    let classes =
        place.run("fit s.csv --target kind --loss logistic --offset up,down --ignore first,second,plain1,plain2");
    assert!(classes.stderr.contains("2 columns for 3 outputs (ash, elm, oak)"), "{}", classes.stderr);
    for (words, message) in [
        ("fit s.csv --target first,second --offset up --ignore kind", "--offset with one column"),
        ("fit s.csv --target first --offset up,down --ignore kind", "one output, which has one offset"),
        ("fit s.csv --target first,second --offset up,nowhere --ignore kind", "nowhere"),
        ("predict m.json s.csv --offset up", "--offset with one column"),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}: {}", said.stdout);
        assert!(said.stderr.contains(message) && said.stderr.contains("hint:  "), "{words}: {}", said.stderr);
    }
}

/// Numbers of shared features by BIC: the formulas, from the fits of the sizes by themselves.
#[test]
fn sizes_of_several_outputs_are_chosen_by_criteria() {
    let place = place();
    let path =
        "path t.csv --target kind --loss logistic --ignore first,second --sizes 1-4 --ridge-grid 0.01 --select bic";
    let found = place.json(&format!("{path} --table p.csv"));
    let points = found["points"].as_array().unwrap();
    let mut least = (f64::INFINITY, 0);
    for (at, point) in points.iter().enumerate() {
        let size = at + 1;
        let fit = place.json(&format!("{CLASSES} -c rows:{size} --out m.json"));
        assert!(point["objective"].as_f64().unwrap() <= fit["objective"].as_f64().unwrap() * (1.0 + 1e-6));
        let evaluated = place.json("evaluate m.json t.csv");
        let loss = evaluated["evaluation"]["log_loss"].as_f64().unwrap();
        let bic = 240.0 * loss + 2.0 * size as f64 * 120.0_f64.ln();
        assert!((point["bic"].as_f64().unwrap() - bic).abs() < 1e-3 * bic, "{size}: {} {bic}", point["bic"]);
        assert!(
            (point["bic"].as_f64().unwrap()
                - point["aic"].as_f64().unwrap()
                - 2.0 * size as f64 * (120.0_f64.ln() - 2.0))
                .abs()
                < 1e-9
        );
        if point["bic"].as_f64().unwrap() < least.0 {
            least = (point["bic"].as_f64().unwrap(), size);
        }
    }
    assert_eq!(found["chosen"]["size"], least.1);
    assert!(found["points"][0]["mean"].is_null());
    let numbers = place.json("path t.csv --target first,second --ignore kind --sizes 1-3 --select aic");
    assert_eq!(numbers["select"], "aic");
    let huber = place.run("path t.csv --target first,second --ignore kind --loss huber --select bic");
    assert_eq!(huber.code, Some(2));
    assert!(huber.stderr.contains("hint:  "), "{}", huber.stderr);
}
