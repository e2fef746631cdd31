//! Reads spatial transforms that ITK wrote to HDF5 files (`.h5`). Each transform is an HDF5 group
//! `/TransformGroup/N` with the type of the transform, its fixed parameters, and its parameters.

use super::transform::{ItkTransform, kind_of};
use crate::plain_file::open_file;
use arcuate_core::{Error, Result};
use hdf5_pure::{Dataset, File, Group};
use std::path::{Path, PathBuf};

/// Maximum number of decompressed bytes per byte of compressed data in an HDF5 file.
const MAX_COMPRESSION_RATIO: u64 = 1040;

/// An open HDF5 file with a known number of transforms.
pub(super) struct Hdf5Transforms {
    path: PathBuf,
    size: u64,
    groups: Vec<Group>,
}

impl Hdf5Transforms {
    pub(super) fn open(path: &Path) -> Result<Self> {
        // A pipe is rejected before it is opened, because opening it would wait for a writer.
        let size = open_file(path)?.metadata().map_err(|e| Error::read(path, e))?.len();
        let broken = |e: hdf5_pure::Error| {
            let problem = format!("the file cannot be read as HDF5 ({e})");
            Error::invalid(path.display(), problem, "copy or download the file again")
        };
        let file = File::open_streaming(path).map_err(broken)?;
        let all = file.group("TransformGroup").map_err(|_| {
            let problem = "it is an HDF5 file without ITK's transforms (TransformGroup)";
            Error::invalid(path.display(), problem, "give a transform file that ITK or ANTs wrote")
        })?;
        // The names of the groups are numbers, but HDF5 lists them in alphabetical order. The groups are
        // therefore opened by number.
        let count = all.groups().map_err(broken)?.len();
        let groups: std::result::Result<Vec<Group>, _> =
            (0..count).map(|n| all.group(&n.to_string())).collect();
        Ok(Self { path: path.to_owned(), size, groups: groups.map_err(broken)? })
    }

    /// Returns the kind of each transform in the file, such as `AffineTransform`, in the order of the file.
    pub(super) fn kinds(&self) -> Result<Vec<String>> {
        self.groups.iter().map(|group| self.kind(group)).collect()
    }

    /// Reads all transforms of the file, in the order in which the file stores them.
    pub(super) fn read(&self) -> Result<Vec<ItkTransform>> {
        self.groups.iter().map(|group| self.transform(group)).collect()
    }

    fn transform(&self, group: &Group) -> Result<ItkTransform> {
        let kind = self.kind(group)?;
        // A composite transform has neither parameters nor fixed parameters. An old version of ITK misspelled
        // the names of both datasets, without the first `s`.
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
        // A dataset that is stored in chunks may be compressed, so it can have more bytes than the file.
        let maximum =
            if dataset.is_chunked() { MAX_COMPRESSION_RATIO.saturating_mul(self.size) } else { self.size };
        let count = self.count(dataset, maximum / element)?;
        Vec::<f64>::new().try_reserve_exact(count).map_err(|_| {
            let problem =
                format!("the file needs {:.1} GB of memory, more than is available", count as f64 * 8e-9);
            Error::invalid(self.path.display(), problem, "use a computer with more memory")
        })?;
        dataset.read_f64().map_err(|e| self.broken(&e))
    }

    /// Returns the number of elements of an HDF5 dataset. Returns an error if the dataset states more
    /// elements than the file can contain.
    fn count(&self, dataset: &Dataset, maximum: u64) -> Result<usize> {
        let shape = dataset.shape().map_err(|e| self.broken(&e))?;
        let count = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let possible = count.filter(|count| *count <= maximum).and_then(|count| usize::try_from(count).ok());
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
