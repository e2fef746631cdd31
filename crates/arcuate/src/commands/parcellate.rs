use crate::grammar::Grammar;
use crate::meanings;
use crate::output::require_file_and_record;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::references;
use arcuate_connect::{ClusterOptions, Similarity};
use arcuate_core::{Error, Result};
use arcuate_io::read_matrix;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::row_labels::{RowLabels, label_rows, write_row_labels};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Parcellate the rows of a connectivity matrix by their connections
///
/// Reads a matrix of seeds (rows) by targets (columns): .npz, FSL's .dot or _1.mtx, or CIFTI-2's .dconn.nii.
/// Each row gets the number of the column with its largest value, counted from 1 (find the biggest). With
/// --clusters, each row gets the number of its k-means cluster instead. Rows without connections get 0. With
/// --like, writes an image, .label.gii or .dlabel.nii. If not, writes a table (.tsv).
#[derive(Debug, Args)]
pub(crate) struct Parcellate {
    /// Connectivity matrix (.npz, .dot, _1.mtx or .dconn.nii)
    #[arg(value_name = "MATRIX")]
    matrix: PathBuf,
    /// Divide the matrix rows (seeds) into N clusters by the k-means method
    ///
    /// Without this option, each row gets the number of the column (target) with its largest value.
    #[arg(long, value_name = "N")]
    clusters: Option<usize>,
    /// Measure of similarity of two matrix rows, for --clusters
    #[arg(long, value_enum, default_value_t = SimilarityArg::Cosine, requires = "clusters")]
    similarity: SimilarityArg,
    /// Number of k-means runs from different starts; the best result is used
    ///
    /// [default: 10]
    #[arg(long, value_name = "N", requires = "clusters")]
    restarts: Option<usize>,
    #[arg(
        long,
        help = meanings::LIKE,
        long_help = meanings::with(
            meanings::LIKE,
            "If the matrix rows are vertices of a surface, give the surface file, or a CIFTI-2 file with the \
             same vertices."
        ),
        value_name = "IMAGE"
    )]
    like: Option<PathBuf>,
    /// Output: image, .label.gii, .dlabel.nii or table (.tsv)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum SimilarityArg {
    /// Cosine of the angle between the rows, which does not depend on the total number of streamlines in each
    /// row
    Cosine,
    /// Euclidean distance between the rows
    Euclidean,
}

impl Parcellate {
    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        self.clusters.is_some()
    }

    fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(&self.matrix).chain(&self.like).cloned().collect()
    }

    fn clusters(&self, job: &Job) -> Result<Option<ClusterOptions>> {
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
        Ok(Some(ClusterOptions { similarity, starts, random_seed: job.random_seed(), ..default }))
    }

    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        require_file_and_record(&self.out, &self.inputs(), job)?;
        let clusters = self.clusters(job)?;
        job.came_from("matrix", &self.matrix.display());
        let (rows, columns, labels) = job.step("parcellate", || {
            let matrix = read_matrix(&self.matrix)?;
            let labels = label_rows(&matrix, clusters.as_ref())?;
            let like = self.like.as_deref();
            write_row_labels(&self.out, matrix.rows(), &labels, like, &job.image_options())?;
            Ok((matrix.rows().len(), matrix.columns().len(), labels))
        })?;
        let file = OutputFile::file(record::name_of(&self.out), "Parcellation by connectivity");
        let mut record = Record::new("Parcellation by connectivity", vec![file], job);
        record.add_inputs(&self.inputs(), job)?;
        record.figure("rows", rows).key();
        record.figure("columns", columns);
        let RowLabels { labels, names, clusters } = &labels;
        let empty = labels.iter().filter(|label| **label == 0).count();
        record.figure("rows without connections", empty);
        let message = if let Some(found) = clusters {
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
        record.cite(references::PARCELLATE);
        record.write_next_to(&self.out, job)?;
        job.show_message(message);
        Ok(())
    }
}
