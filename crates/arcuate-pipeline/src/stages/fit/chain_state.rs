//! Where chains ended, on disk: an image, and beside it what these chains are of, so that no others go on from there.

use crate::caller::Caller;
use crate::checksums::checksum_of;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{read_volume_as, write_file, write_image};
use arcuate_model::fit::sample::ChainIdentity;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The image, and what it is of, among the results of a model.
pub(super) const IMAGE: &str = "state.nii.gz";
pub(super) const IDENTITY: &str = "state.json";
/// Bytes of a file that says what chains are of, at most.
const LARGEST: u64 = 1 << 20;

/// What the file beside an image says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    /// SHA-256 of the image.
    sha256: String,
    /// What the chains are of, part by part.
    chains_of: Vec<(String, String)>,
}

/// The file beside an image of states.
pub(super) fn beside(image: &Path) -> PathBuf {
    let name = image.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    image.with_file_name(format!("{stem}.json"))
}

/// Writes states, in double precision where chains were run in it, and what they are of.
pub(super) fn write(
    image: &Path,
    state: &Volume<f64>,
    is_single: bool,
    identity: ChainIdentity,
    caller: &dyn Caller,
) -> Result<()> {
    let options = caller.image_options();
    if is_single {
        let values = state.values().iter().map(|value| *value as f32).collect();
        write_image(image, &Volume::new(*state.grid(), state.channels(), values)?, &options)?;
    } else {
        write_image(image, state, &options)?;
    }
    let beside_it = Beside { sha256: checksum_of(image)?, chains_of: identity.0 };
    let text = serde_json::to_string_pretty(&beside_it)
        .map_err(|e| Error::invalid(IDENTITY, e.to_string(), "report this as a bug"))?;
    write_file(&beside(image), text + "\n")
}

/// Reads states.
pub(super) fn read(image: &Path) -> Result<Volume<f64>> {
    read_volume_as(image)
}

/// Fails where states are not those of these chains.
pub(super) fn check(image: &Path, of_chains: &ChainIdentity) -> Result<()> {
    let path = beside(image);
    let about = format!("‘resume’ {}", image.display());
    let keep = "keep state.nii.gz and state.json as one run has written them, side by side";
    let refuse = |problem: String| Err(Error::invalid(&about, problem, keep));
    let size = match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => return refuse(format!("{} is not there, which says what these chains are of", path.display())),
    };
    if size > LARGEST {
        return refuse(format!("{} has {size} bytes and is no such file", path.display()));
    }
    let bytes = std::fs::read(&path).map_err(|e| Error::read(&path, e))?;
    let Ok(found) = serde_json::from_slice::<Beside>(&bytes) else {
        return refuse(format!("{} does not say what these chains are of", path.display()));
    };
    if found.sha256 != checksum_of(image)? {
        return refuse(format!("{} is that of another image", path.display()));
    }
    match of_chains.difference(&ChainIdentity(found.chains_of)) {
        None => Ok(()),
        Some(difference) => {
            let problem =
                format!("these chains are of something else: {}", arcuate_core::printable(&difference, 600));
            let advice = "give the state of chains of the same data and options, or leave ‘resume’ out; mask, ‘jumps’, \
                          ‘interval’, ‘device’ and ‘threads’ may differ";
            Err(Error::invalid(about, problem, advice))
        }
    }
}
