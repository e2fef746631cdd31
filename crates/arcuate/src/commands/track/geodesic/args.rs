//! Options of geodesic tracking, and checks for options that contradict each other.

use crate::numbers::positive;
use crate::precision::Precision;
use arcuate_core::{Error, Result};
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::stages::TrackGeodesic;
use arcuate_pipeline::stages::tracking::{Connections, SampleSeedNumber, SampleSeeds};
use arcuate_track::{
    DEFAULT_TOLERANCE, Directions, Field, GeodesicIntegrator, GeodesicOptions, Metric, Selection,
    SharpenedSide, Sharpening,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the metric and the integration of rays.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Rays")]
pub(super) struct RayArgs {
    /// Interpolation of the metric between voxels
    #[arg(long, value_enum, default_value_t = FieldArg::Spline)]
    field: FieldArg,
    /// Metric that defines the length of paths; the shortest paths are the rays
    #[arg(long, value_enum, default_value_t = MetricArg::Inverse)]
    metric: MetricArg,
    /// Factor by which each tensor is multiplied, from 1e-12 to 1e12
    ///
    /// The factor does not change the rays, because a multiple of a metric has the same shortest paths.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    gain: f64,
    /// Power to which tensors are raised, to sharpen or smooth their anisotropy
    ///
    /// With a power above 1, rays follow the principal direction of the tensors more closely. With a power
    /// below 1, rays follow it less closely. --sharpen-fa and --sharpen-side select the tensors. Without this
    /// option, tensors are not changed.
    #[arg(long, value_name = "POWER", value_parser = positive, allow_negative_numbers = true)]
    sharpen: Option<f64>,
    /// Fractional anisotropy (FA) that separates tensors to sharpen from others
    ///
    /// [default: 0.3]
    #[arg(long, value_name = "FA")]
    sharpen_fa: Option<f64>,
    /// Sharpen the tensors whose FA is below, or above, --sharpen-fa
    ///
    /// [default: below]
    #[arg(long, value_enum)]
    sharpen_side: Option<SideArg>,
    /// Integration scheme
    ///
    /// `adaptive` chooses the length of each step, up to --step. The other schemes take steps of nearly the same
    /// length. A step differs from --step by up to 12 %, because a ray's speed changes a little within a step.
    #[arg(long, value_enum, default_value_t = IntegratorArg::Adaptive)]
    integrator: IntegratorArg,
    /// Largest error of a step of --integrator adaptive
    ///
    /// The limit holds for the position, in voxels, and for the direction, in radians. [default: 1e-5]
    #[arg(long, value_name = "ERROR")]
    step_tolerance: Option<f64>,
    /// Floating-point precision: single (32 bits) or double (64 bits)
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    precision: Precision,
    /// Initial directions in which rays leave each seed
    ///
    /// [default: sphere if connections to --targets are kept; if not, principal]
    #[arg(long, value_enum)]
    initial_directions: Option<InitialArg>,
    /// Angle between the axis and the border of the cone of directions, in degrees
    ///
    /// The option is for --initial-directions cone. [default: 30]
    #[arg(long, value_name = "DEGREES")]
    cone: Option<f64>,
    /// Follow only one of the two opposite directions from each seed
    ///
    /// A ray leaves the seed in each initial direction, but not in the opposite direction.
    #[arg(long)]
    one_way: bool,
}

/// Where rays end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ends of rays")]
pub(super) struct EndArgs {
    /// Mask image of the voxels to process
    ///
    /// Rays terminate where they leave this mask.
    #[arg(long, value_name = "FILE")]
    pub(super) mask: Option<PathBuf>,
    /// Largest number of steps of a streamline
    ///
    /// [default: the number that --max-length needs]
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
    /// Do not terminate rays that return to an earlier position and direction
    ///
    /// Without this option, such a ray terminates, because it is in a loop.
    #[arg(long)]
    allow_loops: bool,
}

/// Options that select the rays to keep.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connections")]
pub(super) struct ConnectionArgs {
    /// Keep every ray at its full length
    ///
    /// Without this option, --targets keeps only the strongest rays to each target region, and cuts these
    /// rays at the target. [default: if there are no --targets]
    #[arg(long)]
    pub(super) all: bool,
    /// Keep the N strongest connections (rays) to each target region
    ///
    /// The strength of a connection is its connectivity measure. [default: 100, or no limit with
    /// --min-connectivity]
    #[arg(long, value_name = "N")]
    best: Option<usize>,
    /// Smallest connectivity measure (CM) of a connection (ray) to keep
    ///
    /// The CM of a ray is its length divided by its geodesic length. Without this option, --best limits the
    /// connections.
    #[arg(long, value_name = "CM")]
    min_connectivity: Option<f64>,
    /// For each voxel of a target region, keep only the strongest connection (ray)
    #[arg(long)]
    one_per_voxel: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FieldArg {
    /// Interpolate the logarithm of the tensor between voxels by cubic B-splines
    Spline,
    /// Interpolate the metric linearly along each axis, which is faster but less smooth than a spline
    Trilinear,
    /// Interpolate the tensor and the finite differences of its inverse separately (only for comparison)
    Thesis,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MetricArg {
    /// The metric is the inverse of the tensor
    Inverse,
    /// The metric is the inverse of the tensor times the determinant of the tensor
    Adjugate,
    /// The metric is the inverse of the tensor times a scalar field, which is chosen so that curves along
    /// principal directions are as close to geodesics as possible
    Conformal,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SideArg {
    Below,
    Above,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// Euler's method, of first order
    Euler,
    /// Heun's method, of second order
    Heun,
    /// Runge–Kutta method of fourth order
    RungeKutta,
    /// Dormand–Prince 5(4) method, which chooses the length of each step by --step-tolerance
    Adaptive,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum InitialArg {
    /// Rays leave the seed along the principal direction of its tensor
    Principal,
    /// Rays leave the seed in --per-seed directions, which are evenly distributed over the sphere
    Sphere,
    /// Rays leave the seed in --per-seed directions, which are evenly distributed over a cone about the
    /// principal direction (--cone)
    Cone,
}

/// Default number of directions per seed.
const DEFAULT_DIRECTIONS: usize = 500;
/// Default half opening angle of the cone, in degrees.
const DEFAULT_CONE_DEGREES: f64 = 30.0;
/// Default FA that separates sharpened tensors from the others. Below it the principal direction is
/// uncertain.
const DEFAULT_SHARPEN_FA: f64 = 0.3;
/// Default number of connections per target.
const DEFAULT_BEST: usize = 100;

/// Returns an error if an option was given that has no effect.
fn idle(option: &str, given: bool, problem: &str, advice: &str) -> Result<()> {
    if given { Err(Error::usage(option, problem, format!("leave it out, or {advice}"))) } else { Ok(()) }
}

/// Separates the number of rays per seed from the number of seeds. By default there is one seed in the centre
/// of each voxel.
pub(super) fn number_of_rays(seeds: SampleSeeds, per_seed: Option<u32>) -> (SampleSeeds, Option<usize>) {
    let is_open =
        seeds.number == SampleSeedNumber::AsNeeded && seeds.select.is_none() && seeds.weights.is_none();
    let number = match seeds.number {
        SampleSeedNumber::Each(_) => SampleSeedNumber::Each(1),
        _ if is_open => SampleSeedNumber::Each(1),
        other => other,
    };
    (SampleSeeds { number, ..seeds }, per_seed.map(|rays| rays as usize))
}

impl RayArgs {
    /// Returns the initial directions. Returns an error if options of another choice are given.
    fn directions(&self, default: InitialArg, per_seed: Option<usize>) -> Result<Directions> {
        let initial = self.initial_directions.unwrap_or(default);
        let principal = initial == InitialArg::Principal;
        let problem = "--initial-directions principal is one direction";
        idle(
            "--per-seed",
            per_seed.is_some() && principal,
            problem,
            "choose --initial-directions sphere or cone",
        )?;
        let cone = self.cone.is_some() && initial != InitialArg::Cone;
        idle("--cone", cone, "the initial directions are not a cone", "choose --initial-directions cone")?;
        let problem = "directions of the sphere are always followed one way";
        let both = self.one_way && initial == InitialArg::Sphere;
        idle("--one-way", both, problem, "choose --initial-directions principal or cone")?;
        let count = per_seed.unwrap_or(DEFAULT_DIRECTIONS);
        Ok(match initial {
            InitialArg::Principal => Directions::Principal,
            InitialArg::Sphere => Directions::Sphere(count),
            InitialArg::Cone => {
                Directions::Cone { count, degrees: self.cone.unwrap_or(DEFAULT_CONE_DEGREES) }
            }
        })
    }

    fn integrator(&self) -> Result<GeodesicIntegrator> {
        let adaptive = self.integrator == IntegratorArg::Adaptive;
        let problem = "this --integrator has a fixed step length";
        idle(
            "--step-tolerance",
            self.step_tolerance.is_some() && !adaptive,
            problem,
            "choose --integrator adaptive",
        )?;
        Ok(match self.integrator {
            IntegratorArg::Euler => GeodesicIntegrator::Euler,
            IntegratorArg::Heun => GeodesicIntegrator::Heun,
            IntegratorArg::RungeKutta => GeodesicIntegrator::RungeKutta4,
            IntegratorArg::Adaptive => {
                GeodesicIntegrator::Adaptive { tolerance: self.step_tolerance.unwrap_or(DEFAULT_TOLERANCE) }
            }
        })
    }

    fn sharpening(&self) -> Result<Option<Sharpening>> {
        let (nothing, advice) = ("no tensor is sharpened", "give --sharpen");
        idle("--sharpen-fa", self.sharpen_fa.is_some() && self.sharpen.is_none(), nothing, advice)?;
        idle("--sharpen-side", self.sharpen_side.is_some() && self.sharpen.is_none(), nothing, advice)?;
        Ok(self.sharpen.map(|exponent| Sharpening {
            exponent,
            side: match self.sharpen_side {
                Some(SideArg::Above) => SharpenedSide::Above,
                Some(SideArg::Below) | None => SharpenedSide::Below,
            },
            fa: self.sharpen_fa.unwrap_or(DEFAULT_SHARPEN_FA),
        }))
    }
}

impl ConnectionArgs {
    /// Returns the connections to keep, or `None` for all rays.
    pub(super) fn connections(
        &self,
        targets: &[RegionFile],
        are_seeds_chosen: bool,
    ) -> Result<Option<Connections>> {
        if self.all || targets.is_empty() {
            let (problem, advice) = if self.all {
                ("--all keeps every ray", "give --targets instead of --all")
            } else {
                ("there are no targets to connect", "give --targets")
            };
            idle("--best", self.best.is_some(), problem, advice)?;
            idle("--min-connectivity", self.min_connectivity.is_some(), problem, advice)?;
            idle("--one-per-voxel", self.one_per_voxel, problem, advice)?;
            return Ok(None);
        }
        if !are_seeds_chosen {
            let advice = "give --seed-mask, or other seeds";
            return Err(Error::usage("--seed-mask", "connections need seeds", advice));
        }
        if self.best == Some(0) {
            return Err(Error::usage("--best", "0 connections would be kept", "give 1 or more"));
        }
        if let Some(minimum) =
            self.min_connectivity.filter(|minimum| !(*minimum > 0.0 && minimum.is_finite()))
        {
            let problem = format!("{minimum} is not a connectivity measure");
            return Err(Error::usage("--min-connectivity", problem, "give a number above 0"));
        }
        let default = self.min_connectivity.is_none().then_some(DEFAULT_BEST);
        let selection = Selection {
            best: self.best.or(default),
            min_connectivity: self.min_connectivity,
            one_per_voxel: self.one_per_voxel,
        };
        Ok(Some(Connections { targets: targets.to_vec(), selection }))
    }
}

/// Returns the options for the library that do not come from files.
pub(super) fn options(
    rays: &RayArgs,
    ends: &EndArgs,
    per_seed: Option<usize>,
    connects: bool,
) -> Result<GeodesicOptions> {
    let initial = if connects { InitialArg::Sphere } else { InitialArg::Principal };
    Ok(GeodesicOptions {
        field: match rays.field {
            FieldArg::Spline => Field::Spline,
            FieldArg::Trilinear => Field::Trilinear,
            FieldArg::Thesis => Field::Thesis,
        },
        metric: match rays.metric {
            MetricArg::Inverse => Metric::Inverse,
            MetricArg::Adjugate => Metric::Adjugate,
            MetricArg::Conformal => Metric::Conformal,
        },
        gain: rays.gain,
        sharpening: rays.sharpening()?,
        integrator: rays.integrator()?,
        double: rays.precision == Precision::Double,
        directions: rays.directions(initial, per_seed)?,
        both_ways: !rays.one_way,
        max_length_mm: Some(TrackGeodesic::MAX_LENGTH_MM),
        max_steps: ends.max_steps,
        end_loops: !ends.allow_loops,
        ..GeodesicOptions::default()
    })
}
