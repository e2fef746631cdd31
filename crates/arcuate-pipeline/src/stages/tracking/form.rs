//! Kinds of results of tracking: a folder, or one file whose extension determines its format.

use super::product_names::{ProductName, in_words};
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
    /// Returns the kind of the result with this name.
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

    /// Describes the content of a file of this kind.
    fn content(self) -> &'static str {
        match self {
            Self::Folder => "all products",
            Self::Tractogram => "streamlines",
            Self::Image => "visits",
            Self::Matrices => "a connectome",
        }
    }

    /// Returns the product in a file of this kind, if the product has a name.
    fn product(self) -> Option<ProductName> {
        match self {
            Self::Tractogram => Some(ProductName::Streamlines),
            Self::Image => Some(ProductName::Visits),
            Self::Folder | Self::Matrices => None,
        }
    }

    /// Returns an error if the result `out` cannot hold the products to write. `connectome` and `matrix` state whether
    /// these are written, too.
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
                    "give one or more products, such as streamlines",
                ));
            }
            return Ok(());
        }
        let is_held = |product: &ProductName| Some(*product) == self.product();
        let others: Vec<&str> =
            products.iter().filter(|product| !is_held(product)).map(|p| p.word()).collect();
        let holds = format!("it holds {}", self.content());
        if !others.is_empty() {
            let advice = format!("give a folder as ‘out’ for ‘products’ {}", others.join(","));
            return Err(Error::usage(out.display(), holds, advice));
        }
        if matrix {
            return Err(Error::usage(out.display(), holds, "give a folder as ‘out’ for ‘matrix’"));
        }
        match (self, connectome) {
            (Self::Matrices, false) => {
                let problem = format!("{holds}, but no regions are given for a connectome");
                Err(Error::usage(out.display(), problem, "give ‘labels’, or another ‘out’"))
            }
            (Self::Tractogram | Self::Image, true) => {
                Err(Error::usage(out.display(), holds, "give a folder as ‘out’ for ‘labels’"))
            }
            (Self::Tractogram | Self::Image, false) if products.is_empty() => {
                let problem = format!("{holds}, but no product is written");
                Err(Error::usage(out.display(), problem, "give ‘products’"))
            }
            _ => Ok(()),
        }
    }
}

/// Describes what was done with the accepted streamlines, as part of a sentence.
pub(super) fn done(products: &BTreeSet<ProductName>, connectome: bool, matrix: bool) -> String {
    let mut words: Vec<&str> = products.iter().map(|product| product.treatment()).collect();
    words.extend(connectome.then_some("counted between the regions that they connect"));
    words.extend(matrix.then_some("counted in a matrix"));
    words.dedup();
    in_words(words)
}
