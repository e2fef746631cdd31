//! Runs one case: a command reads a damaged file, and its reaction is judged.

use super::cohort_seeds::{has_checksum, with_checksum};
use super::jobs::Job;
use super::mutations::mutate;
use super::random::Random;
use super::seeds::{self, Seeds};
use super::verdict::{self, Ran};
use super::{archive, gzip};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time limit of a command. Commands on files as small as these take a fraction of a second.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Limit of the address space in KiB. It is several hundred times the size of the files, and far below the
/// size that a damaged header may state.
const MEMORY_LIMIT: u64 = 2 << 20;

/// Maximum size of a result in blocks of 512 bytes (256 MiB), so that no case fills the disk.
const SIZE_LIMIT: u64 = 512 << 10;

/// The folder of the cases, and data that all cases share.
pub(super) struct CaseContext<'a> {
    pub(super) arcuate: &'a Path,
    pub(super) folder: &'a Path,
    pub(super) seeds: &'a Seeds,
    pub(super) jobs: &'a [Job],
    pub(super) seed: u64,
}

/// The result of a case.
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) job: Job,
    /// The file name extension of the damaged file.
    pub(super) format: String,
    /// The command line, in a form that can be entered in the folder of the case.
    pub(super) line: String,
    pub(super) ran: Ran,
    /// The failures.
    pub(super) failures: Vec<String>,
}

impl CaseContext<'_> {
    /// Returns the folder of a case.
    pub(super) fn folder_of(&self, number: u64) -> PathBuf {
        self.folder.join(format!("case-{number}"))
    }

    /// Runs a case and judges the reaction of its command. The folder of the case is kept.
    pub(super) fn run(&self, number: u64) -> Result<Case, String> {
        let job = self.jobs[(number % self.jobs.len() as u64) as usize];
        let mut random = Random::of_case(self.seed, number);
        let folder = self.folder_of(number);
        let say = |e: std::io::Error| format!("{}: {e}", folder.display());
        fs::create_dir_all(&folder).map_err(say)?;
        let format = self.damage(job.seed, &folder, &mut random).map_err(say)?;
        bystander(&folder, job.seed).map_err(say)?;
        let before = content(&folder);
        let words = job.words(&mut random);
        let ran = self.execute(&words, &folder)?;
        let mut failures =
            verdict::failures(&ran, &words, &self.seeds.of(job.seed).map(|f| f.0).collect::<Vec<_>>());
        failures.extend(verdict::left_behind(&folder));
        let own = job.results_in_seed().map(|name| folder.join(name));
        let is_result = |path: &Path| own.as_ref().is_some_and(|own| path.starts_with(own));
        failures.extend(verdict::changed(&before, &folder, is_result));
        if ran.code == Some(0) {
            failures.extend(self.unreadable_result(job, &folder, &mut random)?);
        }
        Ok(Case { number, job, format, line: format!("arcuate {}", words.join(" ")), ran, failures })
    }

    /// Copies a seed into the folder of a case, and damages one of its files. Returns the file name extension
    /// of the damaged file.
    fn damage(&self, seed: &str, folder: &Path, random: &mut Random) -> std::io::Result<String> {
        let files: Vec<(&str, &[u8])> = self.seeds.of(seed).collect();
        let others: Vec<&[u8]> = self.seeds.files.values().map(Vec::as_slice).collect();
        let damaged = random.below(files.len());
        for (n, &(name, bytes)) in files.iter().enumerate() {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            if n != damaged {
                fs::write(path, bytes)?;
                continue;
            }
            let wrapped = self.inside(name).filter(|_| !random.once_in(3));
            let bytes = if let Some(inside) = wrapped {
                inside.damaged(&others, random)
            } else {
                let is_state = has_checksum(bytes);
                let mut bytes = bytes.to_vec();
                mutate(&mut bytes, &others, random);
                // Without a correct checksum, the reader would reject the file before it reads anything else.
                if is_state && !random.once_in(3) { with_checksum(&bytes) } else { bytes }
            };
            fs::write(path, bytes)?;
        }
        let name = files[damaged].0.rsplit('/').next().unwrap_or_default();
        let ending = name.split_once('.').map_or(name, |(_, ending)| ending);
        let within = seed.rsplit_once('.').filter(|_| files[damaged].0 != seed);
        Ok(match within {
            Some((_, folder)) => format!(".{folder}/…"),
            None => format!(".{ending}"),
        })
    }

    /// If the seed is compressed or an archive, and another seed has the same data without compression,
    /// returns these data.
    fn inside(&self, name: &str) -> Option<Inside<'_>> {
        let plain = match name.strip_suffix(".gz") {
            Some(plain) => plain.to_owned(),
            None => name.replace(".mgz", ".mgh"),
        };
        if let Some(bytes) = self.seeds.files.get(&plain).filter(|_| plain != name) {
            return Some(Inside::Gzip(bytes));
        }
        let folder = match name {
            "tracks.trx" => "known.trx",
            "sampled.trx" => "points.trx",
            _ => return None,
        };
        let files = self.seeds.of(folder);
        Some(Inside::Archive(files.map(|(name, bytes)| (&name[folder.len() + 1..], bytes)).collect()))
    }

    /// Runs `arcuate` with limits of time and memory.
    fn execute(&self, words: &[String], folder: &Path) -> Result<Ran, String> {
        // The files for the output are outside the folder of the case, so that the command does not find
        // them.
        let [output, errors] = ["out", "err"].map(|ending| folder.with_extension(ending));
        let say = |e: std::io::Error| format!("{}: {e}", folder.display());
        let begin = Instant::now();
        let mut child = limited(self.arcuate)
            .args(words)
            .current_dir(folder)
            .envs(seeds::ON_ONE_THREAD)
            .stdin(Stdio::null())
            .stdout(File::create(&output).map_err(say)?)
            .stderr(File::create(&errors).map_err(say)?)
            .spawn()
            .map_err(|e| format!("{}: {e}", self.arcuate.display()))?;
        let mut pause = Duration::from_millis(1);
        let (status, hangs) = loop {
            if let Some(status) = child.try_wait().map_err(say)? {
                break (status, false);
            }
            if begin.elapsed() > TIME_LIMIT {
                child.kill().map_err(say)?;
                break (child.wait().map_err(say)?, true);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(16));
        };
        let ran = Ran {
            code: status.code(),
            status: status.to_string(),
            hangs,
            output: fs::read(&output).map_err(say)?,
            errors: fs::read(&errors).map_err(say)?,
        };
        // The files with the output are no longer needed.
        let _ = (fs::remove_file(output), fs::remove_file(errors));
        Ok(ran)
    }

    /// Returns an error of `arcuate info` on one of the results of a successful command.
    fn unreadable_result(
        &self,
        job: Job,
        folder: &Path,
        random: &mut Random,
    ) -> Result<Option<String>, String> {
        let mut results = Vec::new();
        verdict::walk(folder, &mut |path| {
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
            if name.starts_with("out") && verdict::is_known_to_info(&name) {
                results.push(name);
            }
        });
        results.sort();
        if results.is_empty() {
            return Ok(None);
        }
        let result = random.one_of(&results).clone();
        let ran = self.execute(&["info".to_owned(), result.clone()], folder)?;
        let errors = String::from_utf8_lossy(&ran.errors);
        Ok((ran.code != Some(0))
            .then(|| format!("`{}` wrote what `info` cannot read: {}", job.name(), errors.trim())))
    }
}

