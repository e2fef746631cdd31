//! Images of regions and the names of the regions.

use crate::named_labels::{warn_of_unnamed, without_name};
use arcuate_core::{Error, Labels, Result};
use arcuate_io::{read_label_names, read_labels};
use std::fmt::Display;
use std::path::Path;

/// Reads a parcellation image. If the file `names` is given, the names of the regions are read from it. It is
/// a FreeSurfer colour table or an MRtrix labelconvert table. Warns of regions that have no name in this
/// table.
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

/// Checks that a parcellation has more than one region. `name` is the name of the parcellation in the error
/// message.
///
/// # Errors
/// Returns an error if all labelled voxels belong to one region, as in a mask.
pub fn require_regions(labels: &Labels, name: &dyn Display) -> Result<()> {
    let [only] = labels.regions()[..] else { return Ok(()) };
    let problem = format!("all labelled voxels have the region {only}, as in a mask");
    let advice = "give a parcellation, an image with a number for each of two or more regions";
    Err(Error::invalid(name, problem, advice))
}
