//! Response functions of tissues, read from a folder with one file per tissue, or from single files.

use crate::job::Job;
use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_fod::{LabelledResponse, Response, TissueKind, check_responses};
use arcuate_io::{LARGEST_TEXT, read_text_file};
use std::path::{Path, PathBuf};

/// File names of the response functions of white matter, grey matter and CSF in a folder.
pub const NAMES: [&str; 3] = ["response_wm.txt", "response_gm.txt", "response_csf.txt"];
/// Short names of white matter, grey matter and CSF in file names.
pub const TISSUES: [&str; 3] = ["wm", "gm", "csf"];

/// Reads a response function in MRtrix's text format.
///
/// # Errors
/// Returns an error if the file cannot be read or does not contain a response function.
pub fn read(path: &Path) -> Result<Response> {
    let text = read_text_file(path, LARGEST_TEXT)?;
    Response::from_text(&text).map_err(|error| error.about(path.display()))
}

/// Reads the response function of each tissue, and checks that the functions are consistent. The job notes
/// which file belongs to which tissue, for error messages.
///
/// # Errors
/// Returns an error if a file does not contain a response function, or if [`check_responses`] returns an
/// error.
pub fn read_all(files: &[ResponseFile], job: &Job) -> Result<Vec<Response>> {
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        job.came_from(TissueKind::ALL[file.tissue].subject(), &file.path.display());
        found.push(read(&file.path)?);
    }
    let of_tissues: Vec<LabelledResponse<'_>> =
        files.iter().map(|file| TissueKind::ALL[file.tissue]).zip(&found).collect();
    check_responses(&of_tissues)?;
    Ok(found)
}

/// A tissue and the file of its response function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseFile {
    /// Index of the tissue in [`TISSUES`].
    pub tissue: usize,
    /// Path of the file.
    pub path: PathBuf,
}

/// Returns the files of the response functions, white matter first. If `given` is a folder, the files that
/// exist in it are used. If `given` is a list of files, they belong to white matter, grey matter and CSF, in
/// this order. If the list has two files and the name of the second contains `csf`, the second belongs to
/// CSF.
///
/// # Errors
/// Returns an error if the folder has no response function of white matter, or if the list has more than
/// three files.
pub fn files(given: &[PathBuf]) -> Result<Vec<ResponseFile>> {
    let by_order = || {
        let csf =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(TISSUES[2]));
        let of = |(n, path): (usize, &PathBuf)| {
            let tissue = if n == 1 && given.len() == 2 && csf(path) { 2 } else { n };
            ResponseFile { tissue, path: path.clone() }
        };
        given.iter().enumerate().map(of).collect()
    };
    let [folder] = given else {
        if given.len() > NAMES.len() {
            let problem = format!("there are {} response files, but at most three tissues", given.len());
            return Err(Error::usage(
                "‘responses’",
                problem,
                "give the responses of white matter, grey matter and CSF",
            ));
        }
        return Ok(by_order());
    };
    if !folder.is_dir() {
        return Ok(by_order());
    }
    let all = NAMES.iter().enumerate().map(|(tissue, name)| ResponseFile { tissue, path: folder.join(name) });
    let found: Vec<ResponseFile> = all.filter(|file| is_file_or_link(&file.path)).collect();
    if found.first().is_none_or(|first| first.tissue != 0) {
        let problem = format!("the folder has no {}", NAMES[0]);
        return Err(Error::invalid(
            folder.display(),
            problem,
            "run `arcuate response`, or give the response files",
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_in_a_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let given = [folder.path().to_owned()];
        assert!(files(&given).unwrap_err().to_string().contains("the folder has no response_wm.txt"));
        std::fs::write(folder.path().join(NAMES[2]), "1\n").unwrap();
        assert!(files(&given).is_err(), "CSF alone");
        std::fs::write(folder.path().join(NAMES[0]), "1 -0.5 0.1\n").unwrap();
        let found = files(&given).unwrap();
        let of_folder = |tissue: usize| ResponseFile { tissue, path: folder.path().join(NAMES[tissue]) };
        assert_eq!(found, [of_folder(0), of_folder(2)], "fluid is not taken for grey matter");
        assert_eq!(read(&found[0].path).unwrap().order(), 4);
        std::fs::write(folder.path().join("odd.txt"), "one\n").unwrap();
        assert!(read(&folder.path().join("odd.txt")).unwrap_err().to_string().contains("odd.txt"));
        let several: Vec<PathBuf> = ["a", "b", "c", "d"].map(PathBuf::from).to_vec();
        assert!(files(&several).is_err());
        let tissues = |names: &[&str]| {
            let given: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            files(&given).unwrap().iter().map(|file| file.tissue).collect::<Vec<_>>()
        };
        assert_eq!(tissues(&["a", "b", "c"]), [0, 1, 2]);
        assert_eq!(tissues(&["wm.txt", "sub-1_csf.txt"]), [0, 2]);
        assert_eq!(tissues(&["wm.txt", "gm.txt"]), [0, 1]);
    }
}
