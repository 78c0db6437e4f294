//! Where rows go that a collector has taken in: they stay, they are handed on in blocks, or they are packed once they are too many.

use crate::collect::Collector;
use crate::encode;
use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::layout::Layout;
use crate::options::ReadOptions;
use crate::pack::Pack;
use crate::table::Table;

/// What is done with each block of rows; an error ends the reading.
pub type Visit<'v> = dyn FnMut(Table) -> Result<()> + 'v;

/// The way out of a collector.
#[derive(Default)]
pub(crate) enum Outlet<'v> {
    /// Rows stay in memory, however many.
    #[default]
    Memory,
    /// Rows stay in memory up to a limit; beyond it they go to the disk.
    Pack(Box<Pack>),
    /// Rows are handed on in blocks.
    Blocks(Blocks<'v>),
}

/// Hands on blocks of rows.
pub(crate) struct Blocks<'v> {
    pub(crate) visit: &'v mut (dyn FnMut(Table) -> Result<()> + 'v),
}

/// Bytes of a block, more or less.
pub(crate) const BLOCK: usize = 8 << 20;

impl Outlet<'_> {
    /// The way that the options ask for; what is packed is called `name` and comes from `source`, if that are files.
    pub(crate) fn of(name: &str, source: Option<Fingerprint>, options: &ReadOptions) -> Self {
        match options.memory {
            Some(limit) => Self::Pack(Box::new(Pack::new(name, source, limit, options))),
            None => Self::Memory,
        }
    }

    /// Rows that may be held.
    pub(crate) fn most_rows(&self, layout: &Layout) -> usize {
        let row = 8 * layout.numbers + 4 * layout.texts + 24;
        match self {
            Self::Memory => usize::MAX,
            Self::Pack(pack) => (pack.room() / row).max(1),
            Self::Blocks(_) => (BLOCK / row).max(1),
        }
    }
}

impl Blocks<'_> {
    /// Hands on what the collector holds.
    pub(crate) fn take(&mut self, collector: &mut Collector<'_>) -> Result<()> {
        let table = encode::block(collector)?;
        self.hand(table)
    }

    /// Hands on a table.
    pub(crate) fn hand(&mut self, table: Table) -> Result<()> {
        (self.visit)(table)
    }
}
