//! Computes connectomes: the number of streamlines between the regions of parcellations.

use super::work::Work;
use crate::connectomes::{self, ConnectomeInputs, MeasureRequest, REFERENCES, measures, say_memory, stems};
use crate::job::Job;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::OutputFile;
use crate::parcellations::{NamedParcellation, Surfaces, read_parcellations};
use crate::record::{self, Record};
use crate::space::image_grid;
use arcuate_connect::{Assignment, ConnectomeOptions, RegionConnectome};
use arcuate_core::{Error, Measure, MeshSpace, Result};
use arcuate_io::{SurfaceReading, is_cifti_name, is_npz_name};
use std::path::PathBuf;

/// Computes connectomes: the number of streamlines between the regions of parcellations. Each parcellation
/// has its own matrix. The tractogram is read only once.
#[derive(Debug, Clone, PartialEq)]
pub struct MakeConnectome {
    /// The tractogram.
    pub tracts: PathBuf,
    /// Parcellations: images of region numbers (0 is no region), labels at the vertices of surfaces, or
    /// CIFTI-2 label files. If a parcellation has a label file for each hemisphere, both files must be next
    /// to each other in the list.
    pub labels: Vec<PathBuf>,
    /// Surfaces to whose vertices the labels belong. There is one surface for each hemisphere.
    pub surfaces: Vec<PathBuf>,
    /// Image that defines the space of the surface coordinates.
    pub reference: Option<PathBuf>,
    /// Coordinate system of the surfaces. If set, it overrides their files.
    pub mesh_space: Option<MeshSpace>,
    /// A file with a weight for each streamline.
    pub weights: Option<PathBuf>,
    /// Measures of the streamlines between two regions. The count is always written.
    pub measures: Vec<MeasureRequest>,
    /// File of the region names of a single parcellation: a FreeSurfer colour table or an MRtrix labelconvert
    /// table. If it is set, the matrices have a row for each region of the table, in the order of region
    /// numbers, even for regions without voxels.
    pub label_names: Option<PathBuf>,
    /// Method that assigns regions to a streamline.
    pub assignment: Assignment,
    /// Maximum distance, in mm, at which a region is searched from the end of a streamline. The default is 4
    /// mm. For the reverse search, which follows the streamline backwards, it is the distance to the middle
    /// of the streamline.
    pub search_radius_mm: Option<f64>,
    /// Folder of the matrices. If the name ends in `.npz`, it is the file name of sparse matrices.
    pub out: PathBuf,
}

