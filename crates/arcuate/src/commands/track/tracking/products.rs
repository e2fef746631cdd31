//! Options for the outputs of tracking.

use crate::map_format::MapOptions;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::tracking::{ProductName, Products, SampleMaps};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;

/// What is written.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(in super::super) struct MapArgs {
    /// Products to write
    ///
    /// [default: streamlines, or none with --labels or --matrix]
    #[arg(long, value_name = "PRODUCT,…", value_delimiter = ',', value_enum)]
    products: Vec<ProductArg>,
    /// Add lengths to --products
    #[arg(long, hide = true)]
    lengths: bool,
    /// Smallest fraction of streamlines to keep in visits_normalised.nii.gz
    ///
    /// Voxels with a smaller fraction get the value 0. [default: 0.005, or 0.001 for a tract with
    /// --protocols]
    #[arg(long, value_name = "0..1")]
    threshold: Option<f64>,
    /// Add streamlines to --products
    #[arg(long, hide = true)]
    streamlines: bool,
    #[command(flatten)]
    format: MapOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ProductArg {
    /// Accepted streamlines: streamlines.trx
    Streamlines,
    /// Number of streamlines per voxel (visits.nii.gz), and as a fraction of all streamlines
    /// (visits_normalised.nii.gz)
    Visits,
    /// Mean path length from the seed (lengths.nii.gz), and this length times the number of visits
    /// (visits_by_length.nii.gz)
    Lengths,
    /// For each region of --targets, the number of streamlines from each seed that pass it (seeds_to_NAME)
    TargetCounts,
}

impl ProductArg {
    fn name(self) -> ProductName {
        match self {
            Self::Streamlines => ProductName::Streamlines,
            Self::Visits => ProductName::Visits,
            Self::Lengths => ProductName::Lengths,
            Self::TargetCounts => ProductName::TargetCounts,
        }
    }
}

impl MapArgs {
    /// Returns the requested products.
    pub(super) fn products(&self) -> Products {
        let listed: BTreeSet<ProductName> = self.products.iter().map(|product| product.name()).collect();
        let added = [(self.lengths, ProductName::Lengths), (self.streamlines, ProductName::Streamlines)];
        Products {
            listed: (!listed.is_empty()).then_some(listed),
            added: added.into_iter().filter(|(is_given, _)| *is_given).map(|(_, product)| product).collect(),
        }
    }

    /// Returns whether lengths are requested, and the threshold, for tracking by protocols. Returns an error
    /// for products that protocols do not have.
    pub(in super::super) fn of_protocols(&self) -> Result<(bool, Option<f64>)> {
        let products = self.products();
        let all: BTreeSet<ProductName> =
            products.listed.into_iter().flatten().chain(products.added).collect();
        let others = all.iter().find(|p| !matches!(p, ProductName::Visits | ProductName::Lengths));
        if let Some(other) = others {
            let problem = format!("tracts of --protocols have no product {other}");
            return Err(Error::usage("--products", problem, "give visits, or visits,lengths"));
        }
        Ok((all.contains(&ProductName::Lengths), self.threshold))
    }

    /// Returns how maps are written.
    pub(super) fn maps(&self) -> SampleMaps {
        SampleMaps { threshold: self.threshold, format: self.format.given() }
    }
}
