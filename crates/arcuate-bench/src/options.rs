//! The command-line options of all benchmarks.

use arcuate_compute::{DeviceChoice, parse_bytes};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "Measure Arcuate side by side with its peers")]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Benchmarks to run [default: all that are compared with another program]
    #[arg(value_enum)]
    pub(crate) problems: Vec<Problem>,
    /// Number of turns that are counted
    #[arg(long, default_value_t = 7)]
    pub(crate) turns: usize,
    /// CPU threads of both Arcuate and the other program
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,
    /// Python interpreter with dipy, nibabel and scipy; for COMMIT with dmri-commit
    #[arg(long, env = "ARCUATE_PYTHON", default_value = "python3")]
    pub(crate) python: PathBuf,
    #[command(flatten)]
    pub(crate) life_ds1: Ds1Options,
    #[command(flatten)]
    pub(crate) commit: CommitOptions,
    #[command(flatten)]
    pub(crate) commit_thesis: ThesisOptions,
    #[command(flatten)]
    pub(crate) geodesic: GeodesicBenchOptions,
    #[command(flatten)]
    pub(crate) recon: ReconBenchOptions,
    #[command(flatten)]
    pub(crate) fit: FitBenchOptions,
    #[command(flatten)]
    pub(crate) deconvolution: DeconvolutionBenchOptions,
    #[command(flatten)]
    pub(crate) tracts: TractBenchOptions,
    #[command(flatten)]
    pub(crate) dense: DenseBenchOptions,
    #[command(flatten)]
    pub(crate) track_fod: FodBenchOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reproduce the tables of a thesis on LiFE's optimisation, on our own problems
    LifeTables(TablesOptions),
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Problem {
    /// Reading a compressed series, compared with nibabel
    Read,
    /// Tensor fit, compared with MRtrix's dwi2tensor
    Tensor,
    /// Tensor tracking, compared with MRtrix's tckgen
    Tracking,
    /// LiFE, compared with DIPY and with SciPy's sparse products
    Life,
    /// LiFE at the largest published size: products and solver, compared with their lower bound
    LifeDs1,
    /// COMMIT with a table of orientations, compared with dmri-commit
    Commit,
    /// COMMIT at the size of a published problem
    CommitThesis,
    /// Geodesic rays, with the volume and the seed patterns of a published measurement
    GeodesicUniform,
    /// Exact Fourier sums at the size of a problem in a textbook's chapter
    ReconKirk,
    /// Fourier sums at arbitrary voxels: the optimisation steps of a textbook's chapter, and a search for the
    /// best shape of the last kernel
    ReconLadder,
    /// Image quality of exact sums: a textbook's comparison of gridding and conjugate gradients
    ReconFigure,
    /// A whole head, 32 coils, 10 million samples on a GPU
    ReconLarge,
    /// Signal models at the size of the UK Biobank
    FitBiobank,
    /// Signal models at the size of the Human Connectome Project
    FitHcp,
    /// Spherical deconvolution: one shell, and three tissues
    Deconvolution,
    /// The complete bedpostx command, including file access, at the size of the UK Biobank
    BedpostxBiobank,
    /// Probabilistic tracking of 27 tracts, at the size of a published measurement
    TrackTracts,
    /// A million streamlines by arcs through fibre orientation distributions of a whole brain
    TrackFod,
    /// A dense connectome of 91,282 seeds, at the size of a published one
    TrackDense,
    /// Exponential, logarithm, sine and cosine, compared with the mathematical library
    Elementary,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "life-ds1")]
