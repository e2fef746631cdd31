use crate::context::Context;
use crate::output::OutputFolder;
use crate::products::{Kind, Product};
use crate::record::{self, Record};
use crate::references;
use crate::step::Step;
use crate::weights::about_weights;
use arcuate_connect::{Assignment, ConnectomeBuilder, ConnectomeOptions, Measure, regions_to_csv, to_csv};
use arcuate_core::{Connectome as Matrices, Error, Labels, Result, VisitSink};
use arcuate_io::{read_label_names, read_labels, stream_tractogram, write_file, write_npy};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;

const REFERENCES: &[&str] = &["Smith RE et al. (2015) The effects of SIFT on the reproducibility and \
     biological accuracy of the structural connectome (radial search). doi:10.1016/j.neuroimage.2014.10.004"];

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
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for
    /// each region of the table, in the order of numbers, whether it occurs in the image or not
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
    /// How far the radial search looks, in mm; 4 by default
    #[arg(long, value_name = "MM")]
    radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// The nearest labelled voxel within --radius
    Radial,
    /// The voxel of the end point
    EndVoxel,
}

impl Connectome {
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.label_names, &self.weights].into_iter().flatten();
        [&self.tractogram, &self.labels].into_iter().chain(optional).cloned().collect()
    }

    fn products(&self) -> Vec<Product> {
        let regions = "connectome_regions.csv";
        let matrix =
            |quantity: &'static str| Kind::Matrix { quantity: quantity.into(), regions: regions.into() };
        // Without weights each streamline weighs 1, and the two matrices are one.
        let weighted = self.weights.is_some();
        let counts = Product::shown("connectome_counts.csv", "Connectome", matrix("streamlines"))
            .with_caption("Number of streamlines between two regions.");
        let weights = Product::shown("connectome_weights.csv", "Connectome", matrix("sum of weights"))
            .with_caption("Sum of the weights of the streamlines between two regions.");
        vec![
            if weighted { counts.unseen() } else { counts },
            Product::file("connectome_counts.npy", "Number of streamlines between two regions, NumPy"),
            if weighted { weights } else { weights.unseen() },
            Product::file("connectome_weights.npy", "Sum of their weights, NumPy"),
            Product::file("connectome_lengths.csv", "Their mean length, mm"),
            Product::file("connectome_lengths.npy", "Their mean length, mm, NumPy"),
            Product::file(regions, "Which region each row is"),
            Product::file("connectome_assignments.txt", "The two regions of each streamline, 0 0 for none"),
        ]
    }

    /// The options of the library, for the regions of the table of names, where there is one.
    fn options(&self, labels: &Labels) -> Result<ConnectomeOptions> {
        let assignment = match self.assignment {
            AssignmentArg::Radial => Assignment::RadialSearch,
            AssignmentArg::EndVoxel => Assignment::EndVoxel,
        };
        if self.radius.is_some() && assignment == Assignment::EndVoxel {
            let problem = "end-voxel searches nothing";
            return Err(Error::usage("--radius", problem, "leave it out, or choose --assignment radial"));
        }
        let default = ConnectomeOptions::default().search_radius_mm;
        let named = labels.names().keys().copied().filter(|&region| region != 0);
        Ok(ConnectomeOptions {
            assignment,
            search_radius_mm: self.radius.unwrap_or(default),
            regions: self.label_names.is_some().then(|| named.collect()),
        })
    }

    /// The parcellation with its names.
    fn labels(&self) -> Result<Labels> {
        let labels = read_labels(&self.labels)?;
        let Some(names) = &self.label_names else { return Ok(labels) };
        let named = Labels::new(*labels.grid(), labels.values().to_vec(), read_label_names(names)?)?;
        let unnamed: Vec<String> = named
            .regions()
            .iter()
            .filter(|region| !named.names().contains_key(region))
            .map(u32::to_string)
            .collect();
        if !unnamed.is_empty() {
            let shown = unnamed[..unnamed.len().min(10)].join(", ");
            let more = if unnamed.len() > 10 { ", …" } else { "" };
            tracing::warn!(
                "{}: {} regions have no name in {} and are left out: {shown}{more}",
                self.labels.display(),
                unnamed.len(),
                names.display()
            );
        }
        Ok(named)
    }

    /// The errors of a connectome name what they are about: the image of regions, the table of names, the weights.
    fn about(&self, error: Error) -> Error {
        match (error.subject(), &self.label_names) {
            ("regions of the connectome", Some(names)) => error.about(names.display()),
            ("labels", _) => error.about(self.labels.display()),
            ("search radius", _) => error.about("--radius"),
            _ => about_weights(self.weights.as_deref())(error),
        }
    }
}

impl Step for Connectome {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.products())
    }

    fn check(&self, _: &Context) -> Result<()> {
        let labels = self.labels()?;
        let options = self.options(&labels)?;
        ConnectomeBuilder::new(&labels, None, &options).map(|_| ()).map_err(|e| self.about(e))
    }

    fn run(&self, context: &Context) -> Result<()> {
        let products = self.products();
        let folder = OutputFolder::create(&self.out, &products, &self.inputs(), context)?;
        let labels = self.labels()?;
        let options = self.options(&labels)?;
        let weights = self.weights.as_deref().map(arcuate_io::read_weights).transpose()?;
        let matrices = context
            .step("connectome", |_| {
                let mut builder = ConnectomeBuilder::new(&labels, weights.as_deref(), &options)?;
                stream_tractogram(&self.tractogram, &mut builder as &mut dyn VisitSink)?;
                builder.finish()
            })
            .map_err(|e| self.about(e))?;
        write(&folder, &matrices)?;
        let mut record = Record::new("Connectome", products, context);
        record.cite(REFERENCES);
        record.add_inputs(&self.inputs(), context)?;
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

/// Writes the matrices and what belongs to them.
fn write(folder: &OutputFolder, matrices: &Matrices) -> Result<()> {
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
