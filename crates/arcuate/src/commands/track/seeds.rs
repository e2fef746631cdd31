//! The options of seeds whose number follows from what is wanted, or of a lattice.

use arcuate_pipeline::stages::{SeedNumber, SeedSource};
use clap::Args;
use std::path::PathBuf;

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedArgs {
    /// Mask in whose voxels streamlines begin; [default: all voxels of --mask with at least --seed-cutoff, of an FA up to 1]
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    seed_mask: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seed_grid")]
    seed_points: Option<PathBuf>,
    /// A lattice of N × N × N seeds in each voxel; in place of random ones
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    seed_grid: Option<usize>,
    /// Number of random seeds; [default: as many as --select needs]
    #[arg(long, value_name = "N", conflicts_with = "seed_points")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
    #[arg(long, value_name = "N")]
    select: Option<u64>,
}

impl SeedArgs {
    /// Where to stop, where that was said.
    pub(super) fn select(&self) -> Option<u64> {
        self.select
    }

    /// Where they are.
    pub(super) fn source(&self) -> SeedSource {
        match (&self.seed_points, &self.seed_mask) {
            (Some(points), _) => SeedSource::Points(points.clone()),
            (None, Some(mask)) => SeedSource::Mask(mask.clone()),
            (None, None) => SeedSource::WhiteMatter,
        }
    }

    /// How many there are.
    pub(super) fn number(&self) -> SeedNumber {
        match (self.seeds, self.seed_grid) {
            (Some(count), _) => SeedNumber::Random(count),
            (_, Some(per_axis)) => SeedNumber::Grid(per_axis),
            _ => SeedNumber::AsNeeded,
        }
    }
}
