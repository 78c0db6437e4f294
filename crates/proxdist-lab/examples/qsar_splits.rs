//! Which rows does each replicate of the QSAR experiment keep for the test? `qsar_splits SEED REPLICATES > splits.csv`, for programs
//! outside this one that are to be compared on the same splits.

use proxdist_lab::{Result, qsar_split};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(1));
    let (seed, replicates) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(30));
    println!("replicate,row");
    for replicate in 0..replicates {
        let (_, test) = qsar_split(8992, seed, replicate)?;
        test.iter().for_each(|row| println!("{replicate},{row}"));
    }
    Ok(())
}
