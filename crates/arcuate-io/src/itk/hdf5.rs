//! Reads ITK's transforms from HDF5 files (`.h5`). Each transform is a group `/TransformGroup/N` with its
//! type, its fixed parameters, and its parameters.

use super::transform::{ItkTransform, kind_of};
use crate::plain_file::open_file;
use arcuate_core::{Error, Result};
use hdf5_pure::{Dataset, File, Group};
use std::path::{Path, PathBuf};

/// The first bytes of HDF5 files.
pub(super) const BEGINNING: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Maximum number of bytes that one byte of deflated data can become.
const MOST_COMPRESSED: u64 = 1040;

/// An HDF5 file whose transforms have been counted.
pub(super) struct Hdf5Transforms {
    path: PathBuf,
    size: u64,
    groups: Vec<Group>,
}

impl Hdf5Transforms {
    pub(super) fn open(path: &Path) -> Result<Self> {
        // Pipes are rejected before the file is opened.
        let size = open_file(path)?.metadata().map_err(|e| Error::read(path, e))?.len();
        let broken = |e: hdf5_pure::Error| {
            let problem = format!("the file cannot be read as HDF5 ({e})");
            Error::invalid(path.display(), problem, "copy or download the file again")
        };
        let file = File::open_streaming(path).map_err(broken)?;
        let all = file.group("TransformGroup").map_err(|_| {
            let problem = "it is an HDF5 file without ITK's transforms (TransformGroup)";
            Error::invalid(path.display(), problem, "give a file that ITK or ANTs wrote")
        })?;
        // The groups are numbered, but listed in alphabetical order of their names. So they are opened by
        // number.
        let count = all.groups().map_err(broken)?.len();
        let groups: std::result::Result<Vec<Group>, _> =
            (0..count).map(|n| all.group(&n.to_string())).collect();
        Ok(Self { path: path.to_owned(), size, groups: groups.map_err(broken)? })
    }

    /// Returns the kind of each transform, in the order of the file.
    pub(super) fn kinds(&self) -> Result<Vec<String>> {
        self.groups.iter().map(|group| self.kind(group)).collect()
    }

    /// Reads the transforms in the order of the file.
    pub(super) fn read(&self) -> Result<Vec<ItkTransform>> {
        self.groups.iter().map(|group| self.transform(group)).collect()
    }

    fn transform(&self, group: &Group) -> Result<ItkTransform> {
        let kind = self.kind(group)?;
        // A composite transform has neither parameters nor fixed parameters. An old version of ITK wrote the
        // names of both without their first `s`.
        let numbers = |name: &str, once: &str| match group.dataset(name).or_else(|_| group.dataset(once)) {
            Ok(dataset) => self.numbers(&dataset),
            Err(_) => Ok(Vec::new()),
        };
        Ok(ItkTransform {
            kind,
            parameters: numbers("TransformParameters", "TranformParameters")?,
            fixed: numbers("TransformFixedParameters", "TranformFixedParameters")?,
        })
    }

    fn kind(&self, group: &Group) -> Result<String> {
        let dataset = group.dataset("TransformType").map_err(|e| self.broken(&e))?;
        self.count(&dataset, 1)?;
        let words = dataset.read_string().map_err(|e| self.broken(&e))?;
        kind_of(&self.path, words.first().map_or("", |word| word.trim_end_matches('\0')))
    }

    fn numbers(&self, dataset: &Dataset) -> Result<Vec<f64>> {
        let element = dataset.element_size().map_err(|e| self.broken(&e))?.max(1);
        // Data that are stored in chunks may be compressed.
        let most = if dataset.is_chunked() { MOST_COMPRESSED.saturating_mul(self.size) } else { self.size };
        let count = self.count(dataset, most / element)?;
        Vec::<f64>::new().try_reserve_exact(count).map_err(|_| {
            let problem =
                format!("the file needs {:.1} GB of memory, more than is available", count as f64 * 8e-9);
            Error::invalid(self.path.display(), problem, "use a computer with more memory")
        })?;
        dataset.read_f64().map_err(|e| self.broken(&e))
    }

    /// Returns the number of elements of a dataset. Returns an error if the dataset claims more elements than
    /// the file can contain.
    fn count(&self, dataset: &Dataset, most: u64) -> Result<usize> {
        let shape = dataset.shape().map_err(|e| self.broken(&e))?;
        let count = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let possible = count.filter(|count| *count <= most).and_then(|count| usize::try_from(count).ok());
        possible.ok_or_else(|| {
            let problem = "one of its arrays claims to be larger than the file can hold";
            Error::invalid(self.path.display(), problem, "copy or download the file again")
        })
    }

    fn broken(&self, e: &hdf5_pure::Error) -> Error {
        let problem = format!("the file cannot be read as HDF5 ({e})");
        Error::invalid(self.path.display(), problem, "copy or download the file again")
    }
}
