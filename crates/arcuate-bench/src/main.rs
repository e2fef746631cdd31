//! Arcuate side by side with its peers, on the same data, in the same run, with the same number of threads: `cargo
//! xtask bench`. Each measurement takes turns with its peer, after one turn that does not count; medians are printed.

mod bedpostx;
mod commit;
mod commit_thesis;
mod elementary;
mod fit;
mod geodesic;
mod gpu_products;
mod life;
mod life_ds1;
mod life_tables;
mod measure;
mod rates;
mod read;
mod recon;
mod tensor;
mod tracking;
mod tracts;
mod whole_brain;

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// What goes wrong in a benchmark ends it with one line.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "Measure Arcuate side by side with its peers")]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// What to measure; all that has a peer by default
    #[arg(value_enum)]
    problems: Vec<Problem>,
    /// Turns that count
    #[arg(long, default_value_t = 7)]
    turns: usize,
    /// Processor threads, ours and the peer's
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// A Python with dipy, nibabel and scipy; for COMMIT with dmri-commit
    #[arg(long, env = "ARCUATE_PYTHON", default_value = "python3")]
    python: PathBuf,
    #[command(flatten)]
    life_ds1: life_ds1::Ds1Options,
    #[command(flatten)]
    commit: commit::CommitOptions,
    #[command(flatten)]
    commit_thesis: commit_thesis::ThesisOptions,
    #[command(flatten)]
    geodesic: geodesic::GeodesicBenchOptions,
    #[command(flatten)]
    recon: recon::ReconBenchOptions,
    #[command(flatten)]
    fit: fit::FitBenchOptions,
    #[command(flatten)]
    tracts: tracts::TractBenchOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The tables of a thesis on LiFE's optimisation, on our own problems
    LifeTables(life_tables::TablesOptions),
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Problem {
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
    /// The whole of bedpostX, from files to files, at the size of the UK Biobank
    BedpostxBiobank,
    /// Probabilistic tracking of 27 tracts, at the size of a published measurement
    TrackTracts,
    /// Exponential, logarithm, sine and cosine: the mathematical library
    Elementary,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome {
    if let Some(Command::LifeTables(options)) = &options.command {
        return life_tables::run(options);
    }
    rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global()?;
    println!("{} threads, medians of {} turns\n", options.threads, options.turns);
    let all = [Problem::Read, Problem::Tensor, Problem::Tracking, Problem::Life];
    let chosen: &[Problem] = if options.problems.is_empty() { &all[..] } else { &options.problems };
    let with_peer = chosen.iter().any(|problem| all.contains(problem));
    if with_peer && arcuate_test_support::real_data("philips_dwi/dwi.nii.gz").is_none() {
        return Err("the benchmarks against peers need the real scan `philips_dwi`".into());
    }
    for problem in chosen {
        match problem {
            Problem::Read => read::run(options)?,
            Problem::Tensor => tensor::run(options)?,
            Problem::Tracking => tracking::run(options)?,
            Problem::Life => life::run(options)?,
            Problem::LifeDs1 => life_ds1::run(options)?,
            Problem::Commit => commit::run(options)?,
            Problem::CommitThesis => commit_thesis::run(options)?,
            Problem::GeodesicUniform => geodesic::run(options)?,
            Problem::ReconKirk => recon::run_kirk(options)?,
            Problem::ReconLadder => recon::run_ladder(options)?,
            Problem::ReconFigure => recon::run_figure(options)?,
            Problem::ReconLarge => recon::run_large(options)?,
            Problem::FitBiobank => fit::run_biobank(options)?,
            Problem::FitHcp => fit::run_hcp(options)?,
            Problem::BedpostxBiobank => bedpostx::run(options)?,
            Problem::TrackTracts => tracts::run(options)?,
            Problem::Elementary => elementary::run(options),
        }
    }
    Ok(())
}
