//! Options for the positions of the seeds, and for the number of seeds.

use crate::numbers::positive;
use arcuate_core::{Error, Result};
use arcuate_pipeline::cifti_seeds::CiftiSeeds;
use arcuate_pipeline::stages::propagation::SourceKind;
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
    /// Mask image of the voxels in which streamlines begin
    ///
    /// [default: the voxels of --mask with an FA, FOD amplitude or fibre fraction of at least --seed-cutoff]
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    seed_mask: Option<PathBuf>,
    /// Text file of seed points, with x y z of one point per line (RAS mm)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "seed_grid"])]
    seed_points: Option<PathBuf>,
    /// Surface files at whose vertices streamlines begin
    ///
    /// FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in
    /// the file LABELS. FILE:MAP uses the vertices at which the file MAP has a value other than 0. Separate
    /// several surfaces by commas, or repeat the option. If --seed-mask is also given, its voxels are the
    /// first seeds.
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = surface_files(),
        conflicts_with_all = ["seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_surfaces: Vec<SurfacePart>,
    /// Begin streamlines at each vertex and voxel that a CIFTI-2 file lists
    ///
    /// The values in the file are ignored. With --matrix seeds, the rows of the matrix have the order of this
    /// file. --white gives the surfaces of the vertices.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_cifti: Option<PathBuf>,
    /// Surface files with the vertices of --seed-cifti, usually white surfaces
    ///
    /// Give one surface per hemisphere, separated by commas, or repeat the option.
    #[arg(long, value_name = "FILES", value_delimiter = ',', requires = "seed_cifti")]
    white: Vec<PathBuf>,
    /// Distance below the surface at which streamlines begin, in mm
    ///
    /// The distance is measured from each vertex along the inward normal of the surface. Without this option,
    /// streamlines begin at the vertices.
    #[arg(long, value_name = "MM", requires = "seeds_at_vertices", value_parser = positive)]
    seed_depth: Option<f64>,
    /// Number of streamlines that begin at each seed
    ///
    /// [default: 1 for seed points, surface vertices and --seed-cifti]
    #[arg(long, value_name = "N")]
    per_seed: Option<u32>,
    /// Place a regular grid of N × N × N seeds in each seed voxel
    ///
    /// The seeds of the grid replace random seeds.
    #[arg(long, value_name = "N", conflicts_with_all = ["seeds", "seed_anywhere", "seed_radius", "seeds_at_vertices"])]
    seed_grid: Option<usize>,
    /// Image of the relative density of random seeds
    ///
    /// Seeds are drawn in a voxel with a probability proportional to the value of this image.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "seed_mask",
            "seed_points",
            "seed_grid",
            "seed_anywhere",
            "seed_radius",
            "seeds_at_vertices"
        ]
    )]
    seed_weights: Option<PathBuf>,
    /// Number of seeds to draw at random
    ///
    /// Each seed is a random point in --seed-mask and gives one streamline. On surfaces, each seed is a
    /// vertex, drawn with a probability proportional to the area of the vertex.
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Stop after this many streamlines
    ///
    /// [default: 50000 if seeds are drawn at random and their number is not given]
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    /// Begin each streamline at a random point of the seed voxel, not at its centre
    #[arg(long, conflicts_with_all = ["seed_radius", "seeds"])]
    seed_anywhere: bool,
    /// Radius of the ball around each seed in which streamlines begin, in mm
    ///
    /// Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1
    /// with --protocols]
    #[arg(long, value_name = "MM", conflicts_with = "seeds", value_parser = positive)]
    seed_radius: Option<f64>,
}

/// Parses surfaces and parts of surfaces.
pub(in super::super) fn surface_files() -> impl TypedValueParser<Value = SurfacePart> {
    let of = |written: PathBuf| match SurfacePart::of(&written) {
        Ok(Some(part)) => Ok(part),
        Ok(None) => Err("it is no surface by its name".to_owned()),
        Err(error) => Err(error.problem().to_owned()),
    };
    PathBufValueParser::new().try_map(of)
}

impl SeedArgs {
    /// Returns an error for numbers of seeds that exclude each other. The streamlines of a seed of geodesic tracking are rays in
    /// different directions, which any seeds can have.
    pub(super) fn check(&self, source: SourceKind) -> Result<()> {
        let others = [
            ("--seeds", self.seeds.is_some()),
            ("--seed-grid", self.seed_grid.is_some()),
            ("--seed-weights", self.seed_weights.is_some()),
        ];
        match others.into_iter().find(|(_, is_given)| *is_given) {
            Some((other, _)) if self.per_seed.is_some() && source != SourceKind::Geodesic => {
                Err(Error::usage(other, "cannot be used with --per-seed", "use only one of them"))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if places of seeds are drawn at random.
    pub(in super::super) fn are_random(&self) -> bool {
        let is_grid = self.seed_grid.is_some() || self.seed_points.is_some();
        let is_listed = is_grid || !self.seed_surfaces.is_empty() || self.seed_cifti.is_some();
        self.seeds.is_some()
            || self.seed_weights.is_some()
            || self.jitter().is_some()
            || (self.select.is_some() && !is_listed)
    }

    /// Returns the number of streamlines per seed, if given.
    pub(in super::super) fn each(&self) -> Option<u32> {
        self.per_seed
    }

    /// Returns how far from the seed streamlines start, if given.
    pub(in super::super) fn jitter(&self) -> Option<Jitter> {
        match self.seed_radius {
            Some(radius) => Some(Jitter::BallMm(radius)),
            None => self.seed_anywhere.then_some(Jitter::Voxel),
        }
    }

    /// Converts the options to the type of the library.
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
                // Only geodesic tracking accepts both --per-seed and a number of seeds. There, --per-seed is
                // the number of rays per seed.
                (_, Some(count), _) => SampleSeedNumber::Random(count),
                (_, None, Some(per_axis)) => SampleSeedNumber::Grid(per_axis),
                (Some(each), None, None) => SampleSeedNumber::Each(each),
                (None, None, None) => SampleSeedNumber::AsNeeded,
            },
            select: self.select,
            jitter: self.jitter().unwrap_or_default(),
        }
    }
}
