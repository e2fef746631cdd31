mod described;
mod json;

use crate::context::Context;
use crate::parameters::in_options;
use arcuate_core::{Error, Result, printable};
use clap::Args;
use described::{Described, LONGEST_VALUE};
use std::io::Write;
use std::path::PathBuf;

/// Say what a file is
///
/// Images (.nii .nii.gz .hdr .mif .mif.gz .mgz), tractograms (.tck .trk .trx .tck.gz .trk.gz), gradient tables, surfaces (.gii .annot .asc, FreeSurfer's
/// lh.white and the like), CIFTI-2 files and connectivity matrices (.npz .dot _1.mtx). Of several files all are told, also where one of
/// them cannot be read; the command fails then at its end.
#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write JSON; a list with an object for each file, as docs/src/reference/info.schema.json says
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let mut failed: Option<Error> = None;
        let mut objects = Vec::new();
        let mut is_first = true;
        for path in &self.files {
            let told = Described::read(path).and_then(|described| {
                if self.json {
                    objects.push(json::of(path, &described)?);
                    return Ok(());
                }
                let lines = described.lines()?;
                if !std::mem::take(&mut is_first) {
                    context.print("\n");
                }
                context.print(format_args!("{}\n", printable(&path.display().to_string(), LONGEST_VALUE)));
                for (name, value) in lines {
                    context.print(format_args!("  {name:<22} {value}\n"));
                }
                Ok(())
            });
            if let Err(error) = told.map_err(|e| in_options(e, &context.invocation.command)) {
                objects.push(json::of_failure(path, &error));
                // The last one is what the command ends with.
                if let Some(earlier) = failed.replace(error) {
                    // Where nobody listens, the exit code still tells.
                    let _ = writeln!(std::io::stderr(), "error: {earlier}");
                }
            }
        }
        if self.json {
            context.print(format_args!("{:#}\n", serde_json::Value::Array(objects)));
        }
        failed.map_or(Ok(()), Err)
    }
}
