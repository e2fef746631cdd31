//! Opens and reads files on disk. The files are not mapped into memory: if another program truncated a mapped
//! file, the operating system would kill the process at the next access. A read, in contrast, only reports
//! the end of the file.

use crate::image_errors;
use crate::pointer_file::{self, LARGEST_POINTER};
use arcuate_core::{Error, Result};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// Opens a plain file for reading.
///
/// Folders, pipes, sockets and devices are rejected before they are opened, because opening a pipe would wait
/// for a writer. If the file is a link to a missing file, or a pointer file of git-annex or Git LFS, the
/// error states the command that fetches the content.
pub fn open_file(path: &Path) -> Result<File> {
    let failed = |e| Error::read(path, e);
    // The check for a plain file runs before the file is opened and again afterwards, because the file may
    // have been replaced in between.
    require_plain(path, &std::fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    require_plain(path, &metadata)?;
    let size = metadata.len();
    if size <= LARGEST_POINTER {
        let mut start = [0; pointer_file::START];
        let count = start_of(&file, &mut start).map_err(failed)?;
        if cfg!(windows) {
            // Reading the first bytes has moved the read position of the file, so it is set back to the
            // start.
            (&file).rewind().map_err(failed)?;
        }
        pointer_file::require_content(path, &start[..count], size)?;
    }
    Ok(file)
}

/// Maximum size in bytes of a text file that contains numbers or names.
pub const LARGEST_TEXT: u64 = 64 << 20;

/// Reads a whole plain file (not a folder, pipe or device) of at most `largest` bytes.
pub fn read_small_file(path: &Path, largest: u64) -> Result<Vec<u8>> {
    let file = open_file(path)?;
    let size = file.metadata().map_err(|e| Error::read(path, e))?.len();
    let mut bytes = Vec::new();
    if size <= largest {
        file.take(largest.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| Error::read(path, e))?;
    }
    if size.max(bytes.len() as u64) > largest {
        let maximum = match (largest >> 20, largest >> 10) {
            (0, 0) => format!("{largest} bytes"),
            (0, kibibytes) => format!("{kibibytes} KiB"),
            (mebibytes, _) => format!("{mebibytes} MiB"),
        };
        let problem = format!("the file is larger than {maximum}, too large for this kind of file");
        return Err(Error::invalid(path.display(), problem, "check that this is the right file"));
    }
    Ok(bytes)
}

/// Fills `bytes` from the start of a file without changing the read position of the file. Returns the number
/// of bytes that were read.
fn start_of(file: &File, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match read_at(file, &mut bytes[filled..], filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

fn require_plain(path: &Path, metadata: &std::fs::Metadata) -> Result<()> {
    if metadata.is_dir() {
        return Err(Error::invalid(
            path.display(),
            "this path is a folder, not a file",
            "name a file inside it",
        ));
    }
    if !metadata.is_file() {
        let problem = "it is not a regular file, but a pipe, a socket or a device";
        return Err(Error::invalid(
            path.display(),
            problem,
            "first write the content of the pipe or device to a regular file",
        ));
    }
    Ok(())
}

/// Returns true if these first bytes of a file show that the file is gzip data, whatever its name.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Number of bytes that one thread reads with one call. With this size, the cost of a call is negligible.
const PART: usize = 1 << 22;

/// An open file of known size. Several threads can read it at different positions at the same time.
#[derive(Debug)]
pub(crate) struct PlainFile {
    path: PathBuf,
    file: File,
    size: u64,
    is_gzip: bool,
}

impl PlainFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = open_file(path)?;
        let size = file.metadata().map_err(|e| Error::read(path, e))?.len();
        let mut opened = Self { path: path.to_owned(), file, size, is_gzip: false };
        opened.is_gzip = is_gzip(&opened.start(2)?);
        Ok(opened)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes when it was opened.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if the file begins like gzip data.
    pub(crate) fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    /// Returns the first `count` bytes of the file, or all its bytes if the file is shorter.
    pub(crate) fn start(&self, count: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.size.min(count) as usize];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills `bytes` from the file, starting at byte `offset`. If the file is too short, because another
    /// program has truncated it, the error states the number of bytes that remain.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        read_exact_at(&self.file, bytes, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let left = self.file.metadata().map_or(0, |metadata| metadata.len());
                image_errors::ends_early(&self.path, left, self.size)
            }
            _ => Error::read(&self.path, e),
        })
    }

    /// Reads `count` bytes with all threads, starting at byte `offset`. The caller must have checked that the
    /// file has these bytes.
    pub(crate) fn bytes(&self, offset: u64, count: usize) -> Result<Vec<u8>> {
        let mut bytes = bytemuck::allocation::try_zeroed_vec(count)
            .map_err(|()| image_errors::too_large(&self.path, count))?;
        bytes
            .par_chunks_mut(PART)
            .enumerate()
            .try_for_each(|(n, part)| self.read(offset + (n * PART) as u64, part))?;
        Ok(bytes)
    }

    /// Returns a reader that reads the file from its beginning to its end.
    pub(crate) fn sequential(&self) -> Sequential<&Self> {
        Sequential { file: self, at: 0 }
    }

    /// Returns a reader that reads the file from its beginning to its end and owns the file.
    pub(crate) fn into_sequential(self) -> Sequential<Self> {
        Sequential { file: self, at: 0 }
    }
}

