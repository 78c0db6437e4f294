//! Ctrl-C and SIGTERM: the first asks the run to end with what it has, the second ends the program at once.

use crate::output::note;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Exit status of a program that a user has interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Starts to listen.
pub(crate) fn listen(quiet: bool) {
    listen_saying(quiet, "stopping with the best model so far; a second signal ends at once, without one");
}

/// Starts to listen; says `answer` at the first signal.
pub(crate) fn listen_saying(quiet: bool, answer: &'static str) {
    let heard = ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        // On a thread of its own, so this may take its time.
        note(quiet, answer);
    });
    if let Err(error) = heard {
        crate::output::complain(&format!("note:  Ctrl-C will end the program without a model: {error}"));
    }
}

/// Whether the user has asked for the end.
pub(crate) fn asked_to_stop() -> bool {
    ASKED.load(Ordering::Relaxed)
}
