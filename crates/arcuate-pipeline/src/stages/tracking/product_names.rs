//! Names of the products of tracking.

use super::preset::Preset;
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A kind of result that the user selects by its name. Connectomes and connectivity matrices are not among
/// these names, because they have their own options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

impl ProductName {
    /// All products with a name.
    pub const ALL: [Self; 4] = [Self::Streamlines, Self::Visits, Self::Lengths, Self::TargetCounts];

    /// Returns the name of this kind of result on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Streamlines => "streamlines",
            Self::Visits => "visits",
            Self::Lengths => "lengths",
            Self::TargetCounts => "target-counts",
        }
    }

    /// Describes the product in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Streamlines => "The accepted streamlines",
            Self::Visits => "Number of streamlines that pass each voxel",
            Self::Lengths => "Mean length of the path from the seed to each voxel",
            Self::TargetCounts => "Number of streamlines of each seed that pass each of --targets",
        }
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
pub(super) fn in_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
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
    fn streamlines_are_written_unless_something_else_is_asked_for() {
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
    fn names_are_read_as_they_are_written() {
        for product in ProductName::ALL {
            assert_eq!(product.word().parse::<ProductName>().unwrap(), product);
        }
        let error = "paths".parse::<ProductName>().unwrap_err().to_string();
        assert!(
            error.contains("paths is not one of the products streamlines, visits, lengths, target-counts"),
            "{error}"
        );
        assert_eq!(in_words(["a", "b", "c"]), "a, b and c");
    }
}
