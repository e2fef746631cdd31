//! Valid names of result folders.

use arcuate_core::{Error, Result};
use arcuate_io::{known_endings, split_ending};
use std::path::Path;

/// Returns an error if the name of a result folder looks like a file name. This is the case if the name has a
/// known file name ending, or an ending that differs from a known one by one letter.
///
/// If the folder exists already, its name is always valid.
pub fn require_folder_name(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    if path.exists() {
        return Err(Error::usage(
            path.display(),
            "this path is a file, not a folder",
            "choose another ‘out’",
        ));
    }
    let folder = |ending: &str| {
        let shown = path.display().to_string();
        shown[..shown.len() - ending.len()].to_owned()
    };
    if let Some(ending) = ending_of_a_file(name) {
        let problem = format!("the result is a folder, but the name ends in {ending}, as a file");
        let advice = format!("use ‘out’ {}, or another name without this ending", folder(ending));
        return Err(Error::usage(path.display(), problem, advice));
    }
    if let Some((ending, known)) = nearly_an_ending(name) {
        let problem = format!("{ending} differs by a letter from {known}, the ending of a file");
        let advice = format!("use ‘out’ {} for a folder, or correct the ending for a file", folder(ending));
        return Err(Error::usage(path.display(), problem, advice));
    }
    Ok(())
}

/// Returns the file ending of a name.
fn ending_of_a_file(name: &str) -> Option<&'static str> {
    known_endings().find(|ending| split_ending(name, &[ending]).is_some_and(|(stem, _)| !stem.is_empty()))
}

/// Returns the last ending of a name, and the known file name ending that differs from this ending by one
/// letter. Short endings and endings with a digit, such as `.run2`, are not compared.
fn nearly_an_ending(name: &str) -> Option<(&str, &'static str)> {
    let (stem, ending) = name.rsplit_once('.')?;
    if stem.is_empty() || ending.len() < 3 || !ending.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    let lower = ending.to_ascii_lowercase();
    let is_comparable = |known: &&str| known.len() > 3 && !known[1..].contains('.');
    let known = known_endings()
        .filter(is_comparable)
        .find(|known| differ_by_one(lower.as_bytes(), &known.as_bytes()[1..]))?;
    Some((&name[name.len() - ending.len() - 1..], known))
}

/// Checks whether two words differ by one replaced letter, by one missing letter, or by two swapped
/// neighbours.
fn differ_by_one(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) == 1 {
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        return (0..long.len()).any(|n| long[..n] == short[..n] && long[n + 1..] == short[n..]);
    }
    if a.len() != b.len() {
        return false;
    }
    let others: Vec<usize> = (0..a.len()).filter(|&n| a[n] != b[n]).collect();
    match others[..] {
        [_] => true,
        [n, m] => m == n + 1 && a[n] == b[m] && a[m] == b[n],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_must_not_have_file_endings() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str| require_folder_name(&folder.path().join(name));
        for name in [
            "out",
            "out_0.5mm",
            "sub-01.run2",
            "X.bedpostX",
            "a.feat",
            ".hidden",
            "v1.2",
            "x.probtrackX",
            "sub.anat",
        ] {
            check(name).unwrap();
        }
        for (name, ending) in [
            ("a.npy", ".npy"),
            ("a.VTK", ".vtk"),
            ("a.json", ".json"),
            ("a.surf.gii", ".gii"),
            ("a.h5", ".h5"),
            ("a.png", ".png"),
            ("a.fib.gz", ".fib.gz"),
            ("a.tck", ".tck"),
        ] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains(&format!("the name ends in {ending}, as a file")), "{error}");
        }
        for (name, known) in
            [("a.tkr", ".trk"), ("a.tcx", ".tck"), ("a.nif", ".nii"), ("a.jsn", ".json"), ("a.vtkk", ".vtk")]
        {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains(&format!("differs by a letter from {known}")), "{error}");
        }
        std::fs::create_dir(folder.path().join("there.nii")).unwrap();
        check("there.nii").unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(check("file").unwrap_err().to_string().contains("this path is a file, not a folder"));
    }
}
