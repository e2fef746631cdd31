//! What a command did, kept beside its results so that they can be explained, computed with, and shown in a report. The
//! form of the file is that of `docs/src/reference/arcuate.schema.json`.

use crate::checksums::Input;
use crate::figures::{Figure, Named};
use crate::job::Job;
use crate::memory;
use crate::output_files::{Kind, OF_THE_SCAN, OutputFile, Picture};
use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Device, show_bytes};
use arcuate_core::{Error, NotComputed, Result, VoxelCounts};
use arcuate_io::{LARGEST_TEXT, read_text_file};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// Name of the record in a folder of results.
pub const FILE_NAME: &str = "arcuate.json";

/// Number of the form of records.
const FORM: u32 = 1;

/// Inputs, options, versions, timings and key figures of one command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Number of the form of this file.
    pub form: u32,
    /// What was done, in a few words.
    pub title: String,
    /// What was done, in a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub done: String,
    /// The words of the command line.
    pub command: Vec<String>,
    /// When the command began, RFC 3339.
    pub created: String,
    /// What the command wrote; other files that lie there are not its results.
    pub files: Vec<OutputFile>,
    /// What went in.
    pub inputs: Vec<Input>,
    /// Inputs that the report shows, by their paths, as long as they are what they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown_inputs: Vec<OutputFile>,
    /// Options by the names of the command line, with the values it takes.
    pub options: Named<Value>,
    /// What the command chose by itself.
    pub choices: Named<String>,
    /// Of the program, and of what it ran on.
    pub versions: Named<String>,
    /// Time of each part of the work, in seconds.
    pub seconds: Named<f64>,
    /// Key figures.
    pub figures: Named<Figure>,
    /// What the user was told.
    pub warnings: Vec<String>,
    /// How a solver came to its end.
    pub convergence: Vec<Iteration>,
    /// What virtual lesions found.
    pub lesions: Vec<LesionRow>,
    /// Tables of what was found.
    pub tables: Vec<Table>,
    /// What to cite.
    pub references: Vec<String>,
    /// Of a command that is made of others: their records, by their names in the folder.
    pub steps: Vec<String>,
    /// Times of steps.
    #[serde(skip)]
    earlier_seconds: Vec<(String, f64)>,
}

/// One iteration of a solver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 0.
    pub number: usize,
    /// Products with the operator so far.
    pub products: usize,
    /// The objective after it.
    #[serde(deserialize_with = "number")]
    pub objective: f64,
    /// Of solvers that stop by it.
    #[serde(default)]
    pub projected_gradient: Option<f64>,
    /// Duality gap over objective, of solvers that stop by it.
    #[serde(default)]
    pub relative_gap: Option<f64>,
    /// Residual over right side, of solvers of linear equations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_residual: Option<f64>,
    /// Of solvers whose unknowns are weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive_weights: Option<usize>,
    /// Time so far.
    pub seconds: f64,
}

/// The evidence for one group of streamlines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LesionRow {
    /// Its name.
    pub group: String,
    /// How many streamlines it has.
    pub streamlines: usize,
    /// How many of them have a weight.
    pub supported: usize,
    /// Voxels that they pass.
    pub voxels: usize,
    /// Error of the prediction with them.
    #[serde(deserialize_with = "number")]
    pub rmse_with: f64,
    /// Error without them.
    #[serde(deserialize_with = "number")]
    pub rmse_without: f64,
    /// Strength of evidence, in standard deviations.
    #[serde(deserialize_with = "number")]
    pub strength_of_evidence: f64,
    /// The earth mover's distance between the errors.
    #[serde(deserialize_with = "number")]
    pub earth_movers_distance: f64,
}

/// A table with a heading of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it is of.
    pub title: String,
    /// The heading that it stands under; its title where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// What a reader should know of it.
    pub text: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
}

