//! Finds the regions of a connectome.

use super::own_files::{OwnFile, is_image, is_in_space_of};
use crate::entities::BidsName;
use arcuate_core::{Error, Result};
use std::path::PathBuf;

/// The regions of a connectome, as an image in the space of a diffusion series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atlas {
    /// The label of the set of regions in file names, such as the name of an atlas.
    pub label: String,
    /// The image that contains in each voxel the number of its region.
    pub image: PathBuf,
    /// The file with the name of each region, if there is one.
    pub names: Option<PathBuf>,
}

/// Returns the label of an image of regions. This is the label of its entity `atlas` or `seg`, or `aparcaseg`
/// for FreeSurfer's image.
fn atlas_label(name: &BidsName) -> Option<&str> {
    name.get("atlas").or(name.get("seg")).or(name.get("desc"))
}

/// Returns the regions for the connectome of a diffusion series. If the user requests an atlas, its regions
/// are used. If not, and the dataset has exactly one atlas for the series, this atlas is used. If the dataset
/// has no atlas, FreeSurfer's cortical regions are used. If it has several atlases, no regions are used, and
/// a note tells the user.
pub(super) fn atlas(
    own: &[OwnFile<'_>],
    series: &BidsName,
    requested: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Option<Atlas>> {
    let of_regions = |(_, file): &&OwnFile<'_>| {
        is_image(&file.name) && file.name.suffix == "dseg" && atlas_label(&file.name).is_some()
    };
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        own.iter().filter(of_regions).copied().partition(|(_, file)| is_in_space_of(&file.name, series));
    let labels = |files: &[OwnFile<'_>]| {
        let mut labels: Vec<String> =
            files.iter().filter_map(|(_, file)| atlas_label(&file.name)).map(str::to_owned).collect();
        labels.sort();
        labels.dedup();
        labels
    };
    let chosen = if let Some(requested) = requested {
        let found = here.iter().find(|(_, file)| atlas_label(&file.name) == Some(requested));
        if found.is_none() {
            let known = labels(&here);
            let advice = if known.is_empty() {
                "remove this option, or add the derivatives that have the atlas (‘derivatives’)".to_owned()
            } else {
                format!("give one of {}", known.join(", "))
            };
            let space =
                series.get("space").map_or_else(String::new, |space| format!(" in the space {space}"));
            return Err(Error::usage(
                "‘atlas’",
                format!(
                    "there is no segmentation *_dseg with the label \
                                                        {requested}{space}"
                ),
                advice,
            ));
        }
        found
    } else {
        let drawn: Vec<_> = here
            .iter()
            .filter(|(_, file)| file.name.get("atlas").or(file.name.get("seg")).is_some())
            .collect();
        match drawn[..] {
            [one] => Some(one),
            [] => here.iter().find(|(_, file)| file.name.get("desc") == Some("aparcaseg")),
            _ => {
                notes.push(format!(
                    "there are several atlases ({}), and none is used; choose one with ‘atlas’",
                    labels(&here).join(", ")
                ));
                None
            }
        }
    };
    if chosen.is_none() && here.is_empty() && !elsewhere.is_empty() {
        let spaces: Vec<String> = elsewhere.iter().map(|(_, file)| file.name.to_string()).take(3).collect();
        notes.push(format!(
            "regions that are not in the space of the series are not used: {}",
            spaces.join(", ")
        ));
    }
    let Some((dataset, file)) = chosen else { return Ok(None) };
    let label = atlas_label(&file.name).unwrap_or_default().to_owned();
    let names = dataset.inherited(file, ".tsv")?.last().map(|found| found.path.clone());
    Ok(Some(Atlas { label, image: file.path.clone(), names }))
}
