//! The format of maps in a folder of results.

use crate::products::Product;
use arcuate_pipeline::stems::MAP_ENDINGS;
use clap::{Args, ValueEnum};
use std::borrow::Cow;

/// The ending that names of images are made with.
const ENDING: &str = MAP_ENDINGS[0];

/// Images that are no maps and have one format: where chains ended, to the bit.
const NO_MAPS: [&str; 1] = ["state.nii.gz"];

/// Options of commands that write maps into a folder.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MapOptions {
    /// Format of the maps, which is the ending of their names; nii.gz by default
    #[arg(long, value_enum)]
    format: Option<MapFormat>,
}

impl MapOptions {
    /// What was asked for, or the default.
    pub(crate) fn format(self) -> MapFormat {
        self.format.unwrap_or_default()
    }

    /// Whether somebody said which.
    pub(crate) fn is_given(self) -> bool {
        self.format.is_some()
    }
}

/// A format of images, in the order of [`MAP_ENDINGS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MapFormat {
    #[default]
    #[value(name = "nii.gz")]
    NiftiGz,
    #[value(name = "nii")]
    Nifti,
    #[value(name = "mif")]
    Mif,
}

impl MapFormat {
    /// As it is typed.
    pub(crate) fn word(self) -> &'static str {
        self.ending().trim_start_matches('.')
    }

    pub(crate) fn ending(self) -> &'static str {
        MAP_ENDINGS[self as usize]
    }

    /// The name of a result in this format: that of a map with its ending, any other as it is.
    pub(crate) fn name(self, name: &str) -> Cow<'_, str> {
        let file = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name);
        match name.strip_suffix(ENDING) {
            Some(stem) if self != Self::NiftiGz && !NO_MAPS.contains(&file) => {
                Cow::Owned(format!("{stem}{}", self.ending()))
            }
            _ => Cow::Borrowed(name),
        }
    }

    /// Results by their names in this format.
    pub(crate) fn of(self, products: Vec<Product>) -> Vec<Product> {
        products.into_iter().map(|product| product.named(|name| self.name(name).into_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_the_ending_of_their_format() {
        for (format, names) in [
            (MapFormat::NiftiGz, ["fa.nii.gz", "noddi/odi.nii.gz"]),
            (MapFormat::Nifti, ["fa.nii", "noddi/odi.nii"]),
            (MapFormat::Mif, ["fa.mif", "noddi/odi.mif"]),
        ] {
            assert_eq!(["fa.nii.gz", "noddi/odi.nii.gz"].map(|name| format.name(name)), names);
            for other in ["tracks.trx", "weights.txt", "a/state.nii.gz", "state.nii.gz"] {
                assert_eq!(format.name(other), other);
            }
        }
    }

    #[test]
    fn pictures_name_the_files_that_are_there() {
        let map = Product::heat("after.nii.gz", "Error", "before.nii.gz", "signal");
        let [named]: [Product; 1] = MapFormat::Mif.of(vec![map]).try_into().unwrap();
        assert_eq!(named.names(), ["after.mif", "before.mif"]);
    }
}
