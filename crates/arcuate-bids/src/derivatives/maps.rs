//! Defines which maps (images of model parameters) of a run are published, the names of their files, and the
//! contents of their sidecars.

use super::models;
use super::results::Results;
use super::sidecars::{Common, Sidecar};
use crate::entities::BidsName;
use arcuate_core::Result;
use arcuate_io::describe_image;
use serde_json::json;

/// The kind of values that a map (an image of a model parameter) has in each voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// One number per voxel, or one number per fibre population.
    Scalars,
    /// The six independent elements of a tensor.
    Tensor,
    /// Spherical harmonic coefficients in MRtrix's convention.
    Harmonics,
    /// Unit directions.
    Directions,
    /// Directions scaled by their weight.
    Vectors,
}

/// A map that a run may produce.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MapKind {
    /// The files of the map in the result folder, without extensions. If there are several files, they become
    /// the volumes of one published image.
    files: &'static [&'static str],
    /// The entities of the map's BIDS name: `model`, `desc` (omitted if empty), and `param`.
    labels: [&'static str; 3],
    /// The text that describes the map in its sidecar.
    title: &'static str,
    /// The unit of the values. Empty for ratios.
    unit: &'static str,
    /// The type of the map's values.
    values: Values,
}

/// The unit of a signal.
const SIGNAL: &str = "arbitrary";
const DIFFUSIVITY: &str = "mm^2/s";
/// The indices of the tensor elements D11 D12 D13 D22 D23 D33, the order in the draft of BIDS for diffusion
/// models (BEP016), in Arcuate's files. Arcuate's files have the order D11 D22 D33 D12 D13 D23.
pub(super) const TENSOR_ORDER: [usize; 6] = [0, 3, 4, 1, 5, 2];
/// The index of the fourth dimension (the volumes) among the dimensions of a NIfTI file, counted from 0.
const VOLUMES: usize = 3;

const fn map(
    files: &'static [&'static str],
    labels: [&'static str; 3],
    title: &'static str,
    unit: &'static str,
    values: Values,
) -> MapKind {
    MapKind { files, labels, title, unit, values }
}

