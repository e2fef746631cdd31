//! Where streamlines begin, in files.

use super::preset::Preset;
use super::read_points;
use crate::cifti_seeds::CiftiSeeds;
use crate::matrix_elements::ElementList;
use crate::memory;
use crate::stages::seeds::{DEFAULT_SELECT, interface_seeds};
use crate::surface_files::SurfacePart;
use arcuate_core::{Error, Mask, Result, Volume};
use arcuate_io::read_volume;
use arcuate_track::{Anatomy, Jitter, Mapping, SEEDS_PER_STREAMLINE, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where streamlines begin, and how many.
///
/// By default in every voxel that has what seeds need.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleSeeds {
    /// A mask: in its voxels.
    pub mask: Option<PathBuf>,
    /// In proportion to an image; without any of the others.
    pub weights: Option<PathBuf>,
    /// A text file, x y z in RAS mm a line: at its points, without a mask.
    pub points: Option<PathBuf>,
    /// At the vertices of surfaces, after the voxels of the mask where there is one; without points.
    pub surfaces: Vec<SurfacePart>,
    /// At the vertices and in the voxels of a CIFTI-2 file, in its order; without any of the others.
    pub cifti: Option<CiftiSeeds>,
    /// So far below the surfaces, in mm along the inward normals of their vertices.
    pub depth_mm: f64,
    /// Where grey and white matter meet, by the tissues that streamlines heed; without any of the others.
    pub interface: bool,
    /// How many streamlines each has.
    pub number: SampleSeedNumber,
    /// Stop at this many accepted streamlines, which begin anywhere in the mask unless each seed has a number of them; 50000 by
    /// default if seeds are drawn and their number is not given.
    pub select: Option<u64>,
    /// How far from the seed's own place they begin.
    pub jitter: Jitter,
}

/// How many streamlines begin at seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SampleSeedNumber {
    /// As many random seeds as it takes to accept as many streamlines as are asked for. Points, vertices and elements of CIFTI-2 begin
    /// one streamline each if no number is asked for.
    #[default]
    AsNeeded,
    /// So many of each.
    Each(u32),
    /// So many seeds, drawn anywhere in the mask, or of surfaces at their vertices by the areas around these.
    Random(u64),
    /// A grid of this many seeds along each axis of every voxel, one streamline each.
    Grid(usize),
}

