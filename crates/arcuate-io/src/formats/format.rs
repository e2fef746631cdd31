//! One row of the table of file formats.

use crate::endings::split_ending;

/// The content of the files of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Values of voxels.
    Image,
    /// Streamlines.
    Tractogram,
    /// A surface, values of its vertices, or a parcellation of its vertices.
    Surface,
    /// A CIFTI-2 file: a matrix whose rows or columns are vertices and voxels, or parcels.
    Cifti,
    /// A connectivity matrix.
    Matrix,
    /// A gradient table.
    Gradients,
    /// An array of numbers, such as k-space data.
    Array,
    /// A transform between the spaces of two images.
    Transform,
    /// A table, a text or a report.
    Text,
}

/// A file format: a row of the table of formats.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// The content of the files.
    pub kind: FileKind,
    /// The name of the format for users.
    pub name: &'static str,
    /// Endings of file names in lower case. Help texts and messages list them.
    pub endings: &'static [&'static str],
    /// Further endings in lower case, such as that of the second file of a pair.
    pub other_endings: &'static [&'static str],
    /// True if files of this format can be read.
    pub is_read: bool,
    /// True if files of this format can be written.
    pub is_written: bool,
    /// True if an image of this format can contain a gradient table.
    pub stores_gradients: bool,
    /// Bytes that identify a file of this format, and their offset in the file. One of them is sufficient.
    pub(super) beginnings: &'static [(usize, &'static [u8])],
    /// Recognises the names of files in this format that do not have one of the endings.
    pub(super) has_other_name: fn(&str) -> bool,
}

impl FileFormat {
    /// Returns all endings of the names of files in this format.
    pub fn all_endings(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.endings.iter().chain(self.other_endings).copied()
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        [self.endings, self.other_endings].iter().any(|endings| split_ending(name, endings).is_some())
            || (self.has_other_name)(name)
    }

    pub(super) fn starts(&self, head: &[u8]) -> bool {
        let begins =
            |(at, bytes): &(usize, &[u8])| head.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
        self.beginnings.iter().any(begins)
    }
}
