//! Where the rows of a stream come from, and how far it was read.

use super::kept::{self, Kept};
use super::live::Live;
use crate::args::{Every, FitArgs, TextArgs, UnknownPolicy};
use crate::failure::{Failure, Result, file_hint};
use crate::output::note;
use crate::reading::{self, Purpose};
use crate::{input, signals};
use proxdist::loss::Loss;
use proxdist::stream::StreamState;
use proxdist_io::{Blocks, Next, Table, Unknown};
use std::fs::File;
use std::io::Read;
use std::time::Duration;

/// How long a block may wait for its rows before it is learned as it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file or standard input, in blocks.
pub(super) struct Source<'a> {
    pub(super) name: String,
    blocks: Blocks<'a>,
    block: usize,
    text: &'a TextArgs,
    /// A block that was read and not handed out yet.
    waiting: Option<Box<Table>>,
    /// The block before it, if an earlier process has learned that.
    pub(super) skipped: Option<Box<Table>>,
    /// Where an earlier process was.
    pub(super) state: Option<StreamState>,
    /// Rows of this source that were handed out, those left out among them, and those that were there before the last block.
    pub(super) learned: u64,
    pub(super) dropped: u64,
    pub(super) before: u64,
}

impl<'a> Source<'a> {
    /// Waits for the first block; `None` if someone has asked for the end before it was there.
    pub(super) fn open(args: &'a FitArgs, loss: &dyn Loss) -> Result<Option<Self>> {
        let path = &args.data.data;
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let patience = match args.stream.every {
            Every::Time(time) => time.min(PATIENCE),
            Every::Rows(_) => PATIENCE,
        };
        let reader: Box<dyn Read> = if is_stdin {
            Box::new(Live::stdin(patience))
        } else {
            Box::new(File::open(path).map_err(|error| Failure::new(format!("{name}: {error}"), file_hint(&error)))?)
        };
        let unknown = match args.stream.unknown {
            UnknownPolicy::Error => Unknown::Error,
            UnknownPolicy::Zero => Unknown::Zero,
        };
        let block = args.stream.block as usize;
        let opened = input::training_options(&args.data, loss, false)?.unknown(unknown).blocks(reader, &name, block);
        if signals::asked_to_stop() {
            return Ok(None);
        }
        let text = &args.data.text;
        let blocks = opened.map_err(|error| reading::failure(&error, text, Purpose::Training))?;
        let mut source = Self {
            name,
            blocks,
            block,
            text,
            waiting: None,
            skipped: None,
            state: None,
            learned: 0,
            dropped: 0,
            before: 0,
        };
        source.resume(args)?;
        match source.read(block)? {
            Next::Rows(table) => source.waiting = Some(table),
            _ if signals::asked_to_stop() => return Ok(None),
            _ => {}
        }
        Ok(Some(source))
    }

    /// Goes on where an earlier process was, if that is wanted. Rows of the same file that it has learned are passed over; standard input is taken to begin with new ones.
    fn resume(&mut self, args: &FitArgs) -> Result<()> {
        let (true, Some(path)) = (args.resume, &args.checkpoint) else { return Ok(()) };
        let Some(Kept { source, learned, dropped, encoding, state, .. }) = kept::load(path)? else {
            note(args.output.quiet, &format!("{} is not there: the stream starts afresh", path.display()));
            return Ok(());
        };
        if source == self.name && args.data.data.as_os_str() != "-" {
            while self.learned < learned {
                let rows = (learned - self.learned).min(self.block as u64) as usize;
                match self.read(rows)? {
                    Next::Rows(table) => {
                        self.learned += table.features.rows() as u64;
                        self.skipped = Some(table);
                    }
                    Next::Nothing => {}
                    Next::End => {
                        let message = format!(
                            "--resume: {} has {} rows, but {} of them were learned before",
                            self.name, self.learned, learned
                        );
                        return Err(Failure::new(
                            message,
                            "give the file that the stream began with, or one with new rows under another name",
                        ));
                    }
                }
            }
            self.dropped = dropped;
        }
        self.blocks.resume(encoding);
        self.state = Some(state);
        Ok(())
    }

    fn read(&mut self, rows: usize) -> Result<Next> {
        self.before = self.blocks.records();
        self.blocks.next(rows).map_err(|error| reading::failure(&error, self.text, Purpose::Training))
    }

    /// The next block of rows.
    pub(super) fn next(&mut self) -> Result<Next> {
        let next = match self.waiting.take() {
            Some(table) => Next::Rows(table),
            None => self.read(self.block)?,
        };
        if let Next::Rows(table) = &next {
            self.learned += table.features.rows() as u64;
            self.dropped += table.dropped.len() as u64;
        }
        Ok(next)
    }

    /// The first block of this process, which tells what the columns are.
    pub(super) fn first(&self) -> Option<&Table> {
        self.waiting.as_deref().or(self.skipped.as_deref())
    }

    /// What later blocks are read by.
    pub(super) fn encoding(&self) -> Option<&proxdist_io::Encoding> {
        self.blocks.encoding()
    }
}
