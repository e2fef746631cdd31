//! Writes the XML document that describes the rows and columns of a CIFTI-2 matrix.

use super::axis::{CiftiAxis, CiftiParcel, CiftiSeries};
use arcuate_core::{BrainElements, Grid, NamedLabel};
use quick_xml::escape::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Creates the XML document for a matrix whose rows and columns have these meanings.
pub(super) fn document(rows: &CiftiAxis, columns: &CiftiAxis) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CIFTI Version=\"2\">\n<Matrix>\n".to_owned();
    if rows == columns {
        map(&mut text, "0,1", rows);
    } else {
        map(&mut text, "0", columns);
        map(&mut text, "1", rows);
    }
    text + "</Matrix>\n</CIFTI>\n"
}

// Writing to a string cannot fail.
macro_rules! put {
    ($text:expr, $($what:tt)*) => { let _ = write!($text, $($what)*); };
}

/// Removes the characters that XML cannot represent, and escapes the characters with a meaning in XML.
fn text_of(text: &str) -> String {
    let allowed: String = text.chars().filter(|c| !c.is_control()).collect();
    escape(allowed.as_str()).into_owned()
}

fn map(text: &mut String, dimensions: &str, axis: &CiftiAxis) {
    put!(
        text,
        "<MatrixIndicesMap AppliesToMatrixDimension=\"{dimensions}\" IndicesMapToDataType=\"CIFTI_INDEX_TYPE_{}\"",
        axis.word()
    );
    if let CiftiAxis::Series(CiftiSeries { points, start, step, unit }) = axis {
        put!(
            text,
            " NumberOfSeriesPoints=\"{points}\" SeriesExponent=\"0\" SeriesStart=\"{start}\" SeriesStep=\"{step}\" SeriesUnit=\"{}\"",
            text_of(unit)
        );
    }
    text.push_str(">\n");
    match axis {
        CiftiAxis::BrainModels(models) => {
            volume(text, models.volume());
            for (model, offset) in models.models().iter().zip(models.offsets()) {
                let (name, count) = (model.structure.cifti_name(), model.elements.len());
                put!(
                    text,
                    "<BrainModel IndexOffset=\"{offset}\" IndexCount=\"{count}\" BrainStructure=\"{name}\" "
                );
                match &model.elements {
                    BrainElements::Vertices { surface, numbers } => {
                        put!(
                            text,
                            "ModelType=\"CIFTI_MODEL_TYPE_SURFACE\" SurfaceNumberOfVertices=\"{surface}\">\n"
                        );
                        list(text, "<VertexIndices>", numbers, "</VertexIndices>\n");
                    }
                    BrainElements::Voxels(listed) => {
                        text.push_str("ModelType=\"CIFTI_MODEL_TYPE_VOXELS\">\n");
                        voxels(text, listed);
                    }
                }
                text.push_str("</BrainModel>\n");
            }
        }
        CiftiAxis::Parcels { parcels: listed, volume: grid } => {
            volume(text, grid.as_ref());
            parcels(text, listed);
        }
        CiftiAxis::Scalars(names) => {
            for name in names {
                put!(text, "<NamedMap>\n<MapName>{}</MapName>\n</NamedMap>\n", text_of(name));
            }
        }
        CiftiAxis::Labels(maps) => {
            for map in maps {
                put!(text, "<NamedMap>\n<MapName>{}</MapName>\n", text_of(&map.name));
                table(text, &map.table);
                text.push_str("</NamedMap>\n");
            }
        }
        CiftiAxis::Series(_) => {}
    }
    text.push_str("</MatrixIndicesMap>\n");
}

fn table(text: &mut String, table: &BTreeMap<i32, NamedLabel>) {
    text.push_str("<LabelTable>\n");
    for (number, NamedLabel { name, colour: [r, g, b, a] }) in table {
        put!(
            text,
            "<Label Key=\"{number}\" Red=\"{r}\" Green=\"{g}\" Blue=\"{b}\" Alpha=\"{a}\">{}</Label>\n",
            text_of(name)
        );
    }
    text.push_str("</LabelTable>\n");
}

fn volume(text: &mut String, grid: Option<&Grid>) {
    let Some(grid) = grid else { return };
    let [x, y, z] = grid.shape();
    put!(text, "<Volume VolumeDimensions=\"{x},{y},{z}\">\n");
    text.push_str("<TransformationMatrixVoxelIndicesIJKtoXYZ MeterExponent=\"-3\">\n");
    for [a, b, c, t] in grid.affine().rows() {
        put!(text, "{a} {b} {c} {t}\n");
    }
    text.push_str("0 0 0 1\n</TransformationMatrixVoxelIndicesIJKtoXYZ>\n</Volume>\n");
}

fn list(text: &mut String, before: &str, numbers: &[u32], behind: &str) {
    text.push_str(before);
    for (n, number) in numbers.iter().enumerate() {
        put!(text, "{}{number}", if n == 0 { "" } else { " " });
    }
    text.push_str(behind);
}

fn voxels(text: &mut String, listed: &[[u32; 3]]) {
    text.push_str("<VoxelIndicesIJK>\n");
    for [i, j, k] in listed {
        put!(text, "{i} {j} {k}\n");
    }
    text.push_str("</VoxelIndicesIJK>\n");
}

fn parcels(text: &mut String, parcels: &[CiftiParcel]) {
    let mut surfaces = BTreeMap::new();
    for part in parcels.iter().flat_map(|parcel| &parcel.parts) {
        if let BrainElements::Vertices { surface, .. } = part.elements {
            surfaces.insert(part.structure, surface);
        }
    }
    for (structure, vertices) in surfaces {
        let name = structure.cifti_name();
        put!(text, "<Surface BrainStructure=\"{name}\" SurfaceNumberOfVertices=\"{vertices}\"/>\n");
    }
    for parcel in parcels {
        put!(text, "<Parcel Name=\"{}\">\n", text_of(&parcel.name));
        for part in &parcel.parts {
            if let BrainElements::Vertices { numbers, .. } = &part.elements {
                let before = format!("<Vertices BrainStructure=\"{}\">", part.structure.cifti_name());
                list(text, &before, numbers, "</Vertices>\n");
            }
        }
        if !parcel.voxels.is_empty() {
            voxels(text, &parcel.voxels);
        }
        text.push_str("</Parcel>\n");
    }
}