pub(crate) struct Ds1Options {
    /// Source of the coefficients [default: both]
    #[arg(long, value_enum)]
    pub(crate) indices: Vec<Indices>,
    /// Numbers of dictionary atoms, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1057")]
    pub(crate) atoms: Vec<usize>,
    /// Numbers of diffusion directions, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "96")]
    pub(crate) directions: Vec<usize>,
    /// Number of streamlines with 80 coefficients each [default: 500,000 on a GPU, 250,000 on a CPU]
    #[arg(long)]
    pub(crate) streamlines: Option<usize>,
    /// Iterations of the solver; 0 measures only the products
    #[arg(long, default_value_t = 500)]
    pub(crate) iterations: usize,
    /// Solver algorithm
    #[arg(long, value_enum, default_value_t = SolverName::BarzilaiBorwein)]
    pub(crate) solver: SolverName,
    /// Floating-point precision
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    pub(crate) precision: Precision,
    /// Objective to reach, known from an earlier run [default: the objective of the same solver in double precision on
    /// the CPU]
    #[arg(long)]
    pub(crate) objective: Option<f64>,
    /// Device: auto, cpu, cuda:N or cuda:N,M
    #[arg(long, default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Maximum memory on each GPU, in bytes
    #[arg(long)]
    pub(crate) device_memory: Option<u64>,
    /// GPU kernels to run, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "auto")]
    pub(crate) kernels: Vec<KernelName>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "commit")]
pub(crate) struct CommitOptions {
    /// Models: stick-zeppelin-ball, ball-and-stick, cylinder-zeppelin-ball (nine radii, four zeppelins)
    #[arg(
        id = "commit-models",
        long,
        value_delimiter = ',',
        default_value = "stick-zeppelin-ball,ball-and-stick,cylinder-zeppelin-ball"
    )]
    pub(crate) models: Vec<String>,
    /// Folder with dwi.nii.gz, dwi.bval, dwi.bvec, tracks.tck and peaks.nii.gz, used instead of `philips_dwi`
    #[arg(id = "commit-data", long)]
    pub(crate) data: Option<PathBuf>,
    /// Mask file in the folder of --data
    #[arg(id = "commit-mask", long, default_value = "wm_fa02.nii.gz")]
    pub(crate) mask: String,
}

/// The directions of segments and axes.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Directions {
    /// Along smooth paths through neighbouring voxels, like tracked streamlines
    Tracked,
    /// The same lengths in the same voxels, with independent random directions
    Uniform,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "commit-thesis")]
pub(crate) struct ThesisOptions {
    /// Directions of segments [default: both]
    #[arg(long = "segments", value_enum)]
    pub(crate) segment_directions: Vec<Directions>,
    /// Numbers of samples of the acquisition, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "100,270")]
    pub(crate) samples: Vec<usize>,
    /// Maximum error of a response in any direction
    #[arg(long, default_value_t = 1e-5)]
    pub(crate) response_tolerance: f64,
    /// Use a table with this number of orientations instead of harmonics
    #[arg(long, default_value_t = 0)]
    pub(crate) orientations: usize,
    /// Iterations of the fit; 0 measures only the products
    #[arg(long, default_value_t = 2136)]
    pub(crate) fit_iterations: usize,
    /// Compare the products with double precision on the CPU
    #[arg(long)]
    pub(crate) check: bool,
    /// Compute in double precision
    #[arg(long)]
    pub(crate) double: bool,
    /// Divide the numbers of voxels, streamlines, segments and axes by this number
    #[arg(long, default_value_t = 1)]
    pub(crate) one_in: usize,
    /// Numbers of streamlines in the same voxels, separated by commas; each has the same number of segments
    #[arg(long = "tractogram", value_name = "STREAMLINES", value_delimiter = ',')]
    pub(crate) tractograms: Vec<usize>,
    /// Numbers of segments in every voxel, separated by commas, used instead of the published problem. The number of
    /// voxels gives the same total number of segments, but does not exceed that of the problem
    #[arg(long, value_delimiter = ',')]
    pub(crate) load: Vec<usize>,
    /// Device: auto, cpu, cuda:N or cuda:N,M
    #[arg(long, default_value = "auto")]
    pub(crate) on: DeviceChoice,
}

