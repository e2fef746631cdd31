//! The options of probabilistic tracking.

use crate::map_format::MapOptions;
use crate::numbers::positive;
use arcuate_core::Result;
use arcuate_pipeline::cifti_seeds::CiftiSeeds;
use arcuate_pipeline::stages::sampled::{Form, Propagation, SampleMaps, SampleSeedNumber, SampleSeeds};
use arcuate_pipeline::surface_files::SurfacePart;
use arcuate_track::{InitialFibre, Jitter, SampleIntegrator};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedArgs {
    /// Mask in whose voxels streamlines begin; by default every voxel that has orientations, for a tractogram of samples or
    /// refits those in white matter (--seed-fraction)
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    seed_mask: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
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
    /// Streamlines of each seed; 5000 by default where --out is a folder and neither --seeds nor --select is given, by protocols as
    /// many as these say
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    per_seed: Option<u32>,
    /// Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; accepted ones, which begin anywhere in the mask unless --per-seed is given. 50000 by default
    /// where --out is a tractogram
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    /// Begin anywhere in the seed's voxel instead of at its centre
    #[arg(long, conflicts_with_all = ["seed_radius", "seeds"])]
    seed_anywhere: bool,
    /// Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    #[arg(long, value_name = "MM", conflicts_with = "seeds", value_parser = positive)]
    seed_radius: Option<f64>,
}

/// How much of a fibre there must be where streamlines begin, where nothing else says where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedFraction {
    /// Without --seed-mask, --seed-points, --seed-surfaces and --seed-cifti: begin in voxels whose fibres together have at least this fraction, in the mean of
    /// their samples (FA, of refits). 0.2 by default where --out is a tractogram, which is white matter; else 0
    #[arg(long, value_name = "0..1", conflicts_with_all = ["seed_mask", "seed_points", "seed_surfaces", "seed_cifti", "seed_list"])]
    pub(super) seed_fraction: Option<f64>,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
pub(super) struct TrackingArgs {
    /// How a streamline moves along
    #[arg(long, value_enum, default_value_t = IntegratorArg::Euler)]
    integrator: IntegratorArg,
    /// Step in mm; at most two voxels, 0.5 by default, half a voxel where --out is a tractogram
    #[arg(long, value_name = "MM")]
    step: Option<f64>,
    /// Largest turn from step to step, in degrees; 78.463 by default, whose cosine is 0.2, and 45 where --out is a tractogram
    #[arg(long, value_name = "DEGREES")]
    angle: Option<f64>,
    /// Fibres count whose fraction is above this; 0.01 by default, 0.05 where --out is a tractogram
    #[arg(long, value_name = "0..1")]
    min_fraction: Option<f64>,
    /// Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their
    /// fractions) or random-of-all; 1 by default, random by protocols
    #[arg(long, value_name = "WHICH", value_parser = initial_fibre)]
    initial_fibre: Option<InitialFibre>,
    /// Go on from each point with the sampled fibre's fraction as the probability
    #[arg(long)]
    fraction_stops: bool,
    /// End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    #[arg(long)]
    loop_check: bool,
    /// Take what the nearest voxel has; else one of the voxels around is drawn
    #[arg(long)]
    nearest: bool,
    /// Most steps of a streamline; half of them to each side
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_steps: u32,
    /// Shortest half of a streamline kept, in mm of its steps
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    min_half_length: f64,
    /// Shortest streamline, in mm; shorter ones are rejected: any by default, but where --out is a tractogram 20 mm or ten voxels,
    /// whichever is less
    #[arg(long, value_name = "MM")]
    min_length: Option<f64>,
    /// Longest streamline, in mm; longer ones are rejected: any by default
    #[arg(long, value_name = "MM")]
    max_length: Option<f64>,
}

