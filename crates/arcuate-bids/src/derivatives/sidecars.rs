//! Creates the metadata that every sidecar of a scan's derivatives contains: the sources of the file and its
//! spatial reference.

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

/// Data from which the sidecars of all derivatives of a scan are created.
pub(super) struct Common<'a> {
    /// The scan whose derivatives are published.
    pub(super) scan: &'a Scan,
    /// The results of the scan's run.
    pub(super) results: &'a Results,
    links: Links,
    /// The published results: from the name of a file in the result folder to its name in the derivatives.
    published: BTreeMap<String, String>,
    /// Published files that are not in the result folder of the run, each with its path and its name in the
    /// derivatives.
    published_beside: Vec<(PathBuf, String)>,
    resolution: Option<String>,
}

/// Returns the path of a published file of the scan, relative to the root of the derivatives.
pub(super) fn published_name(scan: &Scan, name: &BidsName) -> String {
    [scan.levels.as_slice(), &[name.to_string()]].concat().join("/")
}

impl<'a> Common<'a> {
    /// Creates the data from which the sidecars of a scan are made. `links` are the links to other datasets
    /// in the derivatives dataset that receives the files.
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

    /// Records that these result files are published under this name. Several result files may be published
    /// together as one file.
    pub(super) fn note<'b>(&mut self, results: impl IntoIterator<Item = &'b String>, name: &BidsName) {
        let name = published_name(self.scan, name);
        self.published.extend(results.into_iter().map(|result| (result.clone(), name.clone())));
    }

    /// Records that a file outside the result folder is published under this name.
    pub(super) fn note_beside(&mut self, file: &Path, name: &BidsName) {
        self.published_beside.push((file.to_owned(), published_name(self.scan, name)));
    }

    /// Returns the URI of a published result.
    pub(super) fn address_of_result(&self, name: &str) -> Option<String> {
        self.published.get(name).map(|name| links::own(name))
    }

    /// Returns the BIDS URI of a file. Returns `None` if the file is a result that is not published, because
    /// other programs cannot find it.
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

    /// Returns the BIDS URIs of the input files that the record of a result lists, and always that of the
    /// diffusion series.
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

    /// Returns the sidecar of a published file with this description and its spatial reference. Its sources
    /// are the input files that `record` lists.
    pub(super) fn of(&self, description: &str, record: &Record) -> Sidecar {
        let mut sidecar = self.from(description, self.sources(record));
        sidecar.insert("Software".into(), software(record).into());
        sidecar
    }

    /// Returns the sidecar of a published file with this description, these source files and its spatial
    /// reference.
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

/// Returns a text about the voxel size of the scan, which BIDS requires in the sidecar if the file name has
/// the entity `res`. If the sidecar of the diffusion series has such a text, this text is returned.
fn resolution(scan: &Scan) -> Result<Option<String>> {
    let Some(label) = scan.name.get("res") else { return Ok(None) };
    let stated = scan.metadata.get("Resolution");
    if let Some(stated) = stated.and_then(|value| value.as_str().or_else(|| value.get(label)?.as_str())) {
        return Ok(Some(stated.to_owned()));
    }
    let [x, y, z] = describe_image(&scan.series.path)?.grid.voxel_sizes();
    Ok(Some(format!("the grid of the series, voxels of {x:.2} × {y:.2} × {z:.2} mm")))
}

/// Returns the name and version of the program that wrote the record of a result. The versions can differ
/// within a dataset.
pub(super) fn software(record: &Record) -> String {
    let own = record.versions.0.iter().find(|(name, _)| name == "arcuate");
    let version = own.map_or(env!("CARGO_PKG_VERSION"), |(_, version)| version.as_str());
    format!("arcuate {version}")
}
