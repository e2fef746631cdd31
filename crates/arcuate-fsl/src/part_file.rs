//! Files of a subject that is sampled in parts: notes, which name the images of a part, and the samples of
//! the part.

use super::samples::{Layout, Samples};
use arcuate_core::{Error, Result};
use arcuate_io::{SavedState, StateKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Kinds and versions of a note and of a sample file.
const NOTE: StateKind = StateKind { name: "note of a part", version: 2 };
const SAMPLES: StateKind = StateKind { name: "part of samples", version: 2 };

/// Content of a note.
#[derive(Serialize, Deserialize)]
struct Note {
    /// Path of the image that belongs to the part.
    image: PathBuf,
}

/// Returns the names of the two notes of a part: for the series, and for the gradient deviations.
pub(super) fn note_names(part: usize) -> [String; 2] {
    [format!("data_{part}"), format!("grad_dev_{part}")]
}

/// Writes the note of a part.
pub(super) fn write_note(path: &Path, image: &Path) -> Result<()> {
    let image = std::path::absolute(image).map_err(|error| Error::read(image, error))?;
    SavedState { path, kind: NOTE, remedy: "" }.write_json(&Note { image })
}

/// Returns the image that a note names, or `None` if the file is not a note.
///
/// Returns an error if a note was changed.
pub(super) fn read_note(path: &Path) -> Result<Option<PathBuf>> {
    let file = SavedState { path, kind: NOTE, remedy: "call split_parts_gpu again" };
    if !file.begins_as_json() {
        return Ok(None);
    }
    file.read_json().map(|Note { image }| Some(image))
}

fn folder_of_parts(results: &Path) -> PathBuf {
    results.join("diff_parts")
}

/// Returns the path of the sample file of a part, in a folder of results.
pub(super) fn path(results: &Path, part: usize) -> PathBuf {
    folder_of_parts(results).join(format!("part_{part:04}.samples"))
}

/// Removes the samples of all parts and the notes from a folder of results.
pub(super) fn remove_all(results: &Path, parts: usize) {
    for part in 0..parts {
        let notes = note_names(part).map(|name| results.join(name));
        for note in notes.into_iter().filter(|note| matches!(read_note(note), Ok(Some(_)))) {
            // A note that cannot be removed has no effect.
            let _ = std::fs::remove_file(note);
        }
        // A sample file that cannot be removed has no effect.
        let _ = std::fs::remove_file(path(results, part));
    }
    // `remove_dir` refuses a folder with other files, which must stay.
    let _ = std::fs::remove_dir(folder_of_parts(results));
}

/// Samples of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartFile {
    pub(super) part: usize,
    pub(super) parts: usize,
    /// Number of voxels of all parts together.
    pub(super) voxels: usize,
    /// Text form of the options of the chains. Equal options give equal texts.
    pub(super) chains: String,
    pub(super) samples: Samples,
}

/// Header of a sample file. The numbers follow it.
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
        let mut state = serde_json::to_vec(&header).map_err(|error| Error::write(path, error.into()))?;
        state.push(b'\n');
        state.extend(self.samples.values.iter().flat_map(|value| value.to_le_bytes()));
        SavedState { path, kind: SAMPLES, remedy: "" }.write_bytes(&state)
    }

    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = SavedState { path, kind: SAMPLES, remedy: "call xfibres_gpu for this part again" };
        let refuse = |problem: &str| file.damaged(problem);
        let rest = file.read_bytes()?;
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
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            assert!(PartFile::read(&path).is_err(), "bit {bit}");
        }
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
        assert_eq!(read_note(&path).unwrap(), Some(folder.path().join("data.nii.gz")));
        let note = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, note.replace("data.nii.gz", "date.nii.gz")).unwrap();
        let error = read_note(&path).unwrap_err().to_string();
        assert!(error.ends_with("cut short; call split_parts_gpu again"), "{error}");
        std::fs::write(&path, "something else").unwrap();
        assert_eq!(read_note(&path).unwrap(), None);
    }
}
