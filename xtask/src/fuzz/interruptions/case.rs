//! Runs one case: interrupts a command, checks the files that it leaves, and runs the command again.

use super::super::random::Random;
use super::super::seeds;
use super::super::verdict::Ran;
use super::disk::{Ballast, FullDiskMethod, mount};
use super::files::{Files, MINE, after, difference, files_of, left};
use super::jobs::{JOBS, Job, Results};
use super::kind::Interruption;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time limit of a command. Commands on files as small as these take a fraction of a second.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The size of a block of a file system, in bytes. Files occupy whole blocks.
const PAGE: u64 = 4096;

/// The shared data of cases.
pub(super) struct CaseContext<'a> {
    arcuate: &'a Path,
    folder: &'a Path,
    seed: u64,
    expected: Vec<Expected>,
}

/// The files that a job writes if it is not interrupted, and its time.
struct Expected {
    new: Files,
    /// The files that the job writes with its alternative arguments.
    old: Files,
    /// The time that each step of the job takes.
    times: Vec<Duration>,
}

/// The result of a case.
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) folder: PathBuf,
    pub(super) job: String,
    /// The command line that is interrupted.
    pub(super) line: String,
    /// A description of the interruption, for messages.
    pub(super) what: String,
    pub(super) end: String,
    /// The text that the interrupted command printed.
    pub(super) messages: String,
    /// The failure, if there is one: its kind and its full text.
    pub(super) finding: Option<(String, String)>,
}

type Result<T> = std::result::Result<T, String>;

impl<'a> CaseContext<'a> {
    /// Runs every job once without interruption, to know its files and its time.
    pub(super) fn new(arcuate: &'a Path, folder: &'a Path, seed: u64) -> Result<Self> {
        let mut context = Self { arcuate, folder, seed, expected: Vec::new() };
        for (n, job) in JOBS.iter().enumerate() {
            let of = |other: bool, name: &str| -> Result<(Files, Vec<Duration>)> {
                let place = folder.join(format!("whole-{name}-{n}"));
                let _ = fs::remove_dir_all(&place);
                fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
                let mut times = Vec::new();
                for step in 0..job.steps.len() {
                    let begin = Instant::now();
                    context.succeed(&job.words(step, other, false), &place)?;
                    times.push(begin.elapsed());
                }
                Ok((files_of(&place), times))
            };
            let (new, times) = of(false, "new")?;
            let old = if job.other.is_empty() { Files::new() } else { of(true, "old")?.0 };
            if !job.other.is_empty() && difference(&old, &new).is_none() {
                return Err(format!("{} comes to the same with other words", job.name()));
            }
            context.expected.push(Expected { new, old, times });
        }
        Ok(context)
    }

