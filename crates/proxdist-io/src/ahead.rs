//! Windows of a file in order, read ahead on threads of their own and past the system's cache.
//!
//! A file that is larger than the memory gains nothing from the cache: each page is copied once more, found a place and thrown out again before it is needed a second time, which
//! takes several times the work of reading it. Linux leaves all that out for files opened with `O_DIRECT`, if place, length and memory of a read are multiples of
//! a block. Then nobody reads ahead, so threads do, each every other window: while one is used two more are on their way, and the disk is never without work between two reads. Where the system or the file system knows no such reads there are none of these, and
//! the file is read in the usual way.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Multiple of the block of every common disk.
const BLOCK: u64 = 4096;
/// Bytes of a window.
const WINDOW: u64 = 2 << 20;
/// Threads that read; the first window is that of the first, the next that of the second, and so on.
const LANES: usize = 2;
/// Windows of each that are full or on their way.
const WINDOWS: usize = 2;

/// Memory in which a window can start at a multiple of [`BLOCK`].
pub(crate) type Memory = Vec<u8>;

/// A file opened to be read past the cache; `None` where that cannot be done.
#[cfg(target_os = "linux")]
pub(crate) fn open(path: &Path) -> Option<File> {
    use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
    let file = File::options().read(true).custom_flags(libc::O_DIRECT).open(path).ok()?;
    // Some file systems take the flag and fail at the first read.
    let (mut memory, place) = aligned(Memory::new(), BLOCK as usize);
    let is_readable = file.read_at(&mut memory[place..place + BLOCK as usize], 0).is_ok();
    is_readable.then_some(file)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_: &Path) -> Option<File> {
    None
}

/// Memory with room for so many bytes from a multiple of [`BLOCK`] on, and where that is.
fn aligned(mut memory: Memory, length: usize) -> (Memory, usize) {
    memory.resize(length + BLOCK as usize, 0);
    let place = memory.as_ptr().align_offset(BLOCK as usize);
    (memory, place)
}

/// Bytes of the file, in memory.
#[derive(Debug, Default)]
struct Window {
    memory: Memory,
    /// Where in the memory they begin.
    place: usize,
    /// Which bytes of the file they are.
    bytes: Range<u64>,
}

/// A range of bytes, handed out in order.
#[derive(Debug)]
pub(crate) struct Ahead {
    now: Window,
    lanes: Vec<Lane>,
    /// Windows that were handed out.
    count: usize,
    /// Memory that is no longer needed.
    pub(crate) spare: Vec<Memory>,
}

/// A thread that reads some of the windows.
#[derive(Debug)]
struct Lane {
    full: Receiver<io::Result<Window>>,
    empty: Sender<Memory>,
    /// Returns memory that it did not need any more.
    thread: JoinHandle<Vec<Memory>>,
}

impl Lane {
    /// Reads these windows, in this order.
    fn start(
        file: Arc<File>,
        windows: impl Iterator<Item = Range<u64>> + Send + 'static,
        spare: &mut Vec<Memory>,
    ) -> Self {
        let (send_full, full) = sync_channel(WINDOWS);
        let (empty, take_empty) = channel();
        (0..WINDOWS).for_each(|_| _ = empty.send(spare.pop().unwrap_or_default()));
        let thread = std::thread::spawn(move || read_all(&file, windows, &take_empty, &send_full));
        Self { full, empty, thread }
    }

    /// Ends the thread, and returns its memory.
    fn end(self) -> Vec<Memory> {
        let Self { full, empty, thread } = self;
        drop(empty);
        let mut memory: Vec<Memory> = full.try_iter().flatten().map(|window| window.memory).collect();
        // A thread that has one more window must not wait for somebody to take it.
        drop(full);
        memory.extend(thread.join().into_iter().flatten());
        memory
    }
}

impl Ahead {
    /// Starts to read these bytes of a file that was opened by [`open`], in windows of whole pieces of so many bytes.
    pub(crate) fn start(file: File, bytes: Range<u64>, piece: u64, spare: &mut Vec<Memory>) -> Self {
        let step = (WINDOW / piece.max(1)).max(1) * piece.max(1);
        let file = Arc::new(file);
        let lane = |number: usize| {
            let (first, end) = (bytes.start + step * number as u64, bytes.end);
            let starts = (first..end).step_by(step as usize * LANES);
            Lane::start(Arc::clone(&file), starts.map(move |at| at..end.min(at + step)), spare)
        };
        let lanes = (0..LANES).map(lane).collect();
        Self { now: Window::default(), lanes, count: 0, spare: Vec::new() }
    }

