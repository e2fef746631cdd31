//! The table of file formats, and the functions that find a format by the name or by the first bytes of a
//! file. All other code asks this module, so that each ending of a file name is listed once (`table.rs`).

mod format;
mod table;

pub use format::{FileFormat, FileKind};
pub(crate) use table::{
    ARRAYS, CIFTI, GRADIENTS, IMAGES, ImageFormat, MATRICES, MatrixFunctions, SURFACES, TRACTOGRAMS,
    TractogramFunctions,
};
pub use table::{GradientFormat, TractogramFormat};

use crate::endings::{split_ending, without_ending};
use crate::gzip::gzip_start;
use crate::nifti::ENDINGS as NIFTI_ENDINGS;
use crate::plain_file::is_gzip;
use std::path::Path;

/// Finds the row of a table that the ending of a file name selects.
pub(crate) fn find<C>(table: &'static [(FileFormat, C)], path: &Path) -> Option<&'static (FileFormat, C)> {
    let name = path.file_name()?.to_string_lossy();
    table.iter().find(|(format, _)| format.has_name(&name))
}

/// Returns all file formats.
pub fn file_formats() -> impl Iterator<Item = &'static FileFormat> {
    fn rows<C>(table: &'static [(FileFormat, C)]) -> impl Iterator<Item = &'static FileFormat> {
        table.iter().map(|(format, _)| format)
    }
    let of_images = rows(IMAGES).chain(rows(GRADIENTS)).chain(rows(ARRAYS)).chain(table::TRANSFORMS);
    let of_lines = rows(TRACTOGRAMS).chain(rows(SURFACES)).chain(rows(CIFTI)).chain(rows(MATRICES));
    of_images.chain(of_lines).chain(table::TEXTS)
}

/// Returns the kind of the content that the name of a file states. Returns `None` for unknown names, and for
/// kinds that have no description: arrays, transforms and texts.
pub fn file_kind(path: &Path) -> Option<FileKind> {
    if find(CIFTI, path).is_some() {
        // The names of CIFTI-2 files also have the ending of an image.
        Some(FileKind::Cifti)
    } else if find(MATRICES, path).is_some() {
        Some(FileKind::Matrix)
    } else if find(SURFACES, path).is_some() {
        Some(FileKind::Surface)
    } else if find(IMAGES, path).is_some() {
        Some(FileKind::Image)
    } else if find(TRACTOGRAMS, path).is_some() {
        Some(FileKind::Tractogram)
    } else {
        find(GRADIENTS, path).map(|_| FileKind::Gradients)
    }
}

/// Returns whether an ending of file names is that of compressed files.
fn is_compressed(ending: &str) -> bool {
    ending.rsplit('.').next() == Some("gz")
}

/// Returns the endings of file names that files with this content can have, in the order of help texts and
/// messages.
fn endings_of(kind: FileKind, accepts: fn(&FileFormat) -> bool) -> Vec<&'static str> {
    let formats = file_formats().filter(|format| format.kind == kind && accepts(format));
    let mut endings: Vec<&str> = formats.flat_map(|format| format.endings).copied().collect();
    if kind == FileKind::Tractogram {
        // The sort is stable: compressed files follow in the order of the table.
        endings.sort_by_key(|ending| is_compressed(ending));
    }
    endings
}

/// Returns the endings of the names of files that can be read, for help texts and messages.
pub fn read_endings(kind: FileKind) -> Vec<&'static str> {
    endings_of(kind, |format| format.is_read)
}

/// Returns the endings of the names of files that can be written, for help texts and messages.
pub fn written_endings(kind: FileKind) -> Vec<&'static str> {
    endings_of(kind, |format| format.is_written)
}

/// Returns all endings that the names of files with this content can have.
pub fn all_endings(kind: FileKind) -> Vec<&'static str> {
    file_formats().filter(|format| format.kind == kind).flat_map(FileFormat::all_endings).collect()
}

/// Returns the endings as a list in a sentence: `.nii, .mif or .mgz`.
pub(crate) fn listed(endings: &[&str], conjunction: &str) -> String {
    match endings {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} {conjunction} {last}", others.join(", ")),
    }
}

/// Words before the ending that state the content of GIFTI and CIFTI-2 files, as in `lh.pial.surf.gii`.
const CONTENTS: [&str; 5] = [".surf", ".label", ".shape", ".func", ".dlabel"];

/// Returns the file name of an image or surface without its ending and without the word that states the
/// content: `lh.pial.surf.gii` gives `lh.pial`. Other names are returned unchanged.
pub fn content_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [all_endings(FileKind::Image), all_endings(FileKind::Surface)].concat();
    match split_ending(&name, &endings) {
        Some((stem, _)) if !stem.is_empty() => match without_ending(stem, &CONTENTS) {
            "" => stem.to_owned(),
            name => name.to_owned(),
        },
        _ => name,
    }
}

