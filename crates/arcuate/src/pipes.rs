//! `-` in the place of a file: images and tractograms from one command to the next. What travels through the pipe is the name
//! of a temporary file, as between the commands of MRtrix, which take ours as we take theirs. A file may come through the pipe
//! itself, too.

use crate::asked_pipes::{PIPE, RESULTS, is_of_files};
use crate::invocation::Invocation;
use crate::record;
use arcuate_core::{Error, Result, printable};
use arcuate_io::{TractogramFormat, gzip_start, is_gzip, is_image_name};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

/// How names of temporary files begin, by which MRtrix knows those that the next command removes.
const PREFIX: &str = "mrtrix-tmp-";
/// Where MRtrix has them, if this is set.
const FOLDER_VARIABLE: &str = "MRTRIX_TMPFILE_DIR";
/// Bytes of the longest name of a file.
const LONGEST_NAME: usize = 4096;

/// How files begin that come through a pipe themselves: what is at which byte, and the ending that their names have.
const BEGINNINGS: [(&[u8], usize, &str); 7] = [
    (b"mrtrix image", 0, ".mif"),
    (b"mrtrix tracks", 0, ".tck"),
    (b"TRACK", 0, ".trk"),
    (b"PK\x03\x04", 0, ".trx"),
    (b"n+1\0", 344, ".nii"),
    (b"n+2\0", 4, ".nii"),
    (b"\0\0\x01\x5c", 0, ".nii"),
];

/// Files of this program that are gone when it ends.
static PASSING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what this program has made on the way from one command to the next, when it ends by itself or by a signal.
pub(crate) fn remove_passing() {
    // Not waited for: this thread may be adding one when it ends the program for want of memory.
    let mut passing = match PASSING.try_lock() {
        Ok(passing) => passing,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    for file in passing.drain(..) {
        // What is not there was not written.
        let _ = std::fs::remove_file(file);
    }
}

fn passes(file: &Path) {
    PASSING.lock().unwrap_or_else(PoisonError::into_inner).push(file.to_owned());
}

/// What a pipe brings a result of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Image,
    Tractogram,
}

/// The files in the place of the pipes of a command.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    input: Option<Received>,
    output: Option<PathBuf>,
}

/// The file that came through a pipe.
#[derive(Debug)]
struct Received {
    file: PathBuf,
    /// Whether it is a temporary file of the command before, which is removed once this command has succeeded. Until then it is the
    /// only copy.
    is_temporary: bool,
}

impl Pipes {
    /// Takes what comes through standard input, and finds a place for what goes through standard output.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self> {
        let asked = &invocation.pipes;
        let mut pipes = Self::default();
        if asked.inputs > 1 {
            let problem = "it brings one file and is asked for more";
            return Err(Error::usage("standard input", problem, "name the others"));
        }
        // All that can be refused before anything is read.
        if asked.output {
            kind_of(&invocation.command, asked.converted.as_deref())?;
            refuse_terminal(std::io::stdout().is_terminal(), "standard output")?;
        }
        if asked.inputs == 1 {
            refuse_terminal(std::io::stdin().is_terminal(), "standard input")?;
            pipes.input = Some(receive(&mut std::io::stdin().lock())?);
        }
        if asked.output {
            let received = pipes.input.as_ref().map(|received| received.file.as_path());
            let converted = received.or(asked.converted.as_deref());
            let ending = match kind_of(&invocation.command, converted)? {
                Kind::Image => ".mif",
                Kind::Tractogram => ".tck",
            };
            let file = temporary(ending);
            passes(&file);
            passes(&record::beside(&file));
            pipes.output = Some(file);
        }
        Ok(pipes)
    }

    /// Whether there are any.
    pub(crate) fn are_used(&self) -> bool {
        self.input.is_some() || self.output.is_some()
    }

    /// Whether standard output is for the name of a result and nothing else.
    pub(crate) fn take_output(&self) -> bool {
        self.output.is_some()
    }

    /// The command line with the files in the place of the pipes.
    pub(crate) fn in_place(&self, command: Command) -> Command {
        let replaced = |argument: Arg| {
            let is_result = RESULTS.contains(&argument.get_id().as_str());
            let received = || self.input.as_ref().map(|received| received.file.clone());
            let file = if is_result { self.output.clone() } else { received() };
            match file {
                Some(file) if is_of_files(&argument) => {
                    let of = move |word: PathBuf| if word == Path::new(PIPE) { file.clone() } else { word };
                    argument.value_parser(PathBufValueParser::new().map(of))
                }
                _ => argument,
            }
        };
        command.mut_args(replaced).mut_subcommands(|sub| self.in_place(sub))
    }

    /// Says where the temporary file of the command before is, if this command has not succeeded: it stays there.
    pub(crate) fn note_failure(&self) {
        if let Some(Received { file, is_temporary: true }) = &self.input {
            tracing::warn!(
                "{}: the file from the pipe stays; give its name to run the command again",
                file.display()
            );
        }
    }

    /// Removes the temporary file of the command before, which has been read, and tells the next command where the result is, which
    /// is that command's to remove from then on.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(Received { file, is_temporary: true }) = self.input {
            // The system removes what stays in its folder of temporary files.
            let _ = std::fs::remove_file(file);
        }
        let Some(file) = self.output else { return Ok(()) };
        let mut stdout = std::io::stdout().lock();
        let told = writeln!(stdout, "{}", file.display()).and_then(|()| stdout.flush());
        told.map_err(|e| Error::write(Path::new("standard output"), e))?;
        PASSING.lock().unwrap_or_else(PoisonError::into_inner).retain(|passing| *passing != file);
        Ok(())
    }
}

