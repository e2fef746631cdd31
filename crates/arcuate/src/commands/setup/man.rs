use crate::examples;
use crate::grammar::Grammar;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::references;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;

/// Write the manual pages of all commands
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Output: folder for the manual pages (arcuate.1, arcuate-run.1, …)
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Man {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let files = pages((grammar.of_manual)()).map_err(|e| Error::write(&self.out, e))?;
        let output_files: Vec<OutputFile> =
            files.iter().map(|(name, _)| OutputFile::file(name.clone(), "Manual page")).collect();
        let folder = OutputFolder::create(&self.out, &output_files, &[], job)?;
        for (name, text) in &files {
            arcuate_io::write_file(&folder.file(name), text)?;
        }
        folder.finish_without_record();
        job.show_message(format_args!("{} manual pages in {}", files.len(), folder.path().display()));
        Ok(())
    }
}

/// Returns the manual pages of all commands with their file names.
pub(crate) fn pages(mut command: clap::Command) -> std::io::Result<Vec<(String, String)>> {
    command.build();
    let mut pages = Vec::new();
    collect(&command, "arcuate", &mut pages);
    let mut files = Vec::new();
    for (name, page) in pages {
        let mut text = Vec::new();
        page.render(&mut text)?;
        let text = with_examples(&String::from_utf8_lossy(&text), &name);
        files.push((format!("{name}.1"), text));
    }
    Ok(files)
}

/// Returns a page with the EXAMPLES and REFERENCES sections of its command inserted before its end.
fn with_examples(page: &str, name: &str) -> String {
    let command = name.trim_start_matches("arcuate").trim_start_matches('-').replace('-', " ");
    let (examples, references) = (examples::of(&command), references::of(&command));
    let plain = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let mut section = if examples.is_empty() { String::new() } else { ".SH EXAMPLES\n".to_owned() };
    for [what, line] in examples {
        // Writing to a string cannot fail.
        let _ = writeln!(section, ".TP\n{}:\n\\fB{}\\fR", plain(what), plain(line));
    }
    for (number, reference) in references.into_iter().enumerate() {
        let heading = if number == 0 { ".SH REFERENCES\n" } else { "" };
        let _ = writeln!(section, "{heading}.PP\n{}", plain(reference));
    }
    let end =
        [".SH EXTRA", ".SH VERSION"].into_iter().find_map(|heading| page.find(heading)).unwrap_or(page.len());
    let (before, after) = page.split_at(end);
    format!("{before}{section}{after}")
}

/// Collects the pages of a command and all its subcommands.
fn collect(command: &clap::Command, name: &str, pages: &mut Vec<(String, clap_mangen::Man)>) {
    let own_name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    pages.push((name.to_owned(), clap_mangen::Man::new(command.clone().name(own_name))));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        collect(sub, &format!("{name}-{}", sub.get_name()), pages);
    }
}
