//! The output of `arcuate info --json`. The file `docs/src/reference/info.schema.json` documents each of its
//! fields. New fields may be added. Existing fields must stay and keep their meaning.

use super::described::{Described, coordinates, mesh_as_stored};
use crate::parameters::text_in_options;
use arcuate_core::{BrainElements, ConnectivityMatrix, Error, Grid, Result};
use arcuate_io::{
    CiftiAxis, CiftiFile, DataDescription, ImageDescription, StoredGradients, SurfaceFile,
    TractogramDescription,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::Path;

/// Returns the description of a file that was read.
pub(super) fn of(path: &Path, described: &Described) -> Result<Value> {
    let (kind, fields) = match described {
        Described::Image(image) => ("image", of_image(image)?),
        Described::Tractogram(tracks) => ("tractogram", of_tractogram(tracks)),
        Described::Surface(surface) => ("surface", of_surface(surface)),
        Described::Cifti(file) => ("cifti", of_cifti(file)),
        Described::Matrix(matrix) => ("matrix", of_matrix(matrix)),
        Described::Gradients(format, stored) => {
            ("gradients", json!({ "format": format, "gradients": of_gradients(stored)? }))
        }
    };
    let mut object = json!({ "file": name_of(path), "kind": kind });
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
        object.extend(fields);
    }
    Ok(object)
}

fn of_matrix(matrix: &ConnectivityMatrix) -> Value {
    let sums: serde_json::Map<String, Value> = matrix
        .measures()
        .map(|measure| {
            let [diagonal, companion_path] = matrix.sums(measure).unwrap_or_default();
            (measure.word(), json!(diagonal + companion_path))
        })
        .collect();
    json!({
        "size": matrix.shape(),
        "rows": matrix.rows().kind().word(),
        "columns": matrix.columns().kind().word(),
        "symmetric": matrix.is_symmetric(),
        "entries": matrix.pattern().map_or(0, |pattern| pattern.columns.len()),
        "sums": sums,
    })
}

/// Returns the entry of a file that could not be read.
pub(super) fn of_failure(path: &Path, error: &Error) -> Value {
    json!({ "file": name_of(path), "kind": "error", "error": error.to_string() })
}

/// Returns warnings that name options of the command line.
fn in_options(warnings: &[String]) -> Vec<Cow<'_, str>> {
    warnings.iter().map(|warning| text_in_options(warning)).collect()
}

fn name_of(path: &Path) -> String {
    path.display().to_string()
}

fn of_image(image: &ImageDescription) -> Result<Value> {
    Ok(json!({
        "format": image.format,
        "size": image.dimensions,
        "data_type": image.data_type.to_string(),
        "big_endian": image.big_endian,
        "voxel_size_mm": image.grid.voxel_sizes(),
        "orientation": image.grid.is_placed().then(|| image.orientation()),
        "affine": image.grid.affine().rows(),
        "affine_source": image.affine_source,
        "standard_space": image.standard_space,
        "scaling": image.scaling.map(|(slope, intercept)| json!({ "slope": slope, "intercept": intercept })),
        "gradients": image.gradients.as_ref().map(of_gradients).transpose()?,
        "description": image.description,
        "warnings": in_options(&image.warnings),
    }))
}

fn of_gradients(stored: &StoredGradients) -> Result<Value> {
    let (table, warnings) = stored.shown()?;
    let shells: Vec<Value> =
        table.shells().into_iter().map(|(b, count)| json!({ "b_value": b, "measurements": count })).collect();
    Ok(json!({
        "measurements": table.len(),
        "shells": shells,
        "without_direction": table.without_direction(),
        "has_timings": table.timings().is_some(),
        "warnings": in_options(&warnings),
    }))
}

fn of_tractogram(tracks: &TractogramDescription) -> Value {
    let data = |list: &[DataDescription]| -> Vec<Value> {
        let one = |data: &DataDescription| json!({ "name": data.name, "width": data.width, "data_type": data.kind.to_string() });
        list.iter().map(one).collect()
    };
    let groups: Vec<Value> =
        tracks.groups.iter().map(|(name, count)| json!({ "name": name, "streamlines": count })).collect();
    let lengths = tracks.lengths.map(|[shortest, mean, median, longest]| {
        json!({ "shortest": shortest, "mean": mean, "median": median, "longest": longest })
    });
    let reference = tracks.grid.as_ref().map(|grid: &Grid| {
        json!({ "size": grid.shape(), "voxel_size_mm": grid.voxel_sizes(), "affine": grid.affine().rows() })
    });
    json!({
        "format": tracks.format_name(),
        "positions": tracks.positions.to_string(),
        "streamlines": tracks.streamlines,
        "points": tracks.points,
        "lengths_mm": lengths,
        "extent_mm": tracks.bounds,
        "reference": reference,
        "data_per_point": data(&tracks.per_point),
        "data_per_streamline": data(&tracks.per_streamline),
        "data_per_group": data(&tracks.per_group),
        "groups": groups,
    })
}

fn of_surface(file: &SurfaceFile) -> Value {
    let mesh = file.mesh.as_ref().map(|mesh| {
        let surface = mesh_as_stored(file).and_then(Result::ok);
        json!({
            "vertices": mesh.vertices.len(),
            "triangles": mesh.triangles.len(),
            "coordinates": coordinates(file),
            "extent_mm": surface.as_ref().and_then(arcuate_core::Surface::bounds),
            "is_closed": surface.as_ref().map(|surface| surface.closedness().is_closed()),
        })
    });
    let maps: Vec<Value> =
        file.maps.iter().map(|map| json!({ "name": map.name, "values": map.values.len() })).collect();
    let labels: Vec<Value> = file
        .labels
        .iter()
        .map(|labels| json!({ "name": labels.name, "values": labels.values.len(), "regions": labels.table.len() }))
        .collect();
    json!({
        "format": file.format,
        "structure": file.structure.map(|structure| structure.to_string()),
        "mesh": mesh,
        "maps": maps,
        "parcellations": labels,
        "warnings": file.warnings,
    })
}

fn of_cifti(file: &CiftiFile) -> Value {
    let axis = |axis: &CiftiAxis| {
        let models = match axis {
            CiftiAxis::BrainModels(models) => models.models(),
            _ => &[],
        };
        let models: Vec<Value> = models
            .iter()
            .map(|model| {
                let surface = match &model.elements {
                    BrainElements::Vertices { surface, .. } => Some(surface),
                    BrainElements::Voxels(_) => None,
                };
                let (structure, count) = (model.structure.to_string(), model.elements.len());
                json!({ "structure": structure, "count": count, "vertices_of_surface": surface })
            })
            .collect();
        json!({ "what": axis.describe(), "count": axis.len(), "models": models })
    };
    json!({
        "format": "CIFTI-2",
        "data_type": file.value_type(),
        "big_endian": file.is_big_endian(),
        "rows": axis(file.rows()),
        "columns": axis(file.columns()),
    })
}
