//! Helpers that the tests of the command line share.

#![allow(dead_code)] // Each test program uses a part of it.

pub(crate) mod fsl;

use arcuate_core::{Tractogram, Volume};
use arcuate_io::{Element, WriteOptions, read_tractogram, read_volume, write_image};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;
use tempfile::TempDir;

/// Files in memory by name. Every test works on its own copy, and no file remains.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A temporary folder in which a test runs `arcuate`. Paths are relative to this folder, so messages can be
/// compared exactly.
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Creates a folder with files.
    pub(crate) fn with(files: &Files) -> Self {
        let scratch = Self::new();
        for (name, bytes) in files {
            scratch.write(name, bytes);
        }
        scratch
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of a file");
        std::fs::write(path, bytes).expect("a file of the test");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    /// Reads a JSON file of the folder.
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.text(name)).expect("JSON")
    }

    /// Reads an image of the folder.
    pub(crate) fn volume(&self, name: &str) -> Volume<f32> {
        read_volume(&self.path(name)).unwrap()
    }

    /// Writes an image in single precision. Creates its folder if necessary.
    pub(crate) fn write_volume(&self, name: &str, volume: &Volume<f32>) {
        self.write_image(name, volume);
    }

    /// Writes an image of any type. Creates its folder if necessary.
    pub(crate) fn write_image<T: Element>(&self, name: &str, volume: &Volume<T>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of an image");
        write_image(&path, volume, &WriteOptions::default()).unwrap();
    }

    /// Reads the streamlines of a file in the folder.
    pub(crate) fn tractogram(&self, name: &str) -> Tractogram {
        let tractogram = read_tractogram(&self.path(name)).unwrap().tractogram;
        tractogram.check().unwrap();
        tractogram
    }

    /// Returns the relative paths of everything below a folder. The paths of folders end in `/`.
    pub(crate) fn listing(&self, name: &str) -> Vec<String> {
        listing(&self.path(name))
    }

    /// Reads all files below a folder into memory.
    pub(crate) fn files(&self, name: &str) -> Files {
        files(&self.path(name))
    }

    /// Restores these files and removes all other files and folders, for the next command.
    pub(crate) fn restore(&self, files: &Files) {
        for name in self.listing(".") {
            let path = self.path(&name);
            if !name.ends_with('/') {
                // The file may have been removed with its folder.
                if !files.contains_key(&name) && path.exists() {
                    std::fs::remove_file(path).expect("a file less");
                }
            } else if path.is_dir() && !files.keys().any(|file| file.starts_with(&name)) {
                std::fs::remove_dir_all(path).expect("a folder less");
            }
        }
        for (name, bytes) in files {
            if std::fs::read(self.path(name)).ok().as_ref() != Some(bytes) {
                self.write(name, bytes);
            }
        }
    }

    /// Runs `arcuate` in the folder. Arguments are separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> CommandOutput {
        self.run_with(arguments, &[])
    }

    /// Runs `arcuate` in the folder with environment variables. Hides real GPUs, but not emulated ones. With
    /// `--device auto`, results of a real GPU would differ in the last bits, and could vary between runs if the GPU
    /// is busy.
    pub(crate) fn run_with(&self, arguments: &str, environment: &[(&str, &OsStr)]) -> CommandOutput {
        let output = assert_cmd::Command::cargo_bin("arcuate")
            .expect("the command")
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .env("COLUMNS", "100")
            .env("CUDA_VISIBLE_DEVICES", "")
            .envs(environment.iter().copied())
            .output()
            .expect("arcuate runs");
        CommandOutput::of(arguments, &output)
    }

    /// Runs `arcuate`, which must succeed without a warning. Returns its standard output.
    pub(crate) fn succeed(&self, arguments: &str) -> String {
        let result = self.run(arguments);
        assert_eq!((result.code, result.errors.as_str()), (0, ""), "arcuate {arguments}\n{}", result.output);
        result.output
    }

    /// Runs `arcuate`, which must succeed with exactly these warnings.
    pub(crate) fn succeed_with(&self, arguments: &str, warnings: &str) -> String {
        let result = self.run(arguments);
        assert_eq!(
            (result.code, result.errors.trim_end()),
            (0, warnings),
            "arcuate {arguments}\n{}",
            result.output
        );
        result.output
    }

    /// Runs `arcuate`, which must fail with exactly this message and code. It must print nothing else and leave
    /// every byte of the folder unchanged.
    pub(crate) fn fail(&self, arguments: &str, code: i32, message: &str) {
        let before = self.files(".");
        let folders = self.listing(".");
        let result = self.run(arguments);
        assert_eq!(result.errors.trim_end(), message, "arcuate {arguments}");
        assert_eq!((result.code, result.output.as_str()), (code, ""), "arcuate {arguments}");
        assert_eq!(self.listing("."), folders, "arcuate {arguments} left something behind");
        assert!(self.files(".") == before, "arcuate {arguments} changed a file");
    }
}

