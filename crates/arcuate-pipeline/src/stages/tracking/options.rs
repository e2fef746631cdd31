//! Options of tracking that all sources share.

use super::connections::Connections;
use super::field::Source;
use super::form::Form;
use super::part::Extent;
use super::preset::Preset;
use super::product_names::{ProductName, Products};
use super::regions::RegionsToJoin;
use super::seeds::SampleSeeds;
use super::{names_of_regions, require_names_apart};
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::mask_space::{MaskSpace, MaskSpaceInputs};
use crate::matrix_elements::ElementList;
use crate::regions::RegionFile;
use crate::stages::propagation::Propagation;
use crate::tracked_matrix::{MatrixKind, MatrixRequest};
use arcuate_core::{Error, Result};
use arcuate_io::{describe_image, is_image_name};
use arcuate_track::ConstraintUnit;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default threshold of the map of the fraction of accepted streamlines that pass each voxel.
const DEFAULT_THRESHOLD: f64 = 0.005;

/// Options of the maps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleMaps {
    /// Threshold of the map of the fraction of accepted streamlines that pass each voxel. Smaller fractions
    /// are written as 0. Default: 0.005.
    pub threshold: Option<f64>,
    /// Format of the maps. Default: compressed NIfTI.
    pub format: Option<MapFormat>,
}

impl SampleMaps {
    /// Returns the threshold of the map of the fraction of accepted streamlines that pass each voxel.
    #[doc(hidden)]
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(DEFAULT_THRESHOLD)
    }

    /// Returns the image format of the maps in a folder of results.
    pub(super) fn format(&self) -> MapFormat {
        self.format.unwrap_or_default()
    }
}

/// Options of tracking that are the same for all sources of directions: seeds, regions, propagation and the
/// results to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Tracking {
    /// Folder of the results. If only one result is written, this can be its file. It contains streamlines
    /// (`.tck`, `.trk`, `.trx`), a map of the number of streamlines in each voxel (an image), or a connectome
    /// (`.npz`). The name does not determine what is computed.
    pub out: PathBuf,
    /// Results to write, in addition to a connectome and a connectivity matrix. Default: streamlines.
    pub products: Products,
    /// Seeds and their number.
    pub seeds: SampleSeeds,
    /// Waypoints (regions to pass), exclusion regions, stop regions and target regions of the streamlines.
    pub constraints: ConstraintFiles,
    /// Transform between the space of the masks and regions and the space of the source of directions.
    pub space: MaskSpace,
    /// Preset: the default values of another program, which replace Arcuate's defaults.
    pub preset: Option<Preset>,
    /// Options that limit how streamlines continue.
    pub propagation: Propagation,
    /// Options of the maps.
    pub maps: SampleMaps,
    /// Parcellation for a connectome, which is counted while streamlines are followed. The streamlines need
    /// not be stored.
    pub regions: Option<RegionsToJoin>,
    /// Target regions and criteria, if only the best streamlines to these targets are kept. Only geodesic
    /// tracking has this option.
    pub connections: Option<Connections>,
    /// Connectivity matrix that is written into the folder of results.
    pub matrix: Option<MatrixRequest>,
    /// Time between two saves of the state of a run. Only runs with a matrix whose rows are seeds can save
    /// their state. If a run with the same options was interrupted in the same folder, it continues from its
    /// saved state.
    pub resume: Option<Duration>,
    /// Part of the run to compute.
    pub extent: Extent,
}

impl Tracking {
    /// Creates tracking with default options. `out` is a tractogram or a folder of results. `judged_by`
    /// states whether regions reject whole streamlines or each half separately.
    pub fn new(out: impl Into<PathBuf>, judged_by: ConstraintUnit) -> Self {
        Self {
            out: out.into(),
            products: Products::default(),
            seeds: SampleSeeds::default(),
            constraints: ConstraintFiles { judged_by, ..ConstraintFiles::default() },
            space: MaskSpace::default(),
            preset: None,
            propagation: Propagation::default(),
            maps: SampleMaps::default(),
            regions: None,
            connections: None,
            matrix: None,
            resume: None,
            extent: Extent::Whole,
        }
    }

    /// Returns these options with the defaults of those that do not affect the results: saving of the state,
    /// and division into parts.
    pub(crate) fn result_options(&self) -> Self {
        Self { resume: None, extent: Extent::Whole, ..self.clone() }
    }

    /// Returns the kind of result.
    pub(super) fn form(&self) -> Form {
        Form::of(&self.out)
    }

