//! From a fit to the page and the picture about it. What the page says about a model is shared with Python (`proxdist-pages`); the file, the command and the run are ours.

mod circumstances;
mod others;

pub(crate) use circumstances::{file_name, problem, repeat, table_facts};
pub(crate) use others::{comparison_page, evaluation_page};

use crate::args::UnitArgs;
use crate::failure::Result;
use crate::input::name_of;
use crate::summary::{has_converged, separation};
use crate::{input, scaling, setup};
use proxdist::data::Part;
use proxdist::inference::{Procedure, settings_of};
use proxdist::spec::SetSpec;
use proxdist::{Data, Fit, Model, Stop};
use proxdist_io::Table;
use proxdist_pages::{Crossed, Fitted, Judged, Measures, Subject, Training};
use proxdist_report::{Notice, Report, Style, figures};

/// Everything the page about a fit needs.
pub(crate) struct About<'a> {
    /// The result.
    pub(crate) fit: &'a Fit,
    /// Its model in the units of the file.
    pub(crate) model: &'a Model,
    /// Whether the columns were scaled for the fit, as they are in `data`.
    pub(crate) is_scaled: bool,
    /// The rows it was fitted to.
    pub(crate) data: &'a Data<'a>,
    /// The table they come from.
    pub(crate) table: &'a Table,
    /// Name of the file.
    pub(crate) source: &'a str,
    /// The set.
    pub(crate) spec: &'a SetSpec,
    /// What was asked for about units.
    pub(crate) units: &'a UnitArgs,
    /// The rows of the fit and those kept out, if there are any.
    pub(crate) parts: Option<(&'a [usize], &'a [usize])>,
    /// What cross-validation said of it.
    pub(crate) crossed: Option<Crossed>,
    /// Seconds of the fit.
    pub(crate) seconds: f64,
}

impl<'a> About<'a> {
    /// The numbers of the model.
    fn fitted(&self) -> Fitted<'a> {
        Fitted {
            coefficients: &self.model.coefficients,
            intercept: self.model.intercept,
            shape: self.model.shape,
            objective: Some(self.fit.objective()),
            certificate: Some(self.fit.certificate()),
        }
    }
}

/// The page about a fit; `tune` and `path` add their own.
pub(crate) fn page(about: &About) -> Result<Report> {
    let (fit, model) = (about.fit, about.model);
    let whole = input::view_for_fit(about.source, about.table, Some(model.shape))?;
    let part = |rows: &[usize]| whole.subset(rows.to_vec());
    let parts = about.parts.map(|(own, out)| Ok::<_, proxdist::Error>((part(own)?, part(out)?))).transpose()?;
    let training = parts.as_ref().map(|(own, _)| Part::data(own)).transpose()?;
    let heldout = parts.as_ref().map(|(_, out)| Part::data(out)).transpose()?;
    let data = training.as_ref().unwrap_or(&whole);
    let set = setup::build(about.spec, data)?;
    let procedure = Procedure {
        loss: model.loss.known()?,
        set: &*set,
        ridge: model.ridge,
        intercept: model.intercept.is_some(),
        standardize: scaling::wanted(about.units),
        settings: settings_of(model)?,
    };
    let judged = heldout.as_ref().map(|data| Judged::of("held out", about.fitted(), data, false)).transpose()?;
    let classes = about.table.classes.as_ref();
    let subject = Subject {
        loss: procedure.loss,
        model: about.fitted(),
        names: (0..model.coefficients.len()).map(|j| name_of(model, j)).collect(),
        set: about.spec.words(),
        target: about.table.schema.target.clone(),
        classes: classes.map(|classes| [classes.negative.clone(), classes.positive.clone()]),
        training: Some(Training { procedure: &procedure, data }),
        judged,
        crossed: about.crossed.clone(),
    };
    let told = proxdist_pages::page(&subject)?;
    let schedule = (model.steps > 0).then_some(model.schedule.as_str());
    Ok(Report {
        title: format!("{} on {}", model.constraint, file_name(about.source)),
        result: result(about),
        notices: notices(about),
        certificate: proxdist_pages::lines(fit.certificate(), Measures { objective: fit.objective(), schedule }),
        proof: circumstances::proof(fit),
        data: circumstances::data(about),
        data_notes: about.table.notices.clone(),
        problem: Some(problem(about)),
        trace: circumstances::trace(fit),
        ending: ending(about),
        settings: circumstances::settings(model, about.is_scaled),
        seconds: Some(about.seconds),
        seed: Some(model.seed),
        command: circumstances::command(),
        versions: circumstances::versions(),
        ..told
    })
}

/// The picture of a run.
pub(crate) fn convergence(fit: &Fit) -> String {
    figures::convergence(&circumstances::trace(fit), None, Style::standalone())
}

/// What it is, for those who know such models.
fn result(about: &About) -> String {
    let model = about.model;
    let ridge =
        if model.ridge > 0.0 { format!(", ridge {}", crate::words::number(model.ridge)) } else { String::new() };
    let set = about.spec.words();
    let set = if set.is_empty() { String::new() } else { format!(", {set}") };
    format!("{} loss{ridge}{set} ({}).", model.loss, file_name(about.source))
}

/// How the run ended.
fn ending(about: &About) -> String {
    let fit = about.fit;
    let stop = match fit.stop() {
        Stop::Converged => format!("The run converged after {} steps", fit.steps()),
        Stop::Polished if fit.steps() == 0 => "The optimum was found directly, without an iteration".to_owned(),
        Stop::Polished => format!("The run took {} steps and was finished on a stationary point", fit.steps()),
        Stop::Unfinished => {
            format!("The run took {} steps and was not finished: no stationary point was reached", fit.steps())
        }
        stop => format!("The run ended after {} steps: {stop}", fit.steps()),
    };
    let nonzero = about.model.support().len();
    format!("{stop}; {nonzero} of {} coefficients are nonzero.", about.model.coefficients.len())
}

fn notices(about: &About) -> Vec<Notice> {
    let mut notices = Vec::new();
    if !has_converged(about.fit.stop()) {
        notices.push(Notice::warning(format!("The run has not converged: {}.", about.fit.stop())));
    }
    notices.extend(separation(about.fit.model()).map(Notice::warning));
    notices
}
