//! Publishes the tractogram (file of streamlines) of a run and its sidecar, following the draft of BIDS for
//! tractography (BEP046). If an evaluation such as COMMIT computed weights of the streamlines, the tractogram
//! contains these weights.

use super::models::paper;
use super::results::{Results, chosen_number, counted, figure, number, option, word};
use super::sidecars::{Common, Sidecar};
use crate::entities::{BidsName, is_label};
use arcuate_core::Result;
use arcuate_pipeline::record::Record;
use arcuate_pipeline::run::{RAYS, TRACTS};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Tractograms to which COMMIT or LiFE added a weight for each streamline. If one of these files exists, it
/// is published instead of the tractogram without weights.
const WEIGHTED: [&str; 2] = ["commit/tracks_weighted.trx", "life/tracks_weighted.trx"];

/// The model that tracking follows.
#[derive(Debug, PartialEq, Eq)]
struct Followed {
    /// The label of the diffusion model in the names of its maps.
    model: &'static str,
    /// The file of the map that tracking follows (or the mean of these maps), without extension.
    map: &'static str,
    /// The name of the tracking method in the sidecar, if the record of the run does not state another name.
    track: &'static str,
    /// The quantity that tracking compares with a threshold, such as fractional anisotropy. `cutoffs` are the
    /// two options that set this threshold: the first for tracking, the second for seeds.
    metric: &'static str,
    cutoffs: [&'static str; 2],
}

const GEODESIC: Followed =
    Followed { model: "tensor", map: "tensor/tensor", track: "geodesic", metric: "", cutoffs: ["", ""] };
const DISTRIBUTIONS: Followed = Followed {
    model: "csd",
    map: "csd/wm_fod",
    track: "fod",
    metric: "amplitude of the fibre orientation distribution",
    cutoffs: ["cutoff", "seed-cutoff"],
};
const SAMPLES: Followed =
    Followed { model: "bs", map: "ball-2-sticks/n1", track: "samples", metric: "", cutoffs: ["", ""] };
const TENSOR: Followed = Followed {
    model: "tensor",
    map: "tensor/tensor",
    track: "tensor",
    metric: "fractional anisotropy",
    cutoffs: ["cutoff", "seed-cutoff"],
};

/// The tractogram of a run.
#[derive(Debug)]
pub(super) struct Tractogram {
    /// The tractogram file in the result folder.
    pub(super) file: String,
    /// The tractogram files in the result folder that are published as one file.
    pub(super) stands_for: Vec<String>,
    followed: &'static Followed,
    /// The record (JSON with provenance) of the command that created the tractogram.
    record: Record,
}

impl Tractogram {
    /// Finds the tractogram of a run. Returns `None` if the run has none.
    pub(super) fn find(results: &Results) -> Result<Option<Self>> {
        let rays = format!("geodesic/{RAYS}");
        let (made, followed) = if results.file(&rays)?.is_some() {
            (rays, &GEODESIC)
        } else if results.file(TRACTS)?.is_none() {
            return Ok(None);
        } else if results.image(DISTRIBUTIONS.map)?.is_some() {
            (TRACTS.to_owned(), &DISTRIBUTIONS)
        } else if results.image(SAMPLES.map)?.is_some() {
            (TRACTS.to_owned(), &SAMPLES)
        } else {
            (TRACTS.to_owned(), &TENSOR)
        };
        let record = results.record_of(&made)?;
        let mut stands_for = vec![made];
        for weighted in WEIGHTED {
            if results.file(weighted)?.is_some() {
                stands_for.push(weighted.to_owned());
            }
        }
        let file = stands_for.last().cloned().unwrap_or_default();
        Ok(Some(Self { file, stands_for, followed, record }))
    }

    /// Returns the label of the diffusion model that tracking followed. The names of the model's maps have
    /// this label, too.
    pub(super) fn model(&self) -> &'static str {
        self.followed.model
    }

    /// Returns the BIDS name of the published tractogram, without extension. It consists of the name of the
    /// scan and the entities of the tractogram.
    pub(super) fn name(&self, scan: &BidsName) -> BidsName {
        let method = word(&self.record, "method").filter(|method| is_label(method));
        let track = method.unwrap_or(self.followed.track);
        scan.with("tract", "wholebrain").with("track", track).of("tractogram", "")
    }

