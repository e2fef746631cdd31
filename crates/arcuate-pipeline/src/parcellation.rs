//! Images of regions and the names of the regions.

use crate::named_labels::{warn_of_unnamed, without_name};
use arcuate_core::{Error, Labels, Result};
use arcuate_io::{read_label_names, read_labels};
use std::fmt::Display;
use std::path::Path;

/// Reads a parcellation. The names of its regions come from FreeSurfer's colour table or MRtrix's
/// labelconvert table, if given. Warns of regions without a name.
///
/// Returns an error if all labelled voxels belong to one region, as in a mask.
pub fn read_parcellation(path: &Path, names: Option<&Path>) -> Result<Labels> {
    let labels = read_labels(path)?;
    require_regions(&labels, &path.display())?;
    let Some(names) = names else { return Ok(labels) };
    let named = Labels::new(*labels.grid(), labels.values().to_vec(), read_label_names(names)?)?;
    warn_of_unnamed(path, names.display(), &without_name(&named.regions(), named.names()));
    Ok(named)
}

/// Checks that labels have more than one region. `name` is the name of the labels in the error message.
///
/// # Errors
/// If all labelled voxels belong to one region, as in a mask.
pub fn require_regions(labels: &Labels, name: &dyn Display) -> Result<()> {
    let [only] = labels.regions()[..] else { return Ok(()) };
    let problem = format!("all labelled voxels have the region {only}, as in a mask");
    let advice = "give a parcellation, an image with a number for each of two or more regions";
    Err(Error::invalid(name, problem, advice))
}
