//! Archives of NumPy arrays, `.npz`.

use super::header::write as write_header;
use super::write::kind;
use crate::zip_target::{ZipFile, failed};
use crate::{AtomicFile, Element};
use arcuate_core::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, write::SimpleFileOptions};

/// Writes an uncompressed archive of NumPy arrays (`.npz`), which `numpy.load` reads. The archive is written
/// sequentially, and only the free space on the disk limits its size.
pub struct NpzWriter {
    path: PathBuf,
    zip: ZipFile,
}

impl NpzWriter {
    /// Starts an archive under a temporary name. [`finish`](Self::finish) renames the file to `path`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), zip: ZipFile::create(path)? })
    }

    fn begin(&mut self, name: &str, header: &[u8], bytes: u64) -> Result<()> {
        // Arrays of 4 GiB and more need the 64-bit size fields of the zip format. Smaller arrays are written
        // without these fields, because zip readers in browsers do not support them.
        let is_large = bytes.saturating_add(header.len() as u64) > u64::from(u32::MAX);
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let started = self.zip.writer.start_file(format!("{name}.npy"), options.large_file(is_large));
        started.map_err(|e| failed(&self.path, e))?;
        self.write(header)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.zip.writer.write_all(bytes).map_err(|e| Error::write(&self.path, e))
    }

    /// Starts a one-dimensional array of `count` numbers. Their little-endian bytes must be written next.
    pub(crate) fn begin_numbers<T: Element>(&mut self, name: &str, count: usize) -> Result<()> {
        self.begin_array::<T>(name, &[count])
    }

    /// Starts an array with the given shape in the archive; its last axis is fastest.
    /// [`append`](Self::append) writes its numbers.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn begin_array<T: Element>(&mut self, name: &str, shape: &[usize]) -> Result<()> {
        let header = write_header(&kind::<T>(), size_of::<T>(), shape);
        let count = shape.iter().fold(1u64, |count, &length| count.saturating_mul(length as u64));
        self.begin(name, &header, count.saturating_mul(size_of::<T>() as u64))
    }

    /// Writes a whole array of numbers.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn numbers<T: Element>(
        &mut self,
        name: &str,
        numbers: impl ExactSizeIterator<Item = T>,
    ) -> Result<()> {
        self.begin_numbers::<T>(name, numbers.len())?;
        self.append(numbers)
    }

    /// Writes the next numbers of the array that was started last. All calls together must write as many
    /// numbers as the shape of the array requires.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn append<T: Element>(&mut self, numbers: impl Iterator<Item = T>) -> Result<()> {
        let mut numbers = numbers.map(Element::to_little_endian);
        let mut block: Vec<T> = Vec::new();
        loop {
            block.clear();
            block.extend(numbers.by_ref().take(1 << 16));
            if block.is_empty() {
                return Ok(());
            }
            self.write(bytemuck::cast_slice(&block))?;
        }
    }

    /// Writes an array of texts.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn texts<T: AsRef<str>>(&mut self, name: &str, texts: &[T]) -> Result<()> {
        // In an array of texts, NumPy pads shorter texts with zeros. NumPy has no type for texts of length
        // zero.
        let longest = texts.iter().map(|text| text.as_ref().chars().count()).max().unwrap_or(0).max(1);
        let header = write_header(&format!("U{longest}"), 4 * longest, &[texts.len()]);
        self.begin(name, &header, (4 * longest as u64).saturating_mul(texts.len() as u64))?;
        for text in texts {
            let letters = text.as_ref().chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
            let bytes: Vec<u8> = letters.flat_map(u32::to_le_bytes).collect();
            self.write(&bytes)?;
        }
        Ok(())
    }

    /// Writes an array that consists of a single text.
    pub(crate) fn word(&mut self, name: &str, word: &str) -> Result<()> {
        // Texts of bytes have no byte order.
        let header = write_header(&format!("S{}", word.len()), 1, &[]);
        self.begin(name, &header, word.len() as u64)?;
        self.write(word.as_bytes())
    }

    /// Completes the archive, but leaves the file under its temporary name.
    pub(crate) fn complete(self) -> Result<AtomicFile> {
        self.zip.finish(&self.path)
    }

    /// Completes the archive and renames the file to its final name.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.complete()?.finish()
    }
}