/// What is written beside the map of visits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results in a folder")]
pub(super) struct MapArgs {
    /// Mean lengths of the ways from the seeds, lengths.nii.gz, and visits times lengths, visits_by_length.nii.gz; by protocols
    /// density_lengths.nii.gz of each tract
    #[arg(long)]
    lengths: bool,
    /// Lowest share of all accepted streamlines in visits_normalised.nii.gz, 0.005 by default; voxels below are 0. By protocols that
    /// from which on a voxel belongs to a tract, 0.001
    #[arg(long, value_name = "0..1")]
    threshold: Option<f64>,
    /// The accepted streamlines, streamlines.trx
    #[arg(long)]
    streamlines: bool,
    #[command(flatten)]
    format: MapOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// One orientation a step
    Euler,
    /// The mean of two, at both ends of a step
    ModifiedEuler,
}

/// Takes surfaces and parts of them.
pub(super) fn surface_files() -> impl TypedValueParser<Value = SurfacePart> {
    let of = |written: PathBuf| match SurfacePart::of(&written) {
        Ok(Some(part)) => Ok(part),
        Ok(None) => Err("it is no surface by its name".to_owned()),
        Err(error) => Err(error.problem().to_owned()),
    };
    PathBufValueParser::new().try_map(of)
}

fn initial_fibre(word: &str) -> std::result::Result<InitialFibre, String> {
    match word {
        "random" => Ok(InitialFibre::Random),
        "in-proportion" => Ok(InitialFibre::InProportion),
        "random-of-all" => Ok(InitialFibre::RandomOfAll),
        _ => match word.parse::<usize>() {
            Ok(number) if number > 0 => Ok(InitialFibre::Number(number - 1)),
            _ => Err("give a number from 1 on, random, in-proportion or random-of-all".into()),
        },
    }
}

impl SeedArgs {
    /// Streamlines of each seed, where that was said.
    pub(super) fn each(&self) -> Option<u32> {
        self.per_seed
    }

    /// How far from the seed streamlines begin, where that was said.
    pub(super) fn jitter(&self) -> Option<Jitter> {
        match self.seed_radius {
            Some(radius) => Some(Jitter::BallMm(radius)),
            None => self.seed_anywhere.then_some(Jitter::Voxel),
        }
    }

    /// The same for the library.
    pub(super) fn seeds(&self) -> SampleSeeds {
        SampleSeeds {
            mask: self.seed_mask.clone(),
            points: self.seed_points.clone(),
            surfaces: self.seed_surfaces.clone(),
            cifti: self.seed_cifti.clone().map(|path| CiftiSeeds { path, surfaces: self.white.clone() }),
            depth_mm: self.seed_depth.unwrap_or(0.0),
            interface: false,
            least_fraction: None,
            number: match (self.per_seed, self.seeds) {
                (Some(each), _) => SampleSeedNumber::Each(each),
                (None, Some(count)) => SampleSeedNumber::Random(count),
                (None, None) => SampleSeedNumber::AsNeeded,
            },
            select: self.select,
            jitter: self.jitter().unwrap_or_default(),
        }
    }
}

impl TrackingArgs {
    /// The same for the library.
    pub(super) fn propagation(&self) -> Propagation {
        self.propagation_from(&Propagation::default())
    }

    /// The same where what is not said has other defaults.
    pub(super) fn propagation_from(&self, defaults: &Propagation) -> Propagation {
        Propagation {
            step_mm: self.step,
            integrator: match self.integrator {
                IntegratorArg::Euler => SampleIntegrator::Euler,
                IntegratorArg::ModifiedEuler => SampleIntegrator::ModifiedEuler,
            },
            max_angle_degrees: self.angle,
            min_fraction: self.min_fraction,
            initial: self.initial_fibre.unwrap_or(defaults.initial),
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check || defaults.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length,
            min_length_mm: self.min_length,
            max_length_mm: self.max_length,
        }
    }
}

impl MapArgs {
    /// What of it protocols heed: whether lengths are asked for, and the threshold.
    pub(super) fn of_protocols(&self) -> (bool, Option<f64>) {
        (self.lengths, self.threshold)
    }

    /// The same for the library; fails where the result has no maps, and their format is asked for.
    pub(super) fn maps(&self, form: Form) -> Result<SampleMaps> {
        form.require(self.format.is_given(), "--format")?;
        Ok(SampleMaps {
            lengths: self.lengths,
            threshold: self.threshold,
            streamlines: self.streamlines,
            format: self.format.format(),
        })
    }
}
