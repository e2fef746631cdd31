//! Reads the folder that `dmri-commit`'s `trk2dictionary.run` writes. The files in this folder list the
//! voxels that each streamline passes. For each voxel, they have the entry of a fixed list of orientations
//! that is nearest to the streamline's direction. The files have no headers and are little-endian. The format
//! was determined by running version 2.4.2 on streamlines of known geometry. In the following table, f is the
//! index of a kept streamline, v the index of a voxel, and o the index of an orientation. Lengths are in mm.
//!
//! | file | one number for each | type |
//! |---|---|---|
//! | `dictionary_TRK_kept.dict` | input streamline: 1 if kept | u8 |
//! | `dictionary_TRK_norm.dict` | kept streamline: square root of the sum over voxels of its squared length | f32 |
//! | `dictionary_IC_f.dict`, `_v`, `_o`, `_len` | stretch: f, v, o, length | u32, u32, u16, f32 |
//! | `dictionary_EC_v.dict`, `_o` | peak: v, o | u32, u16 |
//! | `dictionary_ISO_v.dict` | voxel with isotropic compartments | u32 |
//! | `dictionary_tdi.nii.gz` | voxel of the image | only its grid is used |
//!
//! A voxel is stored as its index in the image, with the first image axis fastest. The file
//! `dictionary_info.pickle` is not read, because reading a pickle file can run any program code.

use crate::read_volume;
use arcuate_core::{Error, Grid, Mask, Result, narrow};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum accepted length in mm of a streamline in one voxel. Real lengths are far smaller. Lengths whose
/// squares overflow single precision are far larger.
const LONGEST: f32 = 1e6;

/// A stretch: the piece of a streamline inside one voxel, with the nearest of the numbered orientations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DictionaryStretch {
    /// Index of the voxel in the image.
    pub voxel: u32,
    /// Index of the streamline in the list of kept streamlines.
    pub streamline: u32,
    /// Index of the orientation.
    pub orientation: u16,
    /// Length of the stretch in mm. If the dictionary was made with the option for blur, this is the weighted
    /// sum over all copies of the streamline.
    pub length: f32,
}

/// The contents of the files that `trk2dictionary.run` has written to a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitDictionary {
    /// The voxel grid of the image.
    pub grid: Grid,
    /// Number of streamlines of the original tractogram.
    pub inputs: usize,
    /// For each kept streamline, its index in the original tractogram, counted from 0. The indices ascend.
    pub kept: Vec<u32>,
    /// Norm of each kept streamline, which is above 0. `dmri-commit` divides the matrix column of the
    /// streamline by this norm.
    pub norms: Vec<f32>,
    /// All stretches (pieces of a streamline inside one voxel) of all streamlines, in the order of the file.
    pub stretches: Vec<DictionaryStretch>,
    /// Voxel index and orientation index of each peak of the extra-axonal compartment, ordered by voxel.
    pub peaks: Vec<(u32, u16)>,
    /// Indices of the voxels that have isotropic compartments, in ascending order.
    pub isotropic: Vec<u32>,
}

impl CommitDictionary {
    /// Names of the files that are read.
    pub const FILES: [&str; 10] = [
        "dictionary_TRK_kept.dict",
        "dictionary_TRK_norm.dict",
        "dictionary_IC_f.dict",
        "dictionary_IC_v.dict",
        "dictionary_IC_o.dict",
        "dictionary_IC_len.dict",
        "dictionary_EC_v.dict",
        "dictionary_EC_o.dict",
        "dictionary_ISO_v.dict",
        "dictionary_tdi.nii.gz",
    ];

    /// Removes all voxels that are not in the mask, which must be on the same voxel grid. Returns the number
    /// of removed voxels. The norms of the streamlines are not changed.
    pub fn keep(&mut self, mask: &Mask) -> usize {
        let before = self.isotropic.len();
        let inside = |voxel: u32| mask.contains(voxel as usize);
        self.stretches.retain(|stretch| inside(stretch.voxel));
        self.peaks.retain(|&(voxel, _)| inside(voxel));
        self.isotropic.retain(|&voxel| inside(voxel));
        before - self.isotropic.len()
    }
}