    /// Returns the folder in which a thread runs its cases. The folder contains the inputs.
    pub(super) fn work_folder(&self, interruption: Interruption, worker: usize) -> Result<PathBuf> {
        let work_folder = self.folder.join(format!("room-{worker}"));
        let say = |e: std::io::Error| format!("{}: {e}", work_folder.display());
        if interruption == Interruption::FullDisk(FullDiskMethod::Memory) {
            mount(&work_folder)?;
        }
        fs::create_dir_all(&work_folder).map_err(say)?;
        let link = work_folder.join("seeds");
        if link.symlink_metadata().is_err() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(self.folder.join("seeds"), link).map_err(say)?;
        }
        Ok(work_folder)
    }

    /// Runs a case. Its folder is kept.
    pub(super) fn run(&self, interruption: Interruption, work_folder: &Path, number: u64) -> Result<Case> {
        let which = (number % JOBS.len() as u64) as usize;
        let (job, expected) = (&JOBS[which], &self.expected[which]);
        let mut random = Random::of_case(self.seed, number);
        let folder = work_folder.join(format!("case-{number}"));
        let say = |e: std::io::Error| format!("{}: {e}", folder.display());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(say)?;
        let over = !job.other.is_empty() && random.once_in(2);
        let mut old = None;
        if over {
            self.succeed(&job.words(0, true, false), &folder)?;
            if job.results != Results::Whole {
                fs::write(folder.join(MINE.0), MINE.1).map_err(say)?;
            }
            old = Some(&expected.old);
        }
        let step = random.below(job.steps.len());
        for before in 0..step {
            self.succeed(&job.words(before, false, over), &folder)?;
        }
        let words = job.words(step, false, over);
        let (ran, what) = match interruption {
            Interruption::Kill => self.killed(&words, &folder, expected.times[step], &mut random)?,
            Interruption::FullDisk(method) => {
                self.on_full_disk(&words, &folder, work_folder, method, expected, &mut random)?
            }
        };
        let messages = String::from_utf8_lossy(&ran.errors).into_owned();
        let is_last = step + 1 == job.steps.len();
        let finding = if ran.code == Some(0) && !is_last {
            None
        } else {
            judged(job, &ran, interruption, &folder, expected, old)
        };
        let finding = match finding {
            None => self.again(job, (step, over), &folder, expected)?,
            finding => finding,
        };
        Ok(Case {
            number,
            job: format!("{}{}", job.name(), if over { " --force" } else { "" }),
            line: format!("cd {}; arcuate {}", folder.display(), words.join(" ")),
            folder,
            what,
            end: ran.status,
            messages,
            finding: finding.map(|finding| (kind_of(&finding), finding)),
        })
    }

    /// Runs the interrupted command again. Returns the failure, if there is one.
    fn again(
        &self,
        job: &Job,
        (step, over): (usize, bool),
        folder: &Path,
        expected: &Expected,
    ) -> Result<Option<String>> {
        let is_complete = difference(&files_of(folder), &expected.new).is_none();
        for step in step..job.steps.len() {
            // If the result is already complete, the command must overwrite it, so that it removes what the
            // interruption left.
            let ran = self.execute(&job.words(step, false, over || is_complete), folder)?;
            if ran.code != Some(0) {
                let text = String::from_utf8_lossy(&ran.errors).into_owned();
                return Ok(Some(format!("called again, it ends with {}: {text}", ran.status)));
            }
        }
        let files = files_of(folder);
        if over && job.results != Results::Whole && files.get(MINE.0).is_none_or(|bytes| bytes != MINE.1) {
            return Ok(Some(format!("{} was the user's, and is gone or changed", MINE.0)));
        }
        let differs = difference(&files, &expected.new).map(|what| format!("called again: {what}"));
        Ok(differs.or_else(|| left(&files)))
    }

    /// Kills a command at a random time, which may be after its end.
    fn killed(
        &self,
        words: &[String],
        folder: &Path,
        takes: Duration,
        random: &mut Random,
    ) -> Result<(Ran, String)> {
        // Half of the times are near the end of the command, because most failures occur there.
        let share = if random.once_in(2) { random.below(1200) } else { 700 + random.below(500) };
        let moment = takes.mul_f64(share as f64 / 1000.0);
        let begin = Instant::now();
        let mut child = self.start(words, folder, None)?;
        let say = |e: std::io::Error| format!("{}: {e}", folder.display());
        while begin.elapsed() < moment && child.try_wait().map_err(say)?.is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        // An error is ignored: the process may have ended already.
        let _ = child.kill();
        let ran = Self::ended(child, folder, false)?;
        Ok((
            ran,
            format!("killed after {:.1} of {:.1} ms", 1e3 * moment.as_secs_f64(), 1e3 * takes.as_secs_f64()),
        ))
    }

    /// Runs a command whose disk becomes full.
    fn on_full_disk(
        &self,
        words: &[String],
        folder: &Path,
        work_folder: &Path,
        method: FullDiskMethod,
        expected: &Expected,
        random: &mut Random,
    ) -> Result<(Ran, String)> {
        let sizes = expected.new.values().map(|bytes| bytes.len() as u64);
        match method {
            FullDiskMethod::Memory => {
                let all: u64 = sizes.map(|size| size.div_ceil(PAGE) + 1).sum();
                let bytes = PAGE * random.below(all as usize + 8) as u64;
                let _ballast = Ballast::leave(work_folder, bytes)?;
                Ok((self.wait(words, folder, None)?, format!("with {bytes} bytes of disk")))
            }
            FullDiskMethod::FileSize => {
                let largest = sizes.max().unwrap_or(0);
                let blocks = random.below((largest / 512) as usize + 2) as u64;
                Ok((self.wait(words, folder, Some(blocks))?, format!("with files of {} bytes", 512 * blocks)))
            }
        }
    }

    fn succeed(&self, words: &[String], folder: &Path) -> Result<()> {
        let ran = self.execute(words, folder)?;
        if ran.code == Some(0) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&ran.errors).into_owned();
        Err(format!("arcuate {}: {} ({})", words.join(" "), text.trim(), ran.status))
    }

    fn execute(&self, words: &[String], folder: &Path) -> Result<Ran> {
        self.wait(words, folder, None)
    }

    fn wait(&self, words: &[String], folder: &Path, blocks: Option<u64>) -> Result<Ran> {
        let begin = Instant::now();
        let mut child = self.start(words, folder, blocks)?;
        let say = |e: std::io::Error| format!("{}: {e}", folder.display());
        let mut hangs = false;
        while child.try_wait().map_err(say)?.is_none() {
            if begin.elapsed() > TIME_LIMIT {
                hangs = true;
                child.kill().map_err(say)?;
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Self::ended(child, folder, hangs)
    }

    /// Starts a command, with a limit on file sizes in blocks of 512 bytes.
    fn start(&self, words: &[String], folder: &Path, blocks: Option<u64>) -> Result<Child> {
        let mut command = if let Some(blocks) = blocks {
            // The signal for a file that exceeds the size limit is ignored, so that the write returns an
            // error instead.
            let mut shell = Command::new("sh");
            shell
                .arg("-c")
                .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""))
                .arg(self.arcuate);
            shell
        } else {
            seeds::command(self.arcuate)
        };
        command
            .args(words)
            .envs(seeds::ON_ONE_THREAD)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            // The output is only a few lines, so it fits into the pipe and need not be read before the
            // command ends.
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", self.arcuate.display()))
    }

    fn ended(child: Child, folder: &Path, hangs: bool) -> Result<Ran> {
        let ended = child.wait_with_output().map_err(|e| format!("{}: {e}", folder.display()))?;
        let (code, status) = (ended.status.code(), ended.status.to_string());
        Ok(Ran { code, status, hangs, output: Vec::new(), errors: ended.stderr })
    }
}

