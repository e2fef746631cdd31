//! Options of `arcuate recon`.

use crate::meanings;
use crate::precision::Precision;
use arcuate_recon::{
    self as recon, DensityChoice, GriddingOptions, Interpolation, Iterative, Penalty, Settings,
    TrajectoryUnit,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// Reconstruct an image from k-space, along any trajectory
///
/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums. Reads arrays of BART (.cfl with .hdr)
/// or NumPy (.npy) in BART's dimensions: k-space is 1 × samples × readouts × coils, the trajectory 3 × samples ×
/// readouts in cycles per field of view, and sensitivities x × y × z × coils. Writes the magnitude, and the phase in
/// radians as NAME_phase. If --out ends in .cfl, writes the complex image as BART's array. Without sensitivities, coils
/// are reconstructed separately and combined by the root of the sum of squares.
#[derive(Debug, Args)]
pub(crate) struct Recon {
    /// Samples of k-space (.cfl or .npy)
    pub(super) kspace: PathBuf,
    /// Trajectory: coordinates of the samples (.cfl or .npy)
    #[arg(long, value_name = "FILE")]
    pub(super) trajectory: PathBuf,
    /// Coil sensitivities (.cfl or .npy)
    #[arg(long, value_name = "FILE")]
    pub(super) sensitivities: Option<PathBuf>,
    /// Output: image (.nii.gz, .nii, .mif or .cfl)
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    #[arg(
        long,
        help = meanings::METHOD,
        long_help = meanings::with(
            meanings::METHOD,
            "`cg` solves for the image. `adjoint` computes Fᴴd only. `gridding` interpolates to a grid, for \
             comparison."
        ),
        value_name = "METHOD",
        value_enum,
        default_value = "cg"
    )]
    pub(super) method: Method,
    #[arg(
        long,
        help = meanings::REGULARISE,
        long_help = meanings::with(
            meanings::REGULARISE,
            "`tikhonov` penalises the size of the image. `differences` penalises differences of neighbouring \
             voxels. `anatomy=IMAGE` penalises differences of neighbouring voxels that have no edge between \
             them in IMAGE. If IMAGE has another grid, it is resampled by world coordinates."
        ),
        value_name = "PENALTY",
        default_value = "tikhonov"
    )]
    pub(super) regularise: Prior,
    #[arg(
        long,
        help = meanings::LAMBDA,
        long_help = meanings::with(
            meanings::LAMBDA,
            "The scale is such that FᴴF is 1 for a fully sampled Cartesian scan, independent of the scale of \
             the coil sensitivities. `auto` chooses the strength from the noise level if --sigma is given. \
             If not, `auto` uses the L-curve."
        ),
        value_name = "LAMBDA",
        default_value = "1e-3"
    )]
    pub(super) lambda: LambdaChoice,
    #[arg(
        long,
        help = meanings::SIGMA,
        long_help = meanings::with(
            meanings::SIGMA,
            "The value is the standard deviation of the real part, and of the imaginary part, of a k-space \
             sample. Iterations stop when the residual reaches this level."
        ),
        value_name = "SIGMA"
    )]
    pub(super) sigma: Option<f64>,
    /// Smallest difference between voxels of the anatomical image that is an edge
    ///
    /// [default: three times the median difference]
    #[arg(long, value_name = "VALUE")]
    pub(super) edge: Option<f64>,
    /// Density compensation of k-space samples in gridding
    ///
    /// The value is pipe-menon, voronoi, none, or a text file with one number per sample.
    #[arg(long, value_name = "HOW|FILE", default_value = "pipe-menon")]
    pub(super) density: Density,
    /// Interpolation of gridding
    #[arg(long, value_name = "KERNEL", value_enum, default_value = "kaiser-bessel")]
    pub(super) interpolation: Kernels,
    /// Oversampling factor of gridding: grid points per voxel along each axis
    #[arg(long, value_name = "FACTOR", default_value_t = GriddingOptions::default().oversampling)]
    pub(super) oversampling: f64,
    #[arg(
        long,
        help = meanings::ITERATIONS,
        value_name = "N",
        default_value_t = Iterative::<f32>::default().iterations
    )]
    pub(super) iterations: usize,
    #[arg(
        long,
        help = meanings::TOLERANCE,
        long_help = meanings::with(meanings::TOLERANCE, "The tolerance is relative to the first residual."),
        value_name = "FRACTION",
        default_value_t = Iterative::<f32>::default().tolerance
    )]
    pub(super) tolerance: f64,
    #[arg(
        long,
        help = meanings::SIZE,
        long_help = meanings::with(
            meanings::SIZE,
            "For example 256,256 or 128,128,64. [default: the size of --like, otherwise of --sensitivities, \
             otherwise twice the largest wave number of the trajectory]"
        ),
        value_name = "X,Y[,Z]",
        value_delimiter = ',',
        conflicts_with = "like"
    )]
    pub(super) size: Option<Vec<usize>>,
    #[arg(
        long,
        help = meanings::FOV,
        long_help = meanings::with(
            meanings::FOV,
            "Give one length, or three. For one slice, the slice thickness equals the voxel width. The field \
             of view sets the voxel size, and the scale of trajectories in 1/m."
        ),
        value_name = "MM",
        value_delimiter = ','
    )]
    pub(super) fov: Option<Vec<f64>>,
    #[arg(long, help = meanings::LIKE, value_name = "IMAGE")]
    pub(super) like: Option<PathBuf>,
    /// Unit of the trajectory
    ///
    /// [default: cycles per field of view; an error if the range suggests another unit]
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(super) trajectory_unit: Option<Unit>,
    /// Complex weights by which the k-space samples were multiplied
    #[arg(long, value_name = "FILE")]
    pub(super) sample_weights: Option<PathBuf>,
    /// Write Q, the convolution kernel of FᴴF for this trajectory, to reuse with --q
    #[arg(long, value_name = "FILE", conflicts_with = "q")]
    pub(super) save_q: Option<PathBuf>,
    /// Read the convolution kernel Q that --save-q wrote
    #[arg(long, value_name = "FILE")]
    pub(super) q: Option<PathBuf>,
    /// Truth image, with which the result is compared
    #[arg(long, value_name = "IMAGE")]
    pub(super) truth: Option<PathBuf>,
    /// Write one complex image instead of magnitude and phase
    #[arg(long)]
    pub(super) complex: bool,
    #[arg(long, help = meanings::PRECISION, value_name = "PRECISION", value_enum, default_value = "single")]
    pub(super) precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    Cg,
    Adjoint,
    Gridding,
}