/// What a command writes that has one result; what is converted stays what it is.
fn kind_of(command: &str, converted: Option<&Path>) -> Result<Kind> {
    match command {
        "5tt" | "mask" | "recon" | "density" => Ok(Kind::Image),
        "edit" | "track tensor" | "track fod" | "track samples" | "track peaks" | "track bootstrap" => {
            Ok(Kind::Tractogram)
        }
        "convert" if converted.is_some_and(|file| TractogramFormat::of(file).is_ok()) => Ok(Kind::Tractogram),
        "convert" if converted.is_none_or(|file| file == Path::new(PIPE) || is_image_name(file)) => {
            Ok(Kind::Image)
        }
        _ => {
            let problem =
                format!("`{command}` does not make one image or one tractogram, which a pipe can bring");
            Err(Error::usage("standard output", problem, "name what --out shall be"))
        }
    }
}

fn refuse_terminal(is_terminal: bool, which: &str) -> Result<()> {
    if !is_terminal {
        return Ok(());
    }
    let advice = "put another command before or behind it, as in `arcuate mask dwi.mif --out - | mrview -`, or name a file";
    Err(Error::usage(which, "`-` is a pipe, and it is a terminal", advice))
}

/// The ending for a file that begins with these bytes, if they are those of an image or a tractogram. Compressed data are
/// known by what they hold.
fn ending_of(head: &[u8]) -> Option<String> {
    let known = |head: &[u8]| {
        let begins = |(bytes, at, _): &&(&[u8], usize, &str)| {
            head.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
        };
        BEGINNINGS.iter().find(begins).map(|(_, _, ending)| (*ending).to_owned())
    };
    if !is_gzip(head) {
        return known(head);
    }
    let inner = known(&gzip_start(head, 1 << 10)).filter(|ending| ending != ".trx");
    Some(inner.unwrap_or_else(|| ".nii".to_owned()) + ".gz")
}

/// The file that a pipe brings.
fn receive(pipe: &mut dyn Read) -> Result<Received> {
    let stdin = Path::new("standard input");
    let mut head = Vec::new();
    pipe.take(LONGEST_NAME as u64 + 2).read_to_end(&mut head).map_err(|e| Error::read(stdin, e))?;
    if let Some(ending) = ending_of(&head) {
        let file = temporary(&ending);
        passes(&file);
        let written = File::create_new(&file).and_then(|mut to| {
            to.write_all(&head)?;
            std::io::copy(pipe, &mut to)
        });
        // Gone when the program ends, like all of `PASSING`.
        return match written {
            Ok(_) => Ok(Received { file, is_temporary: false }),
            Err(error) => Err(Error::write(&file, error)),
        };
    }
    let refuse = |problem: String| {
        let advice = "pipe an image or a tractogram into it, or the name of one";
        Err(Error::invalid(stdin.display(), problem, advice))
    };
    let Ok(text) = std::str::from_utf8(&head) else {
        return refuse("it is neither the name of a file nor an image or a tractogram".into());
    };
    let name = text.trim_end_matches(['\r', '\n']);
    if name.trim().is_empty() {
        return refuse("the command before has put nothing into the pipe".into());
    }
    let file = PathBuf::from(name);
    if name.contains('\n') || !file.exists() {
        return refuse(format!("`{}` is no name of a file that is there", printable(name, 100)));
    }
    let is_temporary = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    Ok(Received { file, is_temporary })
}

