//! What is measured, and how: the options of every benchmark.

use arcuate_compute::{DeviceChoice, parse_bytes};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "Measure Arcuate side by side with its peers")]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// What to measure; all that has a peer by default
    #[arg(value_enum)]
    pub(crate) problems: Vec<Problem>,
    /// Turns that count
    #[arg(long, default_value_t = 7)]
    pub(crate) turns: usize,
    /// Processor threads, ours and the peer's
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,
    /// A Python with dipy, nibabel and scipy; for COMMIT with dmri-commit
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
    /// The tables of a thesis on LiFE's optimisation, on our own problems
    LifeTables(TablesOptions),
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Problem {
    /// Reading a compressed series: nibabel
    Read,
    /// Fitting the tensor: MRtrix's dwi2tensor
    Tensor,
    /// Tensor tracking: MRtrix's tckgen
    Tracking,
    /// LiFE: DIPY, and SciPy's sparse products
    Life,
    /// LiFE at the largest published size: products and solver against their floor
    LifeDs1,
    /// COMMIT with a table of orientations: dmri-commit
    Commit,
    /// COMMIT at the size of a published problem
    CommitThesis,
    /// Geodesic rays: the volume and the patterns of a published measurement
    GeodesicUniform,
    /// Exact Fourier sums at the size of a textbook's chapter
    ReconKirk,
    /// Sums at arbitrary voxels: the steps of that chapter, and a search for the shape of the last
    ReconLadder,
    /// What exactness brings: a textbook's comparison of gridding and conjugate gradients
    ReconFigure,
    /// A whole head, 32 coils, 10 million samples on a GPU
    ReconLarge,
    /// Signal models at the size of the UK Biobank
    FitBiobank,
    /// Signal models at the size of the Human Connectome Project
    FitHcp,
    /// Spherical deconvolution of one shell and into three tissues
    Deconvolution,
    /// The whole of bedpostX, from files to files, at the size of the UK Biobank
    BedpostxBiobank,
    /// Probabilistic tracking of 27 tracts, at the size of a published measurement
    TrackTracts,
    /// A million streamlines by arcs through fibre orientation distributions of a whole brain
    TrackFod,
    /// A dense connectome of 91,282 seeds, at the size of a published one
    TrackDense,
    /// Exponential, logarithm, sine and cosine: the mathematical library
    Elementary,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "life-ds1")]
pub(crate) struct Ds1Options {
    /// Where the coefficients come from; both by default
    #[arg(long, value_enum)]
    pub(crate) indices: Vec<Indices>,
    /// Atoms of the dictionary; several after commas
    #[arg(long, value_delimiter = ',', default_value = "1057")]
    pub(crate) atoms: Vec<usize>,
    /// Diffusion directions; several after commas
    #[arg(long, value_delimiter = ',', default_value = "96")]
    pub(crate) directions: Vec<usize>,
    /// Streamlines, 80 coefficients each; 500,000 on a GPU and 250,000 on a processor by default
    #[arg(long)]
    pub(crate) streamlines: Option<usize>,
    /// Iterations of the solver; 0 measures the products alone
    #[arg(long, default_value_t = 500)]
    pub(crate) iterations: usize,
    /// The solver's algorithm
    #[arg(long, value_enum, default_value_t = SolverName::BarzilaiBorwein)]
    pub(crate) solver: SolverName,
    /// Arithmetic
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    pub(crate) precision: Precision,
    /// The objective to be reached, known from an earlier run; that of the same solver in double precision on the
    /// processor by default
    #[arg(long)]
    pub(crate) objective: Option<f64>,
    /// auto, cpu, cuda:N or cuda:N,M
    #[arg(long, default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Memory that may be used of each GPU, in bytes
    #[arg(long)]
    pub(crate) device_memory: Option<u64>,
    /// Kernels of a GPU; several after commas
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
    /// A folder with dwi.nii.gz, dwi.bval, dwi.bvec, tracks.tck and peaks.nii.gz instead of `philips_dwi`
    #[arg(id = "commit-data", long)]
    pub(crate) data: Option<PathBuf>,
    /// The mask among its files
    #[arg(id = "commit-mask", long, default_value = "wm_fa02.nii.gz")]
    pub(crate) mask: String,
}

/// Where segments and axes point.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Directions {
    /// Along smooth paths that neighbouring voxels share, as tracking leaves them
    Tracked,
    /// The same lengths in the same voxels, each in a direction of its own
    Uniform,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "commit-thesis")]
