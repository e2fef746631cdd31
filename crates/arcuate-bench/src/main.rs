//! Benchmarks that compare Arcuate with other programs: `cargo xtask bench`. Both programs process the same
//! data on the same number of threads. They run alternately, and the first run of each is not counted. The
//! printed times are medians.

#![allow(clippy::expect_used, reason = "a panic ends the comparison with its message")]

mod bedpostx;
mod commit;
mod commit_thesis;
mod deconvolution;
mod elementary;
mod fit;
mod geodesic;
mod gpu_products;
mod life;
mod life_ds1;
mod life_tables;
mod measure;
mod options;
mod outcome;
mod rates;
mod read;
mod recon;
mod tensor;
mod tracking;
mod tracts;
mod whole_brain;

use clap::Parser;
use options::{Command, Options, Problem};
use outcome::Outcome;
use std::process::ExitCode;

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
            Problem::Deconvolution => deconvolution::run(options)?,
            Problem::BedpostxBiobank => bedpostx::run(options)?,
            Problem::TrackTracts => tracts::run(options)?,
            Problem::TrackFod => tracts::distributions::run(options)?,
            Problem::TrackDense => tracts::dense::run(options)?,
            Problem::Elementary => elementary::run(options),
        }
    }
    Ok(())
}
