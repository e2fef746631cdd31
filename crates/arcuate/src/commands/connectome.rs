use crate::context::Context;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::OutputFile;
use crate::parcellation::{REFERENCES, say_memory};
use crate::record::{self, Record};
use crate::references;
use crate::space::image_grid;
use crate::stage_command::StageCommand;
use crate::surface_conversion::MeshSpaceArg;
use crate::weights::about_weights;
use arcuate_connect::{Assignment, ConnectomeOptions, RegionConnectome};
use arcuate_core::{Error, Measure, Result};
use arcuate_io::{SurfaceReading, is_cifti_name, is_npz_name};
use arcuate_pipeline::connectomes::{self, ConnectomeInputs, MeasureRequest, measures, stems};
use arcuate_pipeline::parcellations::{NamedParcellation, Surfaces, read_parcellations};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Count the streamlines between the regions of parcellations
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights; counts where none are given), connectome_lengths (mean, mm), or what --measure asks for;
/// and the two regions of each streamline (0 0 where it joins none). Of several parcellations, which one pass over the
/// tractogram serves, names of files begin with that of the parcellation instead of connectome; of CIFTI-2 labels each measure
/// is written as .pconn.nii too. With --out NAME.npz it writes sparse matrices for SciPy instead: NAME_counts.npz,
/// NAME_weights.npz, NAME_lengths.npz, their rows in NAME_regions.tsv, and NAME_assignments.txt.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Connectome {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Image of region numbers, 0 for none; or labels at the vertices of --surfaces (.annot, .label.gii) or CIFTI-2
    /// (.dlabel.nii). Each of several, parted by commas, is a parcellation of its own, but the two of
    /// lh.aparc.annot,rh.aparc.annot are one
    #[arg(long, value_name = "FILE", value_delimiter = ',', required = true)]
    labels: Vec<PathBuf>,
    /// Surfaces whose vertices have the labels, one for each hemisphere
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    surfaces: Vec<PathBuf>,
    /// Image whose space the file refers to; that of surfaces in FreeSurfer's coordinates that do not say it
    #[arg(long, value_name = "IMAGE", requires = "surfaces")]
    reference: Option<PathBuf>,
    /// What the coordinates of a surface are, whatever its file says of them
    #[arg(long, value_enum, value_name = "SPACE", requires = "surfaces")]
    mesh_space: Option<MeshSpaceArg>,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// What is measured of the streamlines of each entry; count (always there), weight, length, and NAME=FILE, the mean
    /// of an image along them or of a text file's number for each
    #[arg(long, value_name = "MEASURE,…", value_delimiter = ',', default_value = "count,weight,length")]
    measure: Vec<MeasureRequest>,
    /// Where the result goes; a folder for the matrices, or a name that ends in .npz for sparse ones
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for
    /// each region of the table, in the order of numbers, whether it occurs in the labels or not
    #[arg(long, value_name = "FILE")]
    label_names: Option<PathBuf>,
    /// How a streamline finds its regions
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial)]
    assignment: AssignmentArg,
    /// How far the search for a region looks, in mm; 4 by default, but to the middle of the streamline with --assignment
    /// reverse
    #[arg(long, value_name = "MM")]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// Each end the nearest labelled voxel or vertex within --assignment-radius
    Radial,
    /// Each end its voxel
    EndVoxel,
    /// Each end the last region that the streamline was in, up to --assignment-radius along it
    Reverse,
    /// Each end the first region ahead of it, up to --assignment-radius
    Forward,
    /// All regions that a point of the streamline lies in; it joins any two of them
    AllVoxels,
}

impl AssignmentArg {
    fn assignment(self) -> Assignment {
        match self {
            Self::Radial => Assignment::RadialSearch,
            Self::EndVoxel => Assignment::EndVoxel,
            Self::Reverse => Assignment::ReverseSearch,
            Self::Forward => Assignment::ForwardSearch,
            Self::AllVoxels => Assignment::AllVoxels,
        }
    }
}

