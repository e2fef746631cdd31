use super::super::file::{StoredCoordinates, StoredMesh, SurfaceFile};
use super::super::kind::SurfaceKind;
use super::array::{self, Array};
use crate::xml::{self, XmlElement, damaged};
use arcuate_core::{
    Affine, Error, NamedLabel, Result, Structure, SurfaceLabels, SurfaceMap, VolumeGeometry, printable,
    saturating,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a whole GIFTI file. `structure` is the brain structure that the file name states. If the metadata of
/// the file state another structure, that one is used.
pub(crate) fn read(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| damaged(path, "it is not text in UTF-8, as XML is".to_owned()))?;
    let root = xml::parse(path, text.trim_start_matches('\u{feff}'))?;
    if root.name != "GIFTI" {
        let problem = format!("this is an XML file of `{}`, not GIFTI", printable(&root.name, 40));
        return Err(Error::invalid(path.display(), problem, "check that this is the right file"));
    }
    let mut file = SurfaceFile::new("GIFTI", structure);
    let table = label_table(path, &root)?;
    let (mut points, mut triangles) = (None, None);
    for element in root.named("DataArray") {
        let intent = element.required(path, "Intent")?;
        let intent = intent.strip_prefix("NIFTI_INTENT_").unwrap_or(intent);
        if intent == "NODE_INDEX" {
            let problem = "its values are of some vertices only (NIFTI_INTENT_NODE_INDEX)";
            return Err(Error::invalid(
                path.display(),
                problem,
                "write the file again with one value for each vertex",
            ));
        }
        let array = array::read(path, element)?;
        match intent {
            "POINTSET" => points = Some((array, element)).or(points),
            "TRIANGLE" => triangles = Some(array),
            "LABEL" => file.labels.extend(labels(path, element, &array, &table)?),
            // Arrays of colours or matrices are ignored, because they are not values of vertices.
            "RGB_VECTOR" | "RGBA_VECTOR" | "GENMATRIX" => {
                file.warnings.push(format!("its array with intent {intent} is ignored"));
            }
            _ => file.maps.extend(maps(element, &array, intent)),
        }
    }
    let structures = points.iter().map(|(_, element)| metadata(element)).chain([metadata(&root)]);
    for metadata_of in structures {
        if let Some(name) = metadata_of.get("AnatomicalStructurePrimary") {
            let known = Structure::of_name(name);
            if known.is_none() {
                file.warnings.push(format!("its structure `{}` is not known", printable(name, 60)));
            }
            file.structure = known.or(file.structure);
            break;
        }
    }
    if let Some((_, element)) = &points {
        let metadata_of = metadata(element);
        let value = |name: &str| metadata_of.get(name).map(|value| value.trim());
        file.kind = SurfaceKind::of_metadata(value("GeometricType"), value("AnatomicalStructureSecondary"));
    }
    file.mesh = mesh(path, points, triangles)?;
    Ok(file)
}

fn mesh(
    path: &Path,
    points: Option<(Array, &XmlElement)>,
    triangles: Option<Array>,
) -> Result<Option<StoredMesh>> {
    let three = |array: &Array, what: &str| {
        if array.shape[1] == 3 {
            return Ok(());
        }
        let problem = format!("its {what} have {} columns, not 3", array.shape[1]);
        Err(damaged(path, problem))
    };
    let (points, element, triangles) = match (points, triangles) {
        (Some((points, element)), Some(triangles)) => (points, element, triangles),
        (None, None) => return Ok(None),
        (found, _) => {
            let (there, missing) =
                if found.is_some() { ("vertices", "triangles") } else { ("triangles", "vertices") };
            return Err(damaged(path, format!("it has {there} and no {missing}")));
        }
    };
    three(&points, "vertices")?;
    three(&triangles, "triangles")?;
    let corner = |value: f64| {
        let whole = value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(&value);
        whole
            .then_some(saturating::<u32>(value))
            .ok_or_else(|| damaged(path, format!("a triangle has vertex {value}")))
    };
    let triangles = triangles
        .values
        .chunks_exact(3)
        .map(|t| Ok([corner(t[0])?, corner(t[1])?, corner(t[2])?]))
        .collect::<Result<_>>()?;
    let (coordinates, volume) = space(path, element)?;
    let vertices = points.values.chunks_exact(3).map(|v| [v[0] as f32, v[1] as f32, v[2] as f32]).collect();
    Ok(Some(StoredMesh { vertices, triangles, coordinates, volume }))
}