/// All maps of model parameters that are published; the maps of streamline density are listed separately.
/// Quantities that follow from other maps (eigenvalues, colours) are not published. Posterior samples are not
/// published either, because the draft of BIDS requires a fifth dimension of the image for them.
const MAPS: [MapKind; 26] = [
    map(
        &["tensor/tensor"],
        ["tensor", "", "diffusivity"],
        "Diffusion tensor: D11 D12 D13 D22 D23 D33",
        DIFFUSIVITY,
        Values::Tensor,
    ),
    map(&["tensor/fa"], ["tensor", "", "fa"], "Fractional anisotropy", "", Values::Scalars),
    map(&["tensor/md"], ["tensor", "", "md"], "Mean diffusivity", DIFFUSIVITY, Values::Scalars),
    map(
        &["tensor/ad"],
        ["tensor", "", "ad"],
        "Axial diffusivity, the largest eigenvalue",
        DIFFUSIVITY,
        Values::Scalars,
    ),
    map(
        &["tensor/rd"],
        ["tensor", "", "rd"],
        "Radial diffusivity, the mean of the two other eigenvalues",
        DIFFUSIVITY,
        Values::Scalars,
    ),
    map(
        &["tensor/principal_direction"],
        ["tensor", "", "direction"],
        "Principal direction of the tensor",
        "",
        Values::Directions,
    ),
    map(&["tensor/s0"], ["tensor", "", "s0"], "Signal without diffusion weighting", SIGNAL, Values::Scalars),
    map(
        &["tensor/residual"],
        ["tensor", "", "rmse"],
        "Root mean square of measured minus predicted signals",
        SIGNAL,
        Values::Scalars,
    ),
    map(
        &["csd/wm_fod"],
        ["csd", "", "wm"],
        "Fibre orientation distributions of white matter",
        SIGNAL,
        Values::Harmonics,
    ),
    map(&["csd/gm"], ["csd", "", "gm"], "Grey matter: its coefficient of degree 0", SIGNAL, Values::Scalars),
    map(&["csd/csf"], ["csd", "", "csf"], "CSF: the coefficient of degree 0", SIGNAL, Values::Scalars),
    map(
        &["csd/peaks"],
        ["csd", "", "peaks"],
        "Peaks of the distributions, as long as their amplitudes",
        SIGNAL,
        Values::Vectors,
    ),
    map(
        &["csd/field"],
        ["mtnorm", "", "norm"],
        "Factor by which the intensities of all tissues were divided",
        "",
        Values::Scalars,
    ),
    map(
        &["ball-2-sticks/n1", "ball-2-sticks/n2"],
        ["bs", "mean", "vector"],
        "Mean orientations of both fibre populations",
        "",
        Values::Directions,
    ),
    map(
        &["ball-2-sticks/f1", "ball-2-sticks/f2"],
        ["bs", "mean", "vf"],
        "Mean parts of the signal of both fibre populations",
        "",
        Values::Scalars,
    ),
    map(
        &["ball-2-sticks/f_sum"],
        ["bs", "mean", "vfsum"],
        "Mean part of the signal of both fibre populations together",
        "",
        Values::Scalars,
    ),
    map(
        &["ball-2-sticks/d"],
        ["bs", "mean", "diffusivity"],
        "Mean diffusivity of the samples",
        DIFFUSIVITY,
        Values::Scalars,
    ),
    map(
        &["ball-2-sticks/s0"],
        ["bs", "mean", "s0"],
        "Mean signal without diffusion weighting",
        SIGNAL,
        Values::Scalars,
    ),
    map(
        &["ball-2-sticks/residual"],
        ["bs", "mean", "rmse"],
        "Root mean square of measured minus predicted signals",
        SIGNAL,
        Values::Scalars,
    ),
    map(
        &["commit/commit_intra_fraction"],
        ["commit", "", "intra"],
        "Part of the signal that streamlines contribute",
        "",
        Values::Scalars,
    ),
    map(
        &["commit/commit_extra_fraction"],
        ["commit", "", "extra"],
        "Part of the signal that hindered water along fibres contributes",
        "",
        Values::Scalars,
    ),
    map(
        &["commit/commit_isotropic_fraction"],
        ["commit", "", "iso"],
        "Part of the signal that freely diffusing water contributes",
        "",
        Values::Scalars,
    ),
    map(
        &["commit/commit_rmse"],
        ["commit", "", "rmse"],
        "Root mean square of measured minus predicted signals, in parts of the signal at b = 0",
        "",
        Values::Scalars,
    ),
    map(
        &["commit/commit_nrmse"],
        ["commit", "", "nrmse"],
        "The error in parts of the root mean square of the signals",
        "",
        Values::Scalars,
    ),
    map(
        &["life/life_rmse_before"],
        ["life", "before", "rmse"],
        "Root mean square of signals that no streamline explains",
        SIGNAL,
        Values::Scalars,
    ),
    map(
        &["life/life_rmse_after"],
        ["life", "", "rmse"],
        "Root mean square of measured signals minus those that weighted streamlines explain",
        SIGNAL,
        Values::Scalars,
    ),
];

/// The maps of streamline density (number of streamlines in each voxel). Tracking follows one of three
/// models, and the density map has a separate entry for each of them.
const DENSITIES: [MapKind; 3] = [density("csd"), density("bs"), density("tensor")];

const fn density(model: &'static str) -> MapKind {
    let title = "Streamlines that pass each voxel";
    map(&["track_density"], [model, "", "tdi"], title, "count", Values::Scalars)
}

/// A map that a run produced.
#[derive(Debug)]
pub(super) struct FoundMap {
    kind: &'static MapKind,
    /// The names of the files in the result folder that contain the map.
    pub(super) files: Vec<String>,
    /// For each volume of the published image, the index of the volume in Arcuate's file. `None` if the order
    /// of the volumes stays the same.
    pub(super) order: Option<&'static [usize]>,
}

/// Finds the maps in the results of a run, including the map of streamline density. `followed` is the label
/// of the model that tracking followed.
pub(super) fn find(results: &Results, followed: &str) -> Result<Vec<FoundMap>> {
    let density = DENSITIES.iter().find(|kind| kind.labels[0] == followed);
    let mut found = Vec::new();
    for kind in MAPS.iter().chain(density) {
        let files: Result<Option<Vec<String>>> = kind.files.iter().map(|stem| results.image(stem)).collect();
        if let Some(files) = files? {
            let order = (kind.values == Values::Tensor).then_some(&TENSOR_ORDER[..]);
            found.push(FoundMap { kind, files, order });
        }
    }
    Ok(found)
}

