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
/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd for the image ρ by conjugate gradients, with exact Fourier sums. F is the
/// Fourier transform at the samples, d are the data, and λ WᴴW is the penalty. Reads arrays of BART (.cfl
/// with .hdr) or NumPy (.npy) in BART's dimensions. The dimensions of k-space are 1 × samples × readouts ×
/// coils. The trajectory has 3 × samples × readouts (in cycles per field of view), and coil sensitivities
/// have x × y × z × coils. Writes the magnitude image, and the phase in radians as NAME_phase. If --out ends
/// in .cfl, writes the complex image as BART's array. Without coil sensitivities, each coil is reconstructed
/// separately, and the coil images are combined by the root of the sum of squares.
#[derive(Debug, Args)]
pub(crate) struct Recon {
    /// Array of k-space samples (.cfl or .npy)
    pub(super) kspace: PathBuf,
    /// Trajectory: array of the k-space coordinates of the samples (.cfl or .npy)
    #[arg(long, value_name = "FILE")]
    pub(super) trajectory: PathBuf,
    /// Array of coil sensitivities (.cfl or .npy)
    #[arg(long, value_name = "FILE")]
    pub(super) sensitivities: Option<PathBuf>,
    /// Output: reconstructed image (.nii.gz, .nii, .mif or .cfl)
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Method: algorithm that computes the image from the k-space samples
    ///
    /// `cg` solves for the image by conjugate gradients. `adjoint` only applies the adjoint Fourier transform
    /// Fᴴ to the data d. `gridding` interpolates the samples to a Cartesian grid, for comparison with the
    /// exact methods.
    #[arg(long, value_name = "METHOD", value_enum, default_value = "cg")]
    pub(super) method: Method,
    #[arg(
        long,
        help = meanings::REGULARISE,
        long_help = meanings::with(
            meanings::REGULARISE,
            "`tikhonov` penalises the sum of squared voxel values. `differences` penalises the squared \
             differences between neighbouring voxels. `anatomy=IMAGE` does the same, but reduces the \
             penalty between voxels that have an edge (a large difference) between them in IMAGE. If IMAGE \
             has another voxel grid, it is resampled by world coordinates."
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
            "F is the operator from the image to the k-space data. λ is relative to FᴴF, scaled so that FᴴF \
             is 1 for a fully sampled Cartesian scan. The scale of the coil sensitivities does not change λ. \
             If --sigma is given, `auto` chooses λ from the noise \
             level. If not, `auto` uses the L-curve."
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
            "The value is the standard deviation of the noise in the real part of a k-space sample, which is \
             equal to that in the imaginary part. The iterations of the solver stop when the residual \
             reaches this noise level. Without this option, only --tolerance and --iterations stop the \
             iterations."
        ),
        value_name = "SIGMA"
    )]
    pub(super) sigma: Option<f64>,
    /// Difference between anatomical voxels at which the penalty is halved
    ///
    /// The option is for --regularise anatomy=IMAGE. Its value is in the unit of IMAGE: the larger the value,
    /// the fewer differences between neighbouring voxels of IMAGE count as edges. [default: three times the
    /// median of the non-zero differences]
    #[arg(long, value_name = "VALUE")]
    pub(super) edge: Option<f64>,
    /// Density compensation of the k-space samples, for --method gridding
    ///
    /// The value is pipe-menon, voronoi, none, or a text file with one weight per sample.
    #[arg(long, value_name = "HOW|FILE", default_value = "pipe-menon")]
    pub(super) density: Density,
    /// Interpolation between k-space samples and grid, for --method gridding
    #[arg(long, value_name = "KERNEL", value_enum, default_value = "kaiser-bessel")]
    pub(super) interpolation: Kernels,
    /// Grid points per voxel along each axis, for --method gridding
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
        long_help = meanings::with(
            meanings::TOLERANCE,
            "The iterations stop when the norm of the residual is at most this fraction of the norm of the \
             first residual."
        ),
        value_name = "FRACTION",
        default_value_t = Iterative::<f32>::default().tolerance
    )]
    pub(super) tolerance: f64,
    #[arg(
        long,
        help = meanings::SIZE,
        long_help = meanings::with(
            meanings::SIZE,
            "Give two numbers for one slice, such as 256,256, or three for a volume, such as 128,128,64. \
             [default: the size of --like, or else of --sensitivities, or else twice the largest k-space \
             coordinate of the trajectory]"
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
            "Give one length for all axes, or three lengths for x, y and z. For one slice, the slice \
             thickness equals the voxel width. The field of view sets the voxel size. It also sets the \
             scale of a trajectory in 1/m."
        ),
        value_name = "MM",
        value_delimiter = ','
    )]
    pub(super) fov: Option<Vec<f64>>,
    #[arg(long, help = meanings::LIKE, value_name = "IMAGE")]
    pub(super) like: Option<PathBuf>,
    /// Unit of the k-space coordinates in the trajectory
    ///
    /// If the range of the coordinates suggests another unit than the default, the command stops with an
    /// error. [default: fov]
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(super) trajectory_unit: Option<Unit>,
    /// Array of complex weights by which the k-space samples were multiplied
    #[arg(long, value_name = "FILE")]
    pub(super) sample_weights: Option<PathBuf>,
    /// Write Q, the convolution kernel of FᴴF for this trajectory, for use with --q
    #[arg(long, value_name = "FILE", conflicts_with = "q")]
    pub(super) save_q: Option<PathBuf>,
    /// Read the convolution kernel Q that an earlier run wrote with --save-q
    #[arg(long, value_name = "FILE")]
    pub(super) q: Option<PathBuf>,
    /// True image, with which the reconstructed image is compared
    #[arg(long, value_name = "IMAGE")]
    pub(super) truth: Option<PathBuf>,
    /// Write one complex image instead of a magnitude image and a phase image
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
    /// Kaiser–Bessel window with a width of four grid points
    KaiserBessel,
    /// Linear interpolation along each axis of the grid
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
    /// Cycles per field of view: coordinates from −n/2 to n/2 for n voxels
    Fov,
    /// Cycles per voxel: coordinates from −½ to ½
    Voxel,
    /// Radians per voxel: coordinates from −π to π
    Radian,
    /// Cycles per metre (1/m)
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
