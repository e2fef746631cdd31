use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::Args;
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
    #[allow(clippy::unnecessary_wraps)] // The shape of every command.
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut (grammar.of_manual)(), "arcuate", &mut text);
        job.print(String::from_utf8_lossy(&text));
        Ok(())
    }
}
