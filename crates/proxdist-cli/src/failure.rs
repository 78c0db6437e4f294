//! What went wrong and what to do about it: an `error:` line and a `hint:` line.

use crate::terminal::visible;
use proxdist::constraint::SetFault;
use proxdist::inference::InferenceFault;
use proxdist::loss::Task;
use proxdist::scorecard::ScorecardFault;
use proxdist::survival::SurvivalFault;
use proxdist::{Rule, Setting};
use std::fmt::Display;

/// A result of this program.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Something that ends the program with exit status 2.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What is wrong, with the value and the place.
    pub(crate) message: String,
    /// The remedy.
    pub(crate) hint: String,
    /// Ended by a signal before there was anything to keep.
    pub(crate) interrupted: bool,
}

impl Failure {
    /// An error with its remedy.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), interrupted: false }
    }

    /// The user asked for the end.
    pub(crate) fn interrupted() -> Self {
        let hint = "nothing was written; a second run with the same seed repeats the work";
        Self { interrupted: true, ..Self::new("interrupted before there was a model to keep", hint) }
    }

    /// Says to which option an error belongs.
    pub(crate) fn about(mut self, option: impl Display) -> Self {
        self.message = format!("{option}: {}", self.message);
        self
    }

    /// A remedy that fits better than the usual one.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Both lines on standard error.
    pub(crate) fn print(&self) {
        crate::output::complain(&format!("error: {}", visible(self.message.trim())));
        crate::output::complain(&format!("hint:  {}", visible(self.hint.trim())));
    }
}

impl From<proxdist::Error> for Failure {
    fn from(mut error: proxdist::Error) -> Self {
        // The library counts rows from 0, people from 1.
        let has_row = error.row_mut().map(|row| *row += 1).is_some();
        let message = core_message(&error);
        let message = if has_row { message.replacen(" at row ", " at data row ", 1) } else { message };
        Self::new(message, core_hint(&error))
    }
}

/// What a reader said about rows that stay on the disk.
fn of_reader(source: &std::io::Error) -> Option<&proxdist_io::Error> {
    source.get_ref()?.downcast_ref()
}

/// The library knows settings, people know options.
fn core_message(error: &proxdist::Error) -> String {
    use proxdist::Error as E;
    match error {
        E::Response { loss, row, value, rule, .. } => {
            format!("the target of data row {row} is {value}: the {loss} loss needs {rule}")
        }
        E::TooLarge { what, row, column, value, limit } => {
            let column = column.as_ref().map_or_else(String::new, |name| format!(", column {name}"));
            format!("the {what} of data row {}{column} is {value:e}: a fit takes numbers up to {limit:e}", row + 1)
        }
        E::Setting { setting, rule, value } => match option_of(setting) {
            Some(option) => format!("{option} must be {rule}, got {value}"),
            None => error.to_string(),
        },
        E::Theory(fault) => fault.to_string(),
        E::Inference(fault) => fault.to_string(),
        E::Scorecard(fault) => scorecard_message(fault),
        E::File { source, .. } => match of_reader(source) {
            Some(error) => error.to_string(),
            None => error.to_string(),
        },
        E::DependsOnUnits { .. } => format!("--standardize: {error}"),
        E::Fold { point, fold, folds, source } => {
            format!("--grid {point}: the fit without part {fold} of {folds} fails: {}", core_message(source))
        }
        _ => error.to_string(),
    }
}

