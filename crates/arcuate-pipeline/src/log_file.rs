//! A log in a file: a line for each step and each message, with its time.

use arcuate_core::{Error, Result, printable};
use arcuate_io::place_of;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Longest line, in characters.
const LONGEST: usize = 2000;

/// Characters of a time: `2026-01-31T12:00:00Z`.
const TIME: usize = 20;

fn is_time(letters: &[u8; TIME]) -> bool {
    std::str::from_utf8(letters).is_ok_and(|text| humantime::parse_rfc3339(text).is_ok())
}

/// A log file that is open. Copies write to the same file.
#[derive(Debug, Clone)]
pub struct LogFile {
    file: Arc<Mutex<File>>,
    place: PathBuf,
}

impl LogFile {
    /// Opens a log. Lines that it has already stay.
    ///
    /// # Errors
    /// If the file is something else than a log, or cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        let mut first = [0; TIME];
        let is_log = match File::open(path).and_then(|mut file| file.read(&mut first)) {
            Ok(read) => read == 0 || (read == TIME && is_time(&first)),
            Err(_) => true,
        };
        if !is_log {
            let problem = "it is there already, and no log of Arcuate";
            return Err(Error::usage(path.display(), problem, "choose another name"));
        }
        let file = File::options().create(true).append(true).open(path).map_err(|e| Error::write(path, e))?;
        Ok(Self { file: Arc::new(Mutex::new(file)), place: place_of(path) })
    }

    /// The place of the file ([`place_of`]).
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Adds text, with the time before each of its lines.
    pub fn note(&self, text: &str) {
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.map(|line| format!("{now} {}\n", printable(line, LONGEST))).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A disk that is full ends the work where results are written; the log is not what it ends for.
        let _ = file.write_all(lines.concat().as_bytes());
    }
}