/// The name of a temporary file that nothing has.
fn temporary(ending: &str) -> PathBuf {
    let folder = std::env::var_os(FOLDER_VARIABLE).map_or_else(std::env::temp_dir, PathBuf::from);
    loop {
        // Of keys that the system draws at random.
        let word = RandomState::new().hash_one(std::process::id());
        let file = folder.join(format!("{PREFIX}{:06x}{ending}", word & 0xff_ffff));
        if file.symlink_metadata().is_err() {
            return file;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_result_goes_through_a_pipe() {
        assert_eq!(kind_of("mask", None).unwrap(), Kind::Image);
        assert_eq!(kind_of("5tt", None).unwrap(), Kind::Image);
        assert_eq!(kind_of("track tensor", None).unwrap(), Kind::Tractogram);
        assert_eq!(kind_of("convert", Some(Path::new("a.trk"))).unwrap(), Kind::Tractogram);
        assert_eq!(kind_of("convert", Some(Path::new("a.nii"))).unwrap(), Kind::Image);
        for (command, file) in [("fit tensor", None), ("run", None), ("convert", Some(Path::new("a.bvec")))] {
            let error = kind_of(command, file).unwrap_err().to_string();
            assert!(error.starts_with(&format!("standard output: `{command}` does not make")), "{error}");
        }
    }

    #[test]
    fn a_piped_file_goes_once_the_command_has_succeeded() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("mrtrix-tmp-abc.mif");
        std::fs::write(&temporary, "mrtrix image\n").unwrap();
        let pipes = || {
            let name = format!("{}\n", temporary.display());
            Pipes { input: Some(receive(&mut name.as_bytes()).unwrap()), output: None }
        };
        // A command that fails.
        drop(pipes());
        remove_passing();
        assert!(temporary.exists());
        pipes().finish().unwrap();
        assert!(!temporary.exists());
    }

    #[test]
    fn a_pipe_brings_a_name_or_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join("mine.mif");
        std::fs::write(&mine, "mrtrix image\n").unwrap();
        let got =
            |bytes: &[u8]| receive(&mut &*bytes).map(|received| received.file).map_err(|e| e.to_string());
        assert_eq!(got(format!("{}\n", mine.display()).as_bytes()), Ok(mine.clone()));
        remove_passing();
        assert!(mine.exists(), "what somebody has named himself stays");

        let long = [b"mrtrix tracks\n".to_vec(), vec![7; 100_000]].concat();
        let file = got(&long).unwrap();
        assert!(file.to_string_lossy().ends_with(".tck") && std::fs::read(&file).unwrap() == long);
        remove_passing();
        assert!(!file.exists());

        // Compressed data are known by what they hold.
        let compressed = folder.path().join("a.tck.gz");
        let options = arcuate_io::TractogramOptions::default();
        arcuate_io::write_tractogram(&compressed, &arcuate_core::Tractogram::new(), None, &options).unwrap();
        let piped = got(&std::fs::read(&compressed).unwrap()).unwrap();
        assert!(piped.to_string_lossy().ends_with(".tck.gz"), "{}", piped.display());
        remove_passing();

        for (bytes, problem) in [
            (b"".as_slice(), "the command before has put nothing into the pipe"),
            (b"\n", "the command before has put nothing into the pipe"),
            (b"/no/such/file.mif\n", "`/no/such/file.mif` is no name of a file that is there"),
            (&[0xff; 9000], "it is neither the name of a file nor an image or a tractogram"),
        ] {
            let error = got(bytes).unwrap_err();
            assert!(error.starts_with(&format!("standard input: {problem}; ")), "{error}");
        }
    }
}
