//! What is asked for of tracking, whatever the source.

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
use crate::mask_space::{Elsewhere, MaskSpace};
use crate::matrix_elements::ElementList;
use crate::stages::propagation::Propagation;
use crate::tracked_matrix::{MatrixKind, MatrixRequest};
use arcuate_core::{Error, Result};
use arcuate_io::{describe_image, is_image_name};
use arcuate_track::JudgedBy;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Share of the streamlines below which a voxel of the map of shares is 0, by default.
const DEFAULT_THRESHOLD: f64 = 0.005;

/// How maps are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleMaps {
    /// Lowest share of all accepted streamlines in the map of shares, 0.005 by default; voxels below are 0.
    pub threshold: Option<f64>,
    /// The format of the maps; compressed NIfTI by default.
    pub format: Option<MapFormat>,
}

impl SampleMaps {
    /// The least share of all streamlines that is not 0 in the map of shares.
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(DEFAULT_THRESHOLD)
    }

    /// The format of the maps in a folder.
    pub(super) fn format(&self) -> MapFormat {
        self.format.unwrap_or_default()
    }
}

/// How streamlines are followed, whatever they follow, and what becomes of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Tracking {
    /// Where the result goes: a folder, or a file if one product is written: streamlines (`.tck`, `.trk`, `.trx`), visits (an image) or
    /// a connectome (`.npz`). The name never decides what is computed.
    pub out: PathBuf,
    /// What is written, in addition to a connectome and a matrix; streamlines by default.
    pub products: Products,
    /// Where streamlines begin, and how many.
    pub seeds: SampleSeeds,
    /// Regions that streamlines must and may not pass, end in, and are counted by.
    pub constraints: ConstraintFiles,
    /// How masks and regions lie to the source.
    pub space: MaskSpace,
    /// Numbers of another program in place of the defaults.
    pub preset: Option<Preset>,
    /// How streamlines continue and where they end.
    pub propagation: Propagation,
    /// How maps are written.
    pub maps: SampleMaps,
    /// Regions that the accepted streamlines are counted between. The streamlines need not be stored for that.
    pub regions: Option<RegionsToJoin>,
    /// A matrix of what streamlines meet, in a folder.
    pub matrix: Option<MatrixRequest>,
    /// Of a matrix whose rows are seeds: save about this often what is done, and continue from there if a run like this one was
    /// interrupted in the same folder.
    pub resume: Option<Duration>,
    /// How much of it is done.
    pub extent: Extent,
}

impl Tracking {
    /// The usual streamlines, into a tractogram or a folder, with regions that judge halves or whole streamlines.
    pub fn new(out: impl Into<PathBuf>, judged_by: JudgedBy) -> Self {
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
            matrix: None,
            resume: None,
            extent: Extent::Whole,
        }
    }

    /// The same, whether or not it continues an interrupted run, or is done in parts.
    pub(crate) fn asked(&self) -> Self {
        Self { resume: None, extent: Extent::Whole, ..self.clone() }
    }

    /// What the result is.
    pub(super) fn form(&self) -> Form {
        Form::of(&self.out)
    }

    /// The products that are written, in addition to a connectome and a matrix.
    pub(super) fn written(&self) -> BTreeSet<ProductName> {
        self.products.written(self.preset, self.regions.is_some() || self.matrix.is_some())
    }

    /// Whether a product is written.
    pub(super) fn writes(&self, product: ProductName) -> bool {
        self.written().contains(&product)
    }

    /// Whether visits are counted.
    pub(super) fn counts_visits(&self) -> bool {
        self.writes(ProductName::Visits) || self.writes(ProductName::Lengths)
    }

    /// The number of accepted streamlines to stop at.
    pub(crate) fn select(&self) -> Option<u64> {
        self.seeds.select(self.preset, self.is_network())
    }

    /// Whether streamlines begin in the regions of a network.
    pub(super) fn is_network(&self) -> bool {
        self.matrix.as_ref().is_some_and(|matrix| matrix.kind == MatrixKind::Network)
    }

    /// Whether somebody chose where streamlines begin.
    pub(crate) fn are_seeds_chosen(&self) -> bool {
        self.seeds.are_chosen() || self.is_network()
    }

    /// Fails if the result cannot have this name: called before anything is read.
    pub(crate) fn check_name(&self) -> Result<()> {
        self.form().check(&self.out, &self.written(), self.regions.is_some(), self.matrix.is_some())
    }

    /// What lies in the space of masks; `seeds` are those that are listed.
    pub(super) fn elsewhere<'a>(&'a self, seeds: Option<&ElementList>) -> Elsewhere<'a> {
        let mut elsewhere = self.constraints.elsewhere(self.seeds.image());
        elsewhere.images.extend(self.matrix.iter().flat_map(MatrixRequest::images));
        elsewhere.lattice = seeds.and_then(ElementList::lattice);
        elsewhere.has_surfaces |= seeds.is_some() || self.matrix.iter().any(MatrixRequest::has_surfaces);
        elsewhere
    }

    /// The names of the targets.
    pub(super) fn target_names(&self) -> Vec<String> {
        names_of_regions(&self.constraints.targets)
    }

    /// The files that are read in addition to those of the source.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let regions = self.regions.iter().flat_map(RegionsToJoin::files);
        let others = self.space.files().chain(regions).map(PathBuf::as_path);
        let of_matrix = self.matrix.iter().flat_map(MatrixRequest::files);
        self.seeds.files().chain(self.constraints.paths()).chain(others).chain(of_matrix)
    }

    /// All files that are read.
    pub(super) fn inputs(&self, source: &Source<'_>) -> Vec<PathBuf> {
        source.files.iter().map(PathBuf::as_path).chain(self.files()).map(Path::to_owned).collect()
    }

    /// Fails on what does not go together, whatever is written, and on images that cannot be read.
    pub(super) fn check_inputs(&self) -> Result<()> {
        self.space.check()?;
        require_names_apart(&self.constraints.targets)?;
        self.seeds.check()?;
        let products = self.written();
        let has_images = products.iter().any(|product| *product != ProductName::Streamlines);
        let advice = "leave it out, or give a folder for ‘products’ visits";
        if self.maps.format.is_some() && !(self.form() == Form::Folder && has_images) {
            let problem = "there are no maps in a folder that would have this format";
            return Err(Error::usage("‘format’", problem, advice));
        }
        let has_shares = self.form() == Form::Folder && products.contains(&ProductName::Visits);
        if self.maps.threshold.is_some() && !has_shares {
            let problem = "it is a limit of visits_normalised.nii.gz, which is not written";
            return Err(Error::usage("‘threshold’", problem, advice));
        }
        // Before hours of work, that all can be read.
        self.files().filter(|file| is_image_name(file)).try_for_each(|file| describe_image(file).map(|_| ()))
    }

    /// Tells where the data came from, for the errors of the library.
    pub(super) fn tell_sources(&self, source: &Source<'_>, job: &Job) {
        let seeds = self.seeds.files().next().unwrap_or(source.path);
        for data in ["seed mask", "seed points", "seed image"] {
            job.came_from(data, &seeds.display());
        }
        for &data in source.data {
            job.came_from(data, &source.path.display());
        }
    }
}
