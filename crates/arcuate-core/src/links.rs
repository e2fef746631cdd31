//! Symbolic links. In data sets of git-annex and DataLad, a file is a link, and the target of the link is
//! missing until its content is fetched.

use std::path::{Path, PathBuf};

/// Returns whether `path` is a file, a folder or a link, including a link to a missing file.
///
/// The standard function [`Path::exists`] is not used because it follows links. With [`Path::exists`], a
/// gradient table whose content was not fetched would be ignored without an error.
pub fn is_present(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns whether `path` is a file or a link to a missing file.
pub fn is_file_or_link(path: &Path) -> bool {
    path.metadata().map_or_else(|_| is_present(path), |found| found.is_file())
}

/// A link to a missing file.
pub(crate) struct DanglingLink {
    /// Path of the link to a missing file: the whole path that was given, or a folder in it.
    pub(crate) link: PathBuf,
    /// The path that the link points to.
    pub(crate) target: PathBuf,
}

impl DanglingLink {
    /// Finds the link to a missing file that prevents `path` from being opened; `None` if there is no such
    /// link.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let is_dangling = |link: &&Path| {
            link.symlink_metadata().is_ok_and(|found| found.is_symlink()) && link.metadata().is_err()
        };
        let link = path.ancestors().find(is_dangling)?;
        Some(Self { link: link.to_owned(), target: link.read_link().ok()? })
    }

    /// Returns two texts for an error about `path`: the problem, which is the link to a missing file, and the
    /// advice for the user.
    pub(crate) fn explain(&self, path: &Path) -> (String, &'static str) {
        let what = if self.link == path { "it".to_owned() } else { self.link.display().to_string() };
        let problem = format!("{what} is a link to {}, which is not here", self.target.display());
        let is_annexed = self.target.to_string_lossy().replace('\\', "/").contains("annex/objects/");
        let advice = if is_annexed {
            "fetch its content (git annex get, datalad get)"
        } else {
            "restore the file or correct the link; in a DataLad data set, fetch its content (datalad get)"
        };
        (problem, advice)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Error;
    use std::os::unix::fs::symlink;

    #[test]
    fn dangling_links_are_reported_as_links() {
        let folder = std::env::temp_dir().join(format!("arcuate-links-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        symlink(".git/annex/objects/a/b/KEY/KEY", at("dwi.bval")).unwrap();
        symlink("elsewhere", at("sub-01")).unwrap();
        let missing = |path: PathBuf| {
            let error = std::fs::read(&path).unwrap_err();
            Error::read(&path, error).to_string()
        };
        assert_eq!(
            missing(at("dwi.bval")),
            format!(
                "{}: it is a link to .git/annex/objects/a/b/KEY/KEY, which is not here; fetch its content (git annex get, \
                 datalad get)",
                at("dwi.bval").display()
            )
        );
        let inside = at("sub-01").join("dwi.nii.gz");
        let expected = format!(
            "{}: {} is a link to elsewhere, which is not here; ",
            inside.display(),
            at("sub-01").display()
        );
        let message = missing(inside);
        assert!(message.starts_with(&expected) && message.contains("datalad get"), "{message}");
        assert!(missing(at("none")).ends_with(": no such file; check the path"));
        assert!(is_present(&at("dwi.bval")) && is_file_or_link(&at("dwi.bval")) && !at("dwi.bval").exists());
        assert!(!is_present(&at("none")) && !is_file_or_link(&at("none")));
        assert!(is_present(&folder) && !is_file_or_link(&folder));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
