//! Reads and writes committed products. They are compressed, except for text files that people read.

use crate::process::Outcome;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The extension of compressed files.
const ENDING: &str = "br";

fn is_packed(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == ENDING)
}

/// Reads a file. If it has the extension of compressed files, decompresses it.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, String> {
    let say = |e: std::io::Error| format!("{}: {e}", file.display());
    let bytes = fs::read(file).map_err(say)?;
    if !is_packed(file) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    brotli_decompressor::Decompressor::new(&bytes[..], 1 << 16).read_to_end(&mut unpacked).map_err(say)?;
    Ok(unpacked)
}

/// Writes a file. If it has the extension of compressed files, compresses it.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Outcome {
    let say = |e: std::io::Error| format!("{}: {e}", file.display());
    if !is_packed(file) {
        return fs::write(file, bytes).map_err(say);
    }
    fs::write(file, pack(bytes).map_err(say)?).map_err(say)
}

/// Returns whether this program can write compressed files.
pub(crate) const fn can_write() -> bool {
    cfg!(any(test, feature = "compressor"))
}

#[cfg(any(test, feature = "compressor"))]
fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    // Quality 11 makes the files 25 % smaller than quality 9, and takes ten times as long.
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut packed, &parameters)?;
    Ok(packed)
}

#[cfg(not(any(test, feature = "compressor")))]
fn pack(_: &[u8]) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::other("this xtask is built without the feature `compressor`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_survive_a_round_trip() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        for (name, is_smaller) in [("a.ptx.br", true), ("a.rs", false)] {
            let file = folder.path().join(name);
            write(&file, &bytes).expect("a file");
            assert_eq!(read(&file).expect("a file"), bytes);
            assert_eq!(fs::read(&file).expect("a file").len() < bytes.len() / 2, is_smaller, "{name}");
        }
    }
}
