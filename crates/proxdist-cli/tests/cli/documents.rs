//! What the documents say about the sources is so.

use std::path::{Path, PathBuf};

const README: &str = include_str!("../../../../README.md");
const CONTRIBUTING: &str = include_str!("../../../../CONTRIBUTING.md");

#[test]
fn the_documents_name_the_oldest_compiler_that_cargo_accepts() {
    let oldest = format!("Rust {}", env!("CARGO_PKG_RUST_VERSION"));
    for text in [README, CONTRIBUTING] {
        assert!(text.contains(&oldest), "{oldest}");
        let named = text.match_indices("Rust 1.").filter(|(at, _)| !text[*at..].starts_with(&oldest));
        assert_eq!(named.count(), 0, "another version than {oldest}");
    }
}

/// The map of changes names files in backticks, by the end of their path.
#[test]
fn every_file_that_contributors_are_sent_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    ["crates", "docs", "python"].iter().for_each(|folder| list(&root.join(folder), &mut files));
    let is_name = |text: &&str| [".rs", ".py", ".md"].iter().any(|end| text.ends_with(end)) && !text.contains("NAME");
    let named: Vec<&str> = CONTRIBUTING.split('`').skip(1).step_by(2).filter(is_name).collect();
    assert!(named.len() > 50, "{named:?}");
    for name in named {
        assert!(files.iter().any(|file| file.ends_with(name)), "{name}");
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
}
