//! The forms in which tracking writes its results: a folder, or a single file whose extension determines its
//! format.

use super::product_names::{ProductName, join_words};
use crate::folder_names::require_folder_name;
use arcuate_core::{Error, Result};
use arcuate_io::{TractogramFormat, is_image_name, is_npz_name};
use std::collections::BTreeSet;
use std::path::Path;

/// Kind of result, by its name. It does not determine what is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A folder, which can hold all products.
    Folder,
    /// A tractogram of streamlines.
    Tractogram,
    /// An image of visits.
    Image,
    /// Sparse matrices of a connectome.
    Matrices,
}

impl Form {
    /// Returns the form of results that are written to a file or folder with this name.
    pub fn of(out: &Path) -> Self {
        if TractogramFormat::of(out).is_ok() {
            Self::Tractogram
        } else if is_npz_name(out) {
            Self::Matrices
        } else if is_image_name(out) && !out.is_dir() {
            Self::Image
        } else {
            Self::Folder
        }
    }

    /// Describes what a file or folder of this form contains.
    fn content(self) -> &'static str {
        match self {
            Self::Folder => "all products",
            Self::Tractogram => "streamlines",
            Self::Image => "visits",
            Self::Matrices => "a connectome",
        }
    }

    /// Returns the result that a single file of this form contains. Returns `None` for a folder, and for
    /// matrices, which users do not select by a name.
    fn product(self) -> Option<ProductName> {
        match self {
            Self::Tractogram => Some(ProductName::Streamlines),
            Self::Image => Some(ProductName::Visits),
            Self::Folder | Self::Matrices => None,
        }
    }

    /// Returns an error if a file or folder of this form cannot contain all results to write. `out` is its
    /// name. `connectome` and `matrix` state whether a connectome and a connectivity matrix are written, too.
    pub(super) fn check(
        self,
        out: &Path,
        products: &BTreeSet<ProductName>,
        connectome: bool,
        matrix: bool,
    ) -> Result<()> {
        if self == Self::Folder {
            require_folder_name(out)?;
            if products.is_empty() && !connectome && !matrix {
                let problem = "there is no product to write";
                return Err(Error::usage(
                    "‘products’",
                    problem,
                    "give the results to write as ‘products’, for example streamlines",
                ));
            }
            return Ok(());
        }
        let is_held = |product: &ProductName| Some(*product) == self.product();
        let others: Vec<&str> =
            products.iter().filter(|product| !is_held(product)).map(|p| p.word()).collect();
        let holds = format!("this file can contain only {}", self.content());
        if !others.is_empty() {
            let advice = format!("to write ‘products’ {}, give a folder as ‘out’", others.join(","));
            return Err(Error::usage(out.display(), holds, advice));
        }
        if matrix {
            return Err(Error::usage(out.display(), holds, "to write a ‘matrix’, give a folder as ‘out’"));
        }
        match (self, connectome) {
            (Self::Matrices, false) => {
                let problem = format!("{holds}, but no regions are given for a connectome");
                Err(Error::usage(out.display(), problem, "give ‘labels’, or another ‘out’"))
            }
            (Self::Tractogram | Self::Image, true) => Err(Error::usage(
                out.display(),
                holds,
                "to write a connectome of ‘labels’, give a folder as ‘out’",
            )),
            (Self::Tractogram | Self::Image, false) if products.is_empty() => {
                let problem = format!("{holds}, but no product is written");
                Err(Error::usage(out.display(), problem, "give ‘products’"))
            }
            _ => Ok(()),
        }
    }
}

/// Returns a text about what was done with the accepted streamlines, as part of a sentence in the record.
pub(super) fn done(products: &BTreeSet<ProductName>, connectome: bool, matrix: bool) -> String {
    let mut words: Vec<&str> = products.iter().map(|product| product.treatment()).collect();
    words.extend(connectome.then_some("counted between the regions that they connect"));
    words.extend(matrix.then_some("counted in a matrix"));
    words.dedup();
    join_words(words)
}