/// The remedy for an error of the library, in terms of options.
fn core_hint(error: &proxdist::Error) -> String {
    use proxdist::Error as E;
    match error {
        E::NotFiniteData { what, .. } => match *what {
            "feature" => "remove or correct the row, or leave the column out".to_owned(),
            other => format!("the {other} column may hold finite numbers only"),
        },
        E::TooLarge { .. } | E::Units { .. } => {
            "correct the cell, give the column in other units, or leave it out with --ignore".to_owned()
        }
        E::DependsOnUnits { .. } => "leave --standardize out, or scale the columns of the file".to_owned(),
        E::Length { what: "shape", expected, .. } => {
            format!("--shape ROWSxCOLUMNS must multiply to the number of features, {expected}")
        }
        E::Length { what: "data to predict", expected, .. } => {
            format!("use data with the {expected} columns the model was trained on")
        }
        E::Length { .. } => "every column must have one value a row".to_owned(),
        E::Empty { what } => format!("check that the file has {what}, and that some are left once others are left out"),
        E::Fold { source, .. } => format!("change or remove that value of --grid; or {}", core_hint(source)),
        E::SparseStructure { .. } => "write the sparse file again, indices increasing within each row".to_owned(),
        E::NegativeWeight { .. } | E::ZeroWeights { .. } => {
            "--weights needs a column of numbers that are zero or positive, not all zero".to_owned()
        }
        E::Response { task, .. } => response_hint(*task).to_owned(),
        E::LossParameter { loss, rule, .. } => {
            format!("write {} with a number that is {rule}, as in {}", loss.syntax(), loss.example())
        }
        E::Setting { setting: "folds", rule: Rule::AtMostRows { .. } | Rule::AtMostInClass { .. }, .. } => {
            "give fewer --folds, or choose without folds: `proxdist path --select bic`".to_owned()
        }
        E::Setting { setting, .. } => setting_hint(setting).to_owned(),
        E::Constraint { fault, .. } => constraint_hint(fault),
        E::Spec { .. } => "`proxdist constraints` and `proxdist losses` list what can be written".to_owned(),
        E::Projection { .. } => "check that the sets of the intersection have a point in common".to_owned(),
        E::Schedule { .. } => {
            "give a moderate --rho1 and --gamma, or cap the schedule: geometric:1.2,100,1e6".to_owned()
        }
        E::Overflow { .. } => "scale large features down or give a larger --rho1".to_owned(),
        E::ProxStalled { .. } | E::Diverged { .. } => {
            "give a larger --rho1, scale the features to similar sizes, or add --ridge".to_owned()
        }
        E::Theory(fault) if fault.is_cured_by_ridge() => format!("add --ridge 1e-3, for example: {}", fault.remedy()),
        E::Theory(fault) => fault.remedy(),
        E::Kinked { fault, .. } => fault.remedy().to_owned(),
        E::Inference(fault) => inference_hint(fault).to_owned(),
        E::Scorecard(fault) => fault.remedy().to_owned(),
        E::Unwritable(_) => {
            "numbers ran out of range: scale very large or very small columns, or add --ridge; nothing was written"
                .to_owned()
        }
        E::Model { .. } => "give a file that `proxdist fit --out` has written".to_owned(),
        E::File { source, .. } => match of_reader(source) {
            Some(error) => error.hint(),
            None => file_hint(source).to_owned(),
        },
        E::InOrderOnly => "allow more --memory, so that the data fit into it; `fit` also takes larger data".to_owned(),
        E::Memory { remedy, .. } => format!("give more with --memory, as in --memory 8G, or {remedy}"),
        E::InPart { source, .. } => core_hint(source),
        E::Changed { .. } => "fit again when nobody writes to the data any more".to_owned(),
        E::Interrupted => "nothing was written; a second run with the same seed repeats the work".to_owned(),
        E::OutputLoss { .. } => "use --loss squared or --loss huber, or one target".to_owned(),
        E::NotForOutputs { .. } => {
            "leave it out, or explain one output: one target, or one label against the rest".to_owned()
        }
        E::OneClass { .. } | E::AbsentClass { .. } => {
            "check the target column: every class needs rows, also among those that are fitted to".to_owned()
        }
        E::AbsentLevel { .. } => "list in --levels only labels that occur among the rows that are fitted to".to_owned(),
        E::Survival(fault) => survival_hint(fault).to_owned(),
        E::NotForJoint { .. } => "leave it out, or choose another loss: `proxdist losses` lists them".to_owned(),
        E::FewOfClass { rows, .. } if *rows > 1 => format!("give --folds {rows} or fewer, or leave rare classes out"),
        E::FewOfClass { .. } => {
            "a class of one row cannot be held out: leave it out, or fit without a search".to_owned()
        }
        E::Threads { .. } => "give a smaller --threads".to_owned(),
        // Errors about the size of a number, too.
        _ => "correct the data or change their units; `proxdist help` lists the options".to_owned(),
    }
}

/// Numbers of a scale are options.
fn scorecard_message(fault: &ScorecardFault) -> String {
    match fault {
        ScorecardFault::Scale { what, .. } => {
            fault.to_string().replacen(what, &format!("--{}", what.replace('_', "-")), 1)
        }
        other => other.to_string(),
    }
}

fn survival_hint(fault: &SurvivalFault) -> &'static str {
    match fault {
        SurvivalFault::Time { .. } => "count times from a common start, so that none is negative",
        SurvivalFault::Entry { .. } => {
            "a row is at risk from its entry to its time: correct one of them, or leave it out"
        }
        SurvivalFault::Event { .. } => "--event names a column of 1 (it happened) and 0 (censored)",
        SurvivalFault::AllCensored { .. } => "check the column of --event, and the weights of rows with events",
        SurvivalFault::Stratum { .. } => "give data whose strata occurred in training",
        _ => "check the columns of times and events",
    }
}

/// The remedies of the library, in terms of options.
fn inference_hint(fault: &InferenceFault) -> &'static str {
    match fault {
        InferenceFault::NoCurvature { .. } => "--bootstrap 500 needs no curvature",
        InferenceFault::NoLikelihood { .. } => "give --covariance hc1, or leave --covariance out",
        InferenceFault::Singular { .. } => "fit without one of these columns (--ignore COL), or with --ridge",
        InferenceFault::TooManyFeatures { .. } => "fit a sparser model, or give --bootstrap 500",
        InferenceFault::Separated => "fit with --ridge 0.01, for example, or with --constraint ball:R",
        other => other.remedy(),
    }
}

fn response_hint(task: Task) -> &'static str {
    match task {
        Task::TwoClasses => "the target of a classifier must have two labels",
        Task::Counts => "counts cannot be negative; --loss squared takes any number",
        Task::Amounts => "amounts must be above zero; --loss tweedie:1.5 takes zeros, --loss squared any number",
        _ => "choose a loss that fits the target: `proxdist losses` lists them",
    }
}

