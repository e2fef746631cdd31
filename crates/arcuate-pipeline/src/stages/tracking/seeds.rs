//! Seeds from files.

use super::preset::Preset;
use super::read_points;
use crate::cifti_seeds::CiftiSeeds;
use crate::matrix_elements::ElementList;
use crate::memory;
use crate::surface_files::SurfacePart;
use arcuate_core::{Error, Mask, Result, Volume, is_present};
use arcuate_io::{is_image_name, read_volume};
use arcuate_track::{Anatomy, Jitter, Mapping, SEEDS_PER_STREAMLINE, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default number of accepted streamlines, if neither the seeds nor the user determine it.
pub const DEFAULT_SELECT: u64 = 50_000;

/// Positions and number of the seeds.
///
/// The seeds of streamlines. If the user selects no seeds, streamlines start in all voxels that are suitable
/// for the source of directions, for example those with a minimum FA.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleSeeds {
    /// Mask of the seed voxels.
    pub mask: Option<PathBuf>,
    /// Image of weights: seeds are drawn at random with a density that is proportional to its values. It
    /// cannot be combined with other seeds.
    pub weights: Option<PathBuf>,
    /// Text file of seed points, as x y z in RAS mm, one point per line. It cannot be combined with other
    /// seeds.
    pub points: Option<PathBuf>,
    /// Surfaces whose vertices are seeds. They can be combined with the voxels of a mask, but not with
    /// points.
    pub surfaces: Vec<SurfacePart>,
    /// CIFTI-2 file whose vertices and voxels are seeds, in the order of the file. It cannot be combined with
    /// other seeds.
    pub cifti: Option<CiftiSeeds>,
    /// Distance of the seeds below the surfaces, in mm along the inward normals of the vertices.
    pub depth_mm: f64,
    /// True if seeds are drawn at random on the interface between grey and white matter of the 5TT image.
    /// This cannot be combined with other seeds.
    pub interface: bool,
    /// Number of seeds, or number of streamlines that start at each seed.
    pub number: SampleSeedNumber,
    /// Number of accepted streamlines at which tracking stops. If it is set and `number` sets no number per
    /// seed, seeds are drawn at random anywhere in the mask. Default: 50000, if seeds are drawn at random and
    /// their number is not given.
    pub select: Option<u64>,
    /// Random displacement of the start of a streamline from the position of the seed.
    pub jitter: Jitter,
}

/// Number of seeds, or number of streamlines that start at each seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SampleSeedNumber {
    /// Seeds are drawn at random until the requested number of streamlines is accepted. If seeds are points,
    /// vertices or elements of a CIFTI-2 file and no number is requested, one streamline starts at each seed.
    #[default]
    AsNeeded,
    /// This number of streamlines starts at each seed.
    Each(u32),
    /// This number of seeds is drawn at random, anywhere in the mask. On surfaces, the seeds are distributed
    /// over the vertices in proportion to the area of each vertex.
    Random(u64),
    /// Each voxel has a regular grid of seeds, with this number of seeds along each axis. One streamline
    /// starts at each seed.
    Grid(usize),
}

/// Returns an error if a label follows the name of the seed mask, as in `labels.nii.gz:1`. Other regions are
/// given in this form, but a seed mask must contain only the seeds.
fn require_no_label(mask: &Path) -> Result<()> {
    let Some((file, label)) = mask.to_str().and_then(|text| text.rsplit_once(':')) else { return Ok(()) };
    let is_label = !label.is_empty() && label.chars().all(|c| c.is_ascii_digit() || c == '-');
    if is_present(mask) || !is_label || !is_image_name(Path::new(file)) {
        return Ok(());
    }
    let problem = format!("{} selects a label, which is not possible for seeds", mask.display());
    Err(Error::usage("‘seed_mask’", problem, "give an image that contains only the seed region"))
}

