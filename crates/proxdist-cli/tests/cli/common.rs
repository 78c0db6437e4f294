//! Running the program and looking at what it leaves behind.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The program, in an empty folder of its own.
pub(crate) struct Place {
    folder: TempDir,
}

/// What a run said and how it ended.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the temporary folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::cargo_bin("proxdist").expect("the program");
        command.current_dir(self.folder.path());
        command
    }

    /// Runs with words separated by blanks.
    pub(crate) fn run(&self, words: &str) -> Said {
        self.run_words(words.split_whitespace())
    }

    pub(crate) fn run_words<S: AsRef<std::ffi::OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Said {
        said(&self.command().args(words).output().expect("the program runs"))
    }

    /// Runs and expects success; the summary, or whatever the command prints.
    pub(crate) fn ok(&self, words: &str) -> String {
        let said = self.run(words);
        assert_eq!(said.code, Some(0), "{words}\n{}", said.stderr);
        said.stdout
    }

    /// Runs with `--json` and reads the object.
    pub(crate) fn json(&self, words: &str) -> Value {
        let text = self.ok(&format!("{words} --json"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words}: {error}\n{text}"))
    }
}

pub(crate) fn said(output: &std::process::Output) -> Said {
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A file of the shared collection: `$PROXDIST_DATA`, or `shared/data` beside the repository.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PROXDIST_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
    println!("skipped: no data ({})", path.display());
    None
}

/// Text of a shared file, unpacked if need be.
pub(crate) fn shared_text(name: &str) -> Option<String> {
    use std::io::Read as _;
    let bytes = std::fs::read(shared(name)?).expect("a shared file");
    let mut text = String::new();
    if Path::new(name).extension().is_some_and(|extension| extension == "gz") {
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip text");
        return Some(text);
    }
    Some(String::from_utf8(bytes).expect("text"))
}

/// The exact optima that come with the data.
pub(crate) fn references() -> Option<Value> {
    Some(serde_json::from_str(&shared_text("classic/reference_solutions.json")?).expect("JSON"))
}

/// Coefficients of `fit --json` by name.
pub(crate) fn coefficient(fit: &Value, name: &str) -> f64 {
    let all = fit["coefficients"].as_array().expect("a list of coefficients");
    all.iter().find(|entry| entry["name"] == name).map_or(0.0, |entry| entry["value"].as_f64().expect("a number"))
}

pub(crate) fn support(fit: &Value) -> Vec<String> {
    let all = fit["coefficients"].as_array().expect("a list of coefficients");
    let mut names: Vec<String> = all.iter().map(|entry| entry["name"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}

/// A small regression and a small classification file: y depends on `a` and `b`, not on `c`.
pub(crate) const SMALL: &str = "a,b,c,y,label\n\
    1,0,2,2.1,no\n2,1,0,5.2,yes\n3,1,1,7.0,yes\n0,1,2,1.1,no\n2,0,1,3.9,yes\n1,1,0,2.9,no\n\
    3,0,2,6.1,yes\n0,0,1,0.2,no\n1,2,2,4.2,yes\n2,2,0,5.8,no\n0,2,1,2.2,yes\n3,2,0,8.1,yes\n";
