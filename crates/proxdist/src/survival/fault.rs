//! What can be wrong with times and events.

/// Why times and events cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurvivalFault {
    /// A time that is none.
    #[error("{what} at row {row} is {value}: times must be zero or positive")]
    Time {
        /// `time` or `entry`.
        what: &'static str,
        /// Zero-based row.
        row: usize,
        /// The time.
        value: f64,
    },
    /// A row that leaves before it enters.
    #[error("entry at row {row} is {entry}, not before its time {time}: the row is never at risk")]
    Entry {
        /// Zero-based row.
        row: usize,
        /// When it enters.
        entry: f64,
        /// When it leaves.
        time: f64,
    },
    /// An event that is neither 0 nor 1.
    #[error("event at row {row} is {value}: an event is 1 (it happened) or 0 (censored)")]
    Event {
        /// Zero-based row.
        row: usize,
        /// What was given.
        value: f64,
    },
    /// No event at all.
    #[error("all {rows} rows are censored: without an event of positive weight there is nothing to explain")]
    AllCensored {
        /// Rows there are.
        rows: usize,
    },
    /// A stratum without a hazard.
    #[error("there is no stratum {stratum:?} in the model; it has {known}")]
    Stratum {
        /// What was asked for.
        stratum: String,
        /// Those that there are.
        known: String,
    },
}

impl SurvivalFault {
    /// The zero-based row that it is about.
    pub fn row_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Time { row, .. } | Self::Entry { row, .. } | Self::Event { row, .. } => Some(row),
            Self::AllCensored { .. } | Self::Stratum { .. } => None,
        }
    }
}
