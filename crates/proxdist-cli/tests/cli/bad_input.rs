//! Mistakes: each ends with status 2, an `error:` and a `hint:` line, and nothing written.

use crate::common::{Place, SMALL};

/// What is wrong, the command, and a word of the message.
const CASES: &[(&str, &str, &str)] = &[
    ("no command", "", "subcommand"),
    ("a command that is not", "fti small.csv", "fti"),
    ("no data", "fit --target y", "DATA"),
    ("an option that is not", "fit small.csv --targt y", "--targt"),
    ("an option twice", "fit small.csv --target y --target c", "--target"),
    ("no target", "fit small.csv", "target"),
    ("an unknown target", "fit small.csv --target z", "z"),
    ("a target number beyond the columns", "fit small.csv --target 9", "9"),
    ("a file that is not there", "fit missing.csv --target y", "missing.csv"),
    ("a folder", "fit . --target y", "."),
    ("an empty file", "fit empty.csv --target y", "empty"),
    ("a header without rows", "fit header.csv --target y", "header.csv"),
    ("a ragged row", "fit ragged.csv --target y", "line 3"),
    ("a word among numbers", "fit word.csv --target y", "line 130"),
    ("a missing value", "fit gap.csv --target y", "missing"),
    ("not a number", "fit nan.csv --target y", "line 3"),
    ("duplicate names", "fit twice.csv --target y", "same name"),
    ("truncated gzip", "fit cut.csv.gz --target y", "gzip"),
    ("wrong magic", "fit fake.npy --target y", "fake.npy"),
    ("a damaged archive", "fit fake.npz --target y", "fake.npz"),
    ("a damaged parquet file", "fit fake.parquet --target y", "fake.parquet"),
    ("an array without rows", "fit no_rows.npy --target 1 --holdout 0.5", "rows"),
    ("an array without columns", "fit no_columns.npy --target 1", "no_columns.npy"),
    ("an archive without rows", "fit no_rows.npz --target y --holdout 0.5", "rows"),
    ("bad svmlight", "fit bad.svm", "bad.svm"),
    ("one class", "fit one.csv --target y --loss logistic", "two classes"),
    ("three classes", "fit three.csv --target y --loss squared-hinge", "more than two"),
    ("an unknown positive label", "fit small.csv --target label --loss logistic --positive maybe", "maybe"),
    ("a positive label of a number", "fit small.csv --target y --positive 3", "--positive"),
    ("rest without positive", "fit small.csv --target label --one-vs-rest --loss logistic", "--positive"),
    ("an unknown loss", "fit small.csv --target y --loss cubic", "cubic"),
    ("a bad parameter of a loss", "fit small.csv --target y --loss huber:-1", "huber"),
    ("text as a target of squared loss", "fit small.csv --target label", "not a number"),
    ("negative counts", "fit negative.csv --target y --loss poisson", "poisson"),
    ("an unknown set", "fit small.csv --target y --ignore label -c sparsty:2", "sparsty"),
    ("a set without its number", "fit small.csv --target y --ignore label -c sparsity", "sparsity"),
    ("more nonzeros than features", "fit small.csv --target y --ignore label -c sparsity:9", "sparsity:9"),
    ("a negative radius", "fit small.csv --target y --ignore label -c ball:-1", "ball"),
    ("an empty box", "fit small.csv --target y --ignore label -c box:2,1", "box"),
    ("rank of a vector", "fit small.csv --target y --ignore label -c rank:1", "rank"),
    ("rank above the shape", "fit small.csv --target y --ignore label --shape 3x1 -c rank:2", "rank"),
    ("a shape that does not fit", "fit small.csv --target y --ignore label --shape 2x2 -c rank:1", "shape"),
    ("a shape that is none", "fit small.csv --target y --shape 4", "--shape"),
    ("sets that cannot be combined", "fit small.csv --target y --ignore label -c jumps:1 -c nonneg", "jumps:1"),
    ("a rho1 of zero", "fit small.csv --target y --rho1 0", "--rho1"),
    ("a negative gamma", "fit small.csv --target y --ignore label --gamma=-1", "--gamma"),
    ("a schedule without rho1", "fit small.csv --target y --schedule constant", "--rho1"),
    ("a shrinking schedule", "fit small.csv --target y --rho1 1 --schedule geometric:0.5,10", "--schedule"),
    ("a schedule that is none", "fit small.csv --target y --schedule linear", "--schedule"),
    ("a batch larger than the data", "fit small.csv --target y --ignore label --batch-size 50", "--batch-size"),
    ("an empty batch", "fit small.csv --target y --batch-size 0", "--batch-size"),
    ("no steps", "fit small.csv --target y --ignore label --max-steps 0", "--max-steps"),
    ("negative passes", "fit small.csv --target y --ignore label --passes=-1", "--passes"),
    ("a time without sense", "fit small.csv --target y --time soon", "--time"),
    ("a tolerance of zero", "fit small.csv --target y --ignore label --tolerance 0", "tolerance"),
    ("negative ridge", "fit small.csv --target y --ignore label --ridge=-1", "ridge"),
    ("no threads", "fit small.csv --target y --ignore label --threads 0", "threads"),
    ("a seed that is no number", "fit small.csv --target y --seed x", "--seed"),
    ("a holdout of everything", "fit small.csv --target y --holdout 1", "--holdout"),
    ("a holdout of nothing", "fit small.csv --target y --ignore label --holdout 0.01", "--holdout"),
    ("negative weights", "fit negative.csv --target x --weights y", "negative"),
    ("target and weights alike", "fit small.csv --target y --weights y", "twice"),
    ("no feature left", "fit small.csv --target y --ignore a,b,c,label", "feature"),
    ("an unknown column to ignore", "fit small.csv --target y --ignore q", "q"),
    ("a delimiter of two characters", "fit small.csv --target y --delimiter ;;", "--delimiter"),
    ("a missing policy that is none", "fit small.csv --target y --missing guess", "guess"),
    ("header and no header", "fit small.csv --target y --header --no-header", "--no-header"),
    ("a folder that is not there", "fit small.csv --target y --ignore label --out none/m.json", "none"),
    ("a folder as a file", "fit small.csv --target y --ignore label --out .", "folder"),
    ("two outputs in one place", "fit small.csv --target y --ignore label --out m --trace ./m", "--trace"),
    ("an output over the input", "fit small.csv --target y --ignore label --out small.csv", "input"),
    ("two things on standard output", "fit small.csv --target y --ignore label --out - --json", "standard output"),
    ("resume without a checkpoint", "fit small.csv --target y --resume", "--checkpoint"),
    ("a model that is data", "predict small.csv small.csv", "model"),
    ("a truncated model", "predict cut.json small.csv", "cut.json"),
    ("a model of another version", "predict future.json small.csv", "version"),
    ("a model that is not there", "predict none.json small.csv", "none.json"),
    ("data without the columns", "predict model.json negative.csv", "negative.csv"),
    ("probabilities of a regression", "predict model.json small.csv --proba", "--proba"),
    ("two streams", "predict - -", "standard input"),
    ("nothing to compare with", "evaluate model.json unlabelled.csv", "unlabelled.csv"),
    ("rows that were not kept out", "evaluate model.json small.csv --rows heldout", "--rows"),
    ("a proof without an end", "fit small.csv --target y -c sparsity:1 --prove soon", "a positive time"),
    ("memory without a number", "fit small.csv --target y -c sparsity:1 --prove 1s --memory lots", "512M, 2G"),
    ("a gap beyond all", "fit small.csv --target y -c sparsity:1 --prove 1s --gap 2", "from 0 to 1"),
    ("no grid", "tune small.csv --target y", "--grid"),
    ("a grid of nothing known", "tune small.csv --target y --grid boxes:1,2", "boxes"),
    ("a grid without values", "tune small.csv --target y --grid sparsity:", "sparsity"),
    ("a range that goes down", "tune small.csv --target y --grid sparsity:5-2", "write 2-5"),
    ("a range without end", "tune small.csv --target y --grid sparsity:1-", "as in 1-20"),
    ("an absurd range", "tune small.csv --target y --grid sparsity:1-99999999", "more than 100000 values"),
    ("a size in a range and again", "tune small.csv --target y --grid sparsity:1-3,2", "given twice"),
    ("a ridge range without a number", "tune small.csv --target y --grid ridge:1e-4..1", "1e-4..1,log,5"),
    ("a ridge range from zero", "tune small.csv --target y --grid ridge:0..1,log,3", "from above 0"),
    (
        "a range beyond the columns",
        "tune small.csv --target y --ignore label --grid sparsity:1-9 --folds 3",
        "sparsity:",
    ),
    (
        "a grid beyond the features",
        "tune small.csv --target y --ignore label --grid sparsity:1,9 --folds 3",
        "sparsity:9",
    ),
    ("one fold", "tune small.csv --target y --ignore label --grid sparsity:1,2 --folds 1", "--folds"),
    ("more folds than rows", "tune small.csv --target y --ignore label --grid sparsity:1,2 --folds 99", "--folds"),
    ("a score that is none", "tune small.csv --target y --ignore label --grid sparsity:1,2 --score luck", "luck"),
    (
        "a score of classes for numbers",
        "tune small.csv --target y --ignore label --grid sparsity:1,2 --score auc --folds 3",
        "auc",
    ),
    ("a model that cannot be drawn", "simulate cubic --n 5 --p 2 --out d", "cubic"),
    ("no rows to draw", "simulate linear --n 0 --p 2 --out d", "--n"),
    ("no columns to draw", "simulate linear --n 5 --out d", "--p"),
    ("more nonzeros than columns to draw", "simulate linear --n 5 --p 2 --s 3 --out d", "--s"),
    ("an impossible rank", "simulate matrix --n 5 --rank 100 --out d", "rank"),
    ("more than memory holds", "simulate linear --n 99999999999 --p 99999999 --out d", "memory"),
    ("a shell that is none", "completions fancy", "fancy"),
];

