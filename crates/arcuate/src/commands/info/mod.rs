mod described;
mod json;

use crate::grammar::Grammar;
use crate::meanings;
use arcuate_core::{Error, Result, printable};
use arcuate_io::{FileKind, read_endings};
use arcuate_pipeline::job::Job;
use clap::Args;
use described::{Described, LONGEST_VALUE};
use std::io::Write;
use std::path::PathBuf;

/// Describe files
#[derive(Debug, Args)]
#[command(long_about = description())]
pub(crate) struct Info {
    /// Files to describe
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(
        long,
        help = meanings::JSON,
        long_help = meanings::with(
            meanings::JSON,
            "The JSON text has one object per file, as in docs/src/reference/info.schema.json."
        )
    )]
    json: bool,
}

/// Returns the help, whose lists of endings come from the table of formats.
fn description() -> String {
    let [images, tracks, surfaces, matrices] =
        [FileKind::Image, FileKind::Tractogram, FileKind::Surface, FileKind::Matrix]
            .map(|kind| read_endings(kind).join(" "));
    format!(
        "Describe files\n\nReads images ({images}), tractograms ({tracks}) and gradient tables. Reads surfaces \
         ({surfaces}, FreeSurfer's lh.white and similar), CIFTI-2 files and connectivity matrices ({matrices}). If \
         a file cannot be read, the other files are still described, and the exit code is 1."
    )
}

impl Info {
    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        let mut failed: Option<Error> = None;
        let mut objects = Vec::new();
        let mut is_first = true;
        for path in &self.files {
            let result = Described::read(path).and_then(|described| {
                if self.json {
                    objects.push(json::of(path, &described)?);
                    return Ok(());
                }
                let lines = described.lines()?;
                if !std::mem::take(&mut is_first) {
                    job.print("\n");
                }
                job.print(format_args!("{}\n", printable(&path.display().to_string(), LONGEST_VALUE)));
                for (name, value) in lines {
                    job.print(format_args!("  {name:<22} {value}\n"));
                }
                Ok(())
            });
            if let Err(error) = result.map_err(|e| job.reword(e)) {
                objects.push(json::of_failure(path, &error));
                // The command returns the last error. Earlier errors are printed here.
                if let Some(earlier) = failed.replace(error) {
                    // An error of this write is ignored. The exit code still reports the failure.
                    let _ = writeln!(std::io::stderr(), "error: {earlier}");
                }
            }
        }
        if self.json {
            job.print(format_args!("{:#}\n", serde_json::Value::Array(objects)));
        }
        failed.map_or(Ok(()), Err)
    }
}