    /// Returns the results to write, in addition to a connectome and a connectivity matrix.
    pub(super) fn written(&self) -> BTreeSet<ProductName> {
        self.products.written(self.preset, self.regions.is_some() || self.matrix.is_some())
    }

    /// Checks whether a product is written.
    pub(super) fn writes(&self, product: ProductName) -> bool {
        self.written().contains(&product)
    }

    /// Checks whether visits are counted.
    pub(super) fn counts_visits(&self) -> bool {
        self.writes(ProductName::Visits) || self.writes(ProductName::Lengths)
    }

    /// Returns the number of accepted streamlines at which tracking stops. Returns `None` if the seeds
    /// determine the number of streamlines.
    pub(crate) fn select(&self) -> Option<u64> {
        self.seeds.select(self.preset, self.is_network())
    }

    /// Checks whether streamlines start in the regions of a network matrix.
    pub(super) fn is_network(&self) -> bool {
        self.matrix.as_ref().is_some_and(|matrix| matrix.kind == MatrixKind::Network)
    }

    /// Checks whether the user selected the seeds.
    pub(crate) fn are_seeds_chosen(&self) -> bool {
        self.seeds.are_chosen() || self.is_network()
    }

    /// Returns an error if the results cannot be written to a file or folder with the name `out`. This
    /// function is called before an input is read.
    pub(crate) fn check_name(&self) -> Result<()> {
        self.form().check(&self.out, &self.written(), self.regions.is_some(), self.matrix.is_some())
    }

    /// Returns the inputs that are in the space of the masks. `seeds` are the seeds that are listed one by
    /// one (vertices, or elements of a CIFTI-2 file).
    pub(super) fn elsewhere<'a>(&'a self, seeds: Option<&ElementList>) -> MaskSpaceInputs<'a> {
        let mut elsewhere = self.constraints.elsewhere(self.seeds.image());
        elsewhere.images.extend(self.matrix.iter().flat_map(MatrixRequest::images));
        elsewhere.lattice = seeds.and_then(ElementList::lattice);
        elsewhere.has_surfaces |= seeds.is_some() || self.matrix.iter().any(MatrixRequest::has_surfaces);
        elsewhere
    }

    /// Returns the names of the targets.
    pub(super) fn target_names(&self) -> Vec<String> {
        names_of_regions(&self.constraints.targets)
    }

    /// Returns the files that are read, except those of the source of directions.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let regions = self.regions.iter().flat_map(RegionsToJoin::files);
        let others = self.space.files().chain(regions).map(PathBuf::as_path);
        let of_matrix = self.matrix.iter().flat_map(MatrixRequest::files);
        let ends = self.connections.iter().flat_map(|connections| &connections.targets);
        let ends = ends.flat_map(RegionFile::files);
        self.seeds.files().chain(self.constraints.paths()).chain(others).chain(ends).chain(of_matrix)
    }

    /// Returns all files that are read.
    pub(super) fn inputs(&self, source: &Source<'_>) -> Vec<PathBuf> {
        source.files.iter().map(PathBuf::as_path).chain(self.files()).map(Path::to_owned).collect()
    }

    /// Returns an error if options contradict each other, or if the header of an image cannot be read.
    pub(super) fn check_inputs(&self) -> Result<()> {
        self.space.check()?;
        require_names_apart(&self.constraints.targets)?;
        self.seeds.check()?;
        let products = self.written();
        let has_images = products.iter().any(|product| *product != ProductName::Streamlines);
        let advice = "leave it out, or give a folder for ‘products’ visits";
        if self.maps.format.is_some() && !(self.form() == Form::Folder && has_images) {
            let problem = "no maps are written to a folder, so this format has no effect";
            return Err(Error::usage("‘format’", problem, advice));
        }
        let has_shares = self.form() == Form::Folder && products.contains(&ProductName::Visits);
        if self.maps.threshold.is_some() && !has_shares {
            let problem = "it is a limit of visits_normalised.nii.gz, which is not written";
            return Err(Error::usage("‘threshold’", problem, advice));
        }
        // All images are checked here, so that a run does not fail because of an image after hours of
        // tracking.
        self.files().filter(|file| is_image_name(file)).try_for_each(|file| describe_image(file).map(|_| ()))
    }

    /// Notes the file of each input, so that errors about the data state this file.
    pub(super) fn report_sources(&self, source: &Source<'_>, job: &Job) {
        let seeds = self.seeds.files().next().unwrap_or(source.path);
        for data in ["seed mask", "seed points", "seed image"] {
            job.came_from(data, &seeds.display());
        }
        for &data in source.data {
            job.came_from(data, &source.path.display());
        }
    }
}
