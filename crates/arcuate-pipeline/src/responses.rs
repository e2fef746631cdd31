//! Response functions in files: those of tissues in a folder, or one by one.

use arcuate_core::{Error, Result};
use arcuate_fod::Response;
use std::path::{Path, PathBuf};

/// Names of the files of a folder, white matter, grey matter and fluid.
pub const NAMES: [&str; 3] = ["response_wm.txt", "response_gm.txt", "response_csf.txt"];
/// What the tissues are called, for files of theirs.
pub const TISSUES: [&str; 3] = ["wm", "gm", "csf"];

/// Reads a response function, in MRtrix's text format.
///
/// # Errors
/// Where it cannot be read, or is none.
pub fn read(path: &Path) -> Result<Response> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
    Response::from_text(&text).map_err(|error| error.about(path.display()))
}

/// The files of responses, white matter in front: those of a folder that are there, or the files themselves.
///
/// # Errors
/// Where a folder has none of white matter, or files are more than three tissues.
pub fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let [folder] = given else {
        if given.len() > NAMES.len() {
            let problem = format!("{} files are more than the responses of three tissues", given.len());
            return Err(Error::usage("‘responses’", problem, "give white matter, grey matter and fluid"));
        }
        return Ok(given.to_vec());
    };
    if !folder.is_dir() {
        return Ok(given.to_vec());
    }
    let found: Vec<PathBuf> =
        NAMES.map(|name| folder.join(name)).into_iter().filter(|path| path.is_file()).collect();
    if found.first().is_none_or(|first| !first.ends_with(NAMES[0])) {
        let problem = format!("it has no {}", NAMES[0]);
        return Err(Error::invalid(folder.display(), problem, "run `arcuate response`, or name the files"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_responses_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let given = [folder.path().to_owned()];
        assert!(files(&given).unwrap_err().to_string().contains("it has no response_wm.txt"));
        std::fs::write(folder.path().join(NAMES[2]), "1\n").unwrap();
        assert!(files(&given).is_err(), "fluid alone");
        std::fs::write(folder.path().join(NAMES[0]), "1 -0.5 0.1\n").unwrap();
        let found = files(&given).unwrap();
        assert_eq!(
            found.iter().map(|path| crate::record::name_of(path)).collect::<Vec<_>>(),
            [NAMES[0], NAMES[2]]
        );
        assert_eq!(read(&found[0]).unwrap().order(), 4);
        std::fs::write(folder.path().join("odd.txt"), "one\n").unwrap();
        assert!(read(&folder.path().join("odd.txt")).unwrap_err().to_string().contains("odd.txt"));
        let several: Vec<PathBuf> = ["a", "b", "c", "d"].map(PathBuf::from).to_vec();
        assert!(files(&several).is_err() && files(&several[..3]).unwrap().len() == 3);
    }
}