pub(crate) struct ThesisOptions {
    /// Where segments point; both by default
    #[arg(long = "segments", value_enum)]
    pub(crate) segment_directions: Vec<Directions>,
    /// Samples of the acquisition; several after commas
    #[arg(long, value_delimiter = ',', default_value = "100,270")]
    pub(crate) samples: Vec<usize>,
    /// Largest error of a response in any direction
    #[arg(long, default_value_t = 1e-5)]
    pub(crate) response_tolerance: f64,
    /// A table of so many orientations instead of harmonics
    #[arg(long, default_value_t = 0)]
    pub(crate) orientations: usize,
    /// Iterations of the fit; 0 measures the products alone
    #[arg(long, default_value_t = 2136)]
    pub(crate) fit_iterations: usize,
    /// Compare the products with double precision on the processor
    #[arg(long)]
    pub(crate) check: bool,
    /// Compute in double precision
    #[arg(long)]
    pub(crate) double: bool,
    /// A part of the problem: one in so many voxels, streamlines, segments and axes
    #[arg(long, default_value_t = 1)]
    pub(crate) one_in: usize,
    /// So many streamlines, with as many segments each, in the same voxels; several after commas
    #[arg(long = "tractogram", value_name = "STREAMLINES", value_delimiter = ',')]
    pub(crate) tractograms: Vec<usize>,
    /// Instead of the problem itself: so many segments in every voxel; several after commas. Voxels are as many as have
    /// the segments of the problem, but no more than it has
    #[arg(long, value_delimiter = ',')]
    pub(crate) load: Vec<usize>,
    /// auto, cpu, cuda:N or cuda:N,M
    #[arg(long, default_value = "auto")]
    pub(crate) on: DeviceChoice,
}

#[derive(Debug, Args)]
pub(crate) struct GeodesicBenchOptions {
    /// Where rays are followed (geodesic-uniform)
    #[arg(long, default_value = "cpu")]
    pub(crate) rays_on: DeviceChoice,
    /// Rays; a million for figures of GPUs
    #[arg(long, default_value_t = 8192)]
    pub(crate) rays: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ReconBenchOptions {
    /// Where images are made (recon-kirk, recon-figure, recon-large)
    #[arg(long, default_value = "cpu")]
    pub(crate) recon_on: DeviceChoice,
    /// Voxels along each axis (recon-figure)
    #[arg(long, default_values_t = [64, 128])]
    pub(crate) voxels: Vec<usize>,
    /// What buffers of a GPU may hold, in GiB (recon-large)
    #[arg(long, default_value_t = 8.0)]
    pub(crate) recon_memory: f64,
    /// Fᴴd of all coils, by exact sums, instead of one coil's (recon-large)
    #[arg(long)]
    pub(crate) all_coils: bool,
}

/// What is particular to these problems.
#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
#[derive(Debug, clap::Args)]
pub(crate) struct FitBenchOptions {
    /// Where models are fitted: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) fit_on: DeviceChoice,
    /// Most memory to use on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) fit_memory: Option<u64>,
    /// Models to fit
    #[arg(long, value_delimiter = ',', default_value = "noddi-watson")]
    pub(crate) fit_models: Vec<String>,
    /// Voxels, if not all
    #[arg(long)]
    pub(crate) fit_voxels: Option<usize>,
    /// Double precision
    #[arg(long)]
    pub(crate) fit_double: bool,
    /// Sample the posterior instead: 1,000 + 1,250 sweeps from a fit, 50 samples
    #[arg(long)]
    pub(crate) fit_sample: bool,
    /// Rician noise, its deviation sampled
    #[arg(long)]
    pub(crate) fit_rician: bool,
    /// Bounds by transforms of the parameters
    #[arg(long)]
    pub(crate) fit_transform: bool,
}

#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[derive(Debug, Args)]
pub(crate) struct DeconvolutionBenchOptions {
    /// Where voxels are deconvolved: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) deconvolution_on: DeviceChoice,
    /// Most memory to use on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) deconvolution_memory: Option<u64>,
    /// Voxels of the series
    #[arg(long, default_value_t = 300_000)]
    pub(crate) deconvolution_voxels: usize,
}

#[derive(Debug, Args)]
pub(crate) struct TractBenchOptions {
    /// Where streamlines are followed (track-tracts)
    #[arg(long, default_value = "cpu")]
    pub(crate) tracts_on: DeviceChoice,
    /// Memory that each GPU may use; so little that orientations do not fit leaves them on the host
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) tract_memory: Option<u64>,
    /// Follow these parts of each seed's streamlines, one after the other
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(crate) tract_samples: Vec<f64>,
    /// Write samples, masks and warps as files into a folder, and follow nothing
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tracts_into: Option<PathBuf>,
    /// The tracts of these names alone
    #[arg(long, value_delimiter = ',')]
    pub(crate) tracts: Vec<String>,
    /// Streamlines that are in flight on a GPU at most; 0 for as many as it holds
    #[arg(long, value_delimiter = ',', default_value = "0")]
    pub(crate) tract_in_flight: Vec<u32>,
    /// Calls at a time, each with its share of the streamlines and a stream of its own
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(crate) tract_streams: Vec<u32>,
    /// Count connections of 64 regions, too, where the streamlines are made
    #[arg(long)]
    pub(crate) tract_connections: bool,
    /// Reruns with other random seeds, whose maps are compared
    #[arg(long, default_value_t = 0)]
    pub(crate) tract_reruns: u64,
}

