use crate::context::Context;
use crate::output::OutputFolder;
use crate::parcellation::{self, ParcellationArgs, REFERENCES};
use crate::products::Product;
use crate::record::{self, Record};
use crate::references;
use crate::step::Step;
use crate::weights::about_weights;
use arcuate_connect::{ConnectomeBuilder, Measure};
use arcuate_core::{Connectome as Matrices, Error, Result, StreamlineSink};
use arcuate_io::{Space, stream_tractogram_in, write_file};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;

/// Count the streamlines between the regions of a parcellation
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights; counts where none are given), connectome_lengths (mean, mm); and the two
/// regions of each streamline (0 0 where it joins none).
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
    /// Folder for the matrices
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    parcellation: ParcellationArgs,
}

impl Connectome {
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.parcellation.label_names, &self.weights].into_iter().flatten();
        [&self.tractogram, &self.labels].into_iter().chain(optional).cloned().collect()
    }

    fn products(&self) -> Vec<Product> {
        // Without weights each streamline weighs 1, and the two matrices are one.
        let weighted = self.weights.is_some();
        let weights = Product::shown(
            "connectome_weights.csv",
            "Weight of connections",
            parcellation::matrix("sum of weights", true),
        )
        .with_caption("Sum of the weights of the streamlines between two regions.");
        let mut products = parcellation::products(!weighted);
        products.extend([
            if weighted { weights } else { weights.unseen() },
            Product::file("connectome_weights.npy", "Sum of their weights, NumPy"),
            Product::file("connectome_assignments.txt", "The two regions of each streamline, 0 0 for none"),
        ]);
        products
    }

    /// The errors of a connectome name what they are about.
    fn about(&self, error: Error) -> Error {
        about_weights(self.weights.as_deref())(self.parcellation.about(error, &self.labels))
    }
}

impl Step for Connectome {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.products())
    }

    fn check(&self, _: &Context) -> Result<()> {
        let labels = self.parcellation.labels(&self.labels)?;
        let options = self.parcellation.options(&labels)?;
        ConnectomeBuilder::new(&labels, None, &options).map(|_| ()).map_err(|e| self.about(e))
    }

    fn run(&self, context: &Context) -> Result<()> {
        let products = self.products();
        let folder = OutputFolder::create(&self.out, &products, &self.inputs(), context)?;
        let labels = self.parcellation.labels(&self.labels)?;
        let options = self.parcellation.options(&labels)?;
        let weights = self.weights.as_deref().map(arcuate_io::read_weights).transpose()?;
        let matrices = context
            .step("connectome", |_| {
                let mut builder = ConnectomeBuilder::new(&labels, weights.as_deref(), &options)?;
                stream_tractogram_in(
                    &self.tractogram,
                    Space::Likely(labels.grid()),
                    &mut builder as &mut dyn StreamlineSink,
                )?;
                builder.finish()
            })
            .map_err(|e| self.about(e))?;
        parcellation::write(&folder, &matrices)?;
        write_weights(&folder, &matrices)?;
        let mut record = Record::new("Connectome", products, context);
        record.cite(REFERENCES);
        record.add_inputs(&self.inputs(), context)?;
        record.figure("streamlines", matrices.assignments.len()).key();
        record.done(format!(
            "For every two of {} regions the streamlines between them were counted, and their lengths averaged.",
            matrices.regions.len()
        ));
        let said = parcellation::note(&matrices, matrices.assignments.len() as u64, &mut record);
        record.write(folder.path(), context)?;
        context.say(said);
        Ok(())
    }
}

/// Writes what counted streamlines do not have: weights, and the regions of each.
fn write_weights(folder: &OutputFolder, matrices: &Matrices) -> Result<()> {
    parcellation::write_matrix(folder, matrices, "weights", Measure::Weight)?;
    let mut assignments = String::new();
    for assignment in &matrices.assignments {
        let (a, b) = assignment.unwrap_or((0, 0));
        // Writing to a string cannot fail.
        let _ = writeln!(assignments, "{a} {b}");
    }
    write_file(&folder.file("connectome_assignments.txt"), assignments)
}
