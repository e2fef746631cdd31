//! Pipes between commands: the user gives `-` instead of the file name of an image or tractogram. As in
//! MRtrix, the first command writes a temporary file and prints its name, and the next command reads this
//! name. Commands of both programs can therefore be combined. A pipe can also contain the data of a file.

use crate::invocation::Invocation;
use crate::record;
use crate::requested_pipes::{PIPE, RESULTS, is_of_files};
use arcuate_core::{Error, Result, printable};
use arcuate_io::{TractogramFormat, ending_of_data, is_image_name};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

/// Prefix of the names of temporary files. MRtrix uses the same prefix. A command removes such a file after
/// it has read it from a pipe.
const PREFIX: &str = "mrtrix-tmp-";
/// Environment variable that names MRtrix's folder for temporary files.
const FOLDER_VARIABLE: &str = "MRTRIX_TMPFILE_DIR";
/// Maximum length of a file name in bytes.
const LONGEST_NAME: usize = 4096;

/// Temporary files of this process that must be removed when it ends.
static PASSING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of this process. Called when the process ends normally and when a signal ends
/// it.
pub(crate) fn remove_passing() {
    // Does not wait for the lock. If memory runs out while this thread holds the lock, the thread ends the
    // program in this function.
    let mut passing = match PASSING.try_lock() {
        Ok(passing) => passing,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    for file in passing.drain(..) {
        // An error is ignored. If the file does not exist, the program had not written it yet.
        let _ = std::fs::remove_file(file);
    }
}

fn passes(file: &Path) {
    PASSING.lock().unwrap_or_else(PoisonError::into_inner).push(file.to_owned());
}

/// Kind of result that a pipe transfers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Image,
    Tractogram,
}

/// The files that replace the pipes of a command.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    input: Option<Received>,
    output: Option<PathBuf>,
}

/// The file received through a pipe.
#[derive(Debug)]
struct Received {
    file: PathBuf,
    /// True if the previous command wrote the file as a temporary file. It is the only copy of the data, so
    /// it is removed only after this command has succeeded.
    is_temporary: bool,
}

impl Pipes {
    /// Reads the input from standard input, if the input is a pipe. Chooses the name of a temporary file, if
    /// the output is a pipe.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self> {
        let requested = &invocation.pipes;
        let mut pipes = Self::default();
        if requested.inputs > 1 {
            let problem = "it brings one file and is asked for more";
            return Err(Error::usage("standard input", problem, "name the others"));
        }
        // Reject invalid requests before anything is read.
        if requested.output {
            kind_of(&invocation.command, requested.converted.as_deref())?;
            refuse_terminal(std::io::stdout().is_terminal(), "standard output")?;
        }
        if requested.inputs == 1 {
            refuse_terminal(std::io::stdin().is_terminal(), "standard input")?;
            pipes.input = Some(receive(&mut std::io::stdin().lock())?);
        }
        if requested.output {
            let received = pipes.input.as_ref().map(|received| received.file.as_path());
            let converted = received.or(requested.converted.as_deref());
            let ending = match kind_of(&invocation.command, converted)? {
                Kind::Image => ".mif",
                Kind::Tractogram => ".tck",
            };
            let file = temporary(ending);
            passes(&file);
            passes(&record::companion_path(&file));
            pipes.output = Some(file);
        }
        Ok(pipes)
    }

    /// Returns true if the command uses pipes.
    pub(crate) fn are_used(&self) -> bool {
        self.input.is_some() || self.output.is_some()
    }

    /// True if only the file name of the result may be printed on standard output.
    pub(crate) fn take_output(&self) -> bool {
        self.output.is_some()
    }

    /// Returns the definition of the command line in which the argument `-` has a file as its value.
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

    /// Prints the path of the previous command's temporary file, which is kept because this command has
    /// failed.
    pub(crate) fn note_failure(&self) {
        if let Some(Received { file, is_temporary: true }) = &self.input {
            tracing::warn!(
                "{}: this file with the input from the pipe is kept; to repeat the command, give this file \
                 as input",
                file.display()
            );
        }
    }

    /// Removes the temporary file of the previous command, which this command has read. Then prints the name
    /// of this command's result. The next command has to remove this result.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(Received { file, is_temporary: true }) = self.input {
            // An error is ignored. The system eventually removes old files from its folder for temporary
            // files.
            let _ = std::fs::remove_file(file);
        }
        let Some(file) = self.output else { return Ok(()) };
        let mut stdout = std::io::stdout().lock();
        let outcome = writeln!(stdout, "{}", file.display()).and_then(|()| stdout.flush());
        outcome.map_err(|e| Error::write(Path::new("standard output"), e))?;
        PASSING.lock().unwrap_or_else(PoisonError::into_inner).retain(|passing| *passing != file);
        Ok(())
    }
}