/// Returns the relative paths of everything below a folder. The paths of folders end in `/`.
fn listing(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, prefix: &str, names: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.expect("an entry of a folder");
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                names.push(format!("{name}/"));
                walk(&entry.path(), &format!("{name}/"), names);
            } else {
                names.push(name);
            }
        }
    }
    let mut names = Vec::new();
    walk(folder, "", &mut names);
    names.sort();
    names
}

/// Reads all files below a folder into memory.
fn files(folder: &Path) -> Files {
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let names = listing(folder).into_iter().filter(|name| !name.ends_with('/'));
    names.map(|name| (name.clone(), read(&name))).collect()
}

/// Returns the commands that a help text lists.
pub(crate) fn listed(help: &str) -> Vec<String> {
    let commands =
        help.split("Commands:\n").nth(1).unwrap_or_default().lines().take_while(|line| !line.is_empty());
    // The help of `arcuate` itself lists the commands in groups.
    let names = commands.filter_map(|line| {
        let name = line
            .strip_prefix("    ")
            .or_else(|| line.strip_prefix("  ").filter(|line| !line.ends_with(':')))?;
        if name.starts_with(' ') { None } else { name.split(' ').next() }
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The output of a command.
pub(crate) struct CommandOutput {
    /// The exit code, or -1 if a signal terminated the command.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) output: String,
    /// Standard error without the lines of steps.
    pub(crate) errors: String,
    /// The steps that the command reported. It reports them if standard error is not a terminal.
    pub(crate) steps: Vec<String>,
}

impl CommandOutput {
    pub(crate) fn of(arguments: &str, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let (mut errors, mut steps) = (String::new(), Vec::new());
        for line in text(&output.stderr).split_inclusive('\n') {
            match line.strip_prefix("arcuate ") {
                Some(step) => steps.push(step.trim_end().to_owned()),
                None => errors.push_str(line),
            }
        }
        let code = output.status.code().unwrap_or(-1);
        let result = Self { code, output: text(&output.stdout), errors, steps };
        assert!(!result.errors.contains("panicked"), "arcuate {arguments}: {}", result.errors);
        for line in result.errors.lines() {
            let unknown = unknown_options(arguments, line);
            assert_eq!(unknown, [""; 0], "arcuate {arguments} names options that it does not have: {line}");
        }
        result
    }
}

/// Returns the options that a message names but the command does not have. Users who follow such advice get an
/// error. Options in the arguments do not count. Options after the name of another command (`arcuate convert …
/// --b-unit`) or of another program do not count either.
fn unknown_options(arguments: &str, message: &str) -> Vec<String> {
    static OPTIONS: OnceLock<BTreeMap<String, Vec<String>>> = OnceLock::new();
    let options = OPTIONS.get_or_init(|| {
        let (mut all, mut command) = (BTreeMap::<String, Vec<String>>::new(), String::new());
        for line in include_str!("../options/table.txt").lines() {
            if let Some(section) = line.strip_prefix('[') {
                section.split(']').next().unwrap_or_default().clone_into(&mut command);
            } else if line.starts_with("--") {
                let name = line.split(' ').next().unwrap_or_default().to_owned();
                all.entry(command.clone()).or_default().push(name);
            }
        }
        all
    });
    let typed = arguments.split_whitespace().collect::<Vec<_>>();
    let begins = |command: &&String| {
        let words: Vec<&str> = command.split(' ').collect();
        typed.windows(words.len()).next().is_some_and(|first| first == words)
    };
    let Some(command) = options.keys().filter(begins).max_by_key(|command| command.len()) else {
        return Vec::new();
    };
    // These commands run other commands, whose options are set in a recipe.
    if ["run", "bids", "demo"].contains(&command.as_str()) {
        return Vec::new();
    }
    // The table lists these options only for commands in which they have an effect.
    let everywhere = ["--device", "--device-memory", "--random-seed", "--help", "--version"];
    let known = |name: &str| {
        everywhere.contains(&name)
            || ["*", command].iter().any(|of| options[*of].iter().any(|known| known == name))
    };
    let of_others = ["`arcuate ", "arcuate convert", "eddy", "FSL", "MRtrix", "fnirtfileutils"];
    let own = of_others.iter().filter_map(|other| message.find(other)).min().unwrap_or(message.len());
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    message[..own]
        .match_indices("--")
        .map(|(at, _)| {
            let rest = &message[at..];
            rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned()
        })
        .filter(|name| name.len() > 2 && !known(name) && !arguments.contains(name.as_str()))
        .collect()
}

/// Returns a small simulated brain with voxels of 5 mm, 12 weighted measurements and 2 measurements at b = 0.
pub(crate) fn small_brain() -> &'static Files {
    static BRAIN: OnceLock<Files> = OnceLock::new();
    BRAIN.get_or_init(|| {
        kept("small-brain", |scratch| {
            scratch.succeed(
                "simulate --out kept --voxel-size 5 --directions 12 --b-value 1000 --b0s 2 --streamlines-per-bundle 10",
            );
            fill_peaks(&scratch.path("kept/truth_peaks.nii.gz"));
        })
    })
}

/// Creates a folder with the small simulated brain.
pub(crate) fn brain() -> Scratch {
    Scratch::with(small_brain())
}

/// Options of [`brain_with_meshes`].
pub(crate) const WITH_MESHES: &str =
    "--voxel-size 5 --directions 6 --b0s 1 --streamlines-per-bundle 5 --meshes";

/// Returns a small simulated brain with its meshes. Creating the meshes takes 17 s, so three tests share them.
pub(crate) fn brain_with_meshes() -> Files {
    kept("brain-with-meshes", |scratch| {
        scratch.succeed(&format!("simulate --out kept {WITH_MESHES}"));
    })
}

/// Returns the files that `make` writes to the folder `kept` with `arcuate`. This takes some seconds, so the files
/// are created once for all test programs, and again if the `arcuate` program changes.
pub(crate) fn kept(name: &str, make: impl FnOnce(&Scratch)) -> Files {
    let command = std::fs::metadata(assert_cmd::cargo::cargo_bin("arcuate")).expect("the command");
    let changed = command.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let (size, changed) = (command.len(), changed.map_or(0, |time| time.as_nanos()));
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{size}-{changed}"));
    if !place.is_dir() {
        let scratch =
            Scratch { folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder") };
        make(&scratch);
        // The rename is atomic. Another test program may have created the folder first.
        let moved = std::fs::rename(scratch.path("kept"), &place);
        assert!(moved.is_ok() || place.is_dir(), "{}", place.display());
    }
    files(&place)
}

/// Gives each voxel without a peak a weak peak along z. Without it, Arcuate warns of voxels that streamlines pass
/// but that have no peak.
fn fill_peaks(path: &Path) {
    let mut peaks = read_volume(path).expect("peaks");
    for peaks in peaks.values_mut().chunks_exact_mut(9).filter(|peaks| peaks.iter().all(|&c| c == 0.0)) {
        peaks[2] = 0.1;
    }
    write_image(path, &peaks, &WriteOptions::default()).expect("peaks");
}

/// Runs a command with a limit on its address space, in KiB.
#[cfg(unix)]
pub(crate) fn with_memory_limit(scratch: &Scratch, kibibytes: u64, arguments: &str) -> CommandOutput {
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")])
        .arg(assert_cmd::cargo::cargo_bin("arcuate"))
        .args(arguments.split_whitespace())
        .current_dir(scratch.path(""))
        .output()
        .expect("a shell");
    CommandOutput::of(arguments, &output)
}

/// Runs a command with a limit on the size of the files that it writes, in KiB. This simulates a full disk.
#[cfg(unix)]
pub(crate) fn with_file_size_limit(scratch: &Scratch, kibibytes: u64, arguments: &str) -> CommandOutput {
    let binary = assert_cmd::cargo::cargo_bin("arcuate");
    // The signal that would terminate the command is ignored, so the write itself fails.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kibibytes * 2);
    let output = std::process::Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(binary)
        .args(arguments.split_whitespace())
        .current_dir(scratch.path(""))
        .output()
        .expect("a shell");
    CommandOutput::of(arguments, &output)
}
