//! What a table says about several outputs: their loss, their names, and the classes or numbers of its rows.

use super::targets;
use crate::args::DataArgs;
use crate::failure::{Failure, Result};
use crate::output::note;
use proxdist::outputs::{OutputLoss, Responses};
use proxdist_io::Table;

/// The outputs.
pub(super) struct Told {
    pub(super) loss: OutputLoss,
    pub(super) outputs: Vec<String>,
    /// The class of each row, or its numbers.
    pub(super) responses: Vec<f64>,
}

impl Told {
    /// Takes further targets out of the features, and says what is done.
    pub(super) fn of(args: &DataArgs, loss: &str, table: &mut Table, quiet: bool) -> Result<Self> {
        if table.schema.classes.is_empty() {
            let names = args.targets();
            let loss = OutputLoss::parse(loss).map_err(|error| {
                Failure::from(error).about("several targets").hint("use --loss squared or --loss huber, or one target")
            })?;
            let responses = targets::split(table, &names, &args.name())?;
            note(quiet, &format!("{} responses are explained together, one column of coefficients each", names.len()));
            return Ok(Self { loss, outputs: names, responses });
        }
        let outputs = table.schema.classes.clone();
        let text = "classes are explained together by their probabilities (softmax), one column of coefficients each; \
                    --positive LABEL --one-vs-rest compares one with all others";
        note(quiet, &format!("{} {text}", outputs.len()));
        Ok(Self { loss: OutputLoss::Softmax, outputs, responses: table.response.clone().unwrap_or_default() })
    }

    /// For the library.
    pub(super) fn responses(&self) -> Responses<'_> {
        let count = self.outputs.len();
        if self.loss.is_classification() {
            Responses::classes(&self.responses, count)
        } else {
            Responses::numbers(&self.responses, count)
        }
    }
}
