//! Options for the outputs of tracking.

use crate::map_format::MapOptions;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::tracking::{ProductName, Products, SampleMaps};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::collections::BTreeSet;

/// What is written.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(in super::super) struct MapArgs {
    /// Products to write
    ///
    /// [default: streamlines, or none with --labels or --matrix]
    #[arg(long, value_name = "PRODUCT,…", value_delimiter = ',', value_parser = product_names())]
    products: Vec<ProductName>,
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

/// Parses the names of products. The help describes each product and lists its files.
fn product_names() -> impl TypedValueParser<Value = ProductName> {
    let value = |product: ProductName| {
        let help = format!("{}: {}", product.meaning(), product.files().join(", "));
        PossibleValue::new(product.word()).help(help)
    };
    PossibleValuesParser::new(ProductName::ALL.map(value)).try_map(|word| word.parse::<ProductName>())
}

impl MapArgs {
    /// Returns the requested products.
    pub(super) fn products(&self) -> Products {
        let listed: BTreeSet<ProductName> = self.products.iter().copied().collect();
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
