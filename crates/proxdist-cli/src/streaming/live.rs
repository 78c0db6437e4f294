//! Standard input that may pause: read on a thread of its own, so that this one hears Ctrl-C and takes what has come when no more comes for a while.

use crate::signals;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Bytes read at a time, and how many such pieces may wait: a fast writer waits for us, not in our memory.
const PIECE: usize = 1 << 16;
const WAITING: usize = 16;
/// How often signals are asked for.
const TICK: Duration = Duration::from_millis(50);

/// Standard input.
pub(super) struct Live {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    used: usize,
    patience: Duration,
}

impl Live {
    /// Says that there is nothing now once nothing has come for as long as `patience`.
    pub(super) fn stdin(patience: Duration) -> Self {
        let (sender, pieces) = sync_channel(WAITING);
        std::thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            loop {
                let mut piece = vec![0; PIECE];
                let read = match stdin.read(&mut piece) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Ok(0) => return,
                    Ok(count) => {
                        piece.truncate(count);
                        Ok(piece)
                    }
                    Err(error) => Err(error),
                };
                let is_last = read.is_err();
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Self { pieces, piece: Vec::new(), used: 0, patience }
    }
}

impl Read for Live {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let began = Instant::now();
        while self.used == self.piece.len() {
            if signals::asked_to_stop() {
                return Err(io::Error::other("interrupted"));
            }
            match self.pieces.recv_timeout(TICK) {
                Ok(piece) => (self.piece, self.used) = (piece?, 0),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if began.elapsed() >= self.patience => {
                    return Err(ErrorKind::WouldBlock.into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let count = buffer.len().min(self.piece.len() - self.used);
        buffer[..count].copy_from_slice(&self.piece[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}
