//! The options of the command.

use crate::precision::Precision;
use crate::references;
use arcuate_recon::{GriddingOptions, Iterative, TrajectoryUnit};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

pub(super) const REFERENCES: &[&str] = &[
    "Pruessmann KP et al. (2001) Advances in sensitivity encoding with arbitrary k-space trajectories. \
     doi:10.1002/mrm.1241",
    "Fessler JA et al. (2005) Toeplitz-based iterative image reconstruction for MRI with correction for magnetic field \
     inhomogeneity. doi:10.1109/TSP.2005.853152",
    "Stone SS et al. (2008) Accelerating advanced MRI reconstructions on GPUs. doi:10.1016/j.jpdc.2008.05.013",
];
pub(super) const ANATOMY_REFERENCES: &[&str] = &[
    "Haldar JP et al. (2008) Anatomically constrained reconstruction from noisy data. doi:10.1002/mrm.21536",
];
pub(super) const GRIDDING_REFERENCES: &[&str] = &[
    "Pipe JG, Menon P (1999) Sampling density compensation in MRI. \
     doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V",
    "Beatty PJ, Nishimura DG, Pauly JM (2005) Rapid gridding reconstruction with a minimal oversampling ratio. \
     doi:10.1109/TMI.2005.848376",
];
pub(super) const CURVE_REFERENCES: &[&str] = &[
    "Hansen PC (1992) Analysis of discrete ill-posed problems by means of the L-curve. doi:10.1137/1034115",
];

/// Reconstruct an image from k-space, along any trajectory
///
/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums. Reads arrays of BART (.cfl with .hdr) or
/// NumPy (.npy), in BART's dimensions: k-space is 1 × samples × readouts × coils, the trajectory 3 × samples × readouts in
/// cycles per field of view, coil sensitivities x × y × z × coils. Writes the magnitude and, beside it, the phase in radians
/// (NAME_phase), or, where --out ends in .cfl, the complex image as BART's array. Several coils without sensitivities are
/// reconstructed one by one and combined by the root of the sum of squares.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Recon {
    /// Samples of k-space
    pub(super) kspace: PathBuf,
    /// Where the samples lie
    #[arg(long, value_name = "FILE")]
    pub(super) trajectory: PathBuf,
    /// Sensitivities of the coils
    #[arg(long, value_name = "FILE")]
    pub(super) sensitivities: Option<PathBuf>,
    /// Where the result goes; an image: .nii.gz, .nii, .mif, or .cfl
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Method, of those that the command has; cg solves for the image, adjoint is Fᴴd alone, gridding interpolates to a grid, for comparison
    #[arg(long, value_name = "METHOD", value_enum, default_value = "cg")]
    pub(super) method: Method,
    /// Penalty that regularises the result; tikhonov (the image's size), differences (of neighbours), or anatomy=IMAGE
    /// (differences where that image of the same anatomy has no edge; on other voxels it is resampled by world coordinates)
    #[arg(long, value_name = "PENALTY", default_value = "tikhonov")]
    pub(super) regularise: Prior,
    /// Strength of the penalty; in units in which FᴴF is 1 of a Cartesian scan that samples all wave numbers once, whatever the
    /// scale of sensitivities; or auto: by the noise where --sigma says it, else by the L-curve
    #[arg(long, value_name = "LAMBDA", default_value = "1e-3")]
    pub(super) lambda: LambdaChoice,
    /// Standard deviation of the noise; in real and imaginary part of a sample: iterations end when the data are explained as
    /// well
    #[arg(long, value_name = "SIGMA")]
    pub(super) sigma: Option<f64>,
    /// Difference of the anatomical image that counts as an edge; by default three times the median difference
    #[arg(long, value_name = "VALUE")]
    pub(super) edge: Option<f64>,
    /// Of gridding, what samples are weighed with: pipe-menon, voronoi (both by how dense they are), none, or a file with a
    /// number for each
    #[arg(long, value_name = "HOW|FILE", default_value = "pipe-menon")]
    pub(super) density: Density,
    /// Of gridding, how samples are spread
    #[arg(long, value_name = "KERNEL", value_enum, default_value = "kaiser-bessel")]
    pub(super) interpolation: Kernels,
    /// Of gridding, points of the grid for each voxel along an axis
    #[arg(long, value_name = "FACTOR", default_value_t = GriddingOptions::default().oversampling)]
    pub(super) oversampling: f64,
    /// Iterations at most
    #[arg(long, value_name = "N", default_value_t = Iterative::<f32>::default().iterations)]
    pub(super) iterations: usize,
    /// Iterations end below this fraction; of the residual at first
    #[arg(long, value_name = "FRACTION", default_value_t = Iterative::<f32>::default().tolerance)]
    pub(super) tolerance: f64,
    /// Voxels along each axis; as 256,256 or 128,128,64; by default those of --like, of --sensitivities, or twice the
    /// trajectory's largest wave number
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', conflicts_with = "like")]
    pub(super) size: Option<Vec<usize>>,
    /// Field of view in mm; one length (a slice is as thick as its voxels are wide) or three: the size of voxels, and of
    /// trajectories in 1/m
    #[arg(long, value_name = "MM", value_delimiter = ',')]
    pub(super) fov: Option<Vec<f64>>,
    /// Image whose voxels the result has
    #[arg(long, value_name = "IMAGE")]
    pub(super) like: Option<PathBuf>,
    /// Unit of the trajectory; by default cycles per field of view, unless its range speaks for another, which is an error
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(super) trajectory_unit: Option<Unit>,
    /// Complex weight of each sample, which the signal was multiplied with
    #[arg(long, value_name = "FILE")]
    pub(super) sample_weights: Option<PathBuf>,
    /// Keep Q, the transform of the trajectory's FᴴF, for other scans along it
    #[arg(long, value_name = "FILE", conflicts_with = "q")]
    pub(super) save_q: Option<PathBuf>,
    /// Q that --save-q kept
    #[arg(long, value_name = "FILE")]
    pub(super) q: Option<PathBuf>,
    /// The true image, where it is known: the result is compared with it
    #[arg(long, value_name = "IMAGE")]
    pub(super) truth: Option<PathBuf>,
    /// Write one image of complex numbers instead of magnitude and phase
    #[arg(long)]
    pub(super) complex: bool,
    /// Precision of the arithmetic
    #[arg(long, value_name = "PRECISION", value_enum, default_value = "single")]
    pub(super) precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    Cg,
    Adjoint,
    Gridding,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cg => "cg",
            Self::Adjoint => "adjoint",
            Self::Gridding => "gridding",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kernels {
    /// By a window of four points
    KaiserBessel,
    /// Linearly along each axis
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
    /// Cycles per field of view, −n/2 to n/2
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
