//! Commands that are killed, and disks that become full: `cargo xtask fuzz --kill` and `--full-disk`.
//!
//! Each case runs a command and interrupts it at a time or after a number of bytes. The seed and the case number
//! determine this point. Then the files are checked: each must be a complete old or new file, and no record may refer
//! to other files. Finally the command is run again. It must write the same bytes as without the interruption and leave
//! no unfinished files.

mod case;
mod disk;
mod files;
mod jobs;
mod kind;

use super::options::Options;
use crate::process::Outcome;
use case::{Case, CaseContext};
use kind::Interruption;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Environment variable that CI sets. If it is set and an interruption cannot be simulated, this is an error.
const REQUIRED: &str = "ARCUATE_FULL_DISK_REQUIRED";

/// Runs the requested interruptions. If both are requested, each gets half of the time.
pub(super) fn run(arcuate: &Path, folder: &Path, options: &Options) -> Outcome {
    if options.full_disk
        && let Some(code) = disk::with_own_mounts()
    {
        // The process that was started again has already reported the failures.
        return if code == 0 { Ok(()) } else { Err("see above".to_owned()) };
    }
    let mut interruptions = Vec::new();
    if options.kill && cfg!(unix) {
        interruptions.push(Interruption::Kill);
    }
    if options.full_disk {
        match disk::method() {
            Some(method) => {
                println!("full disks: {}", method.describe());
                interruptions.push(Interruption::FullDisk(method));
            }
            None if std::env::var_os(REQUIRED).is_some() => {
                return Err(format!("there is no way to fill a disk up here, and {REQUIRED} demands it"));
            }
            None => println!("full disks: skipped, there is no way to fill a disk up here"),
        }
    }
    let seeds = folder.join("seeds");
    // Removes the files of an earlier run.
    let _ = fs::remove_dir_all(&seeds);
    fs::create_dir_all(&seeds).map_err(|e| format!("{}: {e}", seeds.display()))?;
    jobs::make_inputs(arcuate, &seeds)?;
    let context = CaseContext::new(arcuate, folder, options.seed)?;
    let mut findings = 0;
    let minutes = options.minutes / interruptions.len().max(1) as f64;
    for interruption in interruptions {
        if let Some(number) = options.case {
            return alone(&context, interruption, number);
        }
        findings += campaign(&context, interruption, minutes, options)?;
    }
    match findings {
        0 => Ok(()),
        1 => Err("an interrupted command leaves what it must not".to_owned()),
        n => Err(format!("interrupted commands leave what they must not, in {n} ways")),
    }
}

/// Runs cases until the time is over. Returns the number of failures.
fn campaign(
    context: &CaseContext<'_>,
    interruption: Interruption,
    minutes: f64,
    options: &Options,
) -> Result<usize, String> {
    let begin = Instant::now();
    let end = begin + Duration::from_secs_f64(60.0 * minutes);
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let tally = Mutex::new(Tally::default());
    let work = |worker: usize| -> Outcome {
        let work_folder = context.work_folder(interruption, worker)?;
        while Instant::now() < end && !over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let case = context
                .run(interruption, &work_folder, number)
                .inspect_err(|_| over.store(true, Ordering::Relaxed))?;
            if options.keep.is_none() || case.finding.is_none() {
                let _ = fs::remove_dir_all(&case.folder);
            }
            tally.lock().map_err(|e| e.to_string())?.add(case);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|worker| scope.spawn(move || work(worker))).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })?;
    let tally = tally.into_inner().map_err(|e| e.to_string())?;
    tally.print(interruption, options, begin.elapsed());
    Ok(tally.findings.len())
}

/// Runs one case and prints its result.
fn alone(context: &CaseContext<'_>, interruption: Interruption, number: u64) -> Outcome {
    let work_folder = context.work_folder(interruption, 0)?;
    let case = context.run(interruption, &work_folder, number)?;
    println!("{} ({})\n{}", case.line, case.what, case.messages.trim_end());
    case.finding.map_or(Ok(()), |(_, finding)| Err(finding))
}

/// The results of all cases.
#[derive(Default)]
struct Tally {
    cases: u64,
    jobs: BTreeMap<String, u64>,
    ends: BTreeMap<String, u64>,
    /// The first failure of each kind, and the number of failures.
    findings: BTreeMap<String, (Case, u64)>,
}

impl Tally {
    fn add(&mut self, case: Case) {
        self.cases += 1;
        *self.jobs.entry(case.job.clone()).or_default() += 1;
        *self.ends.entry(case.end.clone()).or_default() += 1;
        if let Some((kind, _)) = &case.finding {
            self.findings.entry(format!("{} {kind}", case.job)).or_insert((case, 0)).1 += 1;
        }
    }

    fn print(&self, interruption: Interruption, options: &Options, time: Duration) {
        let rate = self.cases as f64 / (time.as_secs_f64() / 60.0);
        let option = interruption.option();
        println!("{option}: {} cases of seed {}, {rate:.0} a minute", self.cases, options.seed);
        for (title, counts) in [("commands", &self.jobs), ("ends", &self.ends)] {
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            println!("  {title}: {}", counts.join(", "));
        }
        for (case, count) in self.findings.values() {
            let finding = case.finding.as_ref().map_or("", |(_, finding)| finding);
            println!("\n{finding}\n  {} ({})\n  {}", case.line, case.what, case.messages.trim_end());
            let keep =
                options.keep.as_ref().map_or_else(String::new, |keep| format!(" --keep {}", keep.display()));
            let (seed, number) = (options.seed, case.number);
            println!(
                "  cargo xtask fuzz {option} --seed {seed} --case {number}{keep} repeats it ({count} like this)"
            );
        }
    }
}
