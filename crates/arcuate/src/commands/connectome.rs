use crate::context::Context;
use crate::output::OutputFolder;
use crate::record::Record;
use crate::references;
use crate::space::warn_of_another_image;
use crate::weights::about_weights;
use arcuate_connect::{Assignment, ConnectomeBuilder, ConnectomeOptions, Measure, regions_to_csv, to_csv};
use arcuate_core::{Connectome as Matrices, Labels, Result, VisitSink};
use arcuate_io::{read_label_names, read_labels, stream_tractogram, write_file, write_npy};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub(crate) const REFERENCES: &[&str] =
    &["Smith RE et al. (2015) The effects of SIFT on the reproducibility and \
     biological accuracy of the structural connectome (radial search). doi:10.1016/j.neuroimage.2014.10.004"];

/// What a connectome is written as.
pub(crate) const FILES: &[&str] = &[
    "connectome_counts.csv",
    "connectome_counts.npy",
    "connectome_weights.csv",
    "connectome_weights.npy",
    "connectome_lengths.csv",
    "connectome_lengths.npy",
    "connectome_regions.csv",
    "connectome_assignments.txt",
];

/// Count the streamlines between the regions of a parcellation
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights; counts where none are given), connectome_lengths (mean, mm); and the two
/// regions of each streamline (0 0 where it joins none).
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Connectome {
    /// Tractogram
    tractogram: PathBuf,
    /// Image of region numbers, 0 for none
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table
    #[arg(long, value_name = "FILE")]
    label_names: Option<PathBuf>,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Folder for the matrices
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// How the ends of a streamline find their region
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial)]
    assignment: AssignmentArg,
    /// How far the radial search looks, in mm
    #[arg(long, value_name = "MM", default_value_t = ConnectomeOptions::default().search_radius_mm)]
    radius: f64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AssignmentArg {
    /// The nearest labelled voxel within --radius
    Radial,
    /// The voxel of the end point
    EndVoxel,
}

impl Connectome {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let names: Vec<&str> = FILES.iter().copied().chain([crate::record::FILE_NAME]).collect();
        let optional = [&self.label_names, &self.weights];
        let inputs: Vec<PathBuf> = [&self.tractogram, &self.labels]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .cloned()
            .collect();
        let folder = OutputFolder::create(&self.out, &names, &inputs, context.force)?;
        let labels = load_labels(&self.labels, self.label_names.as_deref())?;
        warn_of_another_image(&self.tractogram, labels.grid(), "the parcellation")?;
        let weights = self.weights.as_deref().map(arcuate_io::read_weights).transpose()?;
        let options = ConnectomeOptions {
            assignment: match self.assignment {
                AssignmentArg::Radial => Assignment::RadialSearch,
                AssignmentArg::EndVoxel => Assignment::EndVoxel,
            },
            search_radius_mm: self.radius,
        };
        let about_weights = about_weights(self.weights.as_deref());
        let matrices = context.step("connectome", |_| {
            let mut builder = ConnectomeBuilder::new(&labels, weights.as_deref(), &options)?;
            stream_tractogram(&self.tractogram, &mut builder as &mut dyn VisitSink).map_err(about_weights)?;
            builder.finish().map_err(about_weights)
        })?;
        write(&folder, &matrices)?;
        let mut record = Record::new("Connectome", context);
        record.wrote(&names);
        record.cite(REFERENCES);
        record.add_inputs(&inputs)?;
        record.option("assignment", format!("{:?}", options.assignment));
        record.option("search radius", format!("{} mm", self.radius));
        record.figure("streamlines", matrices.assignments.len());
        record.figure("streamlines that join two regions", matrices.assigned());
        record.figure("regions", matrices.regions.len());
        record.write(folder.path(), context)?;
        context.say(format_args!(
            "{} of {} streamlines join two of {} regions",
            matrices.assigned(),
            matrices.assignments.len(),
            matrices.regions.len()
        ));
        Ok(())
    }
}

/// Reads a parcellation with its names.
pub(crate) fn load_labels(path: &Path, names: Option<&Path>) -> Result<Labels> {
    let labels = read_labels(path)?;
    match names {
        Some(names) => Labels::new(*labels.grid(), labels.values().to_vec(), read_label_names(names)?),
        None => Ok(labels),
    }
}

/// Writes the files named in [`FILES`].
pub(crate) fn write(folder: &OutputFolder, matrices: &Matrices) -> Result<()> {
    let n = matrices.regions.len();
    for (name, measure) in
        [("counts", Measure::Count), ("weights", Measure::Weight), ("lengths", Measure::MeanLength)]
    {
        write_file(&folder.file(&format!("connectome_{name}.csv")), to_csv(matrices, measure))?;
        write_npy(&folder.file(&format!("connectome_{name}.npy")), &[n, n], measure.of(matrices))?;
    }
    write_file(&folder.file("connectome_regions.csv"), regions_to_csv(matrices))?;
    let mut assignments = String::new();
    for assignment in &matrices.assignments {
        let (a, b) = assignment.unwrap_or((0, 0));
        // Writing to a string cannot fail.
        let _ = writeln!(assignments, "{a} {b}");
    }
    write_file(&folder.file("connectome_assignments.txt"), assignments)
}