fn prepared() -> Place {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place.write("empty.csv", "");
    place.write("header.csv", "a,y\n");
    place.write("ragged.csv", "a,b,y\n1,2,3\n1,2,3,4\n1,2,3\n");
    let row = |i: usize| if i == 128 { "oops,1".to_owned() } else { format!("{i},{}", i % 7) };
    place.write("word.csv", format!("a,y\n{}\n", (0..200).map(row).collect::<Vec<_>>().join("\n")));
    place.write("gap.csv", "a,y\n1,2\n,3\n4,5\n");
    place.write("nan.csv", "a,y\n1,2\nNaN,3\n4,5\n");
    place.write("twice.csv", "a,a,y\n1,2,3\n4,5,6\n");
    place.write("cut.csv.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]);
    place.write("fake.npy", "a,y\n1,2\n");
    place.write("fake.npz", b"PK\x03\x04 and nothing more");
    place.write("fake.parquet", b"PAR1 and nothing more PAR1");
    place.write("no_rows.npy", array("(0, 3)"));
    place.write("no_columns.npy", array("(3, 0)"));
    place.write("no_rows.npz", archive(&[("X.npy", array("(0, 3)")), ("y.npy", array("(0,)"))]));
    place.write("bad.svm", "1 1:0.5 2:1\n-1 2:1 1:3\n");
    place.write("one.csv", "a,y\n1,no\n2,no\n");
    place.write("three.csv", "a,y\n1,p\n2,q\n3,r\n4,p\n");
    place.write("negative.csv", "x,y,z\n1,-2,3\n2,3,1\n3,1,2\n4,0,5\n");
    place.write("unlabelled.csv", "a,b,c\n1,2,3\n");
    place.ok("fit small.csv --target y --ignore label -c sparsity:2 --max-steps 50 --out model.json --quiet");
    let model = place.read("model.json");
    place.write("cut.json", &model[..model.len() / 2]);
    place.write("future.json", model.replace("\"version\": 1", "\"version\": 99"));
    place
}

/// A NumPy array of this shape without any number.
fn array(shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(118_u16.to_le_bytes());
    bytes.extend(format!("{text:<117}\n").into_bytes());
    bytes
}

fn archive(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    use std::io::{Cursor, Write as _};
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn every_mistake_is_explained_and_leaves_nothing_behind() {
    assert!(CASES.len() >= 40);
    let place = prepared();
    let before = place.files();
    let mut wrong = Vec::new();
    for (what, words, mention) in CASES {
        let said = place.run(words);
        let lines: Vec<&str> = said.stderr.lines().filter(|line| !line.starts_with("note: ")).collect();
        let is_explained = matches!(lines[..], [error, hint] if error.starts_with("error: ") && error.contains(mention)
            && hint.starts_with("hint:  ") && hint.len() > 12);
        if said.code != Some(2) || !is_explained || !said.stdout.is_empty() || place.files() != before {
            wrong.push(format!("{what}: proxdist {words}\n  status {:?}\n{}", said.code, said.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_full_disk_is_an_error_and_not_half_a_model() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let said = place.run("fit small.csv --target y --ignore label -c sparsity:2 --out /dev/full");
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("/dev/full") && said.stderr.contains("hint:"), "{}", said.stderr);
}
