//! Files of a subject whose voxels are sampled in several parts. A note is a small file that names the input
//! image of a part. A sample file contains the posterior samples of a part.

use super::samples::{Layout, Samples};
use arcuate_core::{Error, Result};
use arcuate_io::{SavedState, StateKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// File types and format versions of notes and of sample files.
const NOTE: StateKind = StateKind { name: "note of a part", version: 2 };
const SAMPLES: StateKind = StateKind { name: "part of samples", version: 2 };

/// Content of a note.
#[derive(Serialize, Deserialize)]
struct Note {
    /// Path of the input image that the note names.
    image: PathBuf,
}

/// Returns the names of the two notes of a part. One note names the diffusion series, the other the image of
/// gradient deviations.
pub(super) fn note_names(part: usize) -> [String; 2] {
    [format!("data_{part}"), format!("grad_dev_{part}")]
}

/// Writes the note of a part.
pub(super) fn write_note(path: &Path, image: &Path) -> Result<()> {
    let image = std::path::absolute(image).map_err(|error| Error::read(image, error))?;
    SavedState { path, kind: NOTE, remedy: "" }.write_json(&Note { image })
}

/// Returns the path of the image that a note names. Returns `None` if the file is not a note.
///
/// Returns an error if the note was changed after it was written.
pub(super) fn read_note(path: &Path) -> Result<Option<PathBuf>> {
    let file = SavedState { path, kind: NOTE, remedy: "call split_parts_gpu again" };
    if !file.starts_like_json() {
        return Ok(None);
    }
    file.read_json().map(|Note { image }| Some(image))
}

fn folder_of_parts(results: &Path) -> PathBuf {
    results.join("diff_parts")
}

/// Returns the path of the sample file of a part. `results` is the folder of results.
pub(super) fn path(results: &Path, part: usize) -> PathBuf {
    folder_of_parts(results).join(format!("part_{part:04}.samples"))
}

/// Removes the sample files and the notes of all parts from a folder of results.
pub(super) fn remove_all(results: &Path, parts: usize) {
    for part in 0..parts {
        let notes = note_names(part).map(|name| results.join(name));
        for note in notes.into_iter().filter(|note| matches!(read_note(note), Ok(Some(_)))) {
            // An error is ignored: a note that stays in the folder has no effect.
            let _ = std::fs::remove_file(note);
        }
        // An error is ignored: a sample file that stays in the folder has no effect.
        let _ = std::fs::remove_file(path(results, part));
    }
    // `remove_dir` does not remove a folder that contains other files. These must stay.
    let _ = std::fs::remove_dir(folder_of_parts(results));
}

/// Samples of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartFile {
    pub(super) part: usize,
    pub(super) parts: usize,
    /// Number of voxels of all parts together.
    pub(super) voxels: usize,
    /// The options of the Markov chains as text. Equal options give equal texts, so texts can be compared.
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
        let expected = header.layout.of_voxel().checked_mul(header.sampled.len());
        if expected != Some(numbers.len()) || !numbers.remainder().is_empty() {
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
    fn part_files_survive_a_round_trip_and_damage_is_detected() {
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
    fn notes_identify_their_run() {
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
