//! Record of a command, `arcuate.json`: inputs, options, versions, figures and results. It is stored next to
//! the results, and the report is made from it. `docs/src/reference/arcuate.schema.json` defines the format.

use crate::checksums::Input;
use crate::figures::{Figure, Named};
use crate::job::Job;
use crate::memory;
use crate::output_files::{Kind, OutputFile, Picture, SCAN_HEADING};
use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Device, show_bytes};
use arcuate_core::{Error, NotComputed, Result, VoxelCounts};
use arcuate_io::{LARGEST_TEXT, read_text_file};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// File name of the record in a folder of results.
pub const FILE_NAME: &str = "arcuate.json";

/// Name that the record of a command uses for the number of computed voxels.
pub const VOXELS_COMPUTED: &str = "voxels computed";

/// Version of the record format.
const FORM: u32 = 1;

/// The record of one command: its inputs, options, versions, timings, key figures and results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Version of the record format.
    pub form: u32,
    /// Short title of the command.
    pub title: String,
    /// One sentence that describes what was done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub done: String,
    /// The command line, one entry per argument.
    pub command: Vec<String>,
    /// Start time of the command, in RFC 3339 format.
    pub created: String,
    /// Files that the command wrote. Other files in the folder of results do not belong to this command.
    pub files: Vec<OutputFile>,
    /// Input files with their checksums.
    pub inputs: Vec<Input>,
    /// Inputs that the report shows. The name of each is its path. The report shows an input only if the
    /// checksum of the file is unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown_inputs: Vec<OutputFile>,
    /// Options and their values. The names are those of the command line.
    pub options: Named<Value>,
    /// Choices that the command made automatically.
    pub choices: Named<String>,
    /// Versions of the program, of the operating system and of the hardware drivers.
    pub versions: Named<String>,
    /// Duration of each step of the command, in seconds.
    pub seconds: Named<f64>,
    /// Key figures.
    pub figures: Named<Figure>,
    /// Warnings that were shown to the user.
    pub warnings: Vec<String>,
    /// Iteration history of the solver.
    pub convergence: Vec<Iteration>,
    /// Results of virtual lesions.
    pub lesions: Vec<LesionRow>,
    /// Tables of results.
    pub tables: Vec<Table>,
    /// Publications to cite.
    pub references: Vec<String>,
    /// Paths of the records of the stages, relative to the folder of results. Empty if the command does not
    /// run several stages.
    pub steps: Vec<String>,
    /// Duration, in seconds, of each step of the stages whose records were merged into this record.
    #[serde(skip)]
    earlier_seconds: Vec<(String, f64)>,
}

/// One iteration of a solver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Iteration number, from 0.
    pub number: usize,
    /// Number of matrix-vector products so far.
    pub products: usize,
    /// Value of the objective after this iteration.
    #[serde(deserialize_with = "number")]
    pub objective: f64,
    /// Norm of the projected gradient, divided by its norm at the start (all unknowns 0). `None` if the
    /// solver did not compute it in this iteration.
    #[serde(default)]
    pub projected_gradient: Option<f64>,
    /// Duality gap divided by the objective. `None` if the solver did not compute it in this iteration.
    #[serde(default)]
    pub relative_gap: Option<f64>,
    /// Norm of the residual divided by the norm of the right-hand side. `None` if the solver does not solve
    /// linear equations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_residual: Option<f64>,
    /// Number of positive weights. `None` if the unknowns of the solver are not weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive_weights: Option<usize>,
    /// Time since the start of the solver, in seconds.
    pub seconds: f64,
}

/// Result of a virtual lesion, which compares the predictions of the signal with and without one group of
/// streamlines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LesionRow {
    /// Name of the group.
    pub group: String,
    /// Number of streamlines in the group.
    pub streamlines: usize,
    /// Number of streamlines with a positive weight.
    pub supported: usize,
    /// Number of voxels that the streamlines pass.
    pub voxels: usize,
    /// Root mean square error of the signal that is predicted with the streamlines of the group.
    #[serde(deserialize_with = "number")]
    pub rmse_with: f64,
    /// Root mean square error of the signal that is predicted without the streamlines of the group.
    #[serde(deserialize_with = "number")]
    pub rmse_without: f64,
    /// Strength of evidence, in standard deviations.
    #[serde(deserialize_with = "number")]
    pub strength_of_evidence: f64,
    /// Earth mover's distance between two distributions of prediction errors: with and without the
    /// streamlines of the group.
    #[serde(deserialize_with = "number")]
    pub earth_movers_distance: f64,
}

