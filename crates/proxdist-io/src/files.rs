//! Which files a data set consists of: one, those of a folder, or those that fit a pattern such as `data/*.parquet`, in the order of their names.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};
use crate::format;

/// The files of a path. What is no folder and no pattern is taken for a file, whether or not it is there.
pub(crate) fn of(path: &Path) -> Result<Vec<PathBuf>> {
    let missing = |place| Error::NoFiles { source_name: path.display().to_string(), place };
    let (mut found, place) = if path.is_dir() {
        (inside(path)?, "in this folder")
    } else if is_pattern(path) && !path.exists() {
        (matching(path)?, "that fits this pattern")
    } else {
        return Ok(vec![path.to_owned()]);
    };
    found.sort();
    if found.is_empty() { Err(missing(place)) } else { Ok(found) }
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// Data files directly in a folder. Hidden ones and those of other extensions do not count: folders often hold notes and marks of other programs.
fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_data = |path: &PathBuf| {
        let name = name_of(path);
        !name.starts_with(['.', '_']) && format::is_known(&name) && path.is_file()
    };
    Ok(entries(folder)?.into_iter().filter(is_data).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| crate::open_error(folder, error);
    fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Files that fit a pattern; each part of the path may have wildcards.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let Component::Normal(text) = part else {
            for path in &mut found {
                path.push(part);
            }
            continue;
        };
        let text = text.to_string_lossy();
        if !text.contains(['*', '?', '[']) {
            for path in &mut found {
                path.push(part);
            }
            found.retain(|path| path.exists());
            continue;
        }
        let wanted: Vec<char> = text.chars().collect();
        let mut next = Vec::new();
        for folder in found {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            if !here.is_dir() {
                continue;
            }
            for entry in entries(here)? {
                let name = name_of(&entry);
                let is_hidden = name.starts_with('.') && !text.starts_with('.');
                if !is_hidden && fits(&wanted, &name.chars().collect::<Vec<_>>()) {
                    next.push(folder.join(name));
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    Ok(found)
}

/// Whether a name fits a pattern of `*` (any characters), `?` (any one) and `[a-c]` or `[!a-c]` (one of these, or none of them).
fn fits(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        (['[', rest @ ..], [first, others @ ..]) => match rest.iter().skip(1).position(|&c| c == ']') {
            Some(end) => one_of(&rest[..=end], *first) && fits(&rest[end + 2..], others),
            None => *first == '[' && fits(rest, others),
        },
        (['?', rest @ ..], [_, others @ ..]) => fits(rest, others),
        ([wanted, rest @ ..], [first, others @ ..]) => wanted == first && fits(rest, others),
        _ => false,
    }
}

fn one_of(class: &[char], character: char) -> bool {
    let (is_negative, class) = match class {
        ['!' | '^', rest @ ..] => (true, rest),
        all => (false, all),
    };
    let mut rest = class;
    let mut is_in = false;
    while let [first, tail @ ..] = rest {
        if let ['-', last, after @ ..] = tail {
            is_in |= (*first..=*last).contains(&character);
            rest = after;
        } else {
            is_in |= *first == character;
            rest = tail;
        }
    }
    is_in != is_negative
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_mean_what_they_mean_in_a_shell() {
        let check =
            |pattern: &str, name: &str| fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>());
        for (pattern, name) in [
            ("*", "a.csv"),
            ("*.csv", "a.csv"),
            ("part-?.csv", "part-1.csv"),
            ("[a-c]*", "b"),
            ("[!a]", "b"),
            ("a[", "a["),
        ] {
            assert!(check(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.csv", "a.csv.gz"), ("?", ""), ("[a-c]", "d"), ("[!a]", "a"), ("a*b", "ac")] {
            assert!(!check(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn folders_and_patterns_list_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv.gz", "c.parquet", "notes.txt", ".hidden.csv", "_SUCCESS"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("sub.csv")).unwrap();
        let names = |path: &Path| of(path).unwrap().iter().map(|path| name_of(path)).collect::<Vec<_>>();
        assert_eq!(names(folder.path()), ["a.csv.gz", "b.csv", "c.parquet"]);
        assert_eq!(names(&folder.path().join("*.csv*")), ["a.csv.gz", "b.csv"]);
        assert!(matches!(of(&folder.path().join("*.svm")), Err(Error::NoFiles { .. })));
        assert_eq!(names(&folder.path().join("none.csv")), ["none.csv"]);
    }
}
