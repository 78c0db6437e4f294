//! `proxdist reproduce`

use super::Ending;
use crate::args::ReproduceArgs;
use crate::failure::{Failure, Result, file_hint};
use crate::output::{self, note};
use crate::progress;
use crate::signals;
use crate::words::plural;
use indicatif::ProgressBar;
use proxdist_lab::{BUILT_IN, Error, Plan, Progress, Settings, Statement, Summary, Verdict, Watch, reproduce};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Runs the experiments and says what agrees.
pub(crate) fn run(args: &ReproduceArgs) -> Result<Ending> {
    if args.print_settings {
        output::print(BUILT_IN)?;
        return Ok(Ending::Written);
    }
    let plan = plan(args)?;
    output::check_folder("--out", &args.out)?;
    signals::listen_saying(args.quiet, "stopping; what is finished is kept, and the same command goes on from there");
    let watcher = Watcher { bar: progress::line(args.quiet), quiet: args.quiet };
    let ended = reproduce(&plan, &watcher);
    watcher.bar.finish_and_clear();
    let summary = ended.map_err(|error| explain(&error, args))?;
    for (name, reason) in &summary.skipped {
        note(args.quiet, &format!("{name} was skipped: {reason}"));
    }
    if args.json {
        output::print(&format!("{}\n", object(&summary, args)))?;
    } else if !args.quiet {
        output::say(&text(&summary))?;
    }
    Ok(Ending::Written)
}

fn plan(args: &ReproduceArgs) -> Result<Plan> {
    let settings = match &args.settings {
        None => Settings::built_in(args.quick),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::new(format!("--settings {}: {error}", path.display()), file_hint(&error)))?;
            Settings::parse(&path.display().to_string(), &text, args.quick)
        }
    };
    let mut settings = settings.map_err(|error| explain(&error, args))?;
    if let Some(repeats) = args.repeats {
        settings = settings.repeats(repeats);
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Plan {
        names: args.names.clone(),
        settings,
        settings_name: settings_name(args),
        seed: args.seed,
        out: args.out.clone(),
        data: args.data.clone().or_else(|| std::env::var_os("PROXDIST_DATA").map(Into::into)),
        workers: args.threads.unwrap_or(cores),
    })
}

fn settings_name(args: &ReproduceArgs) -> String {
    let from = args.settings.as_ref().map_or_else(|| "built-in".to_owned(), |path| path.display().to_string());
    let size = if args.quick { ", quick: small sizes, few repeats" } else { "" };
    let repeats = args.repeats.map_or(String::new(), |repeats| format!(", {repeats} repeats"));
    format!("{from}{size}{repeats}")
}

/// A line on the terminal, and an ear for Ctrl-C.
struct Watcher {
    bar: ProgressBar,
    quiet: bool,
}

impl Watch for Watcher {
    fn progress(&self, progress: &Progress) {
        let left = progress.seconds_left.map_or(String::new(), |seconds| format!("  {} left", span(seconds)));
        self.bar.set_message(format!("{}  {} of {}{left}", progress.experiment, progress.done, progress.cells));
        self.bar.tick();
    }

    fn written(&self, experiment: &'static str, seconds: f64) {
        self.bar.suspend(|| note(self.quiet, &format!("{experiment} done in {}", span(seconds))));
    }

    fn is_over(&self) -> bool {
        signals::asked_to_stop()
    }
}

fn span(seconds: f64) -> String {
    match seconds.round() as u64 {
        0..90 => format!("{seconds:.0} s"),
        whole => format!("{} min", whole.div_ceil(60)),
    }
}

fn explain(error: &Error, args: &ReproduceArgs) -> Failure {
    let hint = match error {
        Error::Interrupted => {
            let again = format!("the same command with --out {} goes on from there", args.out.display());
            return Failure { interrupted: true, ..Failure::new("interrupted", again) };
        }
        Error::UnknownExperiment { .. } => format!("give one of {}, or all", proxdist_lab::NAMES.join(", ")),
        Error::Settings { .. } => "`proxdist reproduce --print-settings` prints settings to start from".to_owned(),
        Error::File { source, .. } => file_hint(source).to_owned(),
        Error::Cell { .. } => "remove the file, or the folder with it, and run again".to_owned(),
        Error::Data(_) | Error::WrongData { .. } => {
            "--data names the folder that holds classification/qsar_oral_toxicity.csv.gz".to_owned()
        }
        _ => "run again with --threads 1; if it stays, this is a bug worth reporting".to_owned(),
    };
    Failure::new(error.to_string(), hint)
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Differs => "differs",
        Verdict::Note => "remark",
    }
}

fn text(summary: &Summary) -> String {
    let mut text = String::new();
    for (name, statements) in &summary.statements {
        let count = |verdict| statements.iter().filter(|statement| statement.verdict == verdict).count();
        let (agree, differ) = (count(Verdict::Agrees), count(Verdict::Differs));
        let _ = writeln!(text, "{name}: {} of the paper agree, {differ} differ", plural(agree, "statement"));
        for statement in statements.iter().filter(|statement| statement.verdict == Verdict::Differs) {
            let _ = writeln!(text, "  differs: {}\n    here:  {}", statement.paper, statement.ours);
        }
    }
    let _ = writeln!(text, "wrote {}", summary.page.display());
    text
}

fn object(summary: &Summary, args: &ReproduceArgs) -> Value {
    let statement =
        |s: &Statement| json!({ "name": s.name, "paper": s.paper, "here": s.ours, "verdict": word(s.verdict) });
    let experiment = |(name, statements): &(&str, Vec<Statement>)| json!({ "name": name, "statements": statements.iter().map(statement).collect::<Vec<_>>() });
    let skipped = |(name, reason): &(&str, String)| json!({ "name": name, "reason": reason });
    json!({
        "experiments": summary.statements.iter().map(experiment).collect::<Vec<_>>(),
        "skipped": summary.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "page": Path::new(&summary.page),
        "quick": args.quick,
        "seed": args.seed,
    })
}
