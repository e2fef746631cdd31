//! Files of a subject that is sampled in parts: the note of what a part is of, and its samples.

use super::samples::{Layout, Samples};
use arcuate_core::{Error, Result};
use arcuate_io::AtomicFile;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first words of a note and of a file of samples.
const NOTE: &str = "arcuate: a part of ";
const SAMPLES: &str = "arcuate: samples of a part 1\n";
/// A note is no longer.
const LONGEST_NOTE: u64 = 1 << 16;

/// What the notes of a part are called, of the series and of deviations of gradients.
pub(super) fn note_names(part: usize) -> [String; 2] {
    [format!("data_{part}"), format!("grad_dev_{part}")]
}

/// Writes the note of a part.
pub(super) fn write_note(path: &Path, image: &Path) -> Result<()> {
    let whole = std::path::absolute(image).map_err(|error| Error::read(image, error))?;
    arcuate_io::write_file(path, format!("{NOTE}{}\n", whole.display()))
}

/// The image that a file is the note of a part of, if it is one.
pub(super) fn read_note(path: &Path) -> Option<PathBuf> {
    let size = path.metadata().ok()?.len();
    if size > LONGEST_NOTE || !path.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    text.strip_prefix(NOTE).map(|name| PathBuf::from(name.trim_end_matches('\n')))
}

fn folder_of_parts(results: &Path) -> PathBuf {
    results.join("diff_parts")
}

/// Where the samples of a part are, in a folder of results.
pub(super) fn path(results: &Path, part: usize) -> PathBuf {
    folder_of_parts(results).join(format!("part_{part:04}.samples"))
}

/// Removes the samples of all parts and the notes in a folder of results.
pub(super) fn remove_all(results: &Path, parts: usize) {
    for part in 0..parts {
        let notes = note_names(part).map(|name| results.join(name));
        for note in notes.into_iter().filter(|note| read_note(note).is_some()) {
            // One that cannot be removed does no harm.
            let _ = std::fs::remove_file(note);
        }
        // As above.
        let _ = std::fs::remove_file(path(results, part));
    }
    // Refused where there is something else in it, which is not ours.
    let _ = std::fs::remove_dir(folder_of_parts(results));
}

/// The samples of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartFile {
    pub(super) part: usize,
    pub(super) parts: usize,
    /// Voxels of all parts.
    pub(super) voxels: usize,
    /// What was asked of the chains, in words that are the same for the same options.
    pub(super) chains: String,
    pub(super) samples: Samples,
}

/// What a file says before its numbers.
#[derive(Serialize, Deserialize)]
struct Header {
    part: usize,
    parts: usize,
    voxels: usize,
    chains: String,
    layout: Layout,
    sampled: Vec<usize>,
}

impl PartFile {
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let header = Header {
            part: self.part,
            parts: self.parts,
            voxels: self.voxels,
            chains: self.chains.clone(),
            layout: self.samples.layout.clone(),
            sampled: self.samples.voxels.clone(),
        };
        let header = serde_json::to_string(&header).map_err(|error| Error::write(path, error.into()))?;
        let mut file = AtomicFile::create(path)?;
        let numbers = self.samples.values.iter().flat_map(|value| value.to_le_bytes());
        let bytes: Vec<u8> = numbers.collect();
        let written = file
            .write_all(format!("{SAMPLES}{header}\n").as_bytes())
            .and_then(|()| file.write_all(&bytes))
            .and_then(|()| file.flush());
        written.map_err(|error| Error::write(path, error))?;
        file.finish()
    }

    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::read(path, error))?;
        let refuse = |problem: &str| {
            Error::invalid(path.display(), problem.to_owned(), "call xfibres_gpu for this part again")
        };
        let rest = bytes
            .strip_prefix(SAMPLES.as_bytes())
            .ok_or_else(|| refuse("it does not hold samples of a part"))?;
        let end =
            rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| refuse("it ends in its header"))?;
        let header: Header =
            serde_json::from_slice(&rest[..end]).map_err(|_| refuse("its header cannot be read"))?;
        let numbers = rest[end + 1..].chunks_exact(4);
        let wanted = header.layout.of_voxel().checked_mul(header.sampled.len());
        if wanted != Some(numbers.len()) || !numbers.remainder().is_empty() {
            return Err(refuse("it has not as many numbers as its header says"));
        }
        let values = numbers.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let Header { part, parts, voxels, chains, layout, sampled } = header;
        let samples = Samples { layout, voxels: sampled, values };
        Ok(Self { part, parts, voxels, chains, samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_survive_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let layout = Layout { quantities: vec!["S0".into()], fibres: 1, samples: 2 };
        let values: Vec<f32> = (0..24).map(|n| n as f32 / 7.0).collect();
        let samples = Samples { layout, voxels: vec![3, 8], values };
        let file = PartFile { part: 1, parts: 2, voxels: 5, chains: "these".into(), samples };
        file.write(&path).unwrap();
        assert_eq!(PartFile::read(&path).unwrap(), file);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(PartFile::read(&path).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_note_says_of_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(&note_names(0)[0]);
        write_note(&path, &folder.path().join("data.nii.gz")).unwrap();
        assert_eq!(read_note(&path), Some(folder.path().join("data.nii.gz")));
        std::fs::write(&path, "something else").unwrap();
        assert_eq!(read_note(&path), None);
    }
}
