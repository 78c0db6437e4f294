//! Mistakes on the command line, in the same two lines as all others.

use crate::args::Cli;
use crate::commands::Ending;
use crate::failure::{Failure, Result, setting_hint};
use crate::output;
use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use proxdist::Setting;

/// Help and version go to standard output; everything else is a failure.
pub(crate) fn explain(error: &clap::Error) -> Result<Ending> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        use std::io::IsTerminal as _;
        let styled = error.render();
        let text = if std::io::stdout().is_terminal() { styled.ansi().to_string() } else { styled.to_string() };
        output::print(&text)?;
        return Ok(Ending::Written);
    }
    let text = error.render().to_string();
    let paragraphs: Vec<String> = text.split("\n\n").map(joined).collect();
    let message = paragraphs.first().map_or("", String::as_str).trim_start_matches("error:").trim();
    let tips = paragraphs.iter().filter_map(|p| p.strip_prefix("tip: "));
    let tips: Vec<&str> = tips.chain(hint_of_setting(error)).collect();
    let mut words = vec!["proxdist".to_owned()];
    words.extend(std::env::args().nth(1).filter(|word| Cli::command().find_subcommand(word).is_some()));
    let command = words.join(" ");
    let help = format!("`{command} --help` lists the options");
    let hint = if tips.is_empty() { help } else { format!("{}; {help}", tips.join("; ")) };
    Err(Failure::new(message, hint))
}

/// The remedy for a value that the library does not take.
fn hint_of_setting(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else { return None };
    let option = shown.split_whitespace().next()?.trim_start_matches("--");
    let declared = Setting::declarations().iter().find(|declared| declared.option == option)?;
    Some(setting_hint(declared.name))
        .filter(|hint| error.kind() == ErrorKind::ValueValidation && !hint.contains("--help"))
}

/// Lines of one paragraph as one.
fn joined(paragraph: &str) -> String {
    paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
