//! Data as one number, to tell whether they are still the same.

use crate::data::{Data, Wanted};
use crate::error::Result;

/// The 64-bit hash of Fowler, Noll and Vo (1a): the same for ever and on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds some bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    /// Sixteen digits.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0)
    }

    /// The entries of some rows, spread over the data.
    pub fn of_values(data: &Data) -> Result<Self> {
        const ROWS: usize = 32;
        let (rows, mut hash) = (data.rows(), Self::default());
        for row in (0..rows).step_by(rows.div_ceil(ROWS).max(1)) {
            data.source().chunks(&Wanted { rows: row..row + 1, length: 1, columns: None }, &mut |piece| {
                for (column, value) in piece.rows.row(0).filter(|(_, value)| *value != 0.0) {
                    hash.add(&(column as u64).to_le_bytes());
                    hash.add(&value.to_bits().to_le_bytes());
                }
                Ok(())
            })?;
        }
        Ok(hash)
    }
}