impl MakeConnectome {
    /// Creates the computation of a connectome from an image of labels, with default options. The measures
    /// are the number of streamlines, the sum of their weights and their mean length. The results are written
    /// into a folder.
    pub fn new(tracts: impl Into<PathBuf>, labels: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            tracts: tracts.into(),
            labels: vec![labels.into()],
            surfaces: Vec::new(),
            reference: None,
            mesh_space: None,
            weights: None,
            measures: vec![MeasureRequest::Count, MeasureRequest::Weight, MeasureRequest::Length],
            label_names: None,
            assignment: Assignment::RadialSearch,
            search_radius_mm: None,
            out: out.into(),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.label_names, &self.weights, &self.reference].into_iter().flatten();
        let values = self.measures.iter().filter_map(MeasureRequest::file);
        let files = std::iter::once(&self.tracts).chain(&self.labels).chain(&self.surfaces);
        files.chain(optional).chain(values).cloned().collect()
    }

    /// Checks whether sparse matrices are requested.
    fn is_sparse(&self) -> bool {
        is_npz_name(&self.out)
    }

    /// Returns the name of the parcellation, which is part of the file names of sparse matrices. Returns
    /// `None` if there is only one parcellation.
    fn in_names<'a>(stems: &'a [String], stem: &'a str) -> Option<&'a str> {
        (stems.len() > 1).then_some(stem)
    }

    fn sparse_files(&self, stems: &[String]) -> Result<Vec<PathBuf>> {
        let measures = measures(&self.measures);
        let of = |stem: &String| connectomes::sparse_files(&self.out, Self::in_names(stems, stem), &measures);
        stems.iter().map(of).collect::<Result<Vec<_>>>().map(|files| files.concat())
    }

    /// Returns the output files of the parcellations with the names `stems`. `are_cifti` states for each
    /// parcellation whether it is from a CIFTI-2 file.
    fn output_files(&self, stems: &[String], are_cifti: &[bool]) -> Result<Vec<OutputFile>> {
        let measures = measures(&self.measures);
        if self.is_sparse() {
            let titles = measures.iter().map(title).chain(["Region of each row".to_owned()]);
            let titles: Vec<String> = titles.chain([connectomes::ASSIGNMENTS.to_owned()]).collect();
            let names = self.sparse_files(stems)?;
            let file = |(n, path): (usize, &PathBuf)| {
                let file = OutputFile::file(record::name_of(path), titles[n % titles.len()].clone());
                match measures.get(n % titles.len()) {
                    Some(Measure::Count) => file
                        .with_content("Sparse matrix for SciPy: number of streamlines between two regions"),
                    Some(Measure::Weight) => {
                        file.with_content("Sparse matrix for SciPy: sum of the weights of these streamlines")
                    }
                    Some(Measure::MeanLength) => {
                        file.with_content("Sparse matrix for SciPy: mean length of these streamlines, mm")
                    }
                    _ => file,
                }
            };
            return Ok(names.iter().enumerate().map(file).collect());
        }
        let of = |(stem, is_cifti): (&String, &bool)| {
            connectomes::output_files(stem, &measures, self.weights.is_some(), *is_cifti)
        };
        Ok(stems.iter().zip(are_cifti).flat_map(of).collect())
    }

    /// Returns the options of the assignment.
    ///
    /// # Errors
    /// Returns an error if a search radius is set, but the assignment method does not search for a region.
    #[doc(hidden)]
    pub fn options(&self) -> Result<ConnectomeOptions> {
        let default = ConnectomeOptions::default();
        let searches_nothing = match self.assignment {
            Assignment::EndVoxel => "end-voxel",
            Assignment::AllVoxels => "all-voxels",
            _ => "",
        };
        if self.search_radius_mm.is_some() && !searches_nothing.is_empty() {
            let problem = format!("{searches_nothing} searches nothing");
            let advice = "leave it out, or choose ‘assignment’ radial";
            return Err(Error::usage("‘search_radius_mm’", problem, advice));
        }
        let search_radius_mm = match (self.search_radius_mm, self.assignment) {
            (Some(radius), _) if radius.is_finite() => radius,
            (Some(_), _) => f64::NAN,
            (None, Assignment::ReverseSearch) => f64::INFINITY,
            (None, _) => default.search_radius_mm,
        };
        Ok(ConnectomeOptions { assignment: self.assignment, search_radius_mm, ..default })
    }

    fn parcellations(&self) -> Result<Vec<NamedParcellation>> {
        let grid = self.reference.as_deref().map(image_grid).transpose()?;
        let reading = SurfaceReading { reference: grid.as_ref(), mesh_space: self.mesh_space };
        let surfaces = Surfaces::read(&self.surfaces, reading)?;
        read_parcellations(&self.labels, &surfaces, self.label_names.as_deref())
    }

    /// Notes the file of each input, so that errors about the data state this file.
    fn report_sources(&self, job: &Job) {
        if let Some(names) = &self.label_names {
            job.came_from("regions of the connectome", &names.display());
        }
        if let Some(weights) = &self.weights {
            job.came_from("streamline weights", &weights.display());
        }
    }

    /// Describes in one sentence what was computed.
    fn done(&self, made: &[RegionConnectome]) -> String {
        let regions: Vec<String> = made.iter().map(|one| one.matrix.rows().len().to_string()).collect();
        let lengths = self.measures.contains(&MeasureRequest::Length);
        let averaged = if lengths { ", and their lengths averaged" } else { "" };
        format!(
            "For every two of {} regions the streamlines between them were counted{averaged}.",
            regions.join(" and of ")
        )
    }

    /// Computes and writes one connectome for each parcellation.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Vec<RegionConnectome>> {
        let options = self.options()?;
        let parcellations = self.parcellations()?;
        let stems = stems(&parcellations);
        let are_cifti: Vec<bool> = parcellations.iter().map(NamedParcellation::is_cifti).collect();
        let output_files = self.output_files(&stems, &are_cifti)?;
        let folder = if self.is_sparse() {
            require_files_and_record(&self.out, &self.sparse_files(&stems)?, &self.inputs(), job)?;
            None
        } else {
            Some(OutputFolder::create(&self.out, &output_files, &self.inputs(), job)?)
        };
        self.report_sources(job);
        let inputs = ConnectomeInputs {
            tractogram: &self.tracts,
            parcellations: &parcellations,
            measures: &self.measures,
            weights: self.weights.as_deref(),
            options: &options,
        };
        let dense = if folder.is_some() { measures(&self.measures).len() as u64 } else { 0 };
        let made =
            job.step("connectome", || inputs.make(|regions, memory| say_memory(regions, memory, dense)))?;
        for ((one, stem), connectome) in parcellations.iter().zip(&stems).zip(&made) {
            match &folder {
                Some(folder) => connectomes::write(|name| folder.file(name), stem, one, connectome)?,
                None => connectomes::write_sparse(&self.out, Self::in_names(&stems, stem), connectome)?,
            }
        }
        let mut record = Record::new("Connectome", output_files, job);
        record.cite(REFERENCES);
        record.add_inputs(&self.inputs(), job)?;
        record.figure("streamlines", made.first().map_or(0, |one| one.assignments.len())).key();
        record.done(self.done(&made));
        let message: Vec<String> =
            stems.iter().zip(&made).map(|(stem, one)| note(&stems, stem, one, &mut record)).collect();
        match &folder {
            Some(folder) => record.write(folder.path(), job)?,
            None => record.write_next_to(&self.out, job)?,
        }
        for message in message {
            job.show_message(&message);
        }
        Ok(made)
    }
}