#[derive(Debug, Args)]
pub(crate) struct GeodesicBenchOptions {
    /// Device for rays (geodesic-uniform)
    #[arg(long, default_value = "cpu")]
    pub(crate) rays_on: DeviceChoice,
    /// Number of rays; use a million for GPU measurements
    #[arg(long, default_value_t = 8192)]
    pub(crate) rays: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ReconBenchOptions {
    /// Device for reconstruction (recon-kirk, recon-figure, recon-large)
    #[arg(long, default_value = "cpu")]
    pub(crate) recon_on: DeviceChoice,
    /// Voxels along each axis (recon-figure)
    #[arg(long, default_values_t = [64, 128])]
    pub(crate) voxels: Vec<usize>,
    /// Maximum size of GPU buffers, in GiB (recon-large)
    #[arg(long, default_value_t = 8.0)]
    pub(crate) recon_memory: f64,
    /// Compute Fᴴd of all coils by exact sums, instead of one coil (recon-large)
    #[arg(long)]
    pub(crate) all_coils: bool,
}

/// Options of the benchmarks of signal models.
#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
#[derive(Debug, clap::Args)]
pub(crate) struct FitBenchOptions {
    /// Device for the fit: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) fit_on: DeviceChoice,
    /// Maximum memory on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) fit_memory: Option<u64>,
    /// Models to fit
    #[arg(long, value_delimiter = ',', default_value = "noddi-watson")]
    pub(crate) fit_models: Vec<String>,
    /// Number of voxels [default: all]
    #[arg(long)]
    pub(crate) fit_voxels: Option<usize>,
    /// Compute in double precision
    #[arg(long)]
    pub(crate) fit_double: bool,
    /// Sample the posterior instead: 1,000 + 1,250 sweeps from a fit, 50 samples
    #[arg(long)]
    pub(crate) fit_sample: bool,
    /// Assume Rician noise and sample its standard deviation
    #[arg(long)]
    pub(crate) fit_rician: bool,
    /// Enforce bounds by transforms of the parameters
    #[arg(long)]
    pub(crate) fit_transform: bool,
}

#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[derive(Debug, Args)]
pub(crate) struct DeconvolutionBenchOptions {
    /// Device for deconvolution: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) deconvolution_on: DeviceChoice,
    /// Maximum memory on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) deconvolution_memory: Option<u64>,
    /// Number of voxels of the series
    #[arg(long, default_value_t = 300_000)]
    pub(crate) deconvolution_voxels: usize,
}

#[derive(Debug, Args)]
pub(crate) struct TractBenchOptions {
    /// Device for tracking (track-tracts)
    #[arg(long, default_value = "cpu")]
    pub(crate) tracts_on: DeviceChoice,
    /// Maximum memory on each GPU; if orientations do not fit, they stay on the host
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) tract_memory: Option<u64>,
    /// Track these fractions of each seed's streamlines, one after the other
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(crate) tract_samples: Vec<f64>,
    /// Write samples, masks and warps as files into a folder, without tracking
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tracts_into: Option<PathBuf>,
    /// Names of the tracts to track [default: all]
    #[arg(long, value_delimiter = ',')]
    pub(crate) tracts: Vec<String>,
    /// Maximum number of concurrent streamlines on a GPU; 0 for the maximum that it can hold
    #[arg(long, value_delimiter = ',', default_value = "0")]
    pub(crate) tract_in_flight: Vec<u32>,
    /// Number of concurrent calls; each tracks a fraction of the streamlines in its own GPU stream
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(crate) tract_streams: Vec<u32>,
    /// Also count connections between 64 regions, on the device that tracks the streamlines
    #[arg(long)]
    pub(crate) tract_connections: bool,
    /// Number of reruns with other random seeds, whose maps are compared
    #[arg(long, default_value_t = 0)]
    pub(crate) tract_reruns: u64,
}

