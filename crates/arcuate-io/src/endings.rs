//! Finds, removes and replaces the endings of file names. Upper and lower case are not distinguished.

use std::path::{Path, PathBuf};

/// Divides a name before the first of `endings` with which it ends. Returns the rest of the name and the
/// ending as it is written.
pub fn split_ending<'a>(name: &'a str, endings: &[&str]) -> Option<(&'a str, &'a str)> {
    endings.iter().find_map(|ending| {
        let (stem, found) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
        found.eq_ignore_ascii_case(ending).then_some((stem, found))
    })
}

/// Returns the name without the first of `endings` with which it ends.
pub fn without_ending<'a>(name: &'a str, endings: &[&str]) -> &'a str {
    split_ending(name, endings).map_or(name, |(stem, _)| stem)
}

/// Returns true if a file name ends with one of `endings`.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.file_name().is_some_and(|name| split_ending(&name.to_string_lossy(), endings).is_some())
}

/// Appends an ending to a name.
pub fn with_ending(name: &Path, ending: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns whether a file name requests compression.
pub(crate) fn is_gzip_name(path: &Path) -> bool {
    has_ending(path, &[".gz"])
}

/// Returns the path of a companion: the path with another ending. For example, `dwi.nii.gz` and `bval` give
/// `dwi.bval`. An empty ending gives the path without ending. The ending of `path` need not be known; `.gz`
/// belongs to the ending before it.
pub fn companion_path(path: &Path, ending: &str) -> PathBuf {
    let inner = if is_gzip_name(path) { path.with_extension("") } else { path.to_owned() };
    inner.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_found_in_upper_and_lower_case() {
        assert_eq!(split_ending("a.NII.gz", &[".nii", ".nii.gz"]), Some(("a", ".NII.gz")));
        assert_eq!(split_ending("ä", &["xä"]), None);
        assert_eq!(without_ending("a.tck", &[".nii"]), "a.tck");
        assert!(has_ending(Path::new("x/a.TCK"), &[".tck"]) && !has_ending(Path::new("x.tck/a"), &[".tck"]));
    }

    #[test]
    fn companions_replace_endings() {
        for (path, ending, expected) in [
            ("sub/dwi.nii.gz", "bval", "sub/dwi.bval"),
            ("a.b.mif", "bvec", "a.b.bvec"),
            ("a.b.MIF.GZ", "bvec", "a.b.bvec"),
            ("a/b.tck.gz", "", "a/b"),
        ] {
            assert_eq!(companion_path(Path::new(path), ending), Path::new(expected));
        }
    }
}