impl Recon {
    /// Returns the settings that do not come from files.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            method: match self.method {
                Method::Cg => recon::Method::Cg,
                Method::Adjoint => recon::Method::Adjoint,
                Method::Gridding => recon::Method::Gridding,
            },
            penalty: match self.regularise {
                Prior::Tikhonov => Penalty::Tikhonov,
                Prior::Differences => Penalty::Differences,
                Prior::Anatomy(_) => Penalty::Anatomy,
            },
            lambda: match self.lambda {
                LambdaChoice::Auto => None,
                LambdaChoice::Fixed(lambda) => Some(lambda),
            },
            noise: self.sigma,
            edge: self.edge,
            tolerance: self.tolerance,
            iterations: self.iterations,
            density: match self.density {
                Density::PipeMenon => DensityChoice::PipeMenon,
                Density::Voronoi => DensityChoice::Voronoi,
                Density::None => DensityChoice::None,
                Density::File(_) => DensityChoice::Given,
            },
            interpolation: match self.interpolation {
                Kernels::KaiserBessel => Interpolation::KaiserBessel,
                Kernels::Trilinear => Interpolation::Trilinear,
            },
            oversampling: self.oversampling,
            unit: self.trajectory_unit.map(Into::into),
            is_double: matches!(self.precision, Precision::Double),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kernels {
    /// Window of four points
    KaiserBessel,
    /// Linear along each axis
    Trilinear,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Density {
    PipeMenon,
    Voronoi,
    None,
    File(PathBuf),
}

impl FromStr for Density {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(match text {
            "pipe-menon" => Self::PipeMenon,
            "voronoi" => Self::Voronoi,
            "none" => Self::None,
            path => Self::File(path.into()),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Unit {
    /// Cycles per field of view, from −n/2 to n/2 for n voxels
    Fov,
    /// Cycles per voxel, −½ to ½
    Voxel,
    /// Radians per voxel, −π to π
    Radian,
    /// 1/m
    PerMetre,
}

impl From<Unit> for TrajectoryUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Fov => Self::FieldOfView,
            Unit::Voxel => Self::Voxel,
            Unit::Radian => Self::Radian,
            Unit::PerMetre => Self::PerMetre,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Prior {
    Tikhonov,
    Differences,
    Anatomy(PathBuf),
}

impl FromStr for Prior {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once('=') {
            None if text == "tikhonov" => Ok(Self::Tikhonov),
            None if text == "differences" => Ok(Self::Differences),
            Some(("anatomy", path)) if !path.is_empty() => Ok(Self::Anatomy(path.into())),
            _ => Err("expected tikhonov, differences or anatomy=IMAGE".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LambdaChoice {
    Auto,
    Fixed(f64),
}

impl FromStr for LambdaChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let number = text.parse().ok().filter(|&lambda: &f64| lambda >= 0.0 && lambda.is_finite());
        number.map(Self::Fixed).ok_or_else(|| "expected a number of 0 or more, or auto".to_owned())
    }
}
