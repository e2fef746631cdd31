//! Names of the products of tracking.

use super::preset::Preset;
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// File with the number of streamlines per voxel, and the files of the other maps.
pub(super) const VISITS: &str = "visits.nii.gz";
pub(super) const NORMALISED: &str = "visits_normalised.nii.gz";
pub(super) const LENGTHS: &str = "lengths.nii.gz";
pub(super) const BY_LENGTH: &str = "visits_by_length.nii.gz";

/// A kind of result that the user selects by its name. Connectomes and connectivity matrices are not among
/// these names, because they have their own options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProductName {
    /// The accepted streamlines.
    Streamlines,
    /// Maps of the number of accepted streamlines that pass each voxel.
    Visits,
    /// Maps of the mean length of the path along streamlines from the seed to each voxel.
    Lengths,
    /// For each seed, the number of its streamlines that pass each target region.
    TargetCounts,
}

/// Definition of a product: the only place that names it, describes it and lists its files.
struct Row {
    word: &'static str,
    meaning: &'static str,
    files: &'static [&'static str],
    treatment: &'static str,
}

impl ProductName {
    /// All products with a name.
    pub const ALL: [Self; 4] = [Self::Streamlines, Self::Visits, Self::Lengths, Self::TargetCounts];

    fn row(self) -> Row {
        match self {
            Self::Streamlines => Row {
                word: "streamlines",
                meaning: "Accepted streamlines",
                files: &[super::part_folder::STREAMLINES],
                treatment: "kept",
            },
            Self::Visits => Row {
                word: "visits",
                meaning: "Number of streamlines per voxel, and this number as a fraction of all streamlines",
                files: &[VISITS, NORMALISED],
                treatment: "counted in the voxels that they pass",
            },
            Self::Lengths => Row {
                word: "lengths",
                meaning: "Mean path length from the seed, and this length times the number of visits",
                files: &[LENGTHS, BY_LENGTH],
                treatment: "counted in the voxels that they pass",
            },
            Self::TargetCounts => Row {
                word: "target-counts",
                meaning: "For each region of --targets, number of streamlines from each seed that pass the region",
                files: &["seeds_to_NAME"],
                treatment: "counted by the targets that they pass",
            },
        }
    }

    /// Returns the name of the product on the command line.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// Describes the product, without its files.
    #[doc(hidden)]
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// Returns the names of the product's files in a folder of results. `NAME` is a placeholder for the name
    /// of a region.
    #[doc(hidden)]
    pub fn files(self) -> &'static [&'static str] {
        self.row().files
    }

    /// Describes what the run did with the accepted streamlines, as a participle.
    pub(super) fn treatment(self) -> &'static str {
        self.row().treatment
    }
}

impl fmt::Display for ProductName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ProductName {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|product| product.word() == word).ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            Error::usage(
                "‘products’",
                format!("{word} is not one of the products {words}"),
                "give one or more of these products",
            )
        })
    }
}

/// Products that the user selected by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Products {
    /// Products that replace the default; `None` if the user gave no list.
    pub listed: Option<BTreeSet<ProductName>>,
    /// Results that are written in addition to those in `listed`, or to the default.
    pub added: BTreeSet<ProductName>,
}

/// Returns the default product.
fn product_of(preset: Option<Preset>) -> ProductName {
    match preset {
        Some(Preset::Probtrackx) => ProductName::Visits,
        None => ProductName::Streamlines,
    }
}

impl Products {
    /// Creates a list of only these products.
    pub fn only(products: impl IntoIterator<Item = ProductName>) -> Self {
        Self { listed: Some(products.into_iter().collect()), added: BTreeSet::new() }
    }

    /// Returns the names of all results to write. If the user gave no list, this is the default: the maps of
    /// the preset, or streamlines. If a connectome or a connectivity matrix is written (`other_is_written`),
    /// there is no default.
    #[doc(hidden)]
    pub fn written(&self, preset: Option<Preset>, other_is_written: bool) -> BTreeSet<ProductName> {
        let mut all = match &self.listed {
            Some(listed) => listed.clone(),
            None if other_is_written => BTreeSet::new(),
            None => BTreeSet::from([product_of(preset)]),
        };
        all.extend(&self.added);
        all
    }
}

/// Joins words to a text such as `visits, lengths and streamlines`.
pub(super) fn join_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamlines_are_the_default_product() {
        use ProductName::{Lengths, Streamlines, TargetCounts, Visits};
        let default = Products::default();
        assert_eq!(default.written(None, false), BTreeSet::from([Streamlines]));
        assert_eq!(default.written(None, true), BTreeSet::new());
        assert_eq!(default.written(Some(Preset::Probtrackx), false), BTreeSet::from([Visits]));
        let listed = Products::only([TargetCounts]);
        for other in [false, true] {
            assert_eq!(listed.written(Some(Preset::Probtrackx), other), BTreeSet::from([TargetCounts]));
        }
        let added = Products { added: BTreeSet::from([Lengths]), ..Products::default() };
        assert_eq!(added.written(None, false), BTreeSet::from([Streamlines, Lengths]));
        assert_eq!(added.written(None, true), BTreeSet::from([Lengths]));
    }

    #[test]
    fn the_documentation_lists_the_files_of_each_product() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/tracking-options.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (_, section) = page.split_once("\n## Products\n").expect("a section of products");
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        for product in ProductName::ALL {
            let files = product.files().iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
            let start = format!("| `{product}` | {} | {files} |", product.meaning());
            assert!(rows.iter().any(|row| row.starts_with(&start)), "put this into {path}:\n{start}");
        }
        let named = rows.iter().filter(|row| !row.starts_with("| `--")).count();
        assert_eq!(named, ProductName::ALL.len(), "{path} lists a product that does not exist");
    }

    #[test]
    fn product_names_survive_a_round_trip() {
        for product in ProductName::ALL {
            assert_eq!(product.word().parse::<ProductName>().unwrap(), product);
        }
        let error = "paths".parse::<ProductName>().unwrap_err().to_string();
        assert!(
            error.contains("paths is not one of the products streamlines, visits, lengths, target-counts"),
            "{error}"
        );
        assert_eq!(join_words(["a", "b", "c"]), "a, b and c");
    }
}
