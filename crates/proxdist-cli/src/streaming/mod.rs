//! `fit --stream`: rows are read in blocks, learned once and forgotten.
//!
//! The walk: a block of rows (`source.rs`) → predicted, then learned, by the library's `Stream` (`learner.rs`) → now and then the model and the state, each written whole → at the end of the input, or at Ctrl-C, the last model and the
//! summary (`tell.rs`). An error in the middle ends the program with its place; what was written last stays.

mod kept;
mod learner;
mod live;
mod source;
mod tell;

use crate::args::FitArgs;
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::output::{self, note};
use crate::{setup, signals};
use learner::Learner;
use proxdist_io::Next;
use source::Source;
use tell::Line;

/// Learns a stream, from its first row or where an earlier process was.
pub(crate) fn run(args: &FitArgs) -> Result<Ending> {
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.output.quiet;
    let settings = setup::settings(args.settings(), quiet)?;
    let places = [("--out", args.output.out.as_ref()), ("--checkpoint", args.checkpoint.as_ref())];
    output::check_places(&places, &[&args.data.data])?;
    args.output.check()?;
    signals::listen_saying(quiet, "stopping with the model so far; a second signal ends at once, without writing it");
    if args.run.problem.constraint.is_empty() {
        note(quiet, "no --constraint is given: the coefficients are free");
    }
    if args.output.out.is_none() && !args.output.json {
        note(quiet, "the model is not kept; --out FILE writes it");
    }
    let mut line = Line::new(quiet);
    let Some(mut source) = Source::open(args, &*loss)? else { return Err(Failure::interrupted()) };
    let mut learner = Learner::begin(args, (loss, &spec), settings, &mut source)?;
    line.begin(learner.rows());
    while let Some(table) = next(&mut source, &mut learner)? {
        learner.learn(table, &source)?;
        line.draw(learner.stream());
        learner.write_if_due(&source)?;
    }
    let pace = (line.seconds(), line.rate(learner.stream()));
    drop(line);
    learner.end(&source, &spec, pace)?;
    Ok(Ending::Written)
}

/// The next block; `None` at the end of the input, or when someone has asked for the end.
fn next(source: &mut Source<'_>, learner: &mut Learner<'_>) -> Result<Option<Box<proxdist_io::Table>>> {
    loop {
        let next = source.next();
        if signals::asked_to_stop() {
            // Rows that were read and not learned yet are left, with whatever may be wrong with them.
            return Ok(None);
        }
        match next.map_err(|failure| learner.leaving(failure))? {
            Next::Rows(table) => return Ok(Some(table)),
            Next::Nothing => learner.write_if_due(source)?,
            Next::End => return Ok(None),
        }
    }
}