/// Determines the coordinate space of an array of points. If the file has a matrix to scanner space, that
/// matrix is used. Programs whose points are in scanner coordinates (Workbench, FSL) write identity matrices
/// to other spaces, or no matrix. FreeSurfer states an unknown space and the image volume to which the
/// coordinates refer.
fn space(path: &Path, element: &XmlElement) -> Result<(StoredCoordinates, Option<VolumeGeometry>)> {
    let volume = volume_geometry(path, &metadata(element))?;
    let mut is_unknown = true;
    for system in element.named("CoordinateSystemTransformMatrix") {
        let text = |name: &str| system.child(name).map_or("", |child| child.text.trim());
        let from = text("DataSpace");
        is_unknown &= matches!(from, "NIFTI_XFORM_UNKNOWN" | "");
        if text("TransformedSpace") != "NIFTI_XFORM_SCANNER_ANAT" || from == "NIFTI_XFORM_SCANNER_ANAT" {
            continue;
        }
        let words = text("MatrixData");
        let numbers: Option<Vec<f64>> = words.split_whitespace().map(|word| word.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.len() == 16 && numbers[12..] == [0.0, 0.0, 0.0, 1.0]);
        let numbers =
            numbers.ok_or_else(|| damaged(path, "its matrix to scanner space is none".to_owned()))?;
        let rows = std::array::from_fn(|r| std::array::from_fn(|c| numbers[4 * r + c]));
        let transform = Affine::from_rows(rows).and_then(|transform| transform.inverse().map(|_| transform));
        let transform = transform.map_err(|e| e.about(path.display()))?;
        // Older versions of FreeSurfer write an identity matrix for every image volume, so an identity matrix
        // is ignored in a file with such a volume.
        if volume.is_none() || transform != Affine::identity() {
            return Ok((StoredCoordinates::Transformed(transform), volume));
        }
    }
    let is_tkras = volume.is_some() && is_unknown;
    Ok((if is_tkras { StoredCoordinates::Tkras } else { StoredCoordinates::Scanner }, volume))
}

/// Reads the geometry of FreeSurfer's image volume from the metadata with names `VolGeom…`. Returns `None` if
/// these metadata are missing or all zero.
fn volume_geometry(path: &Path, metadata: &BTreeMap<String, String>) -> Result<Option<VolumeGeometry>> {
    let number =
        |name: &str| metadata.get(&format!("VolGeom{name}")).and_then(|word| word.parse::<f64>().ok());
    let three = |names: [&str; 3]| -> Option<[f64; 3]> {
        let [a, b, c] = names.map(number);
        Some([a?, b?, c?]).filter(|three| three.iter().all(|x| x.is_finite()))
    };
    if !metadata.keys().any(|key| key.starts_with("VolGeom")) {
        return Ok(None);
    }
    let found = (|| {
        let shape = three(["Width", "Height", "Depth"])?;
        let possible = shape.iter().all(|n| n.fract() == 0.0 && (1.0..=1e6).contains(n));
        possible.then_some(())?;
        Some(VolumeGeometry {
            shape: shape.map(|n| n as usize),
            voxel_sizes: three(["Xsize", "Ysize", "Zsize"])?,
            axes: [
                three(["X_R", "X_A", "X_S"])?,
                three(["Y_R", "Y_A", "Y_S"])?,
                three(["Z_R", "Z_A", "Z_S"])?,
            ],
            centre: three(["C_R", "C_A", "C_S"])?,
        })
    })();
    if let Some(geometry) = &found {
        geometry.tkras_to_scanner().map_err(|e| e.about(path.display()))?;
    }
    Ok(found)
}

fn metadata(element: &XmlElement) -> BTreeMap<String, String> {
    let pairs = element.child("MetaData").into_iter().flat_map(|data| data.named("MD"));
    let text =
        |pair: &XmlElement, name: &str| pair.child(name).map_or("", |child| child.text.trim()).to_owned();
    pairs.map(|pair| (text(pair, "Name"), text(pair, "Value"))).collect()
}

fn label_table(path: &Path, root: &XmlElement) -> Result<BTreeMap<i32, NamedLabel>> {
    let mut table = BTreeMap::new();
    for label in root.child("LabelTable").into_iter().flat_map(|table| table.named("Label")) {
        // Before GIFTI version 1.0, the attribute with the number of a label was named Index instead of Key.
        let key = if label.attribute("Key").is_some() { "Key" } else { "Index" };
        let key: i32 = label.number(path, key)?;
        let share = |name: &str, without: f32| -> Result<f32> {
            if label.attribute(name).is_some() { label.number(path, name) } else { Ok(without) }
        };
        let colour = [share("Red", 0.0)?, share("Green", 0.0)?, share("Blue", 0.0)?, share("Alpha", 1.0)?];
        table.insert(key, NamedLabel { name: label.text.trim().to_owned(), colour });
    }
    Ok(table)
}

fn name_of(element: &XmlElement) -> String {
    metadata(element).remove("Name").unwrap_or_default()
}

fn labels(
    path: &Path,
    element: &XmlElement,
    array: &Array,
    table: &BTreeMap<i32, NamedLabel>,
) -> Result<Vec<SurfaceLabels>> {
    let label = |value: &f64| {
        let whole = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(value);
        whole
            .then_some(saturating::<i32>(*value))
            .ok_or_else(|| damaged(path, format!("{value} is not a label number")))
    };
    columns(array)
        .map(|values| {
            let values = values.iter().map(label).collect::<Result<_>>()?;
            Ok(SurfaceLabels { name: name_of(element), values, table: table.clone() })
        })
        .collect()
}

fn maps(element: &XmlElement, array: &Array, intent: &str) -> Vec<SurfaceMap> {
    let name = Some(name_of(element)).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| intent.to_ascii_lowercase());
    let map = |values: Vec<f64>| SurfaceMap {
        name: name.clone(),
        values: values.into_iter().map(|value| value as f32).collect(),
    };
    columns(array).map(map).collect()
}

fn columns(array: &Array) -> impl Iterator<Item = Vec<f64>> + '_ {
    let [_, columns] = array.shape;
    (0..columns).map(move |column| array.values.iter().skip(column).step_by(columns).copied().collect())
}
