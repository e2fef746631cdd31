//! What a command did, kept beside its results so that they can be explained and the report made again.

use crate::context::Context;
use crate::warnings;
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpu;
use arcuate_core::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Name of the record in an output folder.
pub(crate) const FILE_NAME: &str = "arcuate.json";

/// Inputs, options, versions, timings and key figures of one command.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) title: String,
    /// Names of the files in the folder that the command wrote; others that lie there are not its results.
    pub(crate) files: Vec<String>,
    pub(crate) command: Vec<String>,
    pub(crate) created: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) options: Vec<(String, String)>,
    pub(crate) versions: Vec<(String, String)>,
    pub(crate) timings: Vec<(String, f64)>,
    pub(crate) summary: Vec<(String, String)>,
    pub(crate) warnings: Vec<String>,
    pub(crate) convergence: Vec<Iteration>,
    pub(crate) lesions: Vec<LesionRow>,
    pub(crate) sections: Vec<TableSection>,
    pub(crate) references: Vec<String>,
}

/// A file that went in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Input {
    /// As text: a path that is no UTF-8 is shown with its other bytes replaced.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// One iteration of a solver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Iteration {
    pub(crate) number: usize,
    pub(crate) products: usize,
    pub(crate) objective: f64,
    /// Of solvers that stop by it.
    #[serde(default)]
    pub(crate) projected_gradient: Option<f64>,
    /// Duality gap over objective, of solvers that stop by it.
    #[serde(default)]
    pub(crate) relative_gap: Option<f64>,
    pub(crate) positive_weights: usize,
    pub(crate) seconds: f64,
}

/// The evidence for one group of streamlines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LesionRow {
    pub(crate) group: String,
    pub(crate) streamlines: usize,
    pub(crate) supported: usize,
    pub(crate) voxels: usize,
    pub(crate) rmse_with: f64,
    pub(crate) rmse_without: f64,
    pub(crate) strength_of_evidence: f64,
    pub(crate) earth_movers_distance: f64,
}

/// A table with a heading of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TableSection {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Record {
    /// A record of the command that is running, with the options of every command that may decide its result.
    pub(crate) fn new(title: impl Into<String>, context: &Context) -> Self {
        let now = std::time::SystemTime::now();
        Self {
            title: title.into(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            created: humantime::format_rfc3339_seconds(now).to_string(),
            versions: vec![
                ("arcuate".into(), env!("CARGO_PKG_VERSION").into()),
                ("operating system".into(), std::env::consts::OS.into()),
                ("processor".into(), std::env::consts::ARCH.into()),
            ],
            options: vec![
                ("seed".into(), context.seed.to_string()),
                ("device".into(), context.device_so_far().to_string()),
                ("threads".into(), rayon::current_num_threads().to_string()),
            ],
            ..Self::default()
        }
    }

    /// Notes files that the command writes into its folder.
    pub(crate) fn wrote(&mut self, names: &[&str]) {
        self.files.extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// The command as a shell would take it: words with blanks and the like in quotes.
    pub(crate) fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }

    /// Notes files that went in, with their checksums.
    pub(crate) fn add_inputs(&mut self, paths: &[PathBuf]) -> Result<()> {
        use rayon::prelude::*;
        self.inputs.extend(paths.par_iter().map(|path| Input::of(path)).collect::<Result<Vec<_>>>()?);
        Ok(())
    }

    /// Notes an option and its value.
    pub(crate) fn option(&mut self, name: &str, value: impl std::fmt::Display) {
        self.options.push((name.to_owned(), value.to_string()));
    }

    /// Notes a key figure.
    pub(crate) fn figure(&mut self, name: &str, value: impl std::fmt::Display) {
        self.summary.push((name.to_owned(), value.to_string()));
    }

    /// Notes papers to cite, each once.
    pub(crate) fn cite(&mut self, references: &[&str]) {
        for reference in references {
            if !self.references.iter().any(|r| r == reference) {
                self.references.push((*reference).to_owned());
            }
        }
    }

    /// Writes the record into a folder of results.
    pub(crate) fn write(&mut self, folder: &Path, context: &Context) -> Result<()> {
        self.timings = context.timings();
        // Only now it is known whether the work needed a device.
        let device = context.device_so_far();
        for (_, value) in self.options.iter_mut().filter(|(name, _)| name == "device") {
            *value = device.to_string();
        }
        if let Device::Cuda(gpus) = device {
            self.versions.retain(|(name, _)| name != "GPU" && name != "GPU driver");
            let names: Vec<&str> = gpus.iter().map(Gpu::name).collect();
            self.versions.push(("GPU".into(), names.join(", ")));
            self.versions.push(("GPU driver".into(), gpus[0].driver()));
        }
        self.warnings = warnings::collected();
        let path = folder.join(FILE_NAME);
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::write(&path, e.into()))?;
        arcuate_io::write_file(&path, text + "\n")
    }

    /// Reads the record of a folder of results.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE_NAME);
        let text = std::fs::read_to_string(&path).map_err(|e| Error::read(&path, e))?;
        serde_json::from_str(&text).map_err(|e| {
            Error::invalid(path.display(), format!("it is no record of a run ({e})"), "run the command again")
        })
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A number of things, with its thousands apart.
pub(crate) fn count(number: usize) -> String {
    arcuate_report::human::count(number as u64)
}

impl Input {
    fn of(path: &Path) -> Result<Self> {
        let refuse = |e| Error::read(path, e);
        if path.is_dir() {
            // A .trx folder: its parts are many, its header stands for it.
            let header = path.join("header.json");
            return Ok(Self { path: shown(path), ..Self::of(&header)? });
        }
        let mut file = std::fs::File::open(path).map_err(refuse)?;
        let mut hash = Sha256::new();
        let (mut bytes, mut buffer) = (0, vec![0; 1 << 20]);
        loop {
            let read = file.read(&mut buffer).map_err(refuse)?;
            if read == 0 {
                break;
            }
            hash.update(&buffer[..read]);
            bytes += read as u64;
        }
        let mut sha256 = String::new();
        for byte in hash.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        Ok(Self { path: shown(path), bytes, sha256 })
    }
}

/// A path as text.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let command =
            ["arcuate", "run", "my scan.nii", "it's", "", "--out=a/b_1.2"].map(str::to_owned).to_vec();
        let record = Record { command, ..Record::default() };
        assert_eq!(record.command_line(), r"arcuate run 'my scan.nii' 'it'\''s' '' --out=a/b_1.2");
    }
}