    /// Returns the contents of the tractogram's sidecar.
    pub(super) fn sidecar(&self, common: &Common) -> Result<Sidecar> {
        let record = &self.record;
        let weights = self.stands_for.get(1).and_then(|file| file.split('/').next());
        let description = match weights {
            Some(by) => {
                let evaluated = common.results.record_of(&self.file)?.done;
                format!("{} Each has a weight, dps/{by}_weights: {evaluated}", record.done)
            }
            None => record.done.clone(),
        };
        let mut sidecar = common.of(&description, record);
        sidecar.insert("Name".into(), record.title.clone().into());
        if let Some(url) = paper(record) {
            sidecar.insert("URL".into(), url.into());
        }
        let followed = common.results.image(self.followed.map)?;
        let source =
            followed.and_then(|name| common.address_of_result(&name)).map_or(Value::Null, Value::from);
        // Tracking may follow posterior samples, which are not published. The sidecar then lists the mean of
        // the samples as the source.
        let sources = sidecar.get_mut("Sources").and_then(Value::as_array_mut);
        if let Some(sources) = sources.filter(|known| source.is_string() && !known.contains(&source)) {
            sources.insert(0, source.clone());
        }
        let of_option = |name: &str| word(record, name).and_then(|path| common.address(Path::new(path)));
        sidecar.insert("StreamlineSeeding".into(), self.seeding(&source, &of_option));
        sidecar.insert("StreamlinePropagation".into(), self.propagation(&source).into());
        sidecar.insert("StreamlineTermination".into(), self.termination(&source, &of_option).into());
        sidecar.insert("StreamlineAcceptanceCriteria".into(), self.acceptance(common, &of_option).into());
        let density = [
            ("Seeds", counted(record, "seeds tried").or_else(|| figure(record, "seeds"))),
            ("GeneratedStreamlines", figure(record, "streamlines followed")),
            (
                "AcceptedStreamlines",
                figure(record, "streamlines").or_else(|| figure(record, "streamlines accepted")),
            ),
        ];
        sidecar.insert("StreamlineReconstructionDensity".into(), known(density).into());
        Ok(sidecar)
    }

    /// Returns the acceptance criterion for the sidecar: the quantity that tracking compares with a
    /// threshold, and the threshold. `options` are the options that can set the threshold; if the user gave
    /// several, the last one in the list counts.
    fn enough(&self, source: &Value, options: &[&str]) -> Value {
        let threshold = options.iter().filter_map(|name| number(&self.record, name)).next_back();
        match threshold {
            Some(threshold) => {
                json!([{"Metric": self.followed.metric, "Source": source, "Threshold": threshold}])
            }
            None => json!([]),
        }
    }

    fn seeding(&self, source: &Value, of_option: &impl Fn(&str) -> Option<String>) -> Value {
        let record = &self.record;
        let files = [
            ("seed-points", "CountPerElement"),
            ("seed-weights", "RejectionSampling"),
            ("seed-mask", "Random"),
        ];
        let given = files.into_iter().find(|(name, _)| word(record, name).is_some());
        let at_interface = option(record, "seed-interface").and_then(Value::as_bool) == Some(true);
        let (kind, from) = match given {
            Some((name, kind)) => (kind, of_option(name)),
            None if at_interface => ("Random", of_option("five-tissues")),
            None => ("Random", source.as_str().map(str::to_owned)),
        };
        let mut seeds = json!({"Type": kind});
        if let Some(from) = from {
            seeds["Source"] = from.into();
        }
        // If the user gives no seeds, geodesic tracking starts its shortest paths at the centres of the
        // voxels.
        let by_lattice = self.followed == &GEODESIC && number(record, "seeds").is_none() && given.is_none();
        let lattice = number(record, "seed-grid").or(by_lattice.then_some(1.0));
        if let Some(lattice) = lattice {
            seeds["Type"] = "GridPerElement".into();
            seeds["SeedsPerElement"] = json!(lattice.powi(3) as u64);
        } else if kind == "CountPerElement" {
            seeds["SeedsPerElement"] = json!(1);
        }
        let criteria = self.enough(source, &self.followed.cutoffs);
        json!({"Sources": [seeds], "AcceptanceCriteria": criteria})
    }