/// Returns whether a command writes an image or a tractogram to a pipe. The output of a conversion is of the
/// same kind as its input.
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
            let problem = format!(
                "`{command}` does not write a single image or tractogram, so it cannot write to a \
                         pipe"
            );
            Err(Error::usage("standard output", problem, "give a file or folder as --out"))
        }
    }
}

fn refuse_terminal(is_terminal: bool, which: &str) -> Result<()> {
    if !is_terminal {
        return Ok(());
    }
    let advice = "put another command before or after it, as in `arcuate mask dwi.mif --out - | mrview -`, or name a file";
    Err(Error::usage(which, "`-` means a pipe, but here it is a terminal", advice))
}

/// Returns the file that a pipe transfers.
fn receive(pipe: &mut dyn Read) -> Result<Received> {
    let stdin = Path::new("standard input");
    let mut head = Vec::new();
    pipe.take(LONGEST_NAME as u64 + 2).read_to_end(&mut head).map_err(|e| Error::read(stdin, e))?;
    if let Some(ending) = ending_of_data(&head) {
        let file = temporary(ending);
        passes(&file);
        let written = File::create_new(&file).and_then(|mut to| {
            to.write_all(&head)?;
            std::io::copy(pipe, &mut to)
        });
        // Like all files in `PASSING`, this file is removed when the program ends.
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
        return refuse(format!("`{}` is not the name of an existing file", printable(name, 100)));
    }
    let is_temporary = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    Ok(Received { file, is_temporary })
}

/// Returns the path of a temporary file. The name is chosen so that no such file exists yet.
fn temporary(ending: &str) -> PathBuf {
    let folder = std::env::var_os(FOLDER_VARIABLE).map_or_else(std::env::temp_dir, PathBuf::from);
    loop {
        // The name is a hash with random keys from the operating system.
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
    fn commands_with_one_result_can_use_a_pipe() {
        assert_eq!(kind_of("mask", None).unwrap(), Kind::Image);
        assert_eq!(kind_of("5tt", None).unwrap(), Kind::Image);
        assert_eq!(kind_of("track tensor", None).unwrap(), Kind::Tractogram);
        assert_eq!(kind_of("convert", Some(Path::new("a.trk"))).unwrap(), Kind::Tractogram);
        assert_eq!(kind_of("convert", Some(Path::new("a.nii"))).unwrap(), Kind::Image);
        for (command, file) in [("fit tensor", None), ("run", None), ("convert", Some(Path::new("a.bvec")))] {
            let error = kind_of(command, file).unwrap_err().to_string();
            assert!(error.starts_with(&format!("standard output: `{command}` does not write")), "{error}");
        }
    }

    #[test]
    fn piped_files_are_removed_after_success() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("mrtrix-tmp-abc.mif");
        std::fs::write(&temporary, "mrtrix image\n").unwrap();
        let pipes = || {
            let name = format!("{}\n", temporary.display());
            Pipes { input: Some(receive(&mut name.as_bytes()).unwrap()), output: None }
        };
        // The pipes are dropped without being finished, as after a command that failed.
        drop(pipes());
        remove_passing();
        assert!(temporary.exists());
        pipes().finish().unwrap();
        assert!(!temporary.exists());
    }

    #[test]
    fn pipes_transmit_file_names_or_files() {
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

        // Compressed data are recognised by their contents.
        let compressed = folder.path().join("a.tck.gz");
        let options = arcuate_io::TractogramOptions::default();
        arcuate_io::write_tractogram(&compressed, &arcuate_core::Tractogram::new(), None, &options).unwrap();
        let piped = got(&std::fs::read(&compressed).unwrap()).unwrap();
        assert!(piped.to_string_lossy().ends_with(".tck.gz"), "{}", piped.display());
        remove_passing();

        for (bytes, problem) in [
            (b"".as_slice(), "the command before has put nothing into the pipe"),
            (b"\n", "the command before has put nothing into the pipe"),
            (b"/no/such/file.mif\n", "`/no/such/file.mif` is not the name of an existing file"),
            (&[0xff; 9000], "it is neither the name of a file nor an image or a tractogram"),
        ] {
            let error = got(bytes).unwrap_err();
            assert!(error.starts_with(&format!("standard input: {problem}; ")), "{error}");
        }
    }
}