/// Where it is followed, and with how much memory, is as for tracts.
#[derive(Debug, Args)]
#[command(next_help_heading = "track-dense")]
pub(crate) struct DenseBenchOptions {
    /// Streamlines of each seed (track-dense)
    #[arg(id = "dense-samples", long = "dense-samples", default_value_t = 10_000)]
    pub(crate) samples: u32,
    /// The first seeds alone
    #[arg(id = "dense-seeds", long = "dense-seeds")]
    pub(crate) seeds: Option<usize>,
    /// Leave so many seeds out before these
    #[arg(id = "dense-from", long = "dense-from", default_value_t = 0)]
    pub(crate) from: usize,
    /// Streamlines that a GPU follows at the same time, at most; 0: as many as it can
    #[arg(id = "dense-in-flight", long = "dense-in-flight", default_value_t = 0)]
    pub(crate) in_flight: u32,
    /// Seeds at the vertices of two white surfaces instead of outer voxels; streamlines end at pial surfaces and on leaving the
    /// voxels in the middle
    #[arg(id = "dense-surfaces", long = "dense-surfaces")]
    pub(crate) surfaces: bool,
    /// Count nothing
    #[arg(id = "dense-tracking-alone", long = "dense-tracking-alone")]
    pub(crate) tracking_alone: bool,
    /// Compare the first rows with those of the processor
    #[arg(id = "dense-check", long = "dense-check", default_value_t = 0)]
    pub(crate) check: usize,
}

#[expect(clippy::struct_field_names, reason = "options of all problems share one command line")]
#[derive(Debug, Args)]
#[command(next_help_heading = "track-fod")]
pub(crate) struct FodBenchOptions {
    /// Where streamlines are followed: cpu, cuda:0, cuda:0,1
    #[arg(long, default_value = "cpu")]
    pub(crate) track_fod_on: DeviceChoice,
    /// Most memory to use on each GPU
    #[arg(long, value_parser = parse_bytes)]
    pub(crate) track_fod_memory: Option<u64>,
    /// An image of distributions in place of the simulated one
    #[arg(long, value_name = "FILE")]
    pub(crate) track_fod_image: Option<PathBuf>,
    /// Streamlines
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) track_fod_select: u64,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TablesOptions {
    /// Which tables; several after commas, all by default
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) tables: Vec<Table>,
    /// Numbers of streamlines, after commas; all tables but the first take the largest
    #[arg(long, value_delimiter = ',', default_value = "50000,100000,250000,500000")]
    pub(crate) streamlines: Vec<usize>,
    /// Ways of tracking for the first table, after commas, all by default; the other tables take `bootstrap`
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) ways: Vec<Way>,
    /// Iterations of the solver
    #[arg(long, default_value_t = 500)]
    pub(crate) iterations: usize,
    /// auto, cpu, cuda:N or cuda:N,M; may be given several times, and speed-ups are those of the last over the first
    #[arg(long, default_value = "auto")]
    pub(crate) device: Vec<DeviceChoice>,
    /// Memory that may be used of each GPU, in bytes
    #[arg(long)]
    pub(crate) device_memory: Option<u64>,
    /// Processor threads for the table of threads, after commas; more than the machine has are left out
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16")]
    pub(crate) threads: Vec<usize>,
    /// In the table of threads, all iterations are run only where they are expected to end within so many seconds
    #[arg(long, default_value_t = 60.0)]
    pub(crate) patience: f64,
    /// Atoms of the dictionary
    #[arg(long, default_value_t = 1057)]
    pub(crate) atoms: usize,
    /// Diffusion directions
    #[arg(long, default_value_t = 96)]
    pub(crate) directions: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Indices {
    /// Uniform: nothing to exploit
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
    /// Ways of tracking × numbers of streamlines: sizes and seconds on each device (6.9)
    Tracking,
    /// RMSE, Σw, non-zeros, objective and overhead of each implementation and solver (6.11)
    Implementations,
    /// Processor threads × seconds (6.5)
    Threads,
    /// M w and Mᵀ y of each ordering of the coefficients (6.3 to 6.8)
    Products,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Way {
    /// FACT: straight from face to face of each voxel
    Fact,
    /// The interpolated tensor, Runge–Kutta 4, steps of half a voxel
    Tensor,
    /// As `tensor`, through eight measurements that differ in their noise; what life-ds1 takes
    Bootstrap,
    /// Tensor deflection (TEND, f = 0.2, g = 0.5), Euler, steps of a quarter of a voxel
    Deflection,
    /// The interpolated tensor, Euler, steps of a tenth of a voxel, seeds as dense as FA is high
    Fine,
}
