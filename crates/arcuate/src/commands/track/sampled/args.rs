//! The options of probabilistic tracking, and which of them go together.

use super::form::Form;
use crate::context::Context;
use crate::map_format::MapOptions;
use crate::numbers::positive;
use arcuate_core::{Error, Grid, Mask, Result};
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::stages::tracking::read_points;
use arcuate_pipeline::surface_files::{SurfacePart, seeds_at_vertices};
use arcuate_track::{
    InitialFibre, Jitter, Mapping, SEEDS_PER_STREAMLINE, SampleIntegrator, SampleOptions, Seeds,
};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedArgs {
    /// Mask in whose voxels streamlines begin; by default every voxel that has orientations, for a tractogram of samples or
    /// refits those in white matter (--seed-fraction)
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    pub(super) seed_mask: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(super) seed_points: Option<PathBuf>,
    /// Surfaces at whose vertices streamlines begin, after those of --seed-mask if that is given, too: all vertices, or those of a
    /// label as FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = surface_files(),
        conflicts_with_all = ["seeds", "seed_points", "seed_anywhere"]
    )]
    seed_surfaces: Vec<SurfacePart>,
    /// Begin so far below the surfaces, in mm along the inward normals of their vertices
    #[arg(long, value_name = "MM", requires = "seed_surfaces", value_parser = positive)]
    seed_depth: Option<f64>,
    /// Streamlines of each seed; 5000 by default where --out is a folder and neither --seeds nor --select is given
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    per_seed: Option<u32>,
    /// Number of random seeds; anywhere in the mask, a streamline from each
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; accepted ones, which begin anywhere in the mask unless --per-seed is given. 50000 by default
    /// where --out is a tractogram
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    /// Begin anywhere in the seed's voxel instead of at its centre
    #[arg(long, conflicts_with_all = ["seed_radius", "seeds"])]
    seed_anywhere: bool,
    /// Begin anywhere in a ball of this radius about the seed, in mm
    #[arg(long, value_name = "MM", conflicts_with = "seeds", value_parser = positive)]
    seed_radius: Option<f64>,
}

/// How much of a fibre there must be where streamlines begin, where nothing else says where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedFraction {
    /// Without --seed-mask, --seed-points and --seed-surfaces: begin in voxels whose fibres together have at least this fraction, in the mean of
    /// their samples (FA, of refits). 0.2 by default where --out is a tractogram, which is white matter; else 0
    #[arg(long, value_name = "0..1", conflicts_with_all = ["seed_mask", "seed_points", "seed_surfaces", "seed_list"])]
    seed_fraction: Option<f64>,
}

/// Fraction of a seed's fibres, unless said otherwise: where the tensor's FA is 0.2, as a rule.
const DEFAULT_SEED_FRACTION: f64 = 0.2;

