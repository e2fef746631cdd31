use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Command};
use clap_complete::Shell;

/// Print the completions of a shell
///
/// For bash: `arcuate setup completions bash > ~/.local/share/bash-completion/completions/arcuate`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell: bash, elvish, fish, powershell or zsh
    shell: Shell,
}

impl Completions {
    #[allow(clippy::unnecessary_wraps)] // all commands have this signature
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        job.print(script(self.shell, (grammar.of_manual)()));
        Ok(())
    }
}

/// Returns the completion script of a shell for this definition.
pub(crate) fn script(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "arcuate", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