/// The option that a setting of the library comes from: as it is declared, or one of those that are no settings of a run.
fn option_of(setting: &str) -> Option<String> {
    if let Ok(declared) = Setting::named(setting) {
        return Some(format!("--{}", declared.declaration().option));
    }
    let option = match setting {
        "choice" => "--choice",
        "level" => "--level",
        "threshold" => "--threshold",
        "folds" => "--folds",
        "nonzeros of the truth" => "--s",
        "rank of the truth" => "--rank",
        "rho" | "rho0" => "--rho1",
        "ridge" => "--ridge",
        "repeats" => "--repeats",
        "scoring" => "--score",
        "steps to advise for" => "--at",
        "steps to measure" => "--steps",
        name if name.contains("geometric") => "--schedule",
        _ => return None,
    };
    Some(option.to_owned())
}

/// The remedy for a value outside the range of a setting.
pub(crate) fn setting_hint(setting: &str) -> &'static str {
    match option_of(setting).as_deref() {
        Some("--batch-size") => "leave --batch-size out for a size that fits the data",
        Some("--folds") => "5 or 10 are usual",
        Some("--gamma") => "1 is usual, and powers above 0.5 and up to 1 are covered by the theory",
        Some("--rho1") => "`--rho1 auto` finds a value",
        Some("--rank") => "ranks such as 1, 2, 4 and 8 are possible",
        Some("--ridge") => "0 means no ridge term",
        Some("--schedule") => "write geometric:FACTOR,EVERY[,CAP], as in geometric:1.2,100",
        Some("--score") => "`--score loss` is always possible",
        Some("--tolerance") => "1e-4 is the default",
        Some("--threads") => "leave --threads out to use all cores of this machine",
        Some(
            "--at" | "--check-every" | "--max-steps" | "--monitor-rows" | "--passes" | "--repeats" | "--s" | "--steps"
            | "--time",
        ) => "give a number in that range, or leave it out",
        _ if setting.contains("grid") => "change or remove that value of --grid",
        _ => "`proxdist fit --help` lists the range of every option",
    }
}

/// What to change about a set that is refused.
pub(crate) fn constraint_hint(fault: &SetFault) -> String {
    match fault {
        SetFault::NeedsMatrix { .. } => {
            "say how the features form a matrix, row by row, as in --shape 64x64".to_owned()
        }
        SetFault::RankTooLarge { rows, columns } => format!("choose a rank from 1 to {}", rows.min(columns)),
        SetFault::TooManyNonzeros { most } => format!("choose sparsity:1 to sparsity:{most}"),
        SetFault::TooManyRows { most } => format!("choose from 1 to {most} rows"),
        SetFault::TooManyGroups { most } => format!("choose from 1 to {most} groups"),
        SetFault::UnknownName { .. } | SetFault::NoMatch { .. } | SetFault::SharedName { .. } => {
            "names are those of the header; indicators of a text column are column=level, columns without names V1, V2, ...".to_owned()
        }
        SetFault::NoExactProjection { .. } | SetFault::Empty { .. } => {
            "sets that can be combined: `proxdist constraints`, last line".to_owned()
        }
        _ => "change the set; `proxdist constraints` says what each one needs".to_owned(),
    }
}

/// What to do when the system refuses a file.
pub(crate) fn file_hint(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as K;
    match error.kind() {
        K::NotFound => "check the path and the working directory",
        K::NotADirectory => "a file stands where a folder is needed: choose another path",
        K::IsADirectory => "give the name of a file, not of a folder",
        K::PermissionDenied | K::ReadOnlyFilesystem => "choose a file you may read, or a place you may write to",
        K::StorageFull | K::QuotaExceeded => "make room on the disk or choose another place",
        K::InvalidData => "give a text file; this one is not UTF-8",
        _ => "choose another path",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proxdist::Shape;
    use proxdist::spec::SetSpec;

    #[test]
    fn the_hint_for_a_set_says_what_would_be_right() {
        let matrix = Shape::Matrix { rows: 64, columns: 8 };
        let table = [
            ("rank:9", matrix, "choose a rank from 1 to 8"),
            ("rank:2", Shape::Vector(512), "--shape 64x64"),
            ("sparsity:7", Shape::Vector(5), "choose sparsity:1 to sparsity:5"),
            ("sparsity:7 & box:0,1", Shape::Vector(5), "choose sparsity:1 to sparsity:5"),
            ("group-sparsity:4;size=2", Shape::Vector(6), "from 1 to 3 groups"),
            ("simplex:1 & simplex:2", Shape::Vector(5), "can be combined"),
            ("ball:-1", Shape::Vector(5), "change the set"),
        ];
        for (text, shape, wanted) in table {
            let error = SetSpec::parse(text).and_then(|spec| spec.build(shape).map(|_| ())).unwrap_err();
            let hint = Failure::from(error).hint;
            assert!(hint.contains(wanted), "{text}: {hint}");
        }
    }
}