/// Reads a file from beginning to end, without changing the position at which other readers of the file read.
#[derive(Debug)]
pub(crate) struct Sequential<F> {
    file: F,
    at: u64,
}

impl<F: Borrow<PlainFile>> Read for Sequential<F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = read_at(&self.file.borrow().file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match read_at(file, bytes, offset) {
            Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_at_any_offset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        let content: Vec<u8> = (0..3 * PART as u32 / 2).map(|n| (n % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let file = PlainFile::open(&path).unwrap();
        assert_eq!(file.size(), content.len() as u64);
        assert!(file.bytes(7, content.len() - 7).unwrap() == content[7..]);
        assert_eq!(file.start(3).unwrap(), content[..3]);
        let mut whole = Vec::new();
        file.sequential().read_to_end(&mut whole).unwrap();
        assert!(whole == content);
        std::fs::write(&path, b"").unwrap();
        assert_eq!(PlainFile::open(&path).unwrap().start(9).unwrap(), b"");
    }

    #[test]
    fn files_truncated_while_open_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, [1; 10_000]).unwrap();
        let file = PlainFile::open(&path).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(5000).unwrap();
        let message = file.bytes(0, 10_000).unwrap_err().to_string();
        assert!(
            message
                .ends_with("the image data end early (5000 of 10000 bytes); copy or download the file again")
        );
    }

    #[test]
    fn irregular_files_are_reported() {
        let error = PlainFile::open(Path::new("no-such-file.nii")).unwrap_err();
        assert_eq!(error.to_string(), "no-such-file.nii: no such file; check the path");
        let folder = tempfile::tempdir().unwrap();
        let error = PlainFile::open(folder.path()).unwrap_err();
        let expected =
            format!("{}: this path is a folder, not a file; name a file inside it", folder.path().display());
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn text_files_must_be_regular_and_of_bounded_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        let read_text_file = crate::read_text_file;
        let problem = |path: &Path| read_text_file(path, 2048).unwrap_err().problem().to_owned();
        std::fs::write(&path, [b'x'; 2048]).unwrap();
        assert_eq!(read_text_file(&path, 2048).unwrap().len(), 2048);
        std::fs::write(&path, [b'x'; 2049]).unwrap();
        assert_eq!(problem(&path), "the file is larger than 2 KiB, too large for this kind of file");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(problem(&path), "it is not UTF-8 text: line 1 has the byte 0xFF");
        assert_eq!(read_small_file(&path, 2048).unwrap(), [0xff]);
        assert_eq!(problem(folder.path()), "this path is a folder, not a file");
        if cfg!(unix) {
            let expected = "it is not a regular file, but a pipe, a socket or a device";
            assert_eq!(problem(Path::new("/dev/zero")), expected);
            assert_eq!(problem(Path::new("/dev/null")), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_by_every_reader_without_waiting() {
        use arcuate_core::Affine;
        let folder = tempfile::tempdir().unwrap();
        let expected = "it is not a regular file, but a pipe, a socket or a device";
        let names = [
            "a.nii", "a.nii.gz", "a.mif", "a.mih", "a.mgz", "a.tck", "a.trk", "a.trx", "a.bval", "a.scheme",
            "a.prtcl", "a.b", "w.txt",
        ];
        for name in names {
            let path = folder.path().join(name);
            // This test uses a socket for all special files, because creating a pipe would need another
            // program.
            let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
            let error = if crate::is_image_name(&path) {
                crate::read_image(&path).unwrap_err()
            } else if name.starts_with("a.t") {
                crate::read_tractogram(&path).unwrap_err()
            } else if name == "w.txt" {
                crate::read_weights(&path).unwrap_err()
            } else {
                std::fs::write(folder.path().join("a.bvec"), "1\n0\n0\n").unwrap();
                crate::read_gradients(&path, &Affine::identity(), None).unwrap_err()
            };
            assert_eq!(error.problem(), expected, "{name}");
        }
        let pipe = folder.path().join("pipe.tck");
        if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            assert_eq!(crate::read_tractogram(&pipe).unwrap_err().problem(), expected);
        }
        assert_eq!(PlainFile::open(Path::new("/dev/zero")).unwrap_err().problem(), expected);
    }
}
