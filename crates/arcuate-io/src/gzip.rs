//! Reads and writes gzip files. When a file is read, one thread decompresses it while other threads process
//! the decompressed bytes. When a file is written, all threads compress blocks of it in parallel.

use crate::AtomicFile;
use crate::image_errors;
use crate::plain_file::{PlainFile, Sequential};
use arcuate_core::{Error, Result};
use flate2::bufread::GzDecoder;
use flate2::{Compress, Compression, Crc, FlushCompress};
use rayon::prelude::*;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::Path;

/// Maximum number of decompressed bytes per byte of deflate data (RFC 1951: a match of 258 bytes takes 2
/// bits).
pub(crate) const LARGEST_RATIO: u64 = 1032;

/// A compressed file whose content has more bytes than this is rejected if its compression ratio exceeds
/// [`LARGEST_SENSIBLE_RATIO`]. This content repeats a single value, and its header could claim any amount of
/// memory.
pub(crate) const LARGEST_CONSTANT: u64 = 1 << 28;
const LARGEST_SENSIBLE_RATIO: u64 = 1000;

/// Reads the gzip data of the file `path` and decompresses them piece by piece.
pub(crate) struct GzipReader<'a> {
    path: &'a Path,
    decoder: Members<BufReader<Sequential<&'a PlainFile>>>,
    compressed: u64,
    decoded: u64,
}

impl<'a> GzipReader<'a> {
    pub(crate) fn new(file: &'a PlainFile) -> Self {
        let decoder = Members::new(BufReader::with_capacity(1 << 18, file.sequential()));
        Self { path: file.path(), decoder, compressed: file.size(), decoded: 0 }
    }

    /// Returns an error if the compressed file is too small to contain a header and `size` bytes of image
    /// data. The same holds if the file is so small that all these bytes would have the same value.
    pub(crate) fn require_room(&self, size: u64, header: u64) -> Result<()> {
        let total = size.saturating_add(header);
        if total > self.compressed.saturating_mul(LARGEST_RATIO) {
            return Err(image_errors::claims_too_much(self.path, size, self.compressed));
        }
        if total > LARGEST_CONSTANT && total > self.compressed.saturating_mul(LARGEST_SENSIBLE_RATIO) {
            let problem = format!(
                "the {} compressed bytes of the file expand to {size} bytes of image data, so almost all \
                 voxels have the same value",
                self.compressed
            );
            let advice = "check the size of the image; if it is meant, give it uncompressed";
            return Err(Error::invalid(self.path.display(), problem, advice));
        }
        Ok(())
    }

    /// Replaces the content of `buffer` with the next `size` decompressed bytes. If fewer bytes remain,
    /// `buffer` gets all of them. The allocated memory grows with the decompressed bytes, not with the
    /// requested number.
    pub(crate) fn read_up_to(&mut self, size: u64, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.clear();
        let read = (&mut self.decoder).take(size).read_to_end(buffer);
        self.decoded += buffer.len() as u64;
        read.map_err(|e| self.error(e)).map(|_| ())
    }

    /// Replaces the content of `buffer` with the next `size` decompressed bytes. `total` is the expected size
    /// of the whole decompressed file, for the error message.
    pub(crate) fn read_exactly(&mut self, size: u64, total: u64, buffer: &mut Vec<u8>) -> Result<()> {
        self.read_up_to(size, buffer)?;
        if (buffer.len() as u64) < size {
            return Err(self.ends_early(total));
        }
        Ok(())
    }

    /// Skips `size` decoded bytes.
    pub(crate) fn skip(&mut self, size: u64, total: u64) -> Result<()> {
        let skipped = io::copy(&mut (&mut self.decoder).take(size), &mut io::sink());
        let skipped = skipped.map_err(|e| self.error(e))?;
        self.decoded += skipped;
        if skipped < size { Err(self.ends_early(total)) } else { Ok(()) }
    }

    /// Decompresses the rest of the file, which verifies the checksum at its end. Returns the number of bytes
    /// that remained. Decompresses at most one megabyte.
    pub(crate) fn finish(&mut self) -> Result<u64> {
        /// Maximum number of bytes after the image data that are decompressed. Other data may follow the
        /// image data, but decompressing many bytes of them would take time.
        const PATIENCE: u64 = 1 << 20;
        let rest = io::copy(&mut (&mut self.decoder).take(PATIENCE), &mut io::sink());
        rest.map_err(|e| self.error(e))
    }

    fn ends_early(&self, total: u64) -> Error {
        image_errors::ends_early(self.path, self.decoded, total)
    }

    fn error(&self, error: io::Error) -> Error {
        failure(self.path, self.decoded, error)
    }
}

/// Decompresses the beginning of gzip data. Returns at most `count` bytes, or fewer if `data` contain fewer.
pub(crate) fn gzip_start(data: &[u8], count: usize) -> Vec<u8> {
    let mut start = Vec::new();
    // If the gzip data are truncated or damaged, the content before the damage is returned.
    let _ = GzDecoder::new(data).take(count as u64).read_to_end(&mut start);
    start
}