    /// The bytes that are here from a place in the file on, as far as its window goes. Places must increase, and lie within what is read.
    pub(crate) fn from(&mut self, at: u64) -> io::Result<&[u8]> {
        while !self.now.bytes.contains(&at) {
            let used = std::mem::take(&mut self.now).memory;
            let count = self.lanes.len().max(1);
            // Back to the thread that it is from.
            if let Some(lane) = self.lanes.get((self.count + count - 1) % count).filter(|_| used.capacity() > 0)
                && let Err(unused) = lane.empty.send(used)
            {
                self.spare.push(unused.0);
            }
            let next = self.lanes.get(self.count % count).and_then(|lane| lane.full.recv().ok());
            self.now = next.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))?;
            self.count += 1;
        }
        let Window { memory, place, bytes } = &self.now;
        let length = (bytes.end - bytes.start) as usize;
        Ok(&memory[place + (at - bytes.start) as usize..place + length])
    }
}

/// Ends the threads, and keeps the memory.
impl Drop for Ahead {
    fn drop(&mut self) {
        self.end();
    }
}

impl Ahead {
    /// Ends the reading; what memory there was is then in [`Ahead::spare`].
    pub(crate) fn end(&mut self) {
        self.spare.push(std::mem::take(&mut self.now).memory);
        self.spare.extend(self.lanes.drain(..).flat_map(Lane::end));
        self.spare.retain(|memory| memory.capacity() > 0);
    }
}

/// Reads windows one after the other, each once there is memory for it; ends at the first error, or when nobody waits for more.
fn read_all(
    file: &File,
    windows: impl Iterator<Item = Range<u64>>,
    empty: &Receiver<Memory>,
    full: &SyncSender<io::Result<Window>>,
) -> Vec<Memory> {
    for bytes in windows {
        let Ok(memory) = empty.recv() else { break };
        let window = read(file, bytes, memory);
        let is_over = window.is_err();
        if full.send(window).is_err() || is_over {
            break;
        }
    }
    empty.try_iter().collect()
}

/// The blocks in which the bytes lie. The last one may end with the file.
fn read(file: &File, bytes: Range<u64>, memory: Memory) -> io::Result<Window> {
    let first = bytes.start / BLOCK * BLOCK;
    let length = (bytes.end.next_multiple_of(BLOCK) - first) as usize;
    let needed = (bytes.end - first) as usize;
    let (mut memory, place) = aligned(memory, length);
    let mut done = 0;
    while done < needed {
        let whole = done / BLOCK as usize * BLOCK as usize;
        let room = &mut memory[place + whole..place + length];
        match read_at(file, room, first + whole as u64) {
            Ok(count) if whole + count > done => done = whole + count,
            Ok(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Window { memory, place: place + (bytes.start - first) as usize, bytes })
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// Any file and any range of it, in windows of rows of any length, past the cache where that can be done: the same bytes as in the file.
    #[test]
    fn windows_hold_the_bytes_of_the_file() {
        let mut held = tempfile::NamedTempFile::new().unwrap();
        let content: Vec<u8> = (0..9_000_001_u64).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        held.write_all(&content).unwrap();
        let mut spare = Vec::new();
        for (bytes, row) in [(128..9_000_001_u64, 3), (0..9_000_001, 8000), (4096..8192, 1), (77..5_000_000, 7_000_000)]
        {
            let file = open(held.path()).unwrap_or_else(|| File::open(held.path()).unwrap());
            let mut ahead = Ahead::start(file, bytes.clone(), row, &mut spare);
            let mut at = bytes.start;
            while at < bytes.end {
                let here = ahead.from(at).unwrap();
                assert!(here == &content[at as usize..at as usize + here.len()], "{bytes:?} in rows of {row}, at {at}");
                // Not always all that is there.
                at += (here.len() as u64).div_ceil(2);
            }
            assert!(ahead.from(bytes.end).is_err());
            ahead.end();
            assert!(!ahead.spare.is_empty());
            spare.append(&mut ahead.spare);
        }
    }

    #[test]
    fn a_file_that_is_too_short_is_an_error_and_a_reader_may_leave_early() {
        let mut held = tempfile::NamedTempFile::new().unwrap();
        held.write_all(&vec![1; 3 << 20]).unwrap();
        let again = || open(held.path()).unwrap_or_else(|| File::open(held.path()).unwrap());
        let mut ahead = Ahead::start(again(), 0..5 << 20, 1000, &mut Vec::new());
        assert_eq!(ahead.from(0).unwrap()[0], 1);
        assert_eq!(ahead.from(4 << 20).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        drop(Ahead::start(again(), 0..3 << 20, 8, &mut Vec::new()));
    }
}
