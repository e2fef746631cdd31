//! `cargo xtask fuzz` damages files and runs every reader and every command on them.
//! `cargo xtask fuzz --coverage` gives damaged files to readers, and prefers files that reach new code.
//! `cargo xtask fuzz --kill --full-disk` kills commands and fills disks.
//!
//! Each case damages one file of a small brain and runs one command on it, with limits of time and memory. The command
//! may read the file, or report in one line what is wrong. Everything else is a failure. A case depends only on its
//! seed and number, not on the number of parallel cases.

mod archive;
mod cases;
mod cohort_seeds;
mod coverage;
mod gzip;
mod interruptions;
mod jobs;
mod mutations;
mod options;
mod random;
mod seeds;
mod small_seeds;
mod surface_seeds;
mod transform_seeds;
mod verdict;

use crate::process::{self, Outcome, cargo};
use cases::{Case, CaseContext};
use options::{HELP, Options};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Builds the command and runs cases until the time is over. Returns an error if a case failed.
pub(crate) fn run(words: &[String]) -> Outcome {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let options = Options::parse(words)?;
    let arcuate = if let Some(program) = &options.program {
        program.canonicalize().map_err(|e| format!("{}: {e}", program.display()))?
    } else {
        // The program is built as for tests, with the checks of arithmetic and the assertions that a release
        // does not have.
        cargo(&["build", "--quiet", "--package", "arcuate"], &[])?;
        let name = format!("arcuate{}", std::env::consts::EXE_SUFFIX);
        process::target_folder().join("debug").join(name)
    };
    let folder = match &options.keep {
        Some(folder) => std::path::absolute(folder).map_err(|e| format!("{}: {e}", folder.display()))?,
        None => process::target_folder().join(format!("fuzz-{}", std::process::id())),
    };
    let outcome = if options.coverage {
        coverage::run(&arcuate, &folder, &options)
    } else if options.kill || options.full_disk {
        interruptions::run(&arcuate, &folder, &options)
    } else {
        in_folder(&arcuate, &folder, &options)
    };
    if options.keep.is_none() {
        // An error is ignored: remaining files have no effect.
        let _ = fs::remove_dir_all(&folder);
    }
    outcome
}

fn in_folder(arcuate: &Path, folder: &Path, options: &Options) -> Outcome {
    let kept = folder.join("seeds");
    // Removes the files of an earlier run.
    let _ = fs::remove_dir_all(&kept);
    fs::create_dir_all(&kept).map_err(|e| format!("{}: {e}", kept.display()))?;
    let seeds = seeds::Seeds::make(arcuate, &kept)?;
    let jobs = jobs::all();
    let context = CaseContext { arcuate, folder, seeds: &seeds, jobs: &jobs, seed: options.seed };
    if let Some(number) = options.case {
        return alone(&context, number, options.keep.is_some());
    }
    let begin = Instant::now();
    let tally = campaign(&context, options)?;
    tally.print(options, begin.elapsed());
    match tally.failures.len() {
        0 => Ok(()),
        1 => Err("a command does with a damaged file what it must not".to_owned()),
        n => Err(format!("commands do with damaged files what they must not, in {n} ways")),
    }
}

/// Runs cases until the time is over.
fn campaign(context: &CaseContext<'_>, options: &Options) -> Result<Tally, String> {
    let end = Instant::now() + Duration::from_secs_f64(60.0 * options.minutes);
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let tally = Mutex::new(Tally::default());
    let work = || -> Outcome {
        while Instant::now() < end && !over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let case = context.run(number).inspect_err(|_| over.store(true, Ordering::Relaxed))?;
            if options.keep.is_none() || case.failures.is_empty() {
                let _ = fs::remove_dir_all(context.folder_of(number));
            }
            tally.lock().map_err(|e| e.to_string())?.add(case);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })?;
    tally.into_inner().map_err(|e| e.to_string())
}

/// Runs one case and prints its result.
fn alone(context: &CaseContext<'_>, number: u64, keep: bool) -> Outcome {
    let case = context.run(number)?;
    println!("{} is damaged; {}", case.job.seed, case.ran.status);
    if keep {
        println!("cd {}", context.folder_of(number).display());
    }
    println!("{}", case.line);
    print!("{}{}", String::from_utf8_lossy(&case.ran.output), String::from_utf8_lossy(&case.ran.errors));
    match case.failures.first() {
        None => Ok(()),
        Some(failure) => Err(failure.clone()),
    }
}

/// The results of all cases.
#[derive(Default)]
struct Tally {
    cases: u64,
    formats: BTreeMap<String, u64>,
    commands: BTreeMap<String, u64>,
    endings: BTreeMap<String, u64>,
    /// One failure of each kind, and the number of failures.
    failures: BTreeMap<String, (Failure, u64)>,
}

struct Failure {
    number: u64,
    line: String,
    what: String,
}

impl Tally {
    fn add(&mut self, case: Case) {
        self.cases += 1;
        *self.formats.entry(case.format).or_default() += 1;
        *self.commands.entry(case.job.name()).or_default() += 1;
        *self.endings.entry(case.ran.status).or_default() += 1;
        for what in case.failures {
            let kind = format!("{} {}", case.job.name(), without_numbers(&what));
            let failure = Failure { number: case.number, line: case.line.clone(), what };
            let entry = self.failures.entry(kind).or_insert((failure, 0));
            entry.1 += 1;
        }
    }

    fn print(&self, options: &Options, time: Duration) {
        let rate = self.cases as f64 / (time.as_secs_f64() / 60.0);
        println!("{} cases of seed {}, {rate:.0} a minute", self.cases, options.seed);
        for (title, counts) in
            [("formats", &self.formats), ("commands", &self.commands), ("ends", &self.endings)]
        {
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            println!("  {title}: {}", counts.join(", "));
        }
        for (Failure { number, line, what }, count) in self.failures.values() {
            println!("\n{what}\n  {line}");
            let keep =
                options.keep.as_ref().map_or_else(String::new, |keep| format!(" --keep {}", keep.display()));
            println!(
                "  cargo xtask fuzz --seed {} --case {number}{keep} repeats it ({count} like this)",
                options.seed
            );
        }
    }
}

/// Returns the key by which failures are grouped: the source line of panics, otherwise the text without numbers.
fn without_numbers(what: &str) -> String {
    if let Some((_, place)) = what.split_once("panicked at ") {
        return place.split_whitespace().next().unwrap_or_default().to_owned();
    }
    let letters = what.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | '-'));
    letters.take(100).collect()
}
