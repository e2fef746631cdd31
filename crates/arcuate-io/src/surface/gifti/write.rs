use super::super::kind::SurfaceKind;
use super::super::output::SurfaceOutput;
use crate::AtomicFile;
use arcuate_core::{Error, NamedLabel, Result, Structure, SurfaceLabels, printable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use quick_xml::escape::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Returns the error that a GIFTI file is not compressed as a whole.
pub(crate) fn refuse_compression(output: &SurfaceOutput<'_>) -> Result<()> {
    Err(Error::usage(
        output.path.display(),
        "the data in a GIFTI file are already compressed",
        "use a file name that ends in .gii",
    ))
}

/// Writes a GIFTI file whose arrays are compressed little-endian base64. The coordinates of the vertices are
/// scanner coordinates in mm, and the file states this.
pub(crate) fn write_output(output: &SurfaceOutput<'_>) -> Result<()> {
    let SurfaceOutput { path, file: content, .. } = output;
    let table = merged_tables(path, &content.labels)?;
    let mut file = AtomicFile::create(path)?;
    let mut put = |text: &str| file.write_all(text.as_bytes()).map_err(|e| Error::write(path, e));
    let arrays = 2 * usize::from(output.surface.is_some()) + content.maps.len() + content.labels.len();
    put(&format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<GIFTI Version=\"1.0\" NumberOfDataArrays=\"{arrays}\">\n"
    ))?;
    let structure = content.structure.map(Structure::gifti_name);
    put(&metadata(structure.iter().map(|name| ("AnatomicalStructurePrimary", name.as_str()))))?;
    put(&table_text(&table))?;
    if let Some(surface) = &output.surface {
        let vertices: Vec<u8> = surface.vertices().iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let triangles: Vec<u8> = surface.triangles().iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
        let scanner = "NIFTI_XFORM_SCANNER_ANAT";
        let system = format!(
            "<CoordinateSystemTransformMatrix>\n<DataSpace><![CDATA[{scanner}]]></DataSpace>\n<TransformedSpace>\
             <![CDATA[{scanner}]]></TransformedSpace>\n<MatrixData>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</MatrixData>\n\
             </CoordinateSystemTransformMatrix>\n"
        );
        let mut pairs: Vec<(&'static str, &str)> = Vec::new();
        pairs.extend(structure.iter().map(|name| ("AnatomicalStructurePrimary", name.as_str())));
        if let Some((geometric_type, secondary)) = output.kind().map(SurfaceKind::metadata) {
            pairs.extend(secondary.map(|name| ("AnatomicalStructureSecondary", name)));
            pairs.push(("GeometricType", geometric_type));
        }
        let inside = metadata(pairs.into_iter()) + &system;
        let shape = [surface.vertices().len(), 3];
        put(&array(path, "POINTSET", "FLOAT32", &shape, &inside, &vertices)?)?;
        let shape = [surface.triangles().len(), 3];
        put(&array(path, "TRIANGLE", "INT32", &shape, &metadata(std::iter::empty()), &triangles)?)?;
    }
    for map in &content.maps {
        let bytes: Vec<u8> = map.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let inside = metadata([("Name", map.name.as_str())].into_iter());
        put(&array(path, "SHAPE", "FLOAT32", &[map.values.len()], &inside, &bytes)?)?;
    }
    for labels in &content.labels {
        let bytes: Vec<u8> = labels.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let inside = metadata([("Name", labels.name.as_str())].into_iter());
        put(&array(path, "LABEL", "INT32", &[labels.values.len()], &inside, &bytes)?)?;
    }
    put("</GIFTI>\n")?;
    file.finish()
}

/// Merges the label tables of several parcellations to one, because a GIFTI file has a single table for all
/// its parcellations.
fn merged_tables<'a>(path: &Path, labels: &'a [SurfaceLabels]) -> Result<BTreeMap<i32, &'a NamedLabel>> {
    let mut table: BTreeMap<i32, &NamedLabel> = BTreeMap::new();
    for (number, label) in labels.iter().flat_map(|labels| &labels.table) {
        if table.insert(*number, label).is_some_and(|other| other != label) {
            let name = printable(&label.name, 60);
            let problem =
                format!("label {number} (`{name}`) has another name in another map of the same file");
            return Err(Error::invalid(path.display(), problem, "write one file per map"));
        }
    }
    Ok(table)
}

fn metadata<'a>(pairs: impl Iterator<Item = (&'static str, &'a str)>) -> String {
    let pairs = pairs.filter(|(_, value)| !value.is_empty());
    let lines: Vec<String> = pairs
        .map(|(name, value)| format!("<MD><Name>{name}</Name><Value>{}</Value></MD>\n", text_of(value)))
        .collect();
    format!("<MetaData>\n{}</MetaData>\n", lines.concat())
}

/// Removes the characters that XML cannot represent, and escapes the characters with a meaning in XML.
fn text_of(text: &str) -> String {
    let allowed: String = text.chars().filter(|c| !c.is_control()).collect();
    escape(allowed.as_str()).into_owned()
}

fn table_text(table: &BTreeMap<i32, &NamedLabel>) -> String {
    let mut text = "<LabelTable>\n".to_owned();
    for (number, label) in table {
        let [r, g, b, a] = label.colour;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<Label Key=\"{number}\" Red=\"{r}\" Green=\"{g}\" Blue=\"{b}\" Alpha=\"{a}\">{}</Label>",
            text_of(&label.name)
        );
    }
    text + "</LabelTable>\n"
}

fn array(
    path: &Path,
    intent: &str,
    data_type: &str,
    shape: &[usize],
    inside: &str,
    bytes: &[u8],
) -> Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let text = STANDARD.encode(compressed.map_err(|e| Error::write(path, e))?);
    let sizes: Vec<String> =
        shape.iter().enumerate().map(|(n, size)| format!(" Dim{n}=\"{size}\"")).collect();
    let (dimensions, sizes) = (shape.len(), sizes.concat());
    Ok(format!(
        "<DataArray Intent=\"NIFTI_INTENT_{intent}\" DataType=\"NIFTI_TYPE_{data_type}\" \
         ArrayIndexingOrder=\"RowMajorOrder\" Dimensionality=\"{dimensions}\"{sizes} Encoding=\"GZipBase64Binary\" \
         Endian=\"LittleEndian\" ExternalFileName=\"\" ExternalFileOffset=\"\">\n{inside}<Data>{text}</Data>\n</DataArray>\n"
    ))
}