    /// Returns the order of the numerical method with which tracking integrates the streamlines, for example
    /// 4 for Runge-Kutta. Returns `None` for tracking methods without integration.
    fn integration_order(&self) -> Option<u64> {
        match (word(&self.record, "method"), word(&self.record, "integrator")) {
            (Some("arcs"), _) | (_, Some("midpoint")) => Some(2),
            (Some("steps" | "peaks" | "fact"), _) | (_, Some("euler")) => Some(1),
            (_, Some("adaptive")) => Some(5),
            (Some("tensor" | "deflection"), _) | (_, Some("runge-kutta")) => Some(4),
            _ => None,
        }
    }

    fn propagation(&self, source: &Value) -> Map<String, Value> {
        let record = &self.record;
        let (interpolation, order) = match (word(record, "method"), word(record, "field")) {
            (Some("fact"), _) => ("Nearest", 0),
            (_, Some("spline")) => ("Spline", 3),
            _ => ("Linear", 1),
        };
        let tracking_method = record
            .choices
            .0
            .iter()
            .find(|(name, _)| name == "method")
            .map(|(_, tracking_method)| tracking_method.as_str());
        let algorithm = json!({"Name": record.title, "Description": tracking_method.unwrap_or(&record.done)});
        let sharpest = |behind: &str| chosen_number(record, "sharpest turn", behind).map(Value::from);
        known([
            ("Algorithm", Some(&algorithm)),
            ("Source", Some(source)),
            ("Interpolation", Some(&interpolation.into())),
            ("InterpolationOrder", Some(&order.into())),
            ("IntegrationOrder", self.integration_order().map(Value::from).as_ref()),
            ("StepSize", chosen_number(record, "step", "").map(Value::from).as_ref()),
            ("AnglePerStep", sharpest("").as_ref()),
            ("MinimumRadius", sharpest("radius of curvature of ").as_ref()),
        ])
    }

    fn termination(&self, source: &Value, of_option: &impl Fn(&str) -> Option<String>) -> Map<String, Value> {
        let [cutoff, _] = self.followed.cutoffs;
        let masks: Vec<String> = of_option("mask").into_iter().collect();
        known([
            ("Anisotropy", Some(&self.enough(source, &[cutoff]))),
            ("Masks", Some(&masks.into())),
            ("AnatomicalSegmentation", of_option("five-tissues").map(Value::from).as_ref()),
            ("AnglePerStep", chosen_number(&self.record, "sharpest turn", "").map(Value::from).as_ref()),
            ("MaximumLength", option(&self.record, "max-length")),
        ])
    }

    fn acceptance(&self, common: &Common, of_option: &impl Fn(&str) -> Option<String>) -> Map<String, Value> {
        let record = &self.record;
        let regions = |name: &str| {
            let files = option(record, name).and_then(Value::as_array);
            let address = |file: &Value| common.address(Path::new(file.as_str()?));
            files.map(|files| files.iter().filter_map(address).map(Value::from).collect::<Vec<_>>().into())
        };
        let in_order = option(record, "waypoints-in-order").and_then(Value::as_bool) == Some(true);
        let included = if in_order { "OrderedInclusionRegions" } else { "InclusionRegions" };
        let shortest = chosen_number(record, "shortest streamline", "").map(Value::from);
        known([
            (included, regions("waypoints").as_ref()),
            ("ExclusionRegions", regions("avoid").as_ref()),
            ("MinimumLength", option(record, "min-length").or(shortest.as_ref())),
            ("MaximumLength", option(record, "max-length")),
            ("AnatomicalSegmentation", of_option("five-tissues").map(Value::from).as_ref()),
        ])
    }
}

/// Returns a JSON object with those of the entries `facts` whose values are known.
fn known<const N: usize>(facts: [(&str, Option<&Value>); N]) -> Map<String, Value> {
    let is_said = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value.filter(|value| is_said(value))?.clone())))
        .collect()
}