/// Returns all endings of file names that users may expect. Some of these endings belong to formats of the
/// table, the others belong to formats of other programs.
pub fn known_endings() -> impl Iterator<Item = &'static str> {
    let own = file_formats().flat_map(FileFormat::all_endings).filter(|ending| ending.starts_with('.'));
    own.chain(table::FOREIGN_ENDINGS.iter().copied())
}

/// If data with these first bytes are an image or a tractogram, returns the file name ending of their format.
/// Compressed data are recognised by their decompressed beginning; without a known beginning, they are
/// compressed NIfTI.
pub fn ending_of_data(head: &[u8]) -> Option<&'static str> {
    let format = |head: &[u8]| file_formats().find(|format| format.starts(head));
    if !is_gzip(head) {
        return format(head)?.endings.first().copied();
    }
    let inner = format(&gzip_start(head, 1 << 10));
    let compressed = |format: &FileFormat| format.all_endings().find(|ending| is_compressed(ending));
    inner.and_then(compressed).or(Some(NIFTI_ENDINGS[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_distinct_endings_in_lower_case() {
        let mut seen: Vec<(FileKind, &str)> = Vec::new();
        for format in file_formats() {
            assert!(format.is_read || format.is_written, "{}", format.name);
            for ending in format.all_endings() {
                assert_eq!(ending, ending.to_ascii_lowercase());
                assert!(!seen.contains(&(format.kind, ending)), "{ending}");
                seen.push((format.kind, ending));
            }
        }
    }

    #[test]
    fn the_documentation_lists_every_format() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/file-formats.md");
        let page = std::fs::read_to_string(path).unwrap();
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let word = |yes| if yes { "yes" } else { "no" };
        for format in file_formats() {
            let endings: Vec<String> = format.all_endings().map(|ending| format!("`{ending}`")).collect();
            let (read, written) = (word(format.is_read), word(format.is_written));
            let start = format!("| {} | {} | {read} | {written} |", format.name, endings.join(", "));
            let start = start.replace("|  |", "| |");
            assert!(rows.iter().any(|row| row.starts_with(&start)), "put this into {path}:\n{start}");
        }
        assert_eq!(rows.len(), file_formats().count(), "{path} lists a format that does not exist");
    }

    #[test]
    fn names_select_the_kind() {
        for (name, kind) in [
            ("a.NII.gz", Some(FileKind::Image)),
            ("a.hdr", Some(FileKind::Image)),
            ("a.dconn.nii", Some(FileKind::Cifti)),
            ("a.npz", Some(FileKind::Matrix)),
            ("a_2.mtx", Some(FileKind::Matrix)),
            ("lh.white", Some(FileKind::Surface)),
            ("a.tck.gz", Some(FileKind::Tractogram)),
            ("a.trx.gz", None),
            ("bvecs", Some(FileKind::Gradients)),
            ("a.doc", None),
        ] {
            assert_eq!(file_kind(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn first_bytes_select_the_ending() {
        assert_eq!(ending_of_data(b"mrtrix image\n"), Some(".mif"));
        assert_eq!(ending_of_data(b"mrtrix tracks\n"), Some(".tck"));
        assert_eq!(ending_of_data(b"TRACK\0"), Some(".trk"));
        assert_eq!(ending_of_data(b"PK\x03\x04"), Some(".trx"));
        assert_eq!(ending_of_data(b"\0\0\x01\x5c"), Some(".nii"));
        assert_eq!(ending_of_data(b"\x1f\x8b\x08"), Some(".nii.gz"));
        assert_eq!(ending_of_data(b"text"), None);
    }

    #[test]
    fn content_names_lack_the_format() {
        for (path, expected) in [
            ("regions/b.nii.gz", "b"),
            ("lh.pial.surf.gii", "lh.pial"),
            ("lh.aparc.annot", "lh.aparc"),
            ("a.dlabel.nii", "a"),
            ("lh.white", "lh.white"),
            ("a.b.txt", "a.b.txt"),
            (".nii", ".nii"),
        ] {
            assert_eq!(content_name(Path::new(path)), expected);
        }
    }

    #[test]
    fn lists_are_sentences() {
        assert_eq!(listed(&[".a", ".b", ".c"], "or"), ".a, .b or .c");
        assert_eq!(written_endings(FileKind::Image), [".nii", ".nii.gz", ".mif", ".mif.gz"]);
        assert_eq!(read_endings(FileKind::Tractogram), [".tck", ".trk", ".trx", ".tck.gz", ".trk.gz"]);
    }
}