/// Creates an unrelated file in the folder of a case, and a link to it in a seed that is a folder. Damaged records may
/// name both.
fn bystander(folder: &Path, seed: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("victim"))?;
    fs::write(folder.join("victim/kept.txt"), "mine")?;
    #[cfg(unix)]
    if folder.join(seed).is_dir() && !folder.join(seed).join("header.json").exists() {
        std::os::unix::fs::symlink("../victim", folder.join(seed).join("linked"))?;
    }
    Ok(())
}

/// Returns all files of a case.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    verdict::walk(folder, &mut |path| {
        if let Ok(bytes) = fs::read(path) {
            files.insert(path.to_owned(), bytes);
        }
    });
    files
}

/// Data whose file format (gzip or zip) has checksums.
enum Inside<'a> {
    Gzip(&'a [u8]),
    Archive(Vec<(&'a str, &'a [u8])>),
}

impl Inside<'_> {
    /// Damages the data. Returns them in their file format, with correct checksums.
    fn damaged(self, others: &[&[u8]], random: &mut Random) -> Vec<u8> {
        match self {
            Self::Gzip(bytes) => {
                let mut bytes = bytes.to_vec();
                mutate(&mut bytes, others, random);
                gzip::stored(&bytes)
            }
            Self::Archive(files) => {
                let chosen = random.below(files.len());
                let mut bytes = files[chosen].1.to_vec();
                mutate(&mut bytes, others, random);
                let content = files.iter().enumerate();
                archive::stored(
                    content.map(|(n, &(name, whole))| (name, if n == chosen { &bytes } else { whole })),
                )
            }
        }
    }
}

/// Returns a command for `arcuate`, in a shell that limits its memory and file sizes if the system supports it.
fn limited(arcuate: &Path) -> Command {
    if cfg!(unix) {
        // The signal for a file that exceeds the size limit is ignored, so that the write returns an error
        // instead. Core dumps are disabled.
        let script = format!(
            "trap '' XFSZ; ulimit -c 0; ulimit -f {SIZE_LIMIT}; ulimit -v {MEMORY_LIMIT}; exec \"$0\" \"$@\""
        );
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(arcuate);
        shell
    } else {
        seeds::command(arcuate)
    }
}