impl SampleSeeds {
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let surfaces = self.surfaces.iter().flat_map(SurfacePart::files);
        let of_cifti = self.cifti.iter().flat_map(CiftiSeeds::files);
        let files = self.mask.iter().chain(&self.weights).chain(&self.points).map(PathBuf::as_path);
        files.chain(surfaces).chain(of_cifti)
    }

    /// The image of the seeds, if they are in one.
    pub(super) fn image(&self) -> Option<&Path> {
        self.mask.as_deref().or(self.weights.as_deref())
    }

    /// Whether somebody chose where streamlines begin.
    pub fn are_chosen(&self) -> bool {
        self.interface || self.files().next().is_some()
    }

    /// Fails if streamlines cannot be counted for each of the seeds.
    pub(super) fn check_counts(&self) -> Result<()> {
        if self.weights.is_none() && !self.interface {
            return Ok(());
        }
        let problem = "streamlines are counted for seeds in a mask, at points or at vertices";
        Err(Error::usage("‘products’", problem, "choose other seeds, or leave target-counts out"))
    }

    /// Those that are listed: vertices of surfaces, after the voxels of the `mask` that was read, or what a CIFTI-2 file has.
    pub(super) fn elements(&self, mask: Option<&Mask>) -> Result<Option<ElementList>> {
        match &self.cifti {
            Some(cifti) => cifti.read().map(Some),
            None if self.surfaces.is_empty() => Ok(None),
            None => ElementList::of_seeds(&self.mask_name(), mask, &self.surfaces).map(Some),
        }
    }

    /// What the mask is called.
    pub(super) fn mask_name(&self) -> String {
        self.mask.as_ref().map_or_else(|| "seeds".to_owned(), |path| path.display().to_string())
    }

    /// Fails on what does not go together, or would change nothing.
    ///
    /// # Errors
    /// One line of what.
    pub fn check(&self) -> Result<()> {
        if let Some(cifti) = &self.cifti {
            if self.mask.is_some() || self.points.is_some() || !self.surfaces.is_empty() {
                let problem = "its vertices and voxels are seeds beside which there are no others";
                return Err(Error::usage("‘seed_cifti’", problem, "leave it out, or other seeds"));
            }
            cifti.check()?;
        }
        let places = [self.points.is_some(), !self.surfaces.is_empty() || self.cifti.is_some()];
        if places[0] && (self.mask.is_some() || places[1]) {
            let problem = "points are seeds beside which there are no others";
            return Err(Error::usage("‘seed_points’", problem, "leave it out, or other seeds"));
        }
        if places[1] && self.jitter == Jitter::Voxel {
            let problem = "vertices lie in no voxel of their own that streamlines could begin anywhere in";
            return Err(Error::usage("‘seed_anywhere’", problem, "give ‘seed_radius’, or leave it out"));
        }
        if self.interface && (self.files().next().is_some() || self.jitter != Jitter::None) {
            let problem = "seeds of the interface are drawn, and there are no others";
            return Err(Error::usage("‘seed_interface’", problem, "leave it out, or other seeds"));
        }
        let others = self.mask.is_some() || places.contains(&true) || self.interface;
        if self.weights.is_some() && (others || self.jitter != Jitter::None) {
            let problem = "seeds that are drawn in proportion to an image have no other places";
            return Err(Error::usage("‘seed_weights’", problem, "leave it out, or other seeds"));
        }
        if self.weights.is_some() && matches!(self.number, SampleSeedNumber::Each(_)) {
            let problem = "seeds are drawn in proportion to an image, each for one streamline";
            return Err(Error::usage("‘per_seed’", problem, "give ‘seeds’ or ‘select’ instead"));
        }
        if matches!(self.number, SampleSeedNumber::Grid(_)) {
            let is_grid = !(places.contains(&true) || self.interface || self.weights.is_some());
            if !is_grid || self.jitter != Jitter::None {
                let problem = "a grid of seeds is in the voxels of a mask";
                return Err(Error::usage("‘seed_grid’", problem, "leave it out, or choose other seeds"));
            }
        }
        let is_random = matches!(self.number, SampleSeedNumber::Random(_));
        if self.interface && matches!(self.number, SampleSeedNumber::Each(_)) {
            return Err(each_of_interface());
        }
        if is_random && (places[0] || self.jitter != Jitter::None) {
            let problem = "random seeds are drawn anywhere in a mask, or at vertices by their areas";
            return Err(Error::usage("‘seed_number’", problem, "leave it as it is, or choose other seeds"));
        }
        Ok(())
    }

    /// Where to stop. Points, vertices, and places that are `listed` by something else, are as many as they are.
    pub fn select(&self, preset: Option<Preset>, listed: bool) -> Option<u64> {
        let listed = listed || self.points.is_some() || !self.surfaces.is_empty() || self.cifti.is_some();
        let is_endless = self.number == SampleSeedNumber::AsNeeded && !listed && preset.is_none();
        self.select.or(is_endless.then_some(DEFAULT_SELECT))
    }

    /// Whether vertices have streamlines by their areas, not one number each.
    pub(super) fn are_by_area(&self) -> bool {
        let listed = !self.surfaces.is_empty() || self.cifti.is_some();
        listed && matches!(self.number, SampleSeedNumber::Random(_))
    }

    /// Whether a number of streamlines, not one for each seed, says how many there are.
    pub(super) fn are_drawn(&self, preset: Option<Preset>, listed: bool) -> bool {
        matches!(self.number, SampleSeedNumber::Random(_)) || self.select(preset, listed).is_some()
    }

    /// Those on the interface of `anatomy`, from whose space `mapping` leads to that of the orientations.
    ///
    /// # Errors
    /// Where nothing says how many, and where there is no anatomy.
    pub fn at_interface(
        &self,
        anatomy: Option<&Anatomy>,
        mapping: Option<Arc<Mapping>>,
        preset: Option<Preset>,
    ) -> Result<Seeds> {
        let count = match (self.number, self.select(preset, false)) {
            (SampleSeedNumber::Each(_), _) => return Err(each_of_interface()),
            (SampleSeedNumber::Random(count), _) => count,
            (SampleSeedNumber::AsNeeded | SampleSeedNumber::Grid(_), Some(wanted)) => {
                wanted.saturating_mul(SEEDS_PER_STREAMLINE)
            }
            (SampleSeedNumber::AsNeeded | SampleSeedNumber::Grid(_), None) => {
                let problem = "nothing says how many seeds of the interface there are";
                return Err(Error::usage("‘seed_interface’", problem, "give ‘seeds’ or ‘select’"));
            }
        };
        interface_seeds(anatomy, mapping, count)
    }

    /// Those in proportion to an image.
    pub fn of_weights(
        &self,
        image: Volume<f32>,
        mapping: Option<Arc<Mapping>>,
        preset: Option<Preset>,
    ) -> Seeds {
        let wanted = || self.select(preset, false).unwrap_or(u64::MAX).saturating_mul(SEEDS_PER_STREAMLINE);
        let count = if let SampleSeedNumber::Random(count) = self.number { count } else { wanted() };
        Seeds::Weighted { image, mapping, count }
    }

    /// The seeds. A number of streamlines `repeats` listed seeds, if those of the same place can differ.
    ///
    /// # Errors
    /// Where a file cannot be read, there are more than memory holds, or they do not go together with their number.
    pub fn resolve(&self, from: ReadSeeds<'_>, preset: Option<Preset>, repeats: bool) -> Result<Seeds> {
        let ReadSeeds { listed, elements, mask, mapping, everywhere } = from;
        let (select, jitter) = (self.select(preset, listed.is_some()), self.jitter);
        let usual = preset.map_or(1, Preset::per_seed);
        if let Some(weights) = &self.weights {
            return Ok(self.of_weights(read_volume(weights)?, mapping, preset));
        }
        if let (SampleSeedNumber::Random(count), Some(elements)) = (self.number, elements) {
            // A place for each, and another in the space of what is followed.
            let work = "the places of so many seeds";
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
            // Until enough are accepted, where that is the goal.
            let enough = |wanted: u64| {
                let all = wanted.saturating_mul(SEEDS_PER_STREAMLINE).div_ceil(points.len() as u64);
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
                    "seeds are drawn anywhere in the mask until ‘select’ streamlines are accepted",
                    "leave it out, or give ‘per_seed’",
                ))
            }
            (SampleSeedNumber::AsNeeded, Some(wanted)) => {
                let count = wanted.saturating_mul(SEEDS_PER_STREAMLINE);
                Ok(Seeds::Random { mask, mapping, count })
            }
            (SampleSeedNumber::AsNeeded, None) => Ok(Seeds::Voxels { mask, mapping, each: usual, jitter }),
        }
    }
}

/// What was read for seeds.
pub struct ReadSeeds<'a> {
    /// Places.
    pub listed: Option<Vec<[f64; 3]>>,
    /// Vertices and voxels.
    pub elements: Option<&'a ElementList>,
    /// The mask that was given.
    pub mask: Option<&'a Mask>,
    /// From the space of these to that of the source.
    pub mapping: Option<Arc<Mapping>>,
    /// The voxels of seeds if there are no others.
    pub everywhere: &'a Mask,
}

fn each_of_interface() -> Error {
    let problem = "seeds of the interface are drawn, each for one streamline";
    Error::usage("‘per_seed’", problem, "give ‘seeds’ or ‘select’ instead")
}
