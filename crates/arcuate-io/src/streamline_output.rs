//! Writes a `.tck` or `.trk` file of streamlines sequentially. The file is compressed if its name ends in
//! `.gz`. The header contains the number of streamlines, which is known only at the end; this number is then
//! overwritten.

use crate::AtomicFile;
use crate::endings::is_gzip_name;
use crate::gzip::{BLOCK, MEMBER_HEADER, deflate, end_of_member};
use arcuate_core::{Error, Result};
use flate2::Crc;
use rayon::prelude::*;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Number of blocks of bytes that are compressed in parallel.
const BLOCKS: usize = 8;

/// A file of streamlines (`.tck` or `.trk`) that is being written.
#[derive(Debug)]
pub(crate) struct StreamlineOutput {
    file: AtomicFile,
    header: Vec<u8>,
    compressed: Option<Compressed>,
}

/// The bytes that will be compressed next, and the checksum of the bytes that have been written.
#[derive(Debug, Default)]
struct Compressed {
    waiting: Vec<u8>,
    checksum: Crc,
}

impl StreamlineOutput {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let compressed = is_gzip_name(path).then(Compressed::default);
        Ok(Self { file: AtomicFile::create(path)?, header: Vec::new(), compressed })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Writes the header of the file. The caller must call this function once, before it writes anything
    /// else.
    pub(crate) fn begin(&mut self, header: Vec<u8>) -> Result<()> {
        let put = |file: &mut AtomicFile| {
            if self.compressed.is_none() {
                return file.write_all(&header);
            }
            file.write_all(&MEMBER_HEADER)?;
            file.write_all(&stored(&header))
        };
        put(&mut self.file).map_err(|e| Error::write(self.file.path(), e))?;
        self.header = header;
        Ok(())
    }

    /// Appends bytes to the file.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.compressed {
            None => self.file.write_all(bytes),
            Some(compressed) => compressed.add(bytes, &mut self.file),
        };
        written.map_err(|e| Error::write(self.file.path(), e))
    }

    /// Completes the file: overwrites the bytes of the header from position `at` on with `bytes`, and renames
    /// the file to its final name.
    pub(crate) fn finish(mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let path = self.file.path().to_owned();
        self.header[at..at + bytes.len()].copy_from_slice(bytes);
        let (file, header) = (&mut self.file, &self.header);
        let mut put = || match self.compressed.take() {
            None => {
                file.seek(SeekFrom::Start(at as u64))?;
                file.write_all(bytes)
            }
            Some(compressed) => compressed.finish(header, file),
        };
        put().map_err(|e| Error::write(&path, e))?;
        self.file.finish()
    }
}

impl Compressed {
    fn add(&mut self, bytes: &[u8], file: &mut AtomicFile) -> io::Result<()> {
        self.waiting.extend_from_slice(bytes);
        // All compressed blocks contain the same number of bytes, so that the compressed file does not depend
        // on the number of threads.
        let whole = self.waiting.len() / (BLOCKS * BLOCK) * (BLOCKS * BLOCK);
        self.put(whole, file)
    }

    /// Compresses `count` waiting bytes and writes them.
    fn put(&mut self, count: usize, file: &mut AtomicFile) -> io::Result<()> {
        for part in self.waiting[..count].chunks(BLOCKS * BLOCK) {
            let blocks: Vec<Vec<u8>> = part.par_chunks(BLOCK).map(deflate).collect();
            self.checksum.update(part);
            blocks.iter().try_for_each(|block| file.write_all(block))?;
        }
        self.waiting.drain(..count);
        Ok(())
    }

    fn finish(mut self, header: &[u8], file: &mut AtomicFile) -> io::Result<()> {
        self.put(self.waiting.len(), file)?;
        let mut checksum = Crc::new();
        checksum.update(header);
        checksum.combine(&self.checksum);
        file.write_all(&end_of_member(&checksum))?;
        file.seek(SeekFrom::Start(MEMBER_HEADER.len() as u64))?;
        file.write_all(&stored(header))
    }
}

/// Encodes a header as uncompressed blocks of a deflate stream, so that the numbers in it can be overwritten
/// later.
fn stored(header: &[u8]) -> Vec<u8> {
    let mut blocks = Vec::with_capacity(header.len() + 16);
    for part in header.chunks(1 << 15) {
        // An uncompressed block starts with its length in two bytes. The bitwise complement of these two
        // bytes follows.
        let [low, high, ..] = part.len().to_le_bytes();
        blocks.extend([0, low, high, !low, !high]);
        blocks.extend(part);
    }
    blocks
}
