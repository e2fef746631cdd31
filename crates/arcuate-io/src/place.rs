//! Computes canonical paths. All ways to write the path of the same file give the same canonical path.

use std::path::{Component, Path, PathBuf};

/// Returns the canonical path of a file: all ways to write its path give the same result. Neither the file
/// nor its folder must exist.
pub fn place_of(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (parent, name) = (absolute.parent().unwrap_or(Path::new("/")), absolute.file_name());
    let there = parent.ancestors().find_map(|folder| {
        let (below, mut place) = (parent.strip_prefix(folder).ok()?, folder.canonicalize().ok()?);
        for part in below.components() {
            // A folder that does not exist cannot be a symbolic link, so `..` leads to its parent.
            if part == Component::ParentDir {
                place.pop();
            } else {
                place.push(part);
            }
        }
        Some(place)
    });
    there.unwrap_or_else(|| parent.to_owned()).join(name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_paths_are_the_same_for_all_spellings() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| place_of(&root.path().join(name));
        assert_eq!(at("a.nii"), at("./a.nii"));
        assert_eq!(at("not/there/a.nii"), at("not/./there/a.nii"));
        assert_eq!(at("not/there/a.nii"), at("not/there/../there/a.nii"));
        assert_ne!(at("a.nii"), at("b.nii"));
        assert_ne!(at("not/a.nii"), at("a.nii"));
        assert_eq!(place_of(Path::new("a.nii")), place_of(Path::new("./a.nii")));
        #[cfg(unix)]
        {
            std::fs::create_dir(root.path().join("folder")).unwrap();
            std::os::unix::fs::symlink("folder", root.path().join("link")).unwrap();
            assert_eq!(at("folder/x/a.nii"), at("link/x/a.nii"));
            assert_eq!(at("link/../a.nii"), at("a.nii"));
        }
    }
}
