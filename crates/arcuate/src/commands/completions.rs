use crate::{Cli, context::Context};
use arcuate_core::{Error, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

/// Print the completions of a shell
///
/// For bash: `arcuate completions bash > ~/.local/share/bash-completion/completions/arcuate`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, _: &Context) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "arcuate", &mut text);
        std::io::stdout().write_all(&text).map_err(|e| Error::write(Path::new("standard output"), e))
    }
}
