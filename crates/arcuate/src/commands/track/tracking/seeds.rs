//! The options of where streamlines begin, and how many.

use crate::numbers::positive;
use arcuate_pipeline::cifti_seeds::CiftiSeeds;
use arcuate_pipeline::stages::tracking::{SampleSeedNumber, SampleSeeds};
use arcuate_pipeline::surface_files::SurfacePart;
use arcuate_track::Jitter;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::PathBuf;

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(in super::super) struct SeedArgs {
    /// Mask in whose voxels streamlines begin; [default: all voxels of --mask with at least --seed-cutoff]
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    seed_mask: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "seed_grid"])]
    seed_points: Option<PathBuf>,
    /// Surfaces at whose vertices streamlines begin, after those of --seed-mask if that is given, too: all vertices, or those of a
    /// label as FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = surface_files(),
        conflicts_with_all = ["seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_surfaces: Vec<SurfacePart>,
    /// Begin at the vertices and in the voxels of a CIFTI-2 file, whatever its values, in its order, which --matrix seeds has then;
    /// its vertices lie on the surfaces of --white
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_cifti: Option<PathBuf>,
    /// The surfaces of --seed-cifti's vertices, those of white matter as a rule: one of each hemisphere, with commas or the option
    /// again
    #[arg(long, value_name = "FILES", value_delimiter = ',', requires = "seed_cifti")]
    white: Vec<PathBuf>,
    /// Begin so far below the surfaces, in mm along the inward normals of their vertices
    #[arg(long, value_name = "MM", requires = "seeds_at_vertices", value_parser = positive)]
    seed_depth: Option<f64>,
    /// Streamlines of each seed; [default: 1 of each point, vertex and element]
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    per_seed: Option<u32>,
    /// A lattice of N × N × N seeds in each voxel; in place of random ones
    #[arg(long, value_name = "N", conflicts_with_all = ["seeds", "per_seed", "seed_anywhere", "seed_radius", "seeds_at_vertices"])]
    seed_grid: Option<usize>,
    /// Image that seeds are drawn in proportion to
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "seed_mask",
            "seed_points",
            "seed_grid",
            "seed_interface",
            "per_seed",
            "seed_anywhere",
            "seed_radius",
            "seeds_at_vertices"
        ]
    )]
    seed_weights: Option<PathBuf>,
    /// Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    /// Begin anywhere in the seed's voxel instead of at its centre
    #[arg(long, conflicts_with_all = ["seed_radius", "seeds"])]
    seed_anywhere: bool,
    /// Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    #[arg(long, value_name = "MM", conflicts_with = "seeds", value_parser = positive)]
    seed_radius: Option<f64>,
}

/// Takes surfaces and parts of them.
pub(in super::super) fn surface_files() -> impl TypedValueParser<Value = SurfacePart> {
    let of = |written: PathBuf| match SurfacePart::of(&written) {
        Ok(Some(part)) => Ok(part),
        Ok(None) => Err("it is no surface by its name".to_owned()),
        Err(error) => Err(error.problem().to_owned()),
    };
    PathBufValueParser::new().try_map(of)
}

impl SeedArgs {
    /// Streamlines of each seed, where that was said.
    pub(in super::super) fn each(&self) -> Option<u32> {
        self.per_seed
    }

    /// How far from the seed streamlines begin, where that was said.
    pub(in super::super) fn jitter(&self) -> Option<Jitter> {
        match self.seed_radius {
            Some(radius) => Some(Jitter::BallMm(radius)),
            None => self.seed_anywhere.then_some(Jitter::Voxel),
        }
    }

    /// The same for the library.
    pub(super) fn seeds(&self) -> SampleSeeds {
        SampleSeeds {
            mask: self.seed_mask.clone(),
            weights: self.seed_weights.clone(),
            points: self.seed_points.clone(),
            surfaces: self.seed_surfaces.clone(),
            cifti: self.seed_cifti.clone().map(|path| CiftiSeeds { path, surfaces: self.white.clone() }),
            depth_mm: self.seed_depth.unwrap_or(0.0),
            interface: false,
            number: match (self.per_seed, self.seeds, self.seed_grid) {
                (Some(each), ..) => SampleSeedNumber::Each(each),
                (None, Some(count), _) => SampleSeedNumber::Random(count),
                (None, None, Some(per_axis)) => SampleSeedNumber::Grid(per_axis),
                (None, None, None) => SampleSeedNumber::AsNeeded,
            },
            select: self.select,
            jitter: self.jitter().unwrap_or_default(),
        }
    }
}