/// Reads a folder that `trk2dictionary.run` has written.
///
/// Returns an error if files of the folder are missing or inconsistent. Examples of inconsistencies are
/// different numbers of entries, voxels outside the image, streamlines that were not kept, invalid lengths,
/// and unordered voxels.
pub fn read_commit_dictionary(folder: &Path) -> Result<CommitDictionary> {
    let grid = *read_volume(&folder.join("dictionary_tdi.nii.gz"))?.grid();
    let (kept_path, kept_flags) = column::<1, u8>(folder, "TRK_kept", u8::from_le_bytes)?;
    if u32::try_from(kept_flags.len()).is_err() || kept_flags.iter().any(|&flag| flag > 1) {
        return Err(unfit(&kept_path, "it is not one 0 or 1 for each streamline"));
    }
    let kept: Vec<u32> = (0..kept_flags.len()).filter(|&n| kept_flags[n] == 1).map(narrow::<u32>).collect();
    let (norm_path, norms) = column::<4, f32>(folder, "TRK_norm", f32::from_le_bytes)?;
    check_count(&norm_path, norms.len(), kept.len(), "streamlines kept")?;
    if !norms.iter().all(|norm| *norm > 0.0 && norm.is_finite()) {
        return Err(unfit(&norm_path, "a norm is not above 0"));
    }

    let (f_path, streamlines) = column::<4, u32>(folder, "IC_f", u32::from_le_bytes)?;
    let (v_path, voxels) = column::<4, u32>(folder, "IC_v", u32::from_le_bytes)?;
    let (o_path, orientations) = column::<2, u16>(folder, "IC_o", u16::from_le_bytes)?;
    let (len_path, lengths) = column::<4, f32>(folder, "IC_len", f32::from_le_bytes)?;
    check_count(&v_path, voxels.len(), streamlines.len(), "entries of dictionary_IC_f.dict")?;
    check_count(&o_path, orientations.len(), streamlines.len(), "entries of dictionary_IC_f.dict")?;
    check_count(&len_path, lengths.len(), streamlines.len(), "entries of dictionary_IC_f.dict")?;
    if streamlines.iter().any(|&f| f as usize >= kept.len()) {
        return Err(unfit(&f_path, "it names a streamline that was not kept"));
    }
    check_voxels(&v_path, &voxels, &grid)?;
    if !lengths.iter().all(|length| (0.0..=LONGEST).contains(length)) {
        return Err(unfit(&len_path, "a length is not a number of mm of 0 or more, or is above a kilometre"));
    }
    let stretches = (0..streamlines.len())
        .map(|n| DictionaryStretch {
            voxel: voxels[n],
            streamline: streamlines[n],
            orientation: orientations[n],
            length: lengths[n],
        })
        .collect();

    let (v_path, voxels) = column::<4, u32>(folder, "EC_v", u32::from_le_bytes)?;
    let (o_path, orientations) = column::<2, u16>(folder, "EC_o", u16::from_le_bytes)?;
    check_count(&o_path, orientations.len(), voxels.len(), "entries of dictionary_EC_v.dict")?;
    check_voxels(&v_path, &voxels, &grid)?;
    if !voxels.is_sorted() {
        return Err(unfit(&v_path, "its voxels do not ascend"));
    }
    let peaks = voxels.into_iter().zip(orientations).collect();

    let (iso_path, isotropic) = column::<4, u32>(folder, "ISO_v", u32::from_le_bytes)?;
    check_voxels(&iso_path, &isotropic, &grid)?;
    if !isotropic.is_sorted_by(|a, b| a < b) {
        return Err(unfit(&iso_path, "its voxels do not ascend"));
    }
    Ok(CommitDictionary { grid, inputs: kept_flags.len(), kept, norms, stretches, peaks, isotropic })
}

/// Reads all numbers of one file. Each number has `N` bytes. Also returns the path of the file.
fn column<const N: usize, T>(
    folder: &Path,
    name: &str,
    number: impl Fn([u8; N]) -> T,
) -> Result<(PathBuf, Vec<T>)> {
    let path = folder.join(format!("dictionary_{name}.dict"));
    let mut bytes = Vec::new();
    crate::open_file(&path)?.read_to_end(&mut bytes).map_err(|error| Error::read(&path, error))?;
    let (numbers, rest) = bytes.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(unfit(
            &path,
            format!("the file has {} bytes, which is not a multiple of {N} bytes", bytes.len()),
        ));
    }
    let numbers = numbers.iter().map(|&bytes| number(bytes)).collect();
    Ok((path, numbers))
}

fn unfit(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(path.display(), problem, "create the dictionary again")
}

fn check_count(path: &Path, count: usize, expected: usize, of: &str) -> Result<()> {
    if count == expected {
        return Ok(());
    }
    Err(unfit(path, format!("it has {count} entries for {expected} {of}")))
}

