use crate::context::Context;
use crate::output::require_file_and_record;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::references;
use arcuate_connect::{ClusterOptions, Similarity};
use arcuate_core::{Error, Result};
use arcuate_io::read_matrix;
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::row_labels::{RowLabels, label_rows, write_row_labels};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Non-invasive mapping of connections between human thalamus and cortex using diffusion \
     imaging (find the biggest). doi:10.1038/nn1075",
    "Johansen-Berg H et al. (2004) Changes in connectivity profiles define functionally distinct regions in human medial \
     frontal cortex. doi:10.1073/pnas.0403743101",
    "Arthur D and Vassilvitskii S (2007) k-means++: the advantages of careful seeding. SODA '07: 1027–1035",
];

/// Parcellate the rows of a connectivity matrix by what they are connected to
///
/// Reads a matrix of seeds by targets (.npz, FSL's .dot or _1.mtx, CIFTI-2's .dconn.nii) and gives each row the number of its
/// largest column, counted from 1 (find the biggest); or with --clusters that of its cluster by k-means. Rows without
/// connections have 0. Labels are written where the rows are: as an image, .label.gii or .dlabel.nii with --like, or as a table
/// (.tsv).
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Parcellate {
    /// Connectivity matrix
    #[arg(value_name = "MATRIX")]
    matrix: PathBuf,
    /// Clusters that rows are put into by k-means, instead of the largest column of each
    #[arg(long, value_name = "N")]
    clusters: Option<usize>,
    /// What makes rows alike
    #[arg(long, value_enum, default_value_t = SimilarityArg::Cosine, requires = "clusters")]
    similarity: SimilarityArg,
    /// How often k-means begins anew; the best counts, 10 by default
    #[arg(long, value_name = "N", requires = "clusters")]
    restarts: Option<usize>,
    /// Image whose voxels the result has; also the surface or CIFTI-2 file whose vertices the rows are
    #[arg(long, value_name = "IMAGE")]
    like: Option<PathBuf>,
    /// Where the result goes; an image, .label.gii, .dlabel.nii or .tsv
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum SimilarityArg {
    /// The angle between them, whatever the numbers of their streamlines
    Cosine,
    /// Their distance as they are
    Euclidean,
}

impl Parcellate {
    /// Whether it draws at random.
    pub(crate) fn draws(&self) -> bool {
        self.clusters.is_some()
    }

    fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(&self.matrix).chain(&self.like).cloned().collect()
    }

    fn clusters(&self, context: &Context) -> Result<Option<ClusterOptions>> {
        let Some(clusters) = self.clusters else { return Ok(None) };
        let default = ClusterOptions::new(clusters);
        let starts = self.restarts.unwrap_or(default.starts);
        if starts == 0 {
            return Err(Error::usage("--restarts", "0 starts find nothing", "give 1 or more"));
        }
        let similarity = match self.similarity {
            SimilarityArg::Cosine => Similarity::Cosine,
            SimilarityArg::Euclidean => Similarity::Euclidean,
        };
        Ok(Some(ClusterOptions { similarity, starts, random_seed: context.random_seed(), ..default }))
    }

    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        require_file_and_record(&self.out, &self.inputs(), context)?;
        let clusters = self.clusters(context)?;
        context.came_from("matrix", &self.matrix.display());
        let (rows, columns, labels) = context.step("parcellate", |_| {
            let matrix = read_matrix(&self.matrix)?;
            let labels = label_rows(&matrix, clusters.as_ref())?;
            let like = self.like.as_deref();
            write_row_labels(&self.out, matrix.rows(), &labels, like, &context.image_options())?;
            Ok((matrix.rows().len(), matrix.columns().len(), labels))
        })?;
        let file = OutputFile::file(record::name_of(&self.out), "Parcellation by connectivity");
        let mut record = Record::new("Parcellation by connectivity", vec![file], context);
        record.add_inputs(&self.inputs(), context)?;
        record.figure("rows", rows).key();
        record.figure("columns", columns);
        let RowLabels { labels, names, clusters } = &labels;
        let empty = labels.iter().filter(|label| **label == 0).count();
        record.figure("rows without connections", empty);
        let said = if let Some(found) = clusters {
            record.done("The rows of a connectivity matrix were put into clusters by k-means.");
            record.figure("clusters", names.len()).key();
            record.figure("inertia", found.inertia).key();
            record.figure("rounds", found.rounds);
            let first: Vec<String> = found.first_rows.iter().map(ToString::to_string).collect();
            record.figure("rows that clusters began with", first.join(" "));
            format!("{} rows in {} clusters, {empty} without connections", rows - empty, names.len())
        } else {
            record.done("Each row of a connectivity matrix got the number of its largest column.");
            record.figure("columns that are the largest of a row", names.len()).key();
            format!(
                "{} rows have their largest entry in {} of {columns} columns, {empty} have none",
                rows - empty,
                names.len()
            )
        };
        record.cite(REFERENCES);
        record.write_beside(&self.out, context)?;
        context.say(said);
        Ok(())
    }
}