/// Creates the error about damaged compressed data. `decoded` is the number of bytes that were decompressed
/// before the damage.
pub(crate) fn failure(path: &Path, decoded: u64, error: io::Error) -> Error {
    let advice = "copy or download the file again";
    if let Some(foreign) = error.get_ref().filter(|inner| inner.is::<ForeignBytes>()) {
        return Error::invalid(path.display(), foreign.to_string(), advice);
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let problem = format!("the compressed data end early (after {decoded} decompressed bytes)");
            Error::invalid(path.display(), problem, advice)
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            let problem =
                format!("the compressed data are damaged ({error}, after {decoded} decompressed bytes)");
            Error::invalid(path.display(), problem, advice)
        }
        _ => Error::read(path, error),
    }
}

/// Reads the decompressed content of all members of a gzip file, one after the other (a gzip file may consist
/// of several compressed members). Zero bytes between and after the members are skipped, as in `gzip` and
/// Python, because tapes, disk images and some copies pad data with zeros.
#[derive(Debug)]
pub(crate) struct Members<R> {
    /// The present member; `None` once the file has ended.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { member: Some(GzDecoder::new(source)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A read that a signal interrupts is repeated, so an error must not change the reader.
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.member = match first_byte_behind_zeros(member.get_mut())? {
                None => None,
                Some(0x1f) => self.member.take().map(|ended| GzDecoder::new(ended.into_inner())),
                Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, ForeignBytes)),
            };
        }
        Ok(0)
    }
}

/// Skips zero bytes. Returns the first other byte without consuming it, or `None` at the end of the file.
fn first_byte_behind_zeros(source: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let bytes = source.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let zeros = bytes.iter().position(|&byte| byte != 0);
        let (passed, found) = (zeros.unwrap_or(bytes.len()), zeros.map(|at| bytes[at]));
        source.consume(passed);
        if found.is_some() {
            return Ok(found);
        }
    }
}

/// The error that bytes follow the compressed data of a file which are neither gzip data nor zeros.
#[derive(Debug)]
struct ForeignBytes;

impl fmt::Display for ForeignBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its compressed data are complete, but other bytes follow them")
    }
}

impl std::error::Error for ForeignBytes {}

/// Number of uncompressed bytes in a block that one thread compresses. Compressing blocks of this size
/// separately makes a diffusion series only 0.1 % larger. The blocks are small enough to use all threads.
pub(crate) const BLOCK: usize = 1 << 20;

/// Writes `header` and then `size` bytes that `fill` provides, and compresses them if requested. `fill` gets
/// a range of byte positions and appends exactly the bytes in this range.
///
/// The compressed file is one ordinary gzip member, because browsers reject files with several members. The
/// blocks are compressed independently. Each block ends at a byte boundary with an empty stored block of the
/// deflate format, so that all blocks together form one deflate stream.
pub(crate) fn write_payload(
    file: &mut AtomicFile,
    compress: bool,
    header: &[u8],
    size: usize,
    fill: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> Result<()> {
    let path = file.path().to_owned();
    let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(|e| Error::write(&path, e));
    let mut checksum = Crc::new();
    if compress {
        write(&MEMBER_HEADER)?;
        checksum.update(header);
        write(&deflate(header))?;
    } else {
        write(header)?;
    }
    let starts: Vec<usize> = (0..size).step_by(BLOCK).collect();
    for group in starts.chunks(2 * rayon::current_num_threads()) {
        let blocks: Vec<(Vec<u8>, Crc)> = group
            .par_iter()
            .map(|&start| {
                let range = start..size.min(start + BLOCK);
                let mut bytes = Vec::with_capacity(range.len());
                let length = range.len();
                fill(range, &mut bytes);
                assert_eq!(bytes.len(), length);
                let mut crc = Crc::new();
                if compress {
                    crc.update(&bytes);
                    bytes = deflate(&bytes);
                }
                (bytes, crc)
            })
            .collect();
        for (bytes, crc) in &blocks {
            checksum.combine(crc);
            write(bytes)?;
        }
    }
    if compress {
        write(&end_of_member(&checksum))?;
    }
    Ok(())
}

/// The header of a gzip member. It states: compression by deflate, no file name, no time (so that the same
/// content gives the same bytes), and unknown operating system.
pub(crate) const MEMBER_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Returns the end of a gzip member: an empty last block, the checksum of the content, and the length of the
/// content modulo 2³².
pub(crate) fn end_of_member(content: &Crc) -> Vec<u8> {
    [&[3, 0], &content.sum().to_le_bytes()[..], &content.amount().to_le_bytes()].concat()
}

/// Compresses bytes to a piece of a deflate stream. The piece ends at a byte boundary and does not refer to
/// earlier bytes of the stream.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::new(LEVEL), false);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    loop {
        let rest = &bytes[compress.total_in() as usize..];
        // This call fails only if the compressor is in a wrong state or the flush mode is wrong. Neither can
        // occur here.
        let _ = compress.compress_vec(rest, &mut out, FlushCompress::Sync);
        // If the output buffer still has free space, the compressor has written everything, including the
        // flush.
        if compress.total_in() as usize == bytes.len() && out.len() < out.capacity() {
            return out;
        }
        out.reserve(out.capacity());
    }
}