impl Work for MakeConnectome {
    fn outputs(&self) -> Vec<PathBuf> {
        // This function is called for a stage of `arcuate run`, which has exactly one parcellation.
        let is_cifti = self.labels.first().is_some_and(|labels| is_cifti_name(labels));
        let (stems, are_cifti) = (["connectome".to_owned()], [is_cifti]);
        let files = self.output_files(&stems, &are_cifti).unwrap_or_default();
        if self.is_sparse() {
            let files = self.sparse_files(&stems).unwrap_or_default();
            return files.into_iter().chain([record::companion_path(&self.out)]).collect();
        }
        record::outputs(&self.out, &files)
    }

    fn check(&self, job: &Job) -> Result<()> {
        let (parcellations, options) = (self.parcellations()?, self.options()?);
        self.report_sources(job);
        let inputs = ConnectomeInputs {
            tractogram: &self.tracts,
            parcellations: &parcellations,
            measures: &self.measures,
            weights: None,
            options: &options,
        };
        inputs.check()
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// Returns the title of the sparse matrix of a measure.
fn title(measure: &Measure) -> String {
    match measure {
        Measure::Count => "Number of streamlines between two regions, SciPy".to_owned(),
        Measure::Weight => "Sum of their weights, SciPy".to_owned(),
        Measure::Mean(name) => format!("Mean of {name} along them, SciPy"),
        Measure::Sum(name) => format!("Sum of the means of {name} along them, SciPy"),
        Measure::MeanLength => "Their mean length, mm, SciPy".to_owned(),
    }
}

/// Adds two numbers to the record: the number of streamlines that join two regions, and the number of
/// streamlines with both ends in the same region. Returns a sentence with these numbers. If there are several
/// parcellations, it begins with the name of the parcellation.
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