/// A table of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Title of the table.
    pub title: String,
    /// Heading of the report section that contains the table. If empty, the title is the heading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Explanation of the table for the reader of the report.
    pub text: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Rows, each with one value per column.
    pub rows: Vec<Vec<Value>>,
}

/// Deserializes a number. JSON has no infinities or NaN: `null` becomes NaN.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Record {
    /// Creates the record of the running command.
    #[doc(hidden)]
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

    /// Adds input files with their checksums.
    #[doc(hidden)]
    pub fn add_inputs(&mut self, paths: &[PathBuf], job: &Job) -> Result<()> {
        self.inputs.extend(job.checksums().of(paths)?);
        Ok(())
    }

    /// Sets how the report shows an input file.
    #[doc(hidden)]
    pub fn show_input(&mut self, path: &Path, title: impl Into<Cow<'static, str>>, kind: Kind) {
        self.shown_inputs.push(OutputFile::shown(path.to_string_lossy().into_owned(), title, kind));
    }

    /// Adds the name and the value of a choice that the command made automatically.
    #[doc(hidden)]
    pub fn choice(&mut self, name: &str, value: impl std::fmt::Display) {
        self.choices.set(name, value.to_string());
    }

    /// Adds a key figure without a unit, which is a count, a ratio or a text.
    #[doc(hidden)]
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) -> &mut Figure {
        self.figures.set(name, Figure::new(value, ""))
    }

    /// Adds a key figure with a unit.
    #[doc(hidden)]
    pub fn measure(&mut self, name: &str, value: f64, unit: &str) -> &mut Figure {
        self.figures.set(name, Figure::new(value, unit))
    }

    /// Adds the number of computed voxels, the numbers of voxels that were not computed for each reason, and
    /// the number of unused measurements. `of` is a prefix of the names of these figures. It is empty, or it
    /// is the name of one of several models, for example "noddi: ".
    #[doc(hidden)]
    pub fn voxel_counts(&mut self, of: &str, counts: &VoxelCounts) {
        self.figure(&format!("{of}{VOXELS_COMPUTED}"), counts.computed());
        self.figure(&format!("{of}voxels not computed"), counts.not_computed());
        for reason in NotComputed::ALL {
            let voxels = counts.with_reason(reason);
            if voxels > 0 {
                self.figure(&format!("{of}voxels not computed, {}", reason.words()), voxels);
            }
        }
        self.figure(&format!("{of}measurements not used"), counts.unused_measurements());
    }

    /// Sets the sentence that describes what the command did.
    #[doc(hidden)]
    pub fn done(&mut self, sentence: impl Into<String>) {
        self.done = sentence.into();
    }

    /// Marks the results with these names as key figures, which the report shows first. All other results are
    /// then no key figures. Unknown names are ignored.
    #[doc(hidden)]
    pub fn keep_key_figures(&mut self, names: &[&str]) {
        for (name, figure) in &mut self.figures.0 {
            figure.key = names.contains(&name.as_str());
        }
    }

    /// Sets how the report shows a result file. This function is for files whose picture is known only after
    /// the file is written.
    #[doc(hidden)]
    pub fn show(&mut self, name: &str, picture: Option<Picture>) {
        self.change_picture(name, |of_file| *of_file = picture);
    }

    /// Changes how the report shows a result file. This function is for changes that depend on the content of
    /// the file.
    #[doc(hidden)]
    pub fn change_picture(&mut self, name: &str, change: impl FnOnce(&mut Option<Picture>)) {
        if let Some(file) = self.files.iter_mut().find(|file| file.name == name) {
            change(&mut file.picture);
        }
    }

    /// Sets the title of a result file. This function is for titles that are known only after the file is
    /// written.
    #[doc(hidden)]
    pub fn rename(&mut self, name: &str, title: &'static str) {
        if let Some(file) = self.files.iter_mut().find(|file| file.name == name) {
            file.title = title.into();
        }
    }

    /// Adds publications to cite, each only once.
    #[doc(hidden)]
    pub fn cite<T: AsRef<str>>(&mut self, references: &[T]) {
        for reference in references.iter().map(AsRef::as_ref) {
            if !self.references.iter().any(|known| known == reference) {
                self.references.push(reference.to_owned());
            }
        }
    }

    /// Merges the record of a stage of this command into this record. `path` is the path of the record of the
    /// stage, inside the folder of results `folder`. `step` is the name of the stage.
    #[doc(hidden)]
    pub fn absorb(&mut self, path: &Path, folder: &Path, step: &str) -> Result<()> {
        let of_step = Self::read_from(path)?;
        let name = path.strip_prefix(folder).unwrap_or(path);
        let below = name.parent().unwrap_or(Path::new(""));
        for file in of_step.files {
            // If another stage already shows the same anatomical image, the report does not show it twice.
            let is_shown = self.files.iter().any(|known| file.shows_same_content(known));
            let file = file.moved(below);
            self.files.push(if is_shown { file.without_picture() } else { file });
        }
        self.steps.push(name.to_string_lossy().into_owned());
        // Files that one stage writes for another are not inputs of the whole command.
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
        // If several stages have an iterative solver, the iteration history of the last solver is kept.
        if !of_step.convergence.is_empty() {
            self.convergence = of_step.convergence;
        }
        self.lesions.extend(of_step.lesions);
        let is_new = |table: &Table| table.section != SCAN_HEADING || !self.tables.contains(table);
        let new: Vec<Table> = of_step.tables.into_iter().filter(is_new).collect();
        self.tables.extend(new);
        self.cite(&of_step.references);
        Ok(())
    }

    /// Writes the record into a folder of results.
    #[doc(hidden)]
    pub fn write(&mut self, folder: &Path, job: &Job) -> Result<()> {
        self.write_as(&folder.join(FILE_NAME), job)
    }

    /// Writes the record of a single result file next to the result file.
    #[doc(hidden)]
    pub fn write_next_to(&mut self, result: &Path, job: &Job) -> Result<()> {
        self.write_as(&companion_path(result), job)
    }

    fn write_as(&mut self, path: &Path, job: &Job) -> Result<()> {
        self.seconds = Named(self.earlier_seconds.iter().cloned().chain(job.timings()).collect());
        // Only now, at the end of the work, is it known if the work used a GPU.
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
        // The record now describes the results, so they are declared complete.
        job.settle()
    }

    /// Returns the paths of all files that the record lists: inputs, results in `folder`, and records of
    /// stages. The paths are not checked. A file may be missing or outside the folder.
    #[doc(hidden)]
    pub fn named_files(&self, folder: &Path) -> Vec<PathBuf> {
        let inputs = self.inputs.iter().map(|input| PathBuf::from(&input.path));
        let results = self.files.iter().flat_map(OutputFile::names).map(|name| folder.join(name.as_ref()));
        inputs.chain(results).chain(self.steps.iter().map(|step| folder.join(step))).collect()
    }

    /// Checks whether an input file still has the checksum in the record. Returns `false` if the record has
    /// no checksum of this file, because a record may list any file.
    #[doc(hidden)]
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

    /// Reads a record file.
    pub fn read_from(path: &Path) -> Result<Self> {
        let text = read_text_file(path, LARGEST_TEXT)?;
        let refuse = |problem: String| Error::invalid(path.display(), problem, "run the command again");
        let record: Self = serde_json::from_str(&text).map_err(|e| {
            refuse(format!(
                "it is not the record of a command \
                ({e})"
            ))
        })?;
        if record.form != FORM {
            return Err(refuse(format!("it has form {}, this arcuate reads form {FORM}", record.form)));
        }
        Ok(record)
    }
}