/// A number that JSON may have as null: infinities and what is no number.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Record {
    /// A record of the command that is running.
    pub fn new(title: impl Into<String>, files: Vec<OutputFile>, job: &Job) -> Self {
        let now = std::time::SystemTime::now();
        let words = job.words().iter();
        let mut versions = Named::default();
        versions.set("arcuate", env!("CARGO_PKG_VERSION").into());
        versions.set("operating system", std::env::consts::OS.into());
        versions.set("processor", std::env::consts::ARCH.into());
        Self {
            form: FORM,
            title: title.into(),
            command: words.map(|word| word.to_string_lossy().into_owned()).collect(),
            created: humantime::format_rfc3339_seconds(now).to_string(),
            files,
            options: Named(job.options().to_vec()),
            versions,
            ..Self::default()
        }
    }

    /// Notes files that went in, with their checksums.
    pub fn add_inputs(&mut self, paths: &[PathBuf], job: &Job) -> Result<()> {
        self.inputs.extend(job.checksums().of(paths)?);
        Ok(())
    }

    /// Says how the report shows a file that went in.
    pub fn show_input(&mut self, path: &Path, title: impl Into<Cow<'static, str>>, kind: Kind) {
        self.shown_inputs.push(OutputFile::shown(path.to_string_lossy().into_owned(), title, kind));
    }

    /// Notes what the command chose by itself.
    pub fn choice(&mut self, name: &str, value: impl std::fmt::Display) {
        self.choices.set(name, value.to_string());
    }

    /// Notes a key figure: a count, a ratio, or words.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) -> &mut Figure {
        self.figures.set(name, Figure::new(value, ""))
    }

    /// Notes a key figure with a unit.
    pub fn measure(&mut self, name: &str, value: f64, unit: &str) -> &mut Figure {
        self.figures.set(name, Figure::new(value, unit))
    }

    /// Notes how many voxels were computed, how many were not and why, and how many measurements were not used. `of` is in front of
    /// the names: nothing, or a model of several, "noddi: ".
    pub fn voxel_counts(&mut self, of: &str, counts: &VoxelCounts) {
        self.figure(&format!("{of}voxels computed"), counts.computed());
        self.figure(&format!("{of}voxels not computed"), counts.not_computed());
        for reason in NotComputed::ALL {
            let voxels = counts.with_reason(reason);
            if voxels > 0 {
                self.figure(&format!("{of}voxels not computed, {}", reason.words()), voxels);
            }
        }
        self.figure(&format!("{of}measurements not used"), counts.unused_measurements());
    }

    /// Says in a sentence what was done.
    pub fn done(&mut self, sentence: impl Into<String>) {
        self.done = sentence.into();
    }

    /// Makes these the figures that a reader should see first, as far as they are there, and no others.
    pub fn keep_key_figures(&mut self, names: &[&str]) {
        for (name, figure) in &mut self.figures.0 {
            figure.key = names.contains(&name.as_str());
        }
    }

    /// Says how the report shows a file, where that is known only when it is written.
    pub fn show(&mut self, name: &str, picture: Option<Picture>) {
        self.change_picture(name, |of_file| *of_file = picture);
    }

    /// Changes how the report shows a file by what is known only when it is written.
    pub fn change_picture(&mut self, name: &str, change: impl FnOnce(&mut Option<Picture>)) {
        if let Some(file) = self.files.iter_mut().find(|file| file.name == name) {
            change(&mut file.picture);
        }
    }

    /// Says what a file is, where that is known only when it is written.
    pub fn rename(&mut self, name: &str, title: &'static str) {
        if let Some(file) = self.files.iter_mut().find(|file| file.name == name) {
            file.title = title.into();
        }
    }

    /// Notes papers to cite, each once.
    pub fn cite<T: AsRef<str>>(&mut self, references: &[T]) {
        for reference in references.iter().map(AsRef::as_ref) {
            if !self.references.iter().any(|known| known == reference) {
                self.references.push(reference.to_owned());
            }
        }
    }

    /// Takes over what a step of this command wrote into its record, a file in `folder` or below.
    pub fn absorb(&mut self, path: &Path, folder: &Path, step: &str) -> Result<()> {
        let of_step = Self::read_from(path)?;
        let name = path.strip_prefix(folder).unwrap_or(path);
        let below = name.parent().unwrap_or(Path::new(""));
        for file in of_step.files {
            // The anatomy that a step shows its streamlines before may be shown already.
            let is_shown = self.files.iter().any(|known| file.shows_what(known));
            let file = file.moved(below);
            self.files.push(if is_shown { file.unseen() } else { file });
        }
        self.steps.push(name.to_string_lossy().into_owned());
        // What steps write for each other is no input of the whole.
        let outside = |input: &Input| !Path::new(&input.path).starts_with(folder);
        for input in of_step.inputs.into_iter().filter(outside) {
            if !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
        }
        for shown in of_step.shown_inputs {
            if !Path::new(shown.name.as_ref()).starts_with(folder) && !self.shown_inputs.contains(&shown) {
                self.shown_inputs.push(shown);
            }
        }
        take_over(&mut self.figures, of_step.figures, step);
        take_over(&mut self.choices, of_step.choices, step);
        for (part, seconds) in of_step.seconds.0 {
            self.earlier_seconds.push((format!("{step}: {part}"), seconds));
        }
        // Of several solvers the last one's.
        if !of_step.convergence.is_empty() {
            self.convergence = of_step.convergence;
        }
        self.lesions.extend(of_step.lesions);
        let is_new = |table: &Table| table.section != OF_THE_SCAN || !self.tables.contains(table);
        let new: Vec<Table> = of_step.tables.into_iter().filter(is_new).collect();
        self.tables.extend(new);
        self.cite(&of_step.references);
        Ok(())
    }

    /// Writes the record of a folder of results into it.
    pub fn write(&mut self, folder: &Path, job: &Job) -> Result<()> {
        self.write_as(&folder.join(FILE_NAME), job)
    }

    /// Writes the record of a result that is a file of its own beside it.
    pub fn write_beside(&mut self, result: &Path, job: &Job) -> Result<()> {
        self.write_as(&beside(result), job)
    }

    fn write_as(&mut self, path: &Path, job: &Job) -> Result<()> {
        self.seconds = Named(self.earlier_seconds.iter().cloned().chain(job.timings()).collect());
        // Only now it is known whether the work needed a device.
        let device = job.device_so_far();
        self.choice("device", device);
        self.choice("threads", rayon::current_num_threads());
        if let Some(bytes) = memory::largest() {
            self.choice("most memory so far", show_bytes(bytes));
        }
        if let Device::Cuda(gpus) = device {
            let names: Vec<&str> = gpus.iter().map(Gpu::name).collect();
            self.versions.set("GPU", names.join(", "));
            self.versions.set("GPU driver", gpus[0].driver());
        }
        self.warnings = job.warnings();
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::write(path, e.into()))?;
        arcuate_io::write_file(path, text + "\n")?;
        // Now something vouches for what was written.
        job.settle()
    }

    /// Every file that it names, where it says that they are: inputs, results in `folder`, and records of steps. They may lie
    /// anywhere, or nowhere.
    pub fn named_files(&self, folder: &Path) -> Vec<PathBuf> {
        let inputs = self.inputs.iter().map(|input| PathBuf::from(&input.path));
        let results = self.files.iter().flat_map(OutputFile::names).map(|name| folder.join(name.as_ref()));
        inputs.chain(results).chain(self.steps.iter().map(|step| folder.join(step))).collect()
    }

    /// Whether a file is what it was when it went in. A record may name any file: what it has no checksum of is none.
    pub fn knows(&self, path: &str, job: &Job) -> bool {
        let now = || job.checksums().of(&[PathBuf::from(path)]);
        let inputs = self.inputs.iter().filter(|input| input.path == path);
        inputs
            .into_iter()
            .any(|input| now().is_ok_and(|now| now.iter().any(|now| now.sha256 == input.sha256)))
    }

    /// Reads the record of a folder of results.
    pub fn read(folder: &Path) -> Result<Self> {
        Self::read_from(&folder.join(FILE_NAME))
    }

    /// Reads a record.
    pub fn read_from(path: &Path) -> Result<Self> {
        let text = read_text_file(path, LARGEST_TEXT)?;
        let refuse = |problem: String| Error::invalid(path.display(), problem, "run the command again");
        let record: Self =
            serde_json::from_str(&text).map_err(|e| refuse(format!("it is no record of a command ({e})")))?;
        if record.form != FORM {
            return Err(refuse(format!("it has form {}, this arcuate reads form {FORM}", record.form)));
        }
        Ok(record)
    }
}

