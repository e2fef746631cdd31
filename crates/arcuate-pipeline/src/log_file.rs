//! Log file: a line with a timestamp for each step and each message.

use arcuate_core::{Error, Result, printable};
use arcuate_io::place_of;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum length of a line, in characters.
const LONGEST: usize = 2000;

/// Number of characters of a timestamp, for example `2026-01-31T12:00:00Z`.
const TIME: usize = 20;

fn is_time(letters: &[u8; TIME]) -> bool {
    std::str::from_utf8(letters).is_ok_and(|text| humantime::parse_rfc3339(text).is_ok())
}

/// An open log file. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct LogFile {
    file: Arc<Mutex<File>>,
    place: PathBuf,
}

impl LogFile {
    /// Opens a log. Existing lines are kept.
    ///
    /// # Errors
    /// Returns an error if the file exists but is not a log file, or if it cannot be written.
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

    /// Returns the location of the file ([`place_of`]).
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Adds text to the log file, with a timestamp before each line.
    #[doc(hidden)]
    pub fn note(&self, text: &str) {
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.map(|line| format!("{now} {}\n", printable(line, LONGEST))).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Write errors of the log file are ignored. If the disk is full, the work stops when it writes
        // results, but not because of its log.
        let _ = file.write_all(lines.concat().as_bytes());
    }
}
