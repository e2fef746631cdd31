use crate::context::Context;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::OutputFile;
use crate::parcellation::{self, ParcellationArgs, REFERENCES};
use crate::record::{self, Record};
use crate::references;
use crate::stage_command::StageCommand;
use crate::weights::about_weights;
use arcuate_connect::{ConnectomeBuilder, LabelConnectome};
use arcuate_core::{Error, Measure, Result, StreamlineSink};
use arcuate_io::{AtomicFile, Space, is_npz_name, stream_tractogram_in, write_matrix_npz};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Count the streamlines between the regions of a parcellation
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights; counts where none are given), connectome_lengths (mean, mm); and the two
/// regions of each streamline (0 0 where it joins none). With --out NAME.npz it writes sparse matrices for SciPy instead:
/// NAME_counts.npz, NAME_weights.npz, NAME_lengths.npz, their rows in NAME_regions.tsv, and NAME_assignments.txt.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Connectome {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Image of region numbers, 0 for none
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Where the result goes; a folder for the matrices, or a name that ends in .npz for sparse ones
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    #[command(flatten)]
    parcellation: ParcellationArgs,
}

impl Connectome {
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.parcellation.label_names, &self.weights].into_iter().flatten();
        [&self.tractogram, &self.labels].into_iter().chain(optional).cloned().collect()
    }

    /// Whether sparse matrices are asked for.
    fn is_sparse(&self) -> bool {
        is_npz_name(&self.out)
    }

    /// The files of sparse matrices.
    fn sparse_files(&self) -> Vec<PathBuf> {
        let mut files = parcellation::sparse_files(&self.out, &MEASURES);
        let stem = self.out.file_stem().unwrap_or_default().to_string_lossy();
        files.push(self.out.with_file_name(format!("{stem}_assignments.txt")));
        files
    }

    fn output_files(&self) -> Vec<OutputFile> {
        if self.is_sparse() {
            let mut output_files = parcellation::sparse_output_files(&self.out, &MEASURES);
            let assignments = self.sparse_files().pop().map(|file| record::name_of(&file));
            output_files.extend(assignments.map(|name| OutputFile::file(name, ASSIGNMENTS)));
            return output_files;
        }
        // Without weights each streamline weighs 1, and the two matrices are one.
        let weighted = self.weights.is_some();
        let weights = OutputFile::shown(
            "connectome_weights.csv",
            "Weight of connections",
            parcellation::matrix("sum of weights", true),
        )
        .with_caption("Sum of the weights of the streamlines between two regions.");
        let mut output_files = parcellation::output_files(!weighted);
        output_files.extend([
            if weighted { weights } else { weights.unseen() },
            OutputFile::file("connectome_weights.npy", "Sum of their weights, NumPy"),
            OutputFile::file("connectome_assignments.txt", ASSIGNMENTS),
        ]);
        output_files
    }

    /// The errors of a connectome name what they are about.
    fn about(&self, error: Error) -> Error {
        about_weights(self.weights.as_deref())(self.parcellation.about(error, &self.labels))
    }
}

impl StageCommand for Connectome {
    fn outputs(&self) -> Vec<PathBuf> {
        if self.is_sparse() {
            return self.sparse_files().into_iter().chain([record::beside(&self.out)]).collect();
        }
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, _: &Context) -> Result<()> {
        let labels = self.parcellation.labels(&self.labels)?;
        let options = self.parcellation.options(&labels)?;
        ConnectomeBuilder::new(&labels, None, &options).map(|_| ()).map_err(|e| self.about(e))
    }

    fn run(&self, context: &Context) -> Result<()> {
        let output_files = self.output_files();
        let folder = if self.is_sparse() {
            require_files_and_record(&self.out, &self.sparse_files(), &self.inputs(), context)?;
            None
        } else {
            Some(OutputFolder::create(&self.out, &output_files, &self.inputs(), context)?)
        };
        let labels = self.parcellation.labels(&self.labels)?;
        let options = self.parcellation.options(&labels)?;
        let weights = self.weights.as_deref().map(arcuate_io::read_weights).transpose()?;
        let connectome = context
            .step("connectome", |_| {
                let mut builder = ConnectomeBuilder::new(&labels, weights.as_deref(), &options)?;
                let dense = if folder.is_some() { 3 } else { 0 };
                parcellation::say_memory(builder.regions(), builder.memory(), dense);
                stream_tractogram_in(
                    &self.tractogram,
                    Space::Likely(labels.grid()),
                    &mut builder as &mut dyn StreamlineSink,
                )?;
                builder.finish()
            })
            .map_err(|e| self.about(e))?;
        let LabelConnectome { matrix, assignments } = &connectome;
        if let Some(folder) = &folder {
            parcellation::write(folder, matrix)?;
            parcellation::write_measure(folder, matrix, &Measure::Weight)?;
            write_assignments(&folder.file("connectome_assignments.txt"), assignments)?;
        } else {
            write_matrix_npz(&self.out, matrix)?;
            let files = self.sparse_files();
            files.last().map_or(Ok(()), |file| write_assignments(file, assignments))?;
        }
        let mut record = Record::new("Connectome", output_files, context);
        record.cite(REFERENCES);
        record.add_inputs(&self.inputs(), context)?;
        record.figure("streamlines", assignments.len()).key();
        record.done(format!(
            "For every two of {} regions the streamlines between them were counted, and their lengths averaged.",
            matrix.rows().len()
        ));
        let said = parcellation::note(matrix, assignments.len() as u64, &mut record);
        match &folder {
            Some(folder) => record.write(folder.path(), context)?,
            None => record.write_beside(&self.out, context)?,
        }
        context.say(said);
        Ok(())
    }
}

/// What sparse matrices are of.
const MEASURES: [Measure; 3] = [Measure::Count, Measure::Weight, Measure::MeanLength];

/// What the file of assignments is.
const ASSIGNMENTS: &str = "The two regions of each streamline, 0 0 for none";

/// Writes the regions of each streamline.
fn write_assignments(path: &Path, assignments: &[Option<(u32, u32)>]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    for assignment in assignments {
        let (a, b) = assignment.unwrap_or((0, 0));
        writeln!(file, "{a} {b}").map_err(|e| Error::write(path, e))?;
    }
    file.finish()
}