impl SampleSeeds {
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let surfaces = self.surfaces.iter().flat_map(SurfacePart::files);
        let of_cifti = self.cifti.iter().flat_map(CiftiSeeds::files);
        let files = self.mask.iter().chain(&self.weights).chain(&self.points).map(PathBuf::as_path);
        files.chain(surfaces).chain(of_cifti)
    }

    /// Returns the image of the seeds (a mask or weights), if the seeds are given as an image.
    pub(super) fn image(&self) -> Option<&Path> {
        self.mask.as_deref().or(self.weights.as_deref())
    }

    /// Checks whether the user selected the seeds.
    #[doc(hidden)]
    pub fn are_chosen(&self) -> bool {
        self.interface || self.files().next().is_some()
    }

    /// Returns an error if seeds are drawn with an image of weights or on the interface of tissues.
    /// Streamlines cannot be counted for each of these seeds.
    pub(super) fn check_counts(&self) -> Result<()> {
        if self.weights.is_none() && !self.interface {
            return Ok(());
        }
        let problem = "streamlines are counted for seeds in a mask, at points or at vertices";
        Err(Error::usage(
            "‘products’",
            problem,
            "choose seeds in a mask, at points or at vertices, or remove target-counts from ‘products’",
        ))
    }

    /// Returns the seeds that are listed one by one: the voxels of `mask` followed by the vertices of
    /// surfaces, or the elements of a CIFTI-2 file. Returns `None` if there are no surfaces and no CIFTI-2
    /// file.
    pub(super) fn elements(&self, mask: Option<&Mask>) -> Result<Option<ElementList>> {
        match &self.cifti {
            Some(cifti) => cifti.read().map(Some),
            None if self.surfaces.is_empty() => Ok(None),
            None => ElementList::of_seeds(&self.mask_name(), mask, &self.surfaces).map(Some),
        }
    }

    /// Returns the name of the seed mask, for errors.
    pub(super) fn mask_name(&self) -> String {
        self.mask.as_ref().map_or_else(|| "seeds".to_owned(), |path| path.display().to_string())
    }

    /// Checks that the options of the seeds do not contradict each other, and that each has an effect.
    ///
    /// # Errors
    /// Returns an error with the name of the option if an option contradicts another one or has no effect.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        self.mask.as_deref().map_or(Ok(()), require_no_label)?;
        if let Some(cifti) = &self.cifti {
            if self.mask.is_some() || self.points.is_some() || !self.surfaces.is_empty() {
                let problem = "its vertices and voxels must be the only seeds";
                return Err(Error::usage(
                    "‘seed_cifti’",
                    problem,
                    "remove ‘seed_cifti’, or remove the other options of seeds",
                ));
            }
            cifti.check()?;
        }
        let places = [self.points.is_some(), !self.surfaces.is_empty() || self.cifti.is_some()];
        if places[0] && (self.mask.is_some() || places[1]) {
            let problem = "points must be the only seeds";
            return Err(Error::usage(
                "‘seed_points’",
                problem,
                "remove ‘seed_points’, or remove the other options of seeds",
            ));
        }
        if places[1] && self.jitter == Jitter::Voxel {
            let problem = "vertices have no voxel in which streamlines could begin";
            return Err(Error::usage(
                "‘seed_anywhere’",
                problem,
                "give ‘seed_radius’, or leave out this option",
            ));
        }
        if self.interface && (self.files().next().is_some() || self.jitter != Jitter::None) {
            let problem = "seeds on the interface are always random";
            return Err(Error::usage(
                "‘seed_interface’",
                problem,
                "remove ‘seed_interface’, or remove the other options of seeds",
            ));
        }
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "give 1 or more"));
        }
        let others = self.mask.is_some() || places.contains(&true) || self.interface;
        if self.weights.is_some() && (others || self.jitter != Jitter::None) {
            let problem = "seeds that are drawn in proportion to an image have no other places";
            return Err(Error::usage(
                "‘seed_weights’",
                problem,
                "remove ‘seed_weights’, or remove the other options of seeds",
            ));
        }
        if self.weights.is_some() && matches!(self.number, SampleSeedNumber::Each(_)) {
            let problem = "seeds are drawn in proportion to an image, each for one streamline";
            return Err(Error::usage("‘per_seed’", problem, "give ‘seeds’ or ‘select’ instead"));
        }
        if matches!(self.number, SampleSeedNumber::Grid(_)) {
            let is_grid = !(places.contains(&true) || self.interface || self.weights.is_some());
            if !is_grid || self.jitter != Jitter::None {
                let problem = "a grid of seeds is in the voxels of a mask";
                return Err(Error::usage(
                    "‘seed_grid’",
                    problem,
                    "leave out this option, or choose seeds in the voxels of a mask",
                ));
            }
        }
        let is_random = matches!(self.number, SampleSeedNumber::Random(_));
        if self.interface && matches!(self.number, SampleSeedNumber::Each(_)) {
            return Err(each_of_interface());
        }
        if is_random && (places[0] || self.jitter != Jitter::None) {
            let problem = "random seeds are drawn anywhere in a mask, or at vertices by their areas";
            return Err(Error::usage(
                "‘seed_number’",
                problem,
                "remove ‘seed_number’, or choose random seeds in a mask or on surfaces",
            ));
        }
        Ok(())
    }

    /// Returns the number of accepted streamlines at which tracking stops. If seeds are points, vertices or
    /// elements of a CIFTI-2 file, or if `listed` is true (a network matrix lists them), their number is
    /// fixed. The number of accepted streamlines then has no default.
    #[doc(hidden)]
    pub fn select(&self, preset: Option<Preset>, listed: bool) -> Option<u64> {
        let listed = listed || self.points.is_some() || !self.surfaces.is_empty() || self.cifti.is_some();
        let is_endless = self.number == SampleSeedNumber::AsNeeded && !listed && preset.is_none();
        self.select.or(is_endless.then_some(DEFAULT_SELECT))
    }

    /// Checks whether seeds are distributed over vertices in proportion to the area of each vertex. If not,
    /// each vertex has the same number of streamlines.
    pub(super) fn are_by_area(&self) -> bool {
        let listed = !self.surfaces.is_empty() || self.cifti.is_some();
        listed && matches!(self.number, SampleSeedNumber::Random(_))
    }

    /// Checks whether the user or a default sets the total number of seeds or of streamlines. If not, each
    /// seed has its own fixed number of streamlines.
    pub(super) fn are_drawn(&self, preset: Option<Preset>, listed: bool) -> bool {
        matches!(self.number, SampleSeedNumber::Random(_)) || self.select(preset, listed).is_some()
    }

    /// Returns random seeds on the interface between grey and white matter of the 5TT image in `anatomy`.
    /// `mapping` maps from the space of the 5TT image to the space of the source of directions.
    ///
    /// # Errors
    /// Returns an error if the number of seeds is not specified, or if there is no 5TT image.
    #[doc(hidden)]
    pub fn at_interface(
        &self,
        anatomy: Option<&Anatomy>,
        mapping: Option<Arc<Mapping>>,
        preset: Option<Preset>,
    ) -> Result<Seeds> {
        let count = match (self.number, self.select(preset, false)) {
            (SampleSeedNumber::Each(_), _) => return Err(each_of_interface()),
            (SampleSeedNumber::Random(count), _) => count,
            (SampleSeedNumber::AsNeeded | SampleSeedNumber::Grid(_), Some(requested)) => {
                requested.saturating_mul(SEEDS_PER_STREAMLINE)
            }
            (SampleSeedNumber::AsNeeded | SampleSeedNumber::Grid(_), None) => {
                let problem = "the number of seeds on the interface is not given";
                return Err(Error::usage("‘seed_interface’", problem, "give ‘seeds’ or ‘select’"));
            }
        };
        interface_seeds(anatomy, mapping, count)
    }

    /// Returns seeds that are drawn at random, with a density that is proportional to the values of an image.
    #[doc(hidden)]
    pub fn of_weights(
        &self,
        image: Volume<f32>,
        mapping: Option<Arc<Mapping>>,
        preset: Option<Preset>,
    ) -> Seeds {
        let requested =
            || self.select(preset, false).unwrap_or(u64::MAX).saturating_mul(SEEDS_PER_STREAMLINE);
        let count = if let SampleSeedNumber::Random(count) = self.number { count } else { requested() };
        Seeds::Weighted { image, mapping, count }
    }

    /// Returns the seeds. `repeats` is true if streamlines that start at the same place can differ. If it is
    /// true, seeds from a list are used again until the requested number of streamlines is accepted.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if there are too many seeds for the memory. Also returns
    /// an error if the way in which the number of seeds is given cannot be used for these seeds.
    #[doc(hidden)]
    pub fn resolve(&self, from: ReadSeeds<'_>, preset: Option<Preset>, repeats: bool) -> Result<Seeds> {
        let ReadSeeds { listed, elements, mask, mapping, everywhere } = from;
        let (select, jitter) = (self.select(preset, listed.is_some()), self.jitter);
        let usual = preset.map_or(1, Preset::per_seed);
        if let Some(weights) = &self.weights {
            return Ok(self.of_weights(read_volume(weights)?, mapping, preset));
        }
        if let (SampleSeedNumber::Random(count), Some(elements)) = (self.number, elements) {
            // Each seed needs memory for two positions: in its own space and in the space of the source of
            // directions.
            let work = "the positions of all seeds";
            memory::require(count.saturating_mul(60), "‘seed_number’", work, "give fewer")?;
            let points = elements.places_by_area(count, self.depth_mm)?;
            return Ok(Seeds::Points { points, mapping, each: 1, jitter });
        }
        let points = match &self.points {
            Some(path) => Some(read_points(path)?),
            None => elements.map(|elements| elements.places(self.depth_mm)).or(listed),
        };
        let per_seed = match self.number {
            SampleSeedNumber::Each(each) => Some(each),
            SampleSeedNumber::AsNeeded | SampleSeedNumber::Random(_) | SampleSeedNumber::Grid(_) => None,
        };
        if let Some(points) = points {
            // Number of streamlines per seed that is sufficient so that at least `requested` streamlines are
            // accepted.
            let enough = |requested: u64| {
                let all = requested.saturating_mul(SEEDS_PER_STREAMLINE).div_ceil(points.len() as u64);
                u32::try_from(all).unwrap_or(u32::MAX)
            };
            let each = per_seed.or(select.filter(|_| repeats).map(enough)).unwrap_or(usual);
            return Ok(Seeds::Points { points, mapping, each, jitter });
        }
        let (mask, mapping) = match mask {
            Some(mask) => (mask.clone(), mapping),
            None => (everywhere.clone(), None),
        };
        match (self.number, select) {
            (SampleSeedNumber::Each(each), _) => Ok(Seeds::Voxels { mask, mapping, each, jitter }),
            (SampleSeedNumber::Random(count), _) => Ok(Seeds::Random { mask, mapping, count }),
            (SampleSeedNumber::Grid(per_axis), _) => Ok(Seeds::Grid { mask, mapping, per_axis }),
            (SampleSeedNumber::AsNeeded, Some(_)) if matches!(jitter, Jitter::BallMm(_)) => {
                Err(Error::usage(
                    "‘seed_radius’",
                    "if only ‘select’ is given, seeds are drawn anywhere in the mask, without a radius",
                    "remove ‘seed_radius’, or give ‘per_seed’",
                ))
            }
            (SampleSeedNumber::AsNeeded, Some(requested)) => {
                let count = requested.saturating_mul(SEEDS_PER_STREAMLINE);
                Ok(Seeds::Random { mask, mapping, count })
            }
            (SampleSeedNumber::AsNeeded, None) => Ok(Seeds::Voxels { mask, mapping, each: usual, jitter }),
        }
    }
}

