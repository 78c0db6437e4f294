//! Whatever the bytes, the answer is a table or an error, never a panic.

use std::io::Write;

use proptest::prelude::*;
use proxdist_io::{Format, Missing, ReadOptions, Task, read_bytes, read_path};

use crate::common::{gzip, le, npy, npz, options};

/// Cases of each law: 300, or as many as `PROXDIST_FUZZ_CASES` says for a long run.
fn cases() -> u32 {
    std::env::var("PROXDIST_FUZZ_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Reads under many settings; the outcome does not matter, but it must be consistent.
fn try_everything(bytes: &[u8], name: &str) {
    let settings: [ReadOptions; 5] = [
        options(),
        options().target("1").task(Task::Classes).missing(Missing::Drop),
        options().target("V2").weights("3").missing(Missing::Mean).header(false),
        options().target("y").categorical(["x"]).header(true).delimiter(b' '),
        options().target("1").task(Task::Classes).positive("1").one_against_rest(true).columns(3),
    ];
    for options in &settings {
        match read_bytes(bytes, name, options) {
            Ok(table) => {
                let (rows, columns) = (table.features.rows(), table.features.columns());
                assert_eq!(table.names().len(), columns);
                assert!(table.response.is_none_or(|response| response.len() == rows));
                assert!(table.weights.is_none_or(|weights| weights.len() == rows));
                for row in 0..rows.min(100) {
                    assert!(table.features.row(row).iter().all(|value| value.is_finite()));
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
        }
    }
}

/// A valid file of each kind.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let table = b"x,y,t\n1,2.5,u\n-3,4e2,\"v \"\"w\"\"\"\n5,,u\n7,8,v\n".to_vec();
    let pairs = b"+1 1:0.5 3:2 # c\n-1 2:1e-3\n+1 qid:2 1:1\n".to_vec();
    let array = npy(1, "<f8", false, "(3, 2)", &le(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let labels = npy(1, "|i1", false, "(3,)", &[1, 0, 1]);
    let ints = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let sparse = npz(
        &[
            ("indices", npy(1, "<i4", false, "(2,)", &ints(&[0, 1]))),
            ("indptr", npy(1, "<i4", false, "(3,)", &ints(&[0, 1, 2]))),
            ("shape", npy(1, "<i4", false, "(2,)", &ints(&[2, 2]))),
            ("data", npy(1, "<f8", false, "(2,)", &le(&[1.0, 2.0]))),
        ],
        false,
    );
    let mut seeds = vec![
        ("t.csv.gz", gzip(&table)),
        ("t.csv", table),
        ("t.svm", pairs),
        ("t.npz", npz(&[("X", array.clone()), ("y", labels)], true)),
        ("s.npz", sparse),
        ("f.npy", npy(2, "<f8", true, "(3, 2)", &le(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))),
        ("t.npy", array),
    ];
    if cfg!(feature = "parquet") {
        seeds.push(("t.parquet", parquet_seed()));
    }
    seeds
}

#[cfg(feature = "parquet")]
fn parquet_seed() -> Vec<u8> {
    crate::parquet::sample(parquet::basic::Compression::SNAPPY)
}

#[cfg(not(feature = "parquet"))]
fn parquet_seed() -> Vec<u8> {
    Vec::new()
}

fn silent_panics() {
    // The Parquet decoder may panic inside on damaged files, which is caught; its message would drown the report.
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let theirs = info.location().is_some_and(|place| !place.file().contains("proxdist-io"));
            if !theirs {
                usual(info);
            }
        }));
    });
}

#[test]
fn every_prefix_of_a_valid_file() {
    silent_panics();
    for (name, bytes) in seeds() {
        for length in 0..bytes.len() {
            try_everything(&bytes[..length], name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), index in 0..8_usize) {
        silent_panics();
        let names = ["t.csv", "t.svm", "t.npy", "t.npz", "t.parquet", "t.csv.gz", "t", "t.tsv"];
        try_everything(&bytes, names[index]);
        for format in [Format::Csv, Format::Svmlight, Format::Npy, Format::Npz, Format::Parquet] {
            let _ = read_bytes(&bytes, "t", &options().format(format));
        }
        // The right magic in front gets past the first check.
        for magic in [&b"\x93NUMPY\x01\x00"[..], b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08\x00"] {
            try_everything(&[magic, &bytes[..]].concat(), names[index]);
        }
    }

    #[test]
    fn random_text(text in "[0-9a-c.,;:\t|\" \r\n#\\-+eNA?]{0,200}", svm: bool) {
        try_everything(text.as_bytes(), if svm { "t.svm" } else { "t.csv" });
    }

    #[test]
    fn changed_files(
        which in 0..8_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        silent_panics();
        let seeds = seeds();
        let (name, bytes) = &seeds[which % seeds.len()];
        let mut bytes = bytes.clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        try_everything(&bytes, name);
    }

    #[test]
    fn changed_headers_of_mapped_files(place in 0..128_usize, value: u8, cut in 0..200_usize) {
        let mut bytes = npy(1, "<f8", false, "(3, 2)", &le(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        bytes[place] = value;
        bytes.truncate(bytes.len().saturating_sub(cut / 4));
        let mut file = tempfile::Builder::new().suffix(".npy").tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let _ = read_path(file.path(), &options());
    }
}
