//! What all sidecars of a scan say alike: of what a file was made, and where it lies in space.

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

/// A sidecar.
pub(super) type Sidecar = Map<String, Value>;

/// What sidecars of a scan have in common.
pub(super) struct Common<'a> {
    /// The scan.
    pub(super) scan: &'a Scan,
    /// What its run found.
    pub(super) results: &'a Results,
    links: Links,
    /// Names of results in their folder, with those that they are published by.
    published: BTreeMap<String, String>,
    /// Files beside that folder which are published, and their names.
    published_beside: Vec<(PathBuf, String)>,
    resolution: Option<String>,
}

/// The name of a derivative, from the root of all on.
pub(super) fn published_name(scan: &Scan, name: &BidsName) -> String {
    [scan.levels.as_slice(), &[name.to_string()]].concat().join("/")
}

impl<'a> Common<'a> {
    /// Of a scan whose derivatives go where the links are from.
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

    /// Notes that results are published by a name; those that one file stands for may be several.
    pub(super) fn note<'b>(&mut self, results: impl IntoIterator<Item = &'b String>, name: &BidsName) {
        let name = published_name(self.scan, name);
        self.published.extend(results.into_iter().map(|result| (result.clone(), name.clone())));
    }

    /// Notes that a file beside the results is published by a name.
    pub(super) fn note_beside(&mut self, file: &Path, name: &BidsName) {
        self.published_beside.push((file.to_owned(), published_name(self.scan, name)));
    }

    /// The address of a result that is published.
    pub(super) fn address_of_result(&self, name: &str) -> Option<String> {
        self.published.get(name).map(|name| links::own(name))
    }

    /// The address of a file, if others than Arcuate can find it: results that are not published are nobody's business.
    pub(super) fn address(&self, path: &Path) -> Option<String> {
        if let Some((_, name)) = self.published_beside.iter().find(|(known, _)| known == path) {
            return Some(links::own(name));
        }
        match self.results.name_of(path) {
            Some(name) => self.address_of_result(&name),
            None => self.links.address(path),
        }
    }

    /// The address of the series.
    pub(super) fn series(&self) -> Option<String> {
        self.address(&self.scan.series.path)
    }

    /// What a file was made of, by the inputs of its record: the series at least.
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

    /// What is said of a file with this record: what it is, of what it was made, and what it lies in the space of.
    pub(super) fn of(&self, description: &str, record: &Record) -> Sidecar {
        let mut sidecar = self.from(description, self.sources(record));
        sidecar.insert("Software".into(), software(record).into());
        sidecar
    }

    /// The same of a file that was made of these.
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

/// What BIDS wants to know where a name says a resolution: that of the series, in its words where it has some.
fn resolution(scan: &Scan) -> Result<Option<String>> {
    let Some(label) = scan.name.get("res") else { return Ok(None) };
    let said = scan.metadata.get("Resolution");
    if let Some(said) = said.and_then(|value| value.as_str().or_else(|| value.get(label)?.as_str())) {
        return Ok(Some(said.to_owned()));
    }
    let [x, y, z] = describe_image(&scan.series.path)?.grid.voxel_sizes();
    Ok(Some(format!("that of the series, voxels of {x:.2} × {y:.2} × {z:.2} mm")))
}

/// What made a file: a data set may have results of several versions.
pub(super) fn software(record: &Record) -> String {
    let own = record.versions.0.iter().find(|(name, _)| name == "arcuate");
    let version = own.map_or(env!("CARGO_PKG_VERSION"), |(_, version)| version.as_str());
    format!("arcuate {version}")
}