impl Connectome {
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.label_names, &self.weights, &self.reference].into_iter().flatten();
        let values = self.measure.iter().filter_map(MeasureRequest::file);
        let files = std::iter::once(&self.tractogram).chain(&self.labels).chain(&self.surfaces);
        files.chain(optional).chain(values).cloned().collect()
    }

    /// Whether sparse matrices are asked for.
    fn is_sparse(&self) -> bool {
        is_npz_name(&self.out)
    }

    /// The name of the parcellation in those of files with sparse matrices: there are several.
    fn in_names<'a>(stems: &'a [String], stem: &'a str) -> Option<&'a str> {
        (stems.len() > 1).then_some(stem)
    }

    fn sparse_files(&self, stems: &[String]) -> Result<Vec<PathBuf>> {
        let measures = measures(&self.measure);
        let of = |stem: &String| connectomes::sparse_files(&self.out, Self::in_names(stems, stem), &measures);
        stems.iter().map(of).collect::<Result<Vec<_>>>().map(|files| files.concat())
    }

    /// The files of parcellations with these names, and whether each is CIFTI's.
    fn output_files(&self, stems: &[String], are_cifti: &[bool]) -> Result<Vec<OutputFile>> {
        let measures = measures(&self.measure);
        if self.is_sparse() {
            let titles = measures.iter().map(title).chain(["Which region each row is".to_owned()]);
            let titles: Vec<String> = titles.chain([connectomes::ASSIGNMENTS.to_owned()]).collect();
            let names = self.sparse_files(stems)?;
            let file = |(n, path): (usize, &PathBuf)| {
                OutputFile::file(record::name_of(path), titles[n % titles.len()].clone())
            };
            return Ok(names.iter().enumerate().map(file).collect());
        }
        let of = |(stem, is_cifti): (&String, &bool)| {
            connectomes::output_files(stem, &measures, self.weights.is_some(), *is_cifti)
        };
        Ok(stems.iter().zip(are_cifti).flat_map(of).collect())
    }

    fn options(&self) -> Result<ConnectomeOptions> {
        let assignment = self.assignment.assignment();
        let default = ConnectomeOptions::default();
        let searches_nothing = match assignment {
            Assignment::EndVoxel => "end-voxel",
            Assignment::AllVoxels => "all-voxels",
            _ => "",
        };
        if self.assignment_radius.is_some() && !searches_nothing.is_empty() {
            let problem = format!("{searches_nothing} searches nothing");
            let advice = "leave it out, or choose --assignment radial";
            return Err(Error::usage("--assignment-radius", problem, advice));
        }
        let search_radius_mm = match (self.assignment_radius, assignment) {
            (Some(radius), _) if radius.is_finite() => radius,
            (Some(_), _) => f64::NAN,
            (None, Assignment::ReverseSearch) => f64::INFINITY,
            (None, _) => default.search_radius_mm,
        };
        Ok(ConnectomeOptions { assignment, search_radius_mm, ..default })
    }

    fn parcellations(&self) -> Result<Vec<NamedParcellation>> {
        let grid = self.reference.as_deref().map(image_grid).transpose()?;
        let mesh_space = self.mesh_space.map(MeshSpaceArg::space);
        let reading = SurfaceReading { reference: grid.as_ref(), mesh_space };
        let surfaces = Surfaces::read(&self.surfaces, reading)?;
        read_parcellations(&self.labels, &surfaces, self.label_names.as_deref())
    }

    /// What was done, in a sentence.
    fn done(&self, made: &[RegionConnectome]) -> String {
        let regions: Vec<String> = made.iter().map(|one| one.matrix.rows().len().to_string()).collect();
        let lengths = self.measure.contains(&MeasureRequest::Length);
        let averaged = if lengths { ", and their lengths averaged" } else { "" };
        format!(
            "For every two of {} regions the streamlines between them were counted{averaged}.",
            regions.join(" and of ")
        )
    }

    /// The errors of a connectome name what they are about.
    fn about(&self, error: Error) -> Error {
        let error = match (error.subject(), &self.label_names) {
            ("regions of the connectome", Some(names)) => error.about(names.display()),
            ("search radius", _) => error.about("--assignment-radius"),
            _ => error,
        };
        about_weights(self.weights.as_deref())(error)
    }
}