/// Adds what a step noted; a name that is taken for something else gets the step's with it.
fn take_over<T: PartialEq>(all: &mut Named<T>, of_step: Named<T>, step: &str) {
    for (name, value) in of_step.0 {
        match all.0.iter().find(|(known, _)| *known == name) {
            Some((_, known)) if *known == value => {}
            Some(_) => {
                all.set(&format!("{name} ({step})"), value);
            }
            None => {
                all.set(&name, value);
            }
        }
    }
}

/// Where a file is that a record in `folder` names. A record is a file like any other and may name what it likes: a name
/// that leads out of the folder, by itself or through a link, is an error.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf> {
    let refuse = |path: &Path, problem: &str, advice: &str| {
        Err(Error::invalid(path.display(), format!("a record names it, but {problem}"), advice))
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.is_empty() || !Path::new(name).components().all(is_plain) {
        let problem = "it is no name of a file in the folder of the record";
        return refuse(&folder.join(name), problem, "run the command again that made the record");
    }
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        path.push(part);
        if path.is_symlink() {
            let problem = "it is a link, and results are files in the folder of the record";
            return refuse(&path, problem, "put the file itself there in the place of the link");
        }
    }
    Ok(path)
}

/// Where the record of a result that is a file of its own is: `tracks.tck` has `tracks.tck.json`.
pub fn beside(result: &Path) -> PathBuf {
    beside_as(result, "json")
}

/// A file beside a result that has its name and an ending more.
pub fn beside_as(result: &Path, ending: &str) -> PathBuf {
    let mut name = result.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The name of a result that is a file of its own.
pub fn name_of(result: &Path) -> String {
    result.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Paths of the files of a folder of results and of its record.
pub fn outputs(folder: &Path, files: &[OutputFile]) -> Vec<PathBuf> {
    files.iter().map(|file| folder.join(file.name.as_ref())).chain([folder.join(FILE_NAME)]).collect()
}
