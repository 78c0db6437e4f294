//! Bytes from a file, a pipe or memory, decompressed on the way if they are gzip.
//!
//! Compression is recognised by the magic bytes `1f 8b`, whatever the name says, and undone while reading, so that
//! a compressed file needs no more memory than a plain one.

use std::io::{Cursor, ErrorKind, Read};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::meter::Meter;

/// Counts what is read from a file, and ends the reading where that is asked for.
pub(crate) struct Counted<R> {
    pub(crate) reader: R,
    pub(crate) meter: Meter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        match self.meter.count(count as u64) {
            Ok(()) => Ok(count),
            Err(stopped) => Err(std::io::Error::other(stopped)),
        }
    }
}

/// A named stream of bytes.
pub(crate) struct Input<'a> {
    pub(crate) name: String,
    reader: Box<dyn Read + 'a>,
    pub(crate) compressed: bool,
    /// Content delivered so far.
    bytes: u64,
    /// Length of the content, if it can be guessed; only ever used to reserve room.
    pub(crate) length: Option<u64>,
}

impl<'a> Input<'a> {
    /// `length` is the length of the stream and `trailer` its last four bytes, if known.
    pub(crate) fn new(
        name: &str,
        mut reader: impl Read + 'a,
        length: Option<u64>,
        trailer: Option<[u8; 4]>,
    ) -> Result<Self> {
        let mut magic = [0_u8; 2];
        let mut found = 0;
        while found < magic.len() {
            match reader.read(&mut magic[found..]) {
                Ok(0) => break,
                Ok(more) => found += more,
                // A reader that pauses has waited for a while: it is asked again.
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(source) if was_stopped(&source) => return Err(Error::Stopped),
                Err(source) => return Err(Error::Io { source_name: name.to_owned(), source }),
            }
        }
        let compressed = magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).take(found as u64).chain(reader);
        let reader: Box<dyn Read + 'a> = if compressed {
            Box::new(MultiGzDecoder::new(std::io::BufReader::with_capacity(1 << 16, whole)))
        } else {
            Box::new(whole)
        };
        let length = if compressed { length.and_then(|length| unpacked(length, trailer?)) } else { length };
        Ok(Self { name: name.to_owned(), reader, compressed, bytes: 0, length })
    }

    /// Like `Read::read`, with errors that say what happened.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            if let Some(count) = self.read_some(buffer)? {
                return Ok(count);
            }
        }
    }

    /// The same, but `None` where the reader says that there is nothing now.
    fn read_some(&mut self, buffer: &mut [u8]) -> Result<Option<usize>> {
        loop {
            match self.reader.read(buffer) {
                Ok(count) => {
                    self.bytes += count as u64;
                    return Ok(Some(count));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(source) => return Err(self.explain(source)),
            }
        }
    }

    fn explain(&self, source: std::io::Error) -> Error {
        let (source_name, bytes) = (self.name.clone(), self.bytes);
        match source.kind() {
            _ if was_stopped(&source) => Error::Stopped,
            ErrorKind::UnexpectedEof if self.compressed => Error::TruncatedGzip { source_name, bytes },
            ErrorKind::InvalidInput | ErrorKind::InvalidData if self.compressed => {
                Error::CorruptGzip { source_name, bytes, reason: source.to_string() }
            }
            _ => Error::Io { source_name, source },
        }
    }
}

/// Whether reading ended because someone asked for it.
fn was_stopped(source: &std::io::Error) -> bool {
    source.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).is_some()
}

/// The last four bytes of a gzip stream are the length of its content modulo 2³². Believed only within reason.
fn unpacked(length: u64, trailer: [u8; 4]) -> Option<u64> {
    let stated = u64::from(u32::from_le_bytes(trailer));
    (stated >= length / 2 && stated <= length.saturating_mul(64)).then_some(stated)
}

/// A window on the stream that always holds whole lines.
pub(crate) struct Lines<'a> {
    pub(crate) input: Input<'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    pub(crate) finished: bool,
}

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;
/// A single line longer than this is a file of another kind.
const LONGEST_LINE: usize = 1 << 30;

impl<'a> Lines<'a> {
    /// The first chunk is read at once, for a look at the content.
    pub(crate) fn new(input: Input<'a>) -> Result<Self> {
        let mut lines = Self::waiting(input);
        lines.fill()?;
        Ok(lines)
    }

    /// Nothing is read yet.
    pub(crate) fn waiting(input: Input<'a>) -> Self {
        Self { input, buffer: vec![0; CHUNK], start: 0, end: 0, finished: false }
    }

    /// What is in the window.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The whole lines in the window; at the end of the stream, everything.
    pub(crate) fn complete(&self) -> &[u8] {
        let data = self.data();
        let length = if self.finished { data.len() } else { memchr::memrchr(b'\n', data).map_or(0, |at| at + 1) };
        &data[..length]
    }

    /// Drops `count` bytes from the front of the window.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// Reads more behind what is in the window, making it larger where it is full.
    pub(crate) fn fill(&mut self) -> Result<()> {
        self.make_room()?;
        while !self.finished && self.end < self.buffer.len() {
            let count = self.input.read(&mut self.buffer[self.end..])?;
            self.end += count;
            self.finished = count == 0;
        }
        Ok(())
    }

    /// Reads what there is now; `false` if that is nothing, though there may be more later.
    pub(crate) fn fill_some(&mut self) -> Result<bool> {
        self.make_room()?;
        let Some(count) = self.input.read_some(&mut self.buffer[self.end..])? else { return Ok(false) };
        self.end += count;
        self.finished = count == 0;
        Ok(true)
    }

    fn make_room(&mut self) -> Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            let larger = self.buffer.len() * 2;
            if larger > LONGEST_LINE || self.buffer.try_reserve_exact(larger - self.buffer.len()).is_err() {
                return Err(Error::TooLarge { source_name: self.input.name.clone(), what: "a single line".to_owned() });
            }
            self.buffer.resize(larger, 0);
        }
        Ok(())
    }

    /// Everything that is left, for formats that cannot be read in one pass.
    pub(crate) fn into_bytes(mut self) -> Result<Vec<u8>> {
        self.buffer.truncate(self.end);
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.drain(..self.start);
        let mut chunk = vec![0; CHUNK];
        while !self.finished {
            let count = self.input.read(&mut chunk)?;
            let room = crate::number::reserve(&mut bytes, count);
            room.map_err(|_| Error::TooLarge { source_name: self.input.name.clone(), what: "the file".to_owned() })?;
            bytes.extend_from_slice(&chunk[..count]);
            self.finished = count == 0;
        }
        Ok(bytes)
    }

    /// Skips a byte order mark; one of UTF-16 is an error.
    pub(crate) fn skip_mark(&mut self) -> Result<()> {
        let data = self.data();
        if data.starts_with(&[0xef, 0xbb, 0xbf]) {
            self.consume(3);
        } else if data.starts_with(&[0xff, 0xfe]) || data.starts_with(&[0xfe, 0xff]) {
            let place = crate::error::Place::file(&self.input.name).line(1).boxed();
            return Err(Error::NotUtf8 { place, text: "UTF-16 byte order mark".to_owned() });
        }
        Ok(())
    }
}
