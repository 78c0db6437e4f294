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
    /// What is known of the predictors, a number for each row and output.
    pub(super) offset: Option<Vec<f64>>,
}

impl Told {
    /// Takes further targets out of the features, and says what is done.
    pub(super) fn of(args: &DataArgs, loss: &str, table: &mut Table, quiet: bool) -> Result<Self> {
        let mut told = Self::without_offset(args, loss, table, quiet)?;
        let offsets = args.offsets();
        if !offsets.is_empty() {
            check_offsets(&offsets, &told.outputs)?;
            told.offset = Some(targets::take_offsets(table, &offsets, &args.name())?);
        }
        Ok(told)
    }

    fn without_offset(args: &DataArgs, loss: &str, table: &mut Table, quiet: bool) -> Result<Self> {
        if table.schema.classes.is_empty() {
            let names = args.targets();
            let loss = OutputLoss::parse(loss).map_err(|error| {
                Failure::from(error).about("several targets").hint("use --loss squared or --loss huber, or one target")
            })?;
            let responses = targets::split(table, &names, &args.name())?;
            note(quiet, &format!("{} responses are explained together, one column of coefficients each", names.len()));
            return Ok(Self { loss, outputs: names, responses, offset: None });
        }
        let outputs = table.schema.classes.clone();
        let text = "classes are explained together by their probabilities (softmax), one column of coefficients each; \
                    --positive LABEL --one-vs-rest compares one with all others";
        note(quiet, &format!("{} {text}", outputs.len()));
        let responses = table.response.clone().unwrap_or_default();
        Ok(Self { loss: OutputLoss::Softmax, outputs, responses, offset: None })
    }

    /// For the library.
    pub(super) fn responses(&self) -> Responses<'_> {
        self.of_rows(&self.responses, self.offset.as_deref())
    }

    /// The same of some rows.
    pub(super) fn of_rows<'r>(&self, responses: &'r [f64], offset: Option<&'r [f64]>) -> Responses<'r> {
        let count = self.outputs.len();
        let told = if self.loss.is_classification() {
            Responses::classes(responses, count)
        } else {
            Responses::numbers(responses, count)
        };
        offset.map_or(told, |offset| told.offset(offset))
    }
}

/// Offsets are one for each output.
pub(super) fn check_offsets(offsets: &[String], outputs: &[String]) -> Result<()> {
    if offsets.len() == outputs.len() {
        return Ok(());
    }
    let message = format!(
        "--offset {}: {} columns for {} outputs ({})",
        offsets.join(","),
        offsets.len(),
        outputs.len(),
        outputs.join(", ")
    );
    Err(Failure::new(message, "name one column for each output, in this order"))
}
