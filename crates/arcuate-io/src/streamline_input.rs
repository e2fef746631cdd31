//! Reads a `.tck` or `.trk` file of streamlines sequentially. Gzip data are decompressed, whatever the file
//! name.

use crate::batches::damaged;
use crate::gzip::{self, LARGEST_CONSTANT, LARGEST_RATIO, Members};
use crate::plain_file::{PlainFile, Sequential};
use arcuate_core::{Error, Result};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum compression ratio of a file whose content has more than [`LARGEST_CONSTANT`] bytes. Coordinates
/// hardly compress, so a file with a higher ratio repeats a streamline or a value and was made to exhaust
/// memory.
const LARGEST_SENSIBLE_RATIO: u64 = 32;
/// Maximum number of bytes after the last streamline that are read from a compressed file to reach its
/// checksum.
const PATIENCE: usize = 1 << 20;
/// Number of bytes that are read from the file at a time.
const BUFFER: usize = 1 << 18;

/// An open file of streamlines (`.tck` or `.trk`) that is read sequentially.
#[derive(Debug)]
pub(crate) struct StreamlineInput {
    path: PathBuf,
    reader: BufReader<Source>,
    is_gzip: bool,
    /// Size of the file in bytes.
    file_size: u64,
    /// Number of bytes that have been read from the file, counted after decompression.
    at: u64,
}

#[derive(Debug)]
enum Source {
    Plain(Sequential<PlainFile>),
    Gzip(Box<Members<BufReader<Sequential<PlainFile>>>>),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Gzip(members) => members.read(buffer),
        }
    }
}

impl StreamlineInput {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = PlainFile::open(path)?;
        let (is_gzip, file_size) = (file.is_gzip(), file.size());
        let file = file.into_sequential();
        let source = if is_gzip {
            Source::Gzip(Box::new(Members::new(BufReader::with_capacity(BUFFER, file))))
        } else {
            Source::Plain(file)
        };
        let reader = BufReader::with_capacity(BUFFER, source);
        Ok(Self { path: path.to_owned(), reader, is_gzip, file_size, at: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file is compressed.
    pub(crate) fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    /// Returns the number of bytes that have not been read yet. Returns `None` for a compressed file, because
    /// its size does not determine this number.
    pub(crate) fn left(&self) -> Option<u64> {
        (!self.is_gzip).then(|| self.file_size.saturating_sub(self.at))
    }

    /// Returns an upper bound of the number of bytes that have not been read yet. For a compressed file, this
    /// bound is too high to allocate memory for it.
    pub(crate) fn most_left(&self) -> u64 {
        let size = if self.is_gzip { self.file_size.saturating_mul(LARGEST_RATIO) } else { self.file_size };
        size.saturating_sub(self.at)
    }

    /// Reads the next line of the file including its line end. If there is no further line end, reads the
    /// rest of the file. Returns at most `longest` bytes.
    pub(crate) fn line(&mut self, longest: u64) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(longest).read_until(b'\n', &mut line);
        self.at += line.len() as u64;
        read.map_err(|e| self.error(e))?;
        Ok(line)
    }

    /// Fills `bytes` with the next bytes of the (decompressed) file. Returns the number of bytes that were
    /// read, which is smaller than the length of `bytes` only at the end of the file.
    pub(crate) fn read_up_to(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(e)),
            }
        }
        self.at += filled as u64;
        if filled < bytes.len() && self.left().is_some_and(|left| left > 0) {
            let problem = format!("it ends early: {} of {} bytes are there", self.at, self.file_size);
            return Err(damaged(&self.path, problem));
        }
        self.require_sensible_ratio()?;
        Ok(filled)
    }

    /// Skips `count` bytes. Returns `false` if fewer bytes remain.
    pub(crate) fn skip(&mut self, count: u64) -> Result<bool> {
        let (mut buffer, mut left) = (vec![0; 1 << 16], count);
        while left > 0 {
            let part = left.min(buffer.len() as u64) as usize;
            if self.read_up_to(&mut buffer[..part])? < part {
                return Ok(false);
            }
            left -= part as u64;
        }
        Ok(true)
    }

    /// Returns the number of bytes of the file after the last streamline. In a compressed file, at most a
    /// megabyte after the last streamline is read, which also verifies the checksum.
    pub(crate) fn finish(mut self) -> Result<u64> {
        match self.left() {
            Some(left) => Ok(left),
            None => Ok(self.read_up_to(&mut vec![0; PATIENCE])? as u64),
        }
    }

    fn require_sensible_ratio(&self) -> Result<()> {
        if !self.is_gzip
            || self.at <= LARGEST_CONSTANT
            || self.at <= self.file_size.saturating_mul(LARGEST_SENSIBLE_RATIO)
        {
            return Ok(());
        }
        let problem = format!(
            "the {} compressed bytes of the file expand to more than {} bytes, so almost all bytes have the \
             same value",
            self.file_size, self.at
        );
        let advice = "check where the file comes from; if it is meant, decompress it first";
        Err(Error::invalid(self.path.display(), problem, advice))
    }

    fn error(&self, error: io::Error) -> Error {
        if self.is_gzip { gzip::failure(&self.path, self.at, error) } else { Error::read(&self.path, error) }
    }
}