/// The compression level. Higher levels make files only slightly smaller, but take several times as long.
const LEVEL: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gzipped(folder: &Path, header: &[u8], content: &[u8]) -> Vec<u8> {
        let path = folder.join("content.gz");
        let mut file = AtomicFile::create(&path).unwrap();
        write_payload(&mut file, true, header, content.len(), |range, out| out.extend(&content[range]))
            .unwrap();
        file.finish().unwrap();
        std::fs::read(&path).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn written_data_have_one_gzip_member_and_are_read_back(
            header in proptest::collection::vec(any::<u8>(), 0..600),
            seed in proptest::collection::vec(any::<u8>(), 0..64),
            repeats in 0usize..60_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let content = seed.repeat(repeats);
            let bytes = gzipped(folder.path(), &header, &content);
            // `GzDecoder` stops after the first gzip member, so the test passes only if the file has one
            // member.
            let mut back = Vec::new();
            flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut back).unwrap();
            prop_assert_eq!(&back[..header.len()], &header[..]);
            prop_assert!(back[header.len()..] == content[..]);
        }
    }

    /// Decompresses all bytes with a reader that requests `size` bytes at a time. Returns the content and the
    /// error at its end.
    fn content(bytes: &[u8], size: u64) -> std::result::Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gz");
        std::fs::write(&path, bytes).unwrap();
        let file = PlainFile::open(&path).unwrap();
        let mut reader = GzipReader::new(&file);
        let mut content = Vec::new();
        let read = reader.read_up_to(size, &mut content).and_then(|()| reader.finish());
        read.map(|_| content).map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn several_members_with_zero_padding_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let first = gzipped(folder.path(), b"first ", b"second ");
        let last = gzipped(folder.path(), b"", b"third");
        let whole = b"first second third";
        // The largest number of zeros exceeds the buffer of the reader. The test requests exactly the
        // content, and also more than the content.
        for zeros in [0, 1, 3, 511, 512, 700_000] {
            for between in [0, 5] {
                let bytes = [&first[..], &vec![0; between], &last, &vec![0; zeros]].concat();
                for size in [18, 1000] {
                    assert_eq!(content(&bytes, size).as_deref(), Ok(&whole[..]), "{zeros} {between} {size}");
                }
            }
        }
    }

    #[test]
    fn trailing_data_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let whole = gzipped(folder.path(), b"", b"content");
        for size in [7, 1000] {
            for tail in [&b"x"[..], b"\0\0\0x", b"PK\x03\x04"] {
                assert_eq!(
                    content(&[&whole, tail].concat(), size).unwrap_err(),
                    "x.gz: its compressed data are complete, but other bytes follow them; copy or download \
                     the file again"
                );
            }
            let cut = content(&[&whole, &whole[..4]].concat(), size).unwrap_err();
            assert!(
                cut.starts_with("x.gz: the compressed data end early (after 7 decompressed bytes)"),
                "{cut}"
            );
            let mixed = content(&[&whole[..], &[0x1f, 0x20], &[0; 30]].concat(), size).unwrap_err();
            assert!(mixed.starts_with("x.gz: the compressed data are damaged"), "{mixed}");
        }
    }

    #[test]
    fn truncated_and_damaged_data_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> =
            (0..50_000u32).flat_map(|n| (n.wrapping_mul(2654435761) >> 16).to_le_bytes()).collect();
        let whole = gzipped(folder.path(), b"", &content);
        let size = content.len() as u64;
        let read = |bytes: &[u8]| {
            let path = folder.path().join("x.gz");
            std::fs::write(&path, bytes).unwrap();
            let file = PlainFile::open(&path).unwrap();
            let mut reader = GzipReader::new(&file);
            let mut out = Vec::new();
            reader
                .read_exactly(size, size, &mut out)
                .and_then(|()| reader.finish())
                .map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
        };
        assert!(read(&whole).is_ok());
        let cut = read(&whole[..whole.len() / 2]).unwrap_err();
        assert!(cut.starts_with("x.gz: the compressed data end early (after "), "{cut}");
        assert!(cut.ends_with(" decompressed bytes); copy or download the file again"), "{cut}");
        let no_sum = read(&whole[..whole.len() - 8]).unwrap_err();
        assert_eq!(
            no_sum,
            "x.gz: the compressed data end early (after 200000 decompressed bytes); copy or download the \
             file again"
        );
        let mut damaged = whole.clone();
        let last = damaged.len() - 6;
        damaged[last] ^= 1;
        assert_eq!(
            read(&damaged).unwrap_err(),
            "x.gz: the compressed data are damaged (corrupt gzip stream does not have a matching checksum, \
             after 200000 decompressed bytes); copy or download the file again"
        );
    }
}