/// Options of `track-dense`. Device and memory are those of `track-tracts`.
#[derive(Debug, Args)]
#[command(next_help_heading = "track-dense")]
pub(crate) struct DenseBenchOptions {
    /// Streamlines per seed (track-dense)
    #[arg(id = "dense-samples", long = "dense-samples", default_value_t = 10_000)]
    pub(crate) samples: u32,
    /// Track only this number of seeds
    #[arg(id = "dense-seeds", long = "dense-seeds")]
    pub(crate) seeds: Option<usize>,
    /// Skip this number of seeds at the beginning
    #[arg(id = "dense-from", long = "dense-from", default_value_t = 0)]
    pub(crate) from: usize,
    /// Maximum number of concurrent streamlines on a GPU; 0 for the maximum that it can hold
    #[arg(id = "dense-in-flight", long = "dense-in-flight", default_value_t = 0)]
    pub(crate) in_flight: u32,
    /// Place seeds at the vertices of two white surfaces instead of in outer voxels. Streamlines stop at pial surfaces
    /// and when they leave the voxels in the middle
    #[arg(id = "dense-surfaces", long = "dense-surfaces")]
    pub(crate) surfaces: bool,
    /// Track without counting connections
    #[arg(id = "dense-tracking-alone", long = "dense-tracking-alone")]
    pub(crate) tracking_alone: bool,
    /// Compare this number of first rows with those of the CPU
    #[arg(id = "dense-check", long = "dense-check", default_value_t = 0)]
    pub(crate) check: usize,
}

#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[derive(Debug, Args)]
#[command(next_help_heading = "track-fod")]
pub(crate) struct FodBenchOptions {
    /// Device for tracking: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) track_fod_on: DeviceChoice,
    /// Maximum memory on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) track_fod_memory: Option<u64>,
    /// Image of fibre orientation distributions, used instead of the simulated one
    #[arg(long, value_name = "FILE")]
    pub(crate) track_fod_image: Option<PathBuf>,
    /// Number of streamlines
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) track_fod_select: u64,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TablesOptions {
    /// Tables to reproduce, separated by commas [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) tables: Vec<Table>,
    /// Numbers of streamlines, separated by commas; all tables except the first use the largest
    #[arg(long, value_delimiter = ',', default_value = "50000,100000,250000,500000")]
    pub(crate) streamlines: Vec<usize>,
    /// Tracking methods for the first table, separated by commas [default: all]; the other tables use `bootstrap`
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) ways: Vec<TrackingMethod>,
    /// Iterations of the solver
    #[arg(long, default_value_t = 500)]
    pub(crate) iterations: usize,
    /// Device: auto, cpu, cuda:N or cuda:N,M; may be repeated. Speed-ups are those of the last device relative to the
    /// first
    #[arg(long, default_value = "auto")]
    pub(crate) device: Vec<DeviceChoice>,
    /// Maximum memory on each GPU, in bytes
    #[arg(long)]
    pub(crate) device_memory: Option<u64>,
    /// Numbers of CPU threads for the table of threads, separated by commas; numbers above that of the machine are
    /// skipped
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16")]
    pub(crate) threads: Vec<usize>,
    /// For the table of threads, run all iterations only if they are expected to take at most this time, in seconds
    #[arg(long, default_value_t = 60.0)]
    pub(crate) patience: f64,
    /// Number of dictionary atoms
    #[arg(long, default_value_t = 1057)]
    pub(crate) atoms: usize,
    /// Number of diffusion directions
    #[arg(long, default_value_t = 96)]
    pub(crate) directions: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Indices {
    /// Uniformly random, without any order
    Random,
    /// Streamlines tracked through a simulated whole brain (needs the real data `peaks`)
    Tracked,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum SolverName {
    BarzilaiBorwein,
    Sbbnnls,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Precision {
    Single,
    Double,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum KernelName {
    Auto,
    Rows,
    Tiles,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Table {
    /// Tracking methods × numbers of streamlines: sizes and seconds on each device (6.9)
    Tracking,
    /// RMSE, Σw, non-zeros, objective and overhead of each implementation and solver (6.11)
    Implementations,
    /// CPU threads × seconds (6.5)
    Threads,
    /// M w and Mᵀ y of each ordering of the coefficients (6.3 to 6.8)
    Products,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum TrackingMethod {
    /// FACT: straight lines between the faces of each voxel
    Fact,
    /// Interpolated tensor, Runge–Kutta 4, steps of half a voxel
    Tensor,
    /// Like `tensor`, but through eight measurements with different noise; used by life-ds1
    Bootstrap,
    /// Tensor deflection (TEND, f = 0.2, g = 0.5), Euler, steps of a quarter of a voxel
    Deflection,
    /// Interpolated tensor, Euler, steps of a tenth of a voxel, seed density proportional to FA
    Fine,
}