fn check_voxels(path: &Path, voxels: &[u32], grid: &Grid) -> Result<()> {
    if voxels.iter().all(|&voxel| (voxel as usize) < grid.len()) {
        return Ok(());
    }
    Err(unfit(path, "a voxel is outside the image dictionary_tdi.nii.gz"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WriteOptions, write_image};
    use arcuate_core::{Affine, Volume};

    fn bytes(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    /// Creates a folder of test data with three streamlines, of which two are kept. The folder has three
    /// stretches (pieces of a streamline inside one voxel), two peaks, and two voxels with isotropic
    /// compartments.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::new([3, 2, 2], Affine::identity()).unwrap();
        let image = Volume::filled(grid, 1, 0_f32);
        write_image(&folder.path().join("dictionary_tdi.nii.gz"), &image, &WriteOptions::default()).unwrap();
        let short = |numbers: [u16; 3]| numbers.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for (name, content) in [
            ("TRK_kept", vec![1, 0, 1]),
            ("TRK_norm", floats(&[1.5, 2.5])),
            ("IC_f", bytes(&[0, 1, 1])),
            ("IC_v", bytes(&[4, 11, 4])),
            ("IC_o", short([499, 0, 7])),
            ("IC_len", floats(&[1.0, 2.0, 0.5])),
            ("EC_v", bytes(&[4, 4, 11])),
            ("EC_o", short([3, 2, 1])),
            ("ISO_v", bytes(&[4, 11])),
        ] {
            put(folder.path(), name, &content);
        }
        folder
    }

    fn put(folder: &Path, name: &str, content: &[u8]) {
        std::fs::write(folder.join(format!("dictionary_{name}.dict")), content).unwrap();
    }

    #[test]
    fn all_dictionary_files_are_read() {
        let dictionary = read_commit_dictionary(folder().path()).unwrap();
        assert_eq!((dictionary.inputs, dictionary.kept), (3, vec![0, 2]));
        assert_eq!((dictionary.norms, dictionary.isotropic), (vec![1.5, 2.5], vec![4, 11]));
        assert_eq!(dictionary.peaks, [(4, 3), (4, 2), (11, 1)]);
        let stretch = DictionaryStretch { voxel: 11, streamline: 1, orientation: 0, length: 2.0 };
        assert_eq!((dictionary.stretches.len(), dictionary.stretches[1]), (3, stretch));
    }

    #[test]
    fn missing_dictionary_files_are_reported() {
        for name in CommitDictionary::FILES {
            let folder = folder();
            std::fs::remove_file(folder.path().join(name)).unwrap();
            let error = read_commit_dictionary(folder.path()).unwrap_err();
            assert!(error.to_string().contains(&format!("{name}: no such file")), "{error}");
        }
        assert_eq!(CommitDictionary::FILES.len(), std::fs::read_dir(folder().path()).unwrap().count());
    }

    #[test]
    fn voxels_outside_a_mask_are_removed() {
        let mut dictionary = read_commit_dictionary(folder().path()).unwrap();
        let inside = (0..12).map(|voxel| voxel != 4).collect();
        assert_eq!(dictionary.keep(&Mask::new(dictionary.grid, inside).unwrap()), 1);
        assert_eq!((dictionary.peaks, dictionary.isotropic), (vec![(11, 1)], vec![11]));
        assert_eq!((dictionary.stretches.len(), dictionary.stretches[0].voxel), (1, 11));
    }

    #[test]
    fn damaged_files_are_reported() {
        for (name, content, problem) in [
            ("TRK_kept", vec![1, 2, 1], "it is not one 0 or 1 for each streamline"),
            ("TRK_kept", vec![1, 0, 0], "it has 2 entries for 1 streamlines kept"),
            ("TRK_norm", floats(&[1.5, 0.0]), "a norm is not above 0"),
            ("IC_f", bytes(&[0, 1, 2]), "it names a streamline that was not kept"),
            ("IC_v", bytes(&[4, 12, 4]), "a voxel is outside the image"),
            ("IC_v", bytes(&[4, 11]), "it has 2 entries for 3 entries of dictionary_IC_f.dict"),
            ("IC_v", vec![0; 11], "the file has 11 bytes, which is not a multiple of 4 bytes"),
            ("IC_o", vec![0; 4], "it has 2 entries for 3 entries of dictionary_IC_f.dict"),
            ("IC_len", floats(&[1.0, f32::NAN, 1.0]), "a length is not a number of mm of 0 or more"),
            ("IC_len", floats(&[1.0, 2e6, 1.0]), "a length is not a number of mm of 0 or more"),
            ("IC_len", floats(&[1.0, -1.0, 1.0]), "a length is not a number of mm of 0 or more"),
            ("IC_len", Vec::new(), "it has 0 entries for 3 entries of dictionary_IC_f.dict"),
            ("EC_v", bytes(&[4, 11, 4]), "its voxels do not ascend"),
            ("EC_v", bytes(&[4, 4, u32::MAX]), "a voxel is outside the image"),
            ("EC_o", vec![0; 8], "it has 4 entries for 3 entries of dictionary_EC_v.dict"),
            ("ISO_v", bytes(&[4, 4]), "its voxels do not ascend"),
            ("ISO_v", bytes(&[99]), "a voxel is outside the image"),
        ] {
            let folder = folder();
            put(folder.path(), name, &content);
            let error = read_commit_dictionary(folder.path()).unwrap_err();
            // This damage changes the number of kept streamlines. The number of norms is then wrong, too, and
            // the error names the file of the norms.
            let named = if problem.contains("streamlines kept") { "TRK_norm" } else { name };
            let mine = error.to_string().contains(&format!("dictionary_{named}.dict"));
            assert!(mine && error.problem().starts_with(problem), "{name}: {error}");
        }
    }
}
