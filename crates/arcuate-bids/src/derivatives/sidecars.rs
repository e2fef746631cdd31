//! Metadata that all sidecars of a scan share: the sources of a file and its spatial reference.

use super::links::{self, Links};
use super::results::Results;
use crate::entities::BidsName;
use crate::scans::Scan;
use arcuate_core::Result;
use arcuate_io::describe_image;
use arcuate_pipeline::record::Record;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The contents of a sidecar file.
pub(super) type Sidecar = Map<String, Value>;

/// Data that the sidecars of all derivatives of a scan share.
pub(super) struct Common<'a> {
    /// The scan whose derivatives are published.
    pub(super) scan: &'a Scan,
    /// The results of the scan's run.
    pub(super) results: &'a Results,
    links: Links,
    /// For each published result, its name in the result folder and its published name.
    published: BTreeMap<String, String>,
    /// Published files that are outside the result folder, each with its published name.
    published_beside: Vec<(PathBuf, String)>,
    resolution: Option<String>,
}

/// Returns the path of a derivative relative to the root of the derivatives.
pub(super) fn published_name(scan: &Scan, name: &BidsName) -> String {
    [scan.levels.as_slice(), &[name.to_string()]].concat().join("/")
}

impl<'a> Common<'a> {
    /// Creates the shared data for the sidecars of a scan. `links` are the links of the dataset that receives
    /// the scan's derivatives.
    pub(super) fn new(scan: &'a Scan, results: &'a Results, links: Links) -> Result<Self> {
        Ok(Self {
            scan,
            results,
            links,
            published: BTreeMap::new(),
            published_beside: Vec::new(),
            resolution: resolution(scan)?,
        })
    }

    /// Records the published name of some results. Several results may be published as one file.
    pub(super) fn note<'b>(&mut self, results: impl IntoIterator<Item = &'b String>, name: &BidsName) {
        let name = published_name(self.scan, name);
        self.published.extend(results.into_iter().map(|result| (result.clone(), name.clone())));
    }

    /// Records the published name of a file outside the result folder.
    pub(super) fn note_beside(&mut self, file: &Path, name: &BidsName) {
        self.published_beside.push((file.to_owned(), published_name(self.scan, name)));
    }

    /// Returns the URI of a published result.
    pub(super) fn address_of_result(&self, name: &str) -> Option<String> {
        self.published.get(name).map(|name| links::own(name))
    }

    /// Returns the URI of a file. Returns `None` if the file is an unpublished result, which other programs
    /// cannot find.
    pub(super) fn address(&self, path: &Path) -> Option<String> {
        if let Some((_, name)) = self.published_beside.iter().find(|(known, _)| known == path) {
            return Some(links::own(name));
        }
        match self.results.name_of(path) {
            Some(name) => self.address_of_result(&name),
            None => self.links.address(path),
        }
    }

    /// Returns the URI of the diffusion series.
    pub(super) fn series(&self) -> Option<String> {
        self.address(&self.scan.series.path)
    }

    /// Returns the URIs of the inputs that a record lists. The diffusion series is always included.
    fn sources(&self, record: &Record) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for address in record.inputs.iter().filter_map(|input| self.address(Path::new(&input.path))) {
            if !sources.contains(&address) {
                sources.push(address);
            }
        }
        if sources.is_empty() {
            sources.extend(self.series());
        }
        sources
    }

    /// Returns the sidecar of a file, with its description, its sources and its spatial reference. The
    /// sources are those in `record`.
    pub(super) fn of(&self, description: &str, record: &Record) -> Sidecar {
        let mut sidecar = self.from(description, self.sources(record));
        sidecar.insert("Software".into(), software(record).into());
        sidecar
    }

    /// Returns the sidecar of a file, with its description, these sources and its spatial reference.
    pub(super) fn from(&self, description: &str, sources: impl IntoIterator<Item = String>) -> Sidecar {
        let mut sidecar = Sidecar::new();
        sidecar.insert("Description".into(), description.into());
        let sources: Vec<Value> = sources.into_iter().map(Value::from).collect();
        if !sources.is_empty() {
            sidecar.insert("Sources".into(), sources.into());
        }
        if let Some(series) = self.series() {
            sidecar.insert("SpatialReference".into(), series.into());
        }
        if let Some(resolution) = &self.resolution {
            sidecar.insert("Resolution".into(), resolution.clone().into());
        }
        sidecar
    }
}

/// Returns the resolution, which BIDS requires if a name contains `res`. It is the resolution of the series.
/// If the series' sidecar describes it as text, this text is returned.
fn resolution(scan: &Scan) -> Result<Option<String>> {
    let Some(label) = scan.name.get("res") else { return Ok(None) };
    let said = scan.metadata.get("Resolution");
    if let Some(said) = said.and_then(|value| value.as_str().or_else(|| value.get(label)?.as_str())) {
        return Ok(Some(said.to_owned()));
    }
    let [x, y, z] = describe_image(&scan.series.path)?.grid.voxel_sizes();
    Ok(Some(format!("the grid of the series, voxels of {x:.2} × {y:.2} × {z:.2} mm")))
}

/// Returns the name and version of the program that wrote a record. A dataset may contain results of several
/// versions.
pub(super) fn software(record: &Record) -> String {
    let own = record.versions.0.iter().find(|(name, _)| name == "arcuate");
    let version = own.map_or(env!("CARGO_PKG_VERSION"), |(_, version)| version.as_str());
    format!("arcuate {version}")
}
