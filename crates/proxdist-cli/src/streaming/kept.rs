//! The state of a stream in a file: that of the library, how rows are read, and how far which source was read.

use crate::failure::{Failure, Result, file_hint};
use crate::output;
use proxdist::stream::StreamState;
use proxdist_io::Encoding;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FORMAT: &str = "proxdist-stream";
const VERSION: u32 = 1;

/// What is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept<State = StreamState, Read = Encoding> {
    format: String,
    version: u32,
    /// Where rows came from.
    pub(super) source: String,
    /// Rows of it that were learned.
    pub(super) learned: u64,
    /// Rows of it that were left out.
    pub(super) dropped: u64,
    pub(super) encoding: Read,
    pub(super) state: State,
}

/// What a file says of itself.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

impl<'a> Kept<&'a StreamState, &'a Encoding> {
    /// The state of a stream over rows of `source`.
    pub(super) fn new(source: &str, encoding: &'a Encoding, state: &'a StreamState) -> Self {
        let (format, source) = (FORMAT.to_owned(), source.to_owned());
        Self { format, version: VERSION, source, learned: 0, dropped: 0, encoding, state }
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let content = serde_json::to_vec(self)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display()), "run without --checkpoint"))?;
        output::write_file(path, &content)
    }
}

/// What to go on from, if the file is there.
pub(super) fn load(path: &Path) -> Result<Option<Kept>> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::new(format!("--resume: {shown}: {error}"), file_hint(&error))),
    };
    let hint = "give the file that --checkpoint has written for a stream, or remove it to start afresh";
    let foreign = |error| Failure::new(format!("--resume: {shown} is not the state of a stream: {error}"), hint);
    let Header { format, version } = serde_json::from_str(&text).map_err(foreign)?;
    if format != FORMAT || version != VERSION {
        return Err(Failure::new(format!("--resume: {shown} is no state of a stream of version {VERSION}"), hint));
    }
    serde_json::from_str(&text).map(Some).map_err(foreign)
}