/// Data from which the seeds are created, after their files were read.
pub struct ReadSeeds<'a> {
    /// Positions of the seeds of a network matrix (a matrix between regions), in mm.
    pub listed: Option<Vec<[f64; 3]>>,
    /// Seeds that are listed one by one: vertices of surfaces and voxels.
    pub elements: Option<&'a ElementList>,
    /// Mask of the seed voxels, if the user gave one.
    pub mask: Option<&'a Mask>,
    /// Mapping from the space of the seeds to the space of the source of directions.
    pub mapping: Option<Arc<Mapping>>,
    /// Voxels in which streamlines start if the user selects no seeds.
    pub everywhere: &'a Mask,
}

/// Returns random seeds on the interface between grey and white matter.
fn interface_seeds(anatomy: Option<&Anatomy>, mapping: Option<Arc<Mapping>>, count: u64) -> Result<Seeds> {
    let Some(anatomy) = anatomy else {
        let problem = "there is no tissue image, so there is no interface";
        return Err(Error::usage("‘seed_interface’", problem, "give ‘five_tissues’, or other seeds"));
    };
    Ok(Seeds::Interface { tissues: Arc::clone(&anatomy.tissues), mapping, count })
}

fn each_of_interface() -> Error {
    let problem = "seeds of the interface are drawn, each for one streamline";
    Error::usage("‘per_seed’", problem, "give ‘seeds’ or ‘select’ instead")
}
