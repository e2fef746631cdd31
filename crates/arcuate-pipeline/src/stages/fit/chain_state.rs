//! Saves the final state of Markov chains to an image. A JSON file next to the image identifies the chains.
//! Only chains of the same model and the same data can resume from the image.

use crate::checksums::checksum_of;
use crate::job::Job;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{SavedState, StateKind, read_volume_as, write_image};
use arcuate_model::fit::sample::ChainIdentity;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// File names of the image of the final state of Markov chains, and of its JSON file, in the folder of a
/// model.
pub(super) const IMAGE: &str = "state.nii.gz";
pub(super) const IDENTITY: &str = "state.json";
/// Kind and version of the JSON file.
const KIND: StateKind = StateKind { name: "chains", version: 2 };
/// Advice to the user if the state image or its JSON file is damaged.
const REMEDY: &str = "keep state.nii.gz and state.json as one run has written them, side by side, or run the first chains again";

/// Content of the JSON file next to the image of the final state of Markov chains.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateSidecar {
    /// SHA-256 checksum of the image.
    image_sha256: String,
    /// Identity of the Markov chains, as pairs of a property (such as the model) and its value.
    chains_of: Vec<(String, String)>,
}

/// Returns the path of the JSON file that belongs to an image of the state of Markov chains.
pub(super) fn identity_file(image: &Path) -> PathBuf {
    arcuate_io::companion_path(image, "json")
}

/// Writes the state of the Markov chains to an image, and the identity of the chains to a JSON file. The
/// image has single precision if `is_single` is true, and double precision if not.
pub(super) fn write(
    image: &Path,
    state: &Volume<f64>,
    is_single: bool,
    identity: ChainIdentity,
    job: &Job,
) -> Result<()> {
    let options = job.image_options();
    if is_single {
        let values = state.values().iter().map(|value| *value as f32).collect();
        write_image(image, &Volume::new(*state.grid(), state.channels(), values)?, &options)?;
    } else {
        write_image(image, state, &options)?;
    }
    let beside_it = StateSidecar { image_sha256: checksum_of(image)?, chains_of: identity.0 };
    SavedState { path: &identity_file(image), kind: KIND, remedy: REMEDY }.write_json(&beside_it)
}

/// Reads the state of Markov chains from an image.
pub(super) fn read(image: &Path) -> Result<Volume<f64>> {
    read_volume_as(image)
}

/// Returns an error if the state image was changed, or if it is from other Markov chains than `of_chains`.
pub(super) fn check(image: &Path, of_chains: &ChainIdentity) -> Result<()> {
    let path = identity_file(image);
    let about = format!("‘resume’ {}", image.display());
    let refuse = |problem: String| Err(Error::invalid(&about, problem, REMEDY));
    if path.symlink_metadata().is_err() {
        return refuse(format!("{} is missing, which states what these chains are of", path.display()));
    }
    let state = SavedState { path: &path, kind: KIND, remedy: REMEDY };
    let found: StateSidecar = match state.read_json() {
        Ok(found) => found,
        Err(error) => return refuse(format!("{}: {}", error.subject(), error.problem())),
    };
    if found.image_sha256 != checksum_of(image)? {
        return refuse(format!("{} belongs to another image, or the image was changed", path.display()));
    }
    match of_chains.difference(&ChainIdentity(found.chains_of)) {
        None => Ok(()),
        Some(difference) => {
            let problem = format!(
                "the saved chains have other data or options: {}",
                arcuate_core::printable(&difference, 600)
            );
            let advice = "give the state of chains of the same data and options, or leave ‘resume’ out; mask, ‘jumps’, \
                          ‘interval’, ‘device’ and ‘threads’ may differ";
            Err(Error::invalid(about, problem, advice))
        }
    }
}
