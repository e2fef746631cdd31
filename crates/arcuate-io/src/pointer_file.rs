//! Detects pointer files. A pointer file is a small file that git-annex or Git LFS writes instead of a file
//! whose content was not fetched. It contains a few bytes that identify the content.

use arcuate_core::{Error, Result};
use std::path::Path;

/// Maximum size of a pointer file of git-annex in bytes. Pointer files of Git LFS have fewer than 1024 bytes.
pub(crate) const LARGEST_POINTER: u64 = 32 << 10;

/// Number of bytes at the start of a file that suffice to identify a pointer file.
pub(crate) const START: usize = 512;

/// First lines of the pointer files of Git LFS, in the current version and in older versions.
const LFS: [&[u8]; 2] =
    [b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"];

/// Returns an error if the file is a pointer file, whose content was not fetched. `start` has the first bytes
/// of the file, and `size` is the size of the file in bytes.
pub(crate) fn require_content(path: &Path, start: &[u8], size: u64) -> Result<()> {
    if size > LARGEST_POINTER {
        return Ok(());
    }
    if LFS.iter().any(|line| start.starts_with(line)) {
        let problem = "it holds only a pointer of Git LFS, not the content";
        return Err(Error::invalid(path.display(), problem, "fetch the content of the file (git lfs pull)"));
    }
    if start.starts_with(b"/annex/objects/") || is_link_as_text(start, size) {
        let problem = "it holds only a pointer of git-annex, not the content";
        let advice = "fetch its content (git annex get, datalad get)";
        return Err(Error::invalid(path.display(), problem, advice));
    }
    Ok(())
}

/// Returns true if a file contains only the target of a symbolic link of git-annex,
/// `../.git/annex/objects/a/b/KEY/KEY`. On file systems without symbolic links, Git writes such a link as a
/// text file. A text file that lists annexed files differs from it, because it contains several names or a
/// line end.
fn is_link_as_text(start: &[u8], size: u64) -> bool {
    let Ok(text) = std::str::from_utf8(start) else { return false };
    let text = text.replace('\\', "/");
    let mut target = text.as_str();
    while let Some(rest) = target.strip_prefix("../") {
        target = rest;
    }
    let mut parts = target.rsplit('/');
    target.starts_with(".git/annex/objects/")
        && size == start.len() as u64
        && !target.contains(char::is_control)
        && parts.next() == parts.next()
}

#[cfg(test)]
mod tests {
    use crate::plain_file::open_file;

    #[test]
    fn pointer_files_are_rejected_for_any_file_name() {
        let folder = tempfile::tempdir().unwrap();
        let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2280000\n";
        let cases = [
            ("/annex/objects/MD5E-s228--0123456789abcdef.nii.gz\n", "git annex get"),
            ("../../.git/annex/objects/F0/8v/SHA256-s1--ab/SHA256-s1--ab", "git annex get"),
            (lfs, "git lfs pull"),
        ];
        for (content, advice) in cases {
            for name in ["a.nii.gz", "a.mif", "a.tck", "a.trk", "a.bval", "a.txt", "a.surf.gii", "a.npz"] {
                let path = folder.path().join(name);
                std::fs::write(&path, content).unwrap();
                let message = open_file(&path).unwrap_err().to_string();
                assert!(message.contains("holds only a pointer of") && message.contains(advice), "{message}");
            }
        }
        // Neither file is a pointer file: the first is a list of annexed files, and the second is larger than
        // any pointer file.
        let list = "../.git/annex/objects/F0/8v/SHA256-s1--ab/SHA256-s1--ab\n";
        let large = "/annex/objects/".to_owned() + &" ".repeat(40_000);
        for content in [list, "annex", "", "version 1", &large] {
            let path = folder.path().join("list.txt");
            std::fs::write(&path, content).unwrap();
            assert!(open_file(&path).is_ok(), "{}", &content[..content.len().min(40)]);
        }
    }
}