/// Adds the named values `of_step` of a stage to those in `all`. If a name exists already with another value,
/// the name of the stage is appended to it in parentheses.
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

/// Returns the path of a file that a record in `folder` lists as `name`. A record file is not trusted.
/// Returns an error if the path leads out of the folder, directly or through a link.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf> {
    let refuse = |path: &Path, problem: &str, advice: &str| {
        Err(Error::invalid(
            path.display(),
            format!("the record of the results (a JSON file) lists this file, but {problem}"),
            advice,
        ))
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.is_empty() || !Path::new(name).components().all(is_plain) {
        let problem = "it is not a file name in the folder of the record";
        return refuse(&folder.join(name), problem, "run the command again that made the record");
    }
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        path.push(part);
        if path.is_symlink() {
            let problem = "it is a link, and results are files in the folder of the record";
            return refuse(&path, problem, "replace the link by the file");
        }
    }
    Ok(path)
}

/// Returns the path of the record of a single result file: the record of `tracks.tck` is `tracks.tck.json`.
pub fn companion_path(result: &Path) -> PathBuf {
    companion_path_with(result, "json")
}

/// Returns the path of a file next to a result file. Its name is the name of the result file, a dot, and
/// `ending`.
pub fn companion_path_with(result: &Path, ending: &str) -> PathBuf {
    let mut name = result.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Returns the file name of a path, as text.
pub fn name_of(result: &Path) -> String {
    result.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the paths of the files in a folder of results, with the record last.
pub fn outputs(folder: &Path, files: &[OutputFile]) -> Vec<PathBuf> {
    files.iter().map(|file| folder.join(file.name.as_ref())).chain([folder.join(FILE_NAME)]).collect()
}