impl SeedFraction {
    pub(super) fn check(&self) -> Result<()> {
        match self.seed_fraction {
            Some(least) if !(0.0..=1.0).contains(&least) => {
                let problem = format!("{least} is not a number from 0 to 1");
                Err(Error::usage("--seed-fraction", problem, "give one, 0.2 say"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn least(&self, tractogram: bool) -> f64 {
        self.seed_fraction.unwrap_or(if tractogram { DEFAULT_SEED_FRACTION } else { 0.0 })
    }
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
    /// fractions) or random-of-all
    #[arg(long, value_name = "WHICH", default_value = "1", value_parser = initial_fibre)]
    initial_fibre: InitialFibre,
    /// Go on from each point with the sampled fibre's fraction as the probability
    #[arg(long)]
    fraction_stops: bool,
    /// End streamlines that come back to a place (of five voxels) against their direction there
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
    /// Mean lengths of the ways from the seeds, lengths.nii.gz, and visits times lengths, visits_by_length.nii.gz
    #[arg(long)]
    pub(super) lengths: bool,
    /// Lowest share of all accepted streamlines in visits_normalised.nii.gz, 0.005 by default; voxels below are 0
    #[arg(long, value_name = "0..1")]
    threshold: Option<f64>,
    /// The accepted streamlines, streamlines.trx
    #[arg(long)]
    pub(super) streamlines: bool,
    #[command(flatten)]
    pub(super) format: MapOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// One orientation a step
    Euler,
    /// The mean of two, at both ends of a step
    ModifiedEuler,
}

/// Takes surfaces and parts of them.
fn surface_files() -> impl TypedValueParser<Value = SurfacePart> {
    let of = |written: PathBuf| match SurfacePart::of(&written) {
        Ok(Some(part)) => Ok(part),
        Ok(None) => Err("it is no surface by its name".to_owned()),
        Err(error) => Err(error.problem().to_owned()),
    };
    PathBufValueParser::new().try_map(of)
}

/// Streamlines of a seed, unless said otherwise.
const DEFAULT_PER_SEED: u32 = 5000;
/// Share of the streamlines that maps begin at, unless said otherwise.
const DEFAULT_THRESHOLD: f64 = 0.005;
/// Streamlines of a tractogram, unless said otherwise.
const DEFAULT_SELECT: u64 = 50_000;

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
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let surfaces = self.seed_surfaces.iter().flat_map(SurfacePart::files);
        self.seed_mask.iter().chain(&self.seed_points).map(PathBuf::as_path).chain(surfaces)
    }

    /// `counts` says whether targets are counted for each seed.
    pub(super) fn check(&self, counts: bool) -> Result<()> {
        if self.seed_points.is_some() && counts {
            let problem = "an image of counts for each seed needs seeds that are voxels";
            return Err(Error::usage("--targets", problem, "give --seed-mask instead of --seed-points"));
        }
        if !self.seed_surfaces.is_empty() && counts {
            let problem =
                "an image of counts for each seed needs seeds that are voxels, and vertices are none";
            return Err(Error::usage("--targets", problem, "give --seed-mask alone, or write a tractogram"));
        }
        Ok(())
    }

    /// Surfaces at whose vertices seeds lie.
    pub(super) fn surfaces(&self) -> &[SurfacePart] {
        &self.seed_surfaces
    }

    /// The file of points, where seeds are these.
    pub(super) fn points(&self) -> Option<&Path> {
        self.seed_points.as_deref()
    }

    /// Whether seeds lie in voxels, of a mask or wherever there are orientations.
    pub(super) fn are_in_voxels(&self) -> bool {
        self.seed_mask.is_some() || self.seed_surfaces.is_empty()
    }

    /// Whether a number of streamlines, not one for each seed, says how many there are.
    pub(super) fn are_drawn(&self) -> bool {
        self.seeds.is_some() || self.select.is_some()
    }

    /// The mask of the seeds, where they are one.
    pub(super) fn mask(&self) -> Option<&Path> {
        self.seed_mask.as_deref()
    }

    /// Whether somebody said where streamlines begin.
    pub(super) fn are_chosen(&self) -> bool {
        self.files().next().is_some()
    }

    /// Where to stop.
    pub(super) fn select(&self, tractogram: bool) -> Option<u64> {
        let endless = self.per_seed.is_none() && self.seeds.is_none();
        self.select.or((tractogram && endless).then_some(DEFAULT_SELECT))
    }

    /// The seeds: those that are `listed`, those of the file of points or of the `mask` that was read, from whose space `mapping` leads
    /// to that of the orientations, or in `everywhere`.
    pub(super) fn resolve(
        &self,
        listed: Option<Vec<[f64; 3]>>,
        mask: Option<&Mask>,
        mapping: Option<Arc<Mapping>>,
        everywhere: &Mask,
        tractogram: bool,
    ) -> Result<Seeds> {
        let select = self.select(tractogram);
        let jitter = match self.seed_radius {
            Some(radius) => Jitter::BallMm(radius),
            None if self.seed_anywhere => Jitter::Voxel,
            None => Jitter::None,
        };
        let points = match &self.seed_points {
            Some(path) => Some(read_points(path)?),
            None if self.seed_surfaces.is_empty() => listed,
            None => {
                let vertices = seeds_at_vertices(&self.seed_surfaces, self.seed_depth.unwrap_or(0.0))?;
                let voxels = mask.map(|mask| {
                    let centres = mask.indices().into_iter().map(|voxel| mask.grid().centre(voxel));
                    centres.collect::<Vec<_>>()
                });
                Some(voxels.unwrap_or_default().into_iter().chain(vertices).collect())
            }
        };
        if let Some(points) = points {
            // Until enough are accepted, where that is the goal.
            let enough = |wanted: u64| {
                let all = wanted.saturating_mul(SEEDS_PER_STREAMLINE).div_ceil(points.len() as u64);
                u32::try_from(all).unwrap_or(u32::MAX)
            };
            let each = self.per_seed.or(select.map(enough)).unwrap_or(DEFAULT_PER_SEED);
            return Ok(Seeds::Points { points, mapping, each, jitter });
        }
        let (mask, mapping) = match mask {
            Some(mask) => (mask.clone(), mapping),
            None => (everywhere.clone(), None),
        };
        if let Some(each) = self.per_seed {
            return Ok(Seeds::Voxels { mask, mapping, each, jitter });
        }
        match (self.seeds, select) {
            (Some(count), _) => Ok(Seeds::Random { mask, mapping, count }),
            (None, Some(_)) if jitter != Jitter::None && !self.seed_anywhere => Err(Error::usage(
                "--seed-radius",
                "until enough streamlines are accepted (--select, a tractogram), seeds are drawn anywhere in the mask",
                "leave it out, or give --per-seed",
            )),
            (None, Some(wanted)) => {
                let count = wanted.saturating_mul(SEEDS_PER_STREAMLINE);
                Ok(Seeds::Random { mask, mapping, count })
            }
            (None, None) => Ok(Seeds::Voxels { mask, mapping, each: DEFAULT_PER_SEED, jitter }),
        }
    }
}

impl TrackingArgs {
    /// Fails on options that choose among fibres, where there is one: it is followed whatever its fraction.
    pub(super) fn require_no_choice(&self) -> Result<()> {
        let given = [
            ("--min-fraction", self.min_fraction.is_some()),
            ("--initial-fibre", self.initial_fibre != InitialFibre::Number(0)),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let problem = "there is one fibre, which is followed whatever its fraction";
                Err(Error::usage(option, problem, "leave it out"))
            }
            None => Ok(()),
        }
    }

    /// The options of the library for orientations on `grid`, or what can be known of them before there is one. A tractogram
    /// has other defaults than maps, which are probtrackx2's.
    pub(super) fn options(
        &self,
        tractogram: bool,
        grid: Option<&Grid>,
        select: Option<u64>,
        context: &Context,
    ) -> Result<SampleOptions> {
        if let Some(angle) = self.angle.filter(|angle| !(*angle > 0.0 && *angle <= 90.0)) {
            let problem = format!("{angle} is not an angle above 0 and up to 90 degrees");
            return Err(Error::usage("--angle", problem, "give one"));
        }
        let defaults = match grid.filter(|_| tractogram) {
            Some(grid) => SampleOptions::for_tractograms(grid),
            None => SampleOptions::default(),
        };
        let options = SampleOptions {
            step_mm: self.step.unwrap_or(defaults.step_mm),
            integrator: match self.integrator {
                IntegratorArg::Euler => SampleIntegrator::Euler,
                IntegratorArg::ModifiedEuler => SampleIntegrator::ModifiedEuler,
            },
            min_cosine: self.angle.map_or(defaults.min_cosine, |angle| angle.to_radians().cos()),
            min_fraction: self.min_fraction.unwrap_or(defaults.min_fraction),
            initial: self.initial_fibre,
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length,
            min_length_mm: self.min_length.unwrap_or(0.0),
            max_length_mm: self.max_length,
            select,
            seed: context.random_seed(),
        };
        // Lengths are counted in steps, which are of voxels here, and voxels not known yet.
        if tractogram && self.step.is_none() && grid.is_none() {
            return Ok(SampleOptions {
                min_half_length_mm: 0.0,
                min_length_mm: 0.0,
                max_length_mm: None,
                ..options
            });
        }
        // What the user asks for may be shorter, or leave no whole number of steps between.
        let fits = defaults.min_length_mm + 3.0 * options.step_mm <= options.longest_mm();
        let default = if fits { defaults.min_length_mm } else { 0.0 };
        let min_length_mm = self.min_length.unwrap_or(default);
        Ok(SampleOptions { min_length_mm, ..options })
    }
}

impl MapArgs {
    pub(super) fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(DEFAULT_THRESHOLD)
    }

    pub(super) fn check(&self, form: Form) -> Result<()> {
        let given = [
            ("--lengths", self.lengths),
            ("--streamlines", self.streamlines),
            ("--threshold", self.threshold.is_some()),
            ("--format", self.format.is_given()),
        ];
        for (option, given) in given {
            form.require(given, option)?;
        }
        let threshold = self.threshold();
        if !(0.0..=1.0).contains(&threshold) {
            let problem = format!("{threshold} is not a number from 0 to 1");
            return Err(Error::usage("--threshold", problem, "give one, 0.005 say"));
        }
        Ok(())
    }
}
