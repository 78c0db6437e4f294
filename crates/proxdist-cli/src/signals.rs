//! Ctrl-C and SIGTERM: the first asks the run to end with what it has, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Exit status of a program that a user has interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Starts to listen.
pub(crate) fn listen() {
    let heard = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    if let Err(error) = heard {
        crate::output::complain(&format!("note:  Ctrl-C will end the program without a model: {error}"));
    }
}

/// Whether the user has asked for the end.
pub(crate) fn asked_to_stop() -> bool {
    ASKED.load(Ordering::Relaxed)
}
