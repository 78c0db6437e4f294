//! Mistakes on the command line, in the same two lines as all others.

use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::output;
use clap::error::ErrorKind;

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
    let tips: Vec<&str> = paragraphs.iter().filter_map(|p| p.strip_prefix("tip: ")).collect();
    let command = paragraphs.iter().find_map(|p| p.strip_prefix("Usage: ")).map_or("proxdist", command_of).to_owned();
    let help = format!("`{command} --help` lists the options");
    let hint = if tips.is_empty() { help } else { format!("{}; {help}", tips.join("; ")) };
    Err(Failure::new(message, hint))
}

/// Lines of one paragraph as one.
fn joined(paragraph: &str) -> String {
    paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `proxdist fit` of `proxdist fit [OPTIONS] <DATA>`.
fn command_of(usage: &str) -> &str {
    let end = usage.find([' ', '[', '<', '-']).map_or(usage.len(), |first| {
        let rest = &usage[first + 1..];
        match rest.chars().next() {
            Some(c) if c.is_ascii_lowercase() => first + 1 + rest.find(' ').unwrap_or(rest.len()),
            _ => first,
        }
    });
    &usage[..end]
}