impl StageCommand for Connectome {
    fn outputs(&self) -> Vec<PathBuf> {
        // A stage of `run` has one parcellation.
        let (stems, are_cifti) = (["connectome".to_owned()], [is_cifti_name(&self.labels[0])]);
        let files = self.output_files(&stems, &are_cifti).unwrap_or_default();
        if self.is_sparse() {
            let files = self.sparse_files(&stems).unwrap_or_default();
            return files.into_iter().chain([record::beside(&self.out)]).collect();
        }
        record::outputs(&self.out, &files)
    }

    fn check(&self, _: &Context) -> Result<()> {
        let (parcellations, options) = (self.parcellations()?, self.options()?);
        let inputs = ConnectomeInputs {
            tractogram: &self.tractogram,
            parcellations: &parcellations,
            measures: &self.measure,
            weights: None,
            options: &options,
        };
        inputs.check().map_err(|e| self.about(e))
    }

    fn run(&self, context: &Context) -> Result<()> {
        let options = self.options()?;
        let parcellations = self.parcellations()?;
        let stems = stems(&parcellations);
        let are_cifti: Vec<bool> = parcellations.iter().map(NamedParcellation::is_cifti).collect();
        let output_files = self.output_files(&stems, &are_cifti)?;
        let folder = if self.is_sparse() {
            require_files_and_record(&self.out, &self.sparse_files(&stems)?, &self.inputs(), context)?;
            None
        } else {
            Some(OutputFolder::create(&self.out, &output_files, &self.inputs(), context)?)
        };
        let inputs = ConnectomeInputs {
            tractogram: &self.tractogram,
            parcellations: &parcellations,
            measures: &self.measure,
            weights: self.weights.as_deref(),
            options: &options,
        };
        let dense = if folder.is_some() { measures(&self.measure).len() as u64 } else { 0 };
        let made = context
            .step("connectome", |_| inputs.make(|regions, memory| say_memory(regions, memory, dense)))
            .map_err(|e| self.about(e))?;
        for ((one, stem), connectome) in parcellations.iter().zip(&stems).zip(&made) {
            match &folder {
                Some(folder) => connectomes::write(|name| folder.file(name), stem, one, connectome)?,
                None => connectomes::write_sparse(&self.out, Self::in_names(&stems, stem), connectome)?,
            }
        }
        let mut record = Record::new("Connectome", output_files, context);
        record.cite(REFERENCES);
        record.add_inputs(&self.inputs(), context)?;
        record.figure("streamlines", made.first().map_or(0, |one| one.assignments.len())).key();
        record.done(self.done(&made));
        let said: Vec<String> =
            stems.iter().zip(&made).map(|(stem, one)| note(&stems, stem, one, &mut record)).collect();
        match &folder {
            Some(folder) => record.write(folder.path(), context)?,
            None => record.write_beside(&self.out, context)?,
        }
        for said in said {
            context.say(said);
        }
        Ok(())
    }
}

/// What a sparse matrix of a measure is.
fn title(measure: &Measure) -> String {
    match measure {
        Measure::Count => "Number of streamlines between two regions, SciPy".to_owned(),
        Measure::Weight => "Sum of their weights, SciPy".to_owned(),
        Measure::Mean(name) | Measure::Sum(name) => format!("Mean of {name} along them, SciPy"),
        Measure::MeanLength => "Their mean length, mm, SciPy".to_owned(),
    }
}

/// Notes how many of all streamlines are connections and how many only touch one region, and says so: with the name of the
/// parcellation where there are several.
fn note(stems: &[String], stem: &str, connectome: &RegionConnectome, record: &mut Record) -> String {
    let (between, within) = connectome.assignments.between_and_within();
    let (regions, streamlines) = (connectome.matrix.rows().len(), connectome.assignments.len());
    let of = if stems.len() > 1 { format!("{stem}: ") } else { String::new() };
    record.figure(&format!("{of}streamlines that join two regions"), between).key();
    record.figure(&format!("{of}streamlines with both ends in one region"), within);
    record.figure(&format!("{of}regions"), regions).key();
    format!(
        "{of}{between} of {streamlines} streamlines join two of {regions} regions; {within} have both ends in one"
    )
}
