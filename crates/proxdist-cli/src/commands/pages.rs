//! `proxdist completions` and `proxdist man`, both from the definitions of the command line.

use super::Ending;
use crate::args::Cli;
use crate::failure::{Failure, Result, file_hint};
use crate::output::{self, Outputs};
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::Path;

/// A completion script.
pub(crate) fn completions(shell: Shell) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "proxdist", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Written)
}

/// The manual page of the program, or all pages into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<Ending> {
    let command = Cli::command();
    let Some(folder) = folder else {
        output::print(&String::from_utf8_lossy(&page(command)?))?;
        return Ok(Ending::Written);
    };
    let refused = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()), file_hint(&error));
    std::fs::create_dir_all(folder).map_err(refused)?;
    let mut outputs = Outputs::default();
    for sub in command.get_subcommands() {
        let name = format!("proxdist-{}", sub.get_name());
        // A page is named after the whole command, as in `man proxdist-fit`.
        let sub = sub
            .clone()
            .display_name(name.clone())
            .bin_name(name.replacen('-', " ", 1))
            .version(env!("CARGO_PKG_VERSION"));
        outputs.add(&folder.join(format!("{name}.1")), page(sub)?);
    }
    outputs.add(&folder.join("proxdist.1"), page(command)?);
    outputs.commit()?;
    Ok(Ending::Written)
}

fn page(command: clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    match Man::new(command).render(&mut page) {
        Ok(()) => Ok(page),
        Err(error) => Err(Failure::new(format!("manual page: {error}"), "please report this as a bug")),
    }
}
