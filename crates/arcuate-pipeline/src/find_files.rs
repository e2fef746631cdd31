//! Files that are named without their ending.

use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_io::{MAP_ENDINGS, UNNAMED_IMAGE_ENDINGS, is_image_name, with_ending};
use std::path::{Path, PathBuf};

/// Finds a map in a folder of results by its name without the ending, in any map format.
///
/// Returns an error if several files with different endings have this name, as [`find_image`] does.
pub fn find_map(name: &Path) -> Result<Option<PathBuf>> {
    only_one(MAP_ENDINGS.iter().map(|ending| with_ending(name, ending)))
}

/// Finds an image by its name, with or without the file name ending. Returns `None` if no such file exists.
///
/// Returns an error if several files match a name without the ending. FSL's setting `FSLOUTPUTTYPE` can leave
/// files of an earlier run next to those of the last run.
pub fn find_image(name: &Path) -> Result<Option<PathBuf>> {
    if is_image_name(name) && is_file_or_link(name) {
        return Ok(Some(name.to_owned()));
    }
    only_one(UNNAMED_IMAGE_ENDINGS.iter().map(|ending| with_ending(name, ending)))
}

/// Returns the only file of the list that exists, or `None` if no file exists. Returns an error if several
/// files of the list exist.
pub fn only_one(names: impl Iterator<Item = PathBuf>) -> Result<Option<PathBuf>> {
    let mut there = names.filter(|path| is_file_or_link(path));
    let (first, second) = (there.next(), there.next());
    if let (Some(first), Some(second)) = (&first, &second) {
        let name = second.file_name().unwrap_or_default().to_string_lossy();
        let problem = format!("{name} exists, too, and it is not clear which of the two files to use");
        return Err(Error::invalid(first.display(), problem, "remove the file that is out of date"));
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_file_names_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(find_image(&path("data")).unwrap(), None);
        for name in ["data.nii", "nodif.v1.hdr", "nodif.v1.img"] {
            std::fs::write(path(name), "").unwrap();
        }
        assert_eq!(find_image(&path("data")).unwrap(), Some(path("data.nii")));
        assert_eq!(find_image(&path("nodif.v1")).unwrap(), Some(path("nodif.v1.hdr")));
        for other in ["data.nii.gz", "data.hdr", "data.hdr.gz"] {
            std::fs::write(path(other), "").unwrap();
            let message = find_image(&path("data")).unwrap_err().to_string();
            assert!(message.contains("data.nii") && message.contains(other), "{message}");
            for named in ["data.nii", other] {
                assert_eq!(find_image(&path(named)).unwrap(), Some(path(named)));
            }
            std::fs::remove_file(path(other)).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn dangling_links_count_as_images() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nodif_brain_mask.nii.gz");
        std::os::unix::fs::symlink(".git/annex/objects/a/b/KEY/KEY", &path).unwrap();
        assert_eq!(find_image(&folder.path().join("nodif_brain_mask")).unwrap(), Some(path.clone()));
        assert_eq!(find_image(&path).unwrap(), Some(path.clone()));
        assert_eq!(find_map(&folder.path().join("nodif_brain_mask")).unwrap(), Some(path));
    }
}
