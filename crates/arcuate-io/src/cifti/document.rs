//! Reads the meaning of the rows and columns of a CIFTI-2 matrix from the XML document in its file.

use super::axis::{CiftiAxis, CiftiMap, CiftiParcel, CiftiSeries};
use crate::xml::{self, XmlElement, damaged};
use arcuate_core::{
    Affine, BrainElements, BrainModel, BrainModels, Error, Grid, NamedLabel, Result, Structure, printable,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the meaning of the rows and of the columns of a matrix. The result for the rows is first.
pub(super) fn axes(path: &Path, text: &str) -> Result<[CiftiAxis; 2]> {
    let root = xml::parse(path, text)?;
    let version = root.attribute("Version").unwrap_or_default();
    // Some programs write the version of the format as 2, others as 2.0.
    if root.name != "CIFTI" || version.parse() != Ok(2.0) {
        let problem = format!(
            "the XML document in the file is `{}` of version `{}`, not CIFTI-2",
            printable(&root.name, 40),
            printable(version, 40)
        );
        let advice = "give CIFTI-2 (`wb_command -file-convert -cifti-version-convert`)";
        return Err(Error::invalid(path.display(), problem, advice));
    }
    let matrix = root.child("Matrix").ok_or_else(|| damaged(path, "its XML has no Matrix".to_owned()))?;
    let axis = |dimension: &str| {
        let applies = |element: &&XmlElement| {
            let dimensions = element.attribute("AppliesToMatrixDimension").unwrap_or_default();
            dimensions.split(',').any(|word| word.trim() == dimension)
        };
        let found = matrix.named("MatrixIndicesMap").find(applies);
        found.ok_or_else(|| damaged(path, format!("its XML does not describe dimension {dimension}")))
    };
    // In CIFTI-2, dimension 0 runs along a row of the matrix, so its elements are the columns.
    Ok([of_map(path, axis("1")?)?, of_map(path, axis("0")?)?])
}

fn of_map(path: &Path, map: &XmlElement) -> Result<CiftiAxis> {
    let kind = map.required(path, "IndicesMapToDataType")?;
    Ok(match kind.strip_prefix("CIFTI_INDEX_TYPE_").unwrap_or(kind) {
        "BRAIN_MODELS" => CiftiAxis::BrainModels(brain_models(path, map)?),
        "PARCELS" => {
            let volume = volume(path, map)?;
            CiftiAxis::Parcels { parcels: parcels(path, map, volume.as_ref())?, volume }
        }
        "SCALARS" => CiftiAxis::Scalars(map.named("NamedMap").map(map_name).collect()),
        "LABELS" => {
            let one = |element| Ok(CiftiMap { name: map_name(element), table: table(path, element)? });
            CiftiAxis::Labels(map.named("NamedMap").map(one).collect::<Result<_>>()?)
        }
        "SERIES" => {
            let exponent: i32 = map.number(path, "SeriesExponent")?;
            let unit: f64 = 10f64.powi(exponent);
            CiftiAxis::Series(CiftiSeries {
                points: map.number(path, "NumberOfSeriesPoints")?,
                start: map.number::<f64>(path, "SeriesStart")? * unit,
                step: map.number::<f64>(path, "SeriesStep")? * unit,
                unit: map.required(path, "SeriesUnit")?.to_owned(),
            })
        }
        other => return Err(damaged(path, format!("its rows or columns are `{}`", printable(other, 60)))),
    })
}

fn map_name(element: &XmlElement) -> String {
    element.child("MapName").map_or("", |name| name.text.trim()).to_owned()
}

fn table(path: &Path, element: &XmlElement) -> Result<BTreeMap<i32, NamedLabel>> {
    let mut table = BTreeMap::new();
    for label in element.child("LabelTable").into_iter().flat_map(|table| table.named("Label")) {
        let share = |name: &str| label.number::<f32>(path, name);
        let colour = [share("Red")?, share("Green")?, share("Blue")?, share("Alpha")?];
        let named = NamedLabel { name: label.text.trim().to_owned(), colour };
        table.insert(label.number(path, "Key")?, named);
    }
    Ok(table)
}

/// Parses the numbers that the text of an XML element contains.
fn numbers<T: std::str::FromStr>(path: &Path, element: &XmlElement) -> Result<Vec<T>> {
    let number = |word: &str| {
        word.parse().map_err(|_| {
            let shown = printable(word, 40);
            damaged(path, format!("an element {} has `{shown}`, which is not a valid number", element.name))
        })
    };
    element.text.split_ascii_whitespace().map(number).collect()
}

fn voxels(path: &Path, element: &XmlElement) -> Result<Vec<[u32; 3]>> {
    let numbers: Vec<u32> = numbers(path, element)?;
    if !numbers.len().is_multiple_of(3) {
        return Err(damaged(path, format!("{} numbers are not those of voxels", numbers.len())));
    }
    Ok(numbers.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect())
}

fn structure(path: &Path, element: &XmlElement) -> Result<Structure> {
    let name = element.required(path, "BrainStructure")?;
    Structure::of_name(name)
        .ok_or_else(|| damaged(path, format!("its structure `{}` is none of CIFTI-2", printable(name, 60))))
}

fn volume(path: &Path, map: &XmlElement) -> Result<Option<Grid>> {
    let Some(volume) = map.child("Volume") else { return Ok(None) };
    let words = volume.required(path, "VolumeDimensions")?;
    let sizes: Option<Vec<usize>> = words.split(',').map(|word| word.trim().parse().ok()).collect();
    let shape: Option<[usize; 3]> = sizes.and_then(|sizes| sizes.try_into().ok());
    let shape =
        shape.ok_or_else(|| damaged(path, format!("its volume has the size `{}`", printable(words, 60))))?;
    let matrix = volume.child("TransformationMatrixVoxelIndicesIJKtoXYZ");
    let matrix = matrix.ok_or_else(|| damaged(path, "its volume has no matrix".to_owned()))?;
    // The attribute `MeterExponent` states the unit of length as a power of ten of a metre. If the attribute
    // is missing, the unit is a millimetre.
    let exponent = match matrix.attribute("MeterExponent") {
        Some(_) => matrix.number(path, "MeterExponent")?,
        None => -3,
    };
    let millimetres = 10f64.powi(i32::clamp(exponent, -30, 30) + 3);
    let values: Vec<f64> = numbers(path, matrix)?;
    if values.len() != 16 {
        return Err(damaged(path, format!("the matrix of its volume has {} numbers", values.len())));
    }
    let rows = std::array::from_fn(|r| std::array::from_fn(|c| values[4 * r + c] * millimetres));
    let grid = Affine::from_rows(rows).and_then(|affine| Grid::new(shape, affine));
    grid.map(Some).map_err(|e| e.about(path.display()))
}

fn brain_models(path: &Path, map: &XmlElement) -> Result<BrainModels> {
    let mut models: Vec<(usize, BrainModel)> = Vec::new();
    for element in map.named("BrainModel") {
        let structure = structure(path, element)?;
        let kind = element.required(path, "ModelType")?;
        let elements = match kind {
            "CIFTI_MODEL_TYPE_SURFACE" => {
                let surface = element.number(path, "SurfaceNumberOfVertices")?;
                let numbers = element.child("VertexIndices").map(|vertices| numbers(path, vertices));
                BrainElements::Vertices { surface, numbers: numbers.unwrap_or(Ok(Vec::new()))? }
            }
            "CIFTI_MODEL_TYPE_VOXELS" => {
                let listed = element.child("VoxelIndicesIJK").map(|listed| voxels(path, listed));
                BrainElements::Voxels(listed.unwrap_or(Ok(Vec::new()))?)
            }
            other => return Err(damaged(path, format!("a brain model is a `{}`", printable(other, 60)))),
        };
        let count: usize = element.number(path, "IndexCount")?;
        if count != elements.len() {
            let problem =
                format!("its model of {structure} claims {count} elements and has {}", elements.len());
            return Err(damaged(path, problem));
        }
        models.push((element.number(path, "IndexOffset")?, BrainModel { structure, elements }));
    }
    models.sort_by_key(|(offset, _)| *offset);
    let mut end = 0;
    for (offset, model) in &models {
        if *offset != end {
            return Err(damaged(
                path,
                format!("its model of {} begins at {offset}, not at {end}", model.structure),
            ));
        }
        end += model.elements.len();
    }
    let models = models.into_iter().map(|(_, model)| model).collect();
    BrainModels::new(models, volume(path, map)?).map_err(|e| about(path, &e))
}

/// Returns an error about the file `path`, in which the subject and the problem of `error` form the
/// description of the problem.
fn about(path: &Path, error: &Error) -> Error {
    damaged(path, format!("{}: {}", error.subject(), error.problem()))
}

fn parcels(path: &Path, map: &XmlElement, volume: Option<&Grid>) -> Result<Vec<CiftiParcel>> {
    let mut surfaces = BTreeMap::new();
    for surface in map.named("Surface") {
        let vertices: usize = surface.number(path, "SurfaceNumberOfVertices")?;
        surfaces.insert(structure(path, surface)?, vertices);
    }
    let mut parcels = Vec::new();
    for element in map.named("Parcel") {
        let mut parts = Vec::new();
        for listed in element.named("Vertices") {
            let structure = structure(path, listed)?;
            let surface = *surfaces.get(&structure).ok_or_else(|| {
                damaged(path, format!("a parcel has vertices of {structure}, whose surface it does not know"))
            })?;
            let elements = BrainElements::Vertices { surface, numbers: numbers(path, listed)? };
            parts.push(BrainModel { structure, elements });
        }
        let listed: Vec<Vec<[u32; 3]>> =
            element.named("VoxelIndicesIJK").map(|listed| voxels(path, listed)).collect::<Result<_>>()?;
        let voxels = listed.concat();
        BrainModels::new(parts.clone(), None).map_err(|e| about(path, &e))?;
        let outside = |voxel: &&[u32; 3]| {
            volume.is_none_or(|grid| (0..3).any(|axis| voxel[axis] as usize >= grid.shape()[axis]))
        };
        if let Some(voxel) = voxels.iter().find(outside) {
            return Err(damaged(
                path,
                format!("a parcel names voxel {voxel:?}, which its volume does not have"),
            ));
        }
        parcels.push(CiftiParcel {
            name: element.attribute("Name").unwrap_or_default().to_owned(),
            parts,
            voxels,
        });
    }
    Ok(parcels)
}