/// Returns what is wrong with the exit status or the files of a command.
fn judged(
    job: &Job,
    ran: &Ran,
    interruption: Interruption,
    folder: &Path,
    expected: &Expected,
    old: Option<&Files>,
) -> Option<String> {
    let files = files_of(folder);
    if ran.code == Some(0) {
        return difference(&files, &expected.new);
    }
    if interruption == Interruption::Kill && ran.code.is_none() {
        return after(job, &files, &expected.new, old);
    }
    let text = String::from_utf8_lossy(&ran.errors);
    let errors = text.lines().filter(|line| line.starts_with("error: ")).count();
    if ran.code != Some(1) || errors != 1 {
        return Some(format!("it ended with {} and {errors} errors: {text}", ran.status));
    }
    let hidden = files.keys().find(|name| name.split('/').any(is_unfinished));
    let hidden = hidden.map(|name| format!("something unfinished stays: {name}"));
    hidden.or_else(|| after(job, &files, &expected.new, old))
}

/// Returns whether a path component is the temporary name of an unfinished file.
fn is_unfinished(part: &str) -> bool {
    part.starts_with(".arcuate-") && part != ".arcuate-run.json"
}

/// Returns the kind of a failure: its text without numbers and names.
fn kind_of(finding: &str) -> String {
    let words = finding
        .split_whitespace()
        .filter(|word| !word.contains(['/', '.']) && !word.contains(char::is_numeric));
    words.take(12).collect::<Vec<_>>().join(" ")
}