impl FoundMap {
    /// Returns the BIDS name of the published map, without extension. It consists of the name of the scan and
    /// the entities of the map.
    pub(super) fn name(&self, scan: &BidsName) -> BidsName {
        let [model, desc, param] = self.kind.labels;
        let name = scan.with("model", model).with("param", param).of("dwimap", "");
        if desc.is_empty() { name } else { name.with("desc", desc) }
    }

    /// Returns the contents of the map's sidecar.
    pub(super) fn sidecar(&self, common: &Common) -> Result<Sidecar> {
        let MapKind { labels: [model, _, param], title, unit, .. } = *self.kind;
        let first = &self.files[0];
        let record = common.results.record_of(first)?;
        let path = common.results.folder.join(first);
        let mut sidecar = common.of(title, &record);
        sidecar.insert("SkullStripped".into(), true.into());
        if !unit.is_empty() {
            sidecar.insert("Units".into(), unit.into());
        }
        if let Some(model) = models::model(model, &record).filter(|_| param != "tdi") {
            sidecar.insert("Model".into(), model);
        }
        if model == "csd"
            && let Some(response) = models::response(param, common.results)?
        {
            sidecar.insert("ResponseFunction".into(), response);
        }
        let volumes = describe_image(&path)?.channels() * self.files.len();
        if let Some(encoding) = self.encoding(volumes) {
            sidecar.insert("OrientationEncoding".into(), encoding);
        }
        Ok(sidecar)
    }

    /// Returns the entry of the map's sidecar that states how the volumes of the map encode orientations.
    /// Returns `None` for maps without a fourth dimension.
    fn encoding(&self, volumes: usize) -> Option<serde_json::Value> {
        let along_scanner = |kind: &str| json!({"Type": kind, "Reference": "xyz", "EncodingAxis": VOLUMES, "AntipodalSymmetry": true});
        Some(match self.kind.values {
            Values::Scalars if volumes == 1 => return None,
            Values::Scalars => json!({"Type": "scalar"}),
            Values::Tensor => {
                let mut encoding = along_scanner("tensor");
                encoding["TensorRank"] = json!(2);
                encoding
            }
            Values::Harmonics => {
                let mut encoding = along_scanner("sh");
                encoding["SphericalHarmonicBasis"] = json!("mrtrix3");
                encoding["SphericalHarmonicDegree"] = json!(degree_of(volumes));
                encoding
            }
            Values::Directions | Values::Vectors => {
                let is_unit = self.kind.values == Values::Directions;
                let mut encoding = along_scanner(if is_unit { "unit3vector" } else { "3vector" });
                encoding["FillValue"] = json!(0.0);
                encoding
            }
        })
    }
}

/// Returns the highest degree of a series of spherical harmonics from its number of coefficients. A series
/// with only even degrees has (degree + 1)(degree + 2) / 2 coefficients.
fn degree_of(coefficients: usize) -> usize {
    (0..).step_by(2).find(|degree| (degree + 1) * (degree + 2) / 2 >= coefficients).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn map_names_are_unique() {
        let scan = BidsName::parse("sub-1_space-ACPC_dwi.nii.gz").unwrap();
        let name = |kind: &'static MapKind| {
            FoundMap { kind, files: Vec::new(), order: None }.name(&scan).to_string()
        };
        let names: BTreeSet<String> = MAPS.iter().chain(&DENSITIES).map(name).collect();
        assert_eq!(names.len(), MAPS.len() + DENSITIES.len());
        assert!(names.contains("sub-1_space-ACPC_model-tensor_param-fa_dwimap"));
        assert!(names.contains("sub-1_space-ACPC_model-bs_desc-mean_param-vf_dwimap"));
    }

    #[test]
    fn degree_follows_from_the_number_of_coefficients() {
        for (coefficients, degree) in [(1, 0), (6, 2), (15, 4), (28, 6), (45, 8)] {
            assert_eq!(degree_of(coefficients), degree);
        }
    }
}
