//! Publishes the connectome of a run as one table per measure and a table of the regions. The files follow
//! the draft of BIDS for connectivity (BEP017).

use super::links;
use super::publication::Content;
use super::results::{Results, option};
use super::sidecars::{Common, Sidecar, published_name, software};
use crate::entities::BidsName;
use arcuate_core::{Axis, Result, cell};
use arcuate_io::{read_axis_csv, read_text_file};
use arcuate_pipeline::output_files::{Kind, OutputFile};
use arcuate_pipeline::record::Record;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The name of the folder that contains the connectome in the result folder of a run.
const FOLDER: &str = "connectome";

/// The maximum size in bytes of a file with a connectome matrix.
const LARGEST_MATRIX: u64 = 1 << 31;

/// A connectome matrix.
#[derive(Debug)]
struct Matrix {
    /// The matrix file in the result folder.
    file: String,
    /// The measure that the connectome matrix contains, such as the number of streamlines, as a BIDS label.
    measure: String,
    /// The measure that the connectome matrix contains, in words.
    quantity: String,
    description: String,
}

/// The connectome of a run.
#[derive(Debug)]
pub(super) struct Connectome {
    matrices: Vec<Matrix>,
    /// The brain regions. Each region is one row and one column of the connectome matrices.
    axis: Axis,
    record: Record,
}

/// For each measure of a connectome, its name in Arcuate's files and its BIDS label.
const MEASURES: [(&str, &str); 3] = [("counts", "count"), ("weights", "weight"), ("lengths", "length")];

/// Returns the connectome matrix in a file, and the name of its set of regions. Returns `None` if the record
/// of the run (a JSON file that describes the results) does not list the file as a matrix.
fn matrix(file: &OutputFile) -> Option<(Matrix, &str)> {
    let picture = file.picture.as_ref()?;
    let Kind::Matrix { quantity, regions, .. } = &picture.kind else { return None };
    let word = file.name.strip_suffix(".csv")?.split_once('_')?.1;
    let known = MEASURES.iter().find(|(known, _)| *known == word).map(|(_, label)| (*label).to_owned());
    let label = known.unwrap_or_else(|| word.chars().filter(char::is_ascii_alphanumeric).collect());
    let matrix = Matrix {
        file: format!("{FOLDER}/{}", file.name),
        measure: label,
        quantity: quantity.to_string(),
        description: picture.caption.to_string(),
    };
    Some((matrix, regions.as_ref()))
}

impl Connectome {
    /// Finds the connectome in the results of a run. Returns `None` if the run has no connectome.
    pub(super) fn find(results: &Results) -> Result<Option<Self>> {
        if results.file(&format!("{FOLDER}/connectome_counts.csv"))?.is_none() {
            return Ok(None);
        }
        let record = results.record_of(&format!("{FOLDER}/connectome_counts.csv"))?;
        let found: Vec<(Matrix, &str)> = record.files.iter().filter_map(matrix).collect();
        let Some(regions) = found.first().map(|(_, regions)| format!("{FOLDER}/{regions}")) else {
            return Ok(None);
        };
        let Some(path) = results.file(&regions)? else { return Ok(None) };
        let matrices = found.into_iter().map(|(matrix, _)| matrix).collect();
        Ok(Some(Self { matrices, axis: read_axis_csv(&path)?, record }))
    }

    /// Returns the files of the connectome to publish. For each file, returns its name without extension, its
    /// extension, its content, and its sidecar.
    pub(super) fn files(&self, common: &Common) -> Result<Vec<(BidsName, &'static str, Content, Sidecar)>> {
        let scan = common.scan;
        // If the user defined the regions with a recipe (rules that combine labels of a segmentation), the
        // regions belong to no atlas of the dataset. Their label in file names is then `regions`.
        let label = scan.atlas.as_ref().map_or("regions", |atlas| atlas.label.as_str());
        let name = scan.name.with("atlas", label);
        let regions = name.of("nodeindices", "");
        let labels = option(&self.record, "labels").and_then(|labels| labels.get(0)?.as_str());
        let given = labels.map(Path::new).or(scan.atlas.as_ref().map(|atlas| atlas.image.as_path()));
        let atlas = given.and_then(|image| common.address(image));
        let mut files = Vec::new();
        for matrix in &self.matrices {
            let Some(path) = common.results.file(&matrix.file)? else { continue };
            let named = name.with("meas", &matrix.measure).of("relmat", "");
            let mut sidecar = common.of(&matrix.description, &self.record);
            let nodes = links::own(&published_name(scan, &regions.of("nodeindices", ".tsv")));
            for (key, value) in self.facts(matrix, atlas.as_deref(), &nodes) {
                sidecar.insert(key.to_owned(), value);
            }
            files.push((named, ".dense.tsv", Content::Text(self.table(&path)?), sidecar));
        }
        let mut sidecar =
            common.from("The region that each row and each column of the matrices is", atlas.clone());
        sidecar.insert("Software".into(), software(&self.record).into());
        let columns = [
            ("matrix_index", "The row and the column of matrices, counted from 0"),
            ("node_file", "The image of the regions"),
            ("node_index", "The number of the region in that image"),
            ("name", "The name of the region"),
        ];
        for (column, description) in columns {
            sidecar.insert(column.to_owned(), json!({"Description": description}));
        }
        files.push((
            regions,
            ".tsv",
            Content::Text(self.nodes(atlas.as_deref().unwrap_or(MISSING))),
            sidecar,
        ));
        Ok(files)
    }

    fn facts(&self, matrix: &Matrix, atlas: Option<&str>, nodes: &str) -> Vec<(&'static str, Value)> {
        let is_known = MEASURES.iter().any(|(_, label)| *label == matrix.measure);
        let mut facts = vec![
            ("RelationshipMeasure", json!(matrix.quantity)),
            ("MeasureDescription", json!(matrix.description)),
            ("Weighted", json!(true)),
            ("Directed", json!(false)),
            ("ValidDiagonal", json!(true)),
            ("StorageFormat", json!("Full")),
            ("NodeIndicesFile", json!(nodes)),
            ("Software", json!(software(&self.record))),
        ];
        if is_known {
            facts.push(("NonNegative", json!(true)));
        }
        if matrix.measure == "length" {
            facts.push(("MeasureUnits", json!("mm")));
        }
        if let Some(atlas) = atlas {
            facts.push(("NodeFiles", json!([atlas])));
        }
        facts
    }

    /// Returns a connectome matrix as a tab-separated table. Each region has one column, whose heading is the
    /// name of the region.
    fn table(&self, path: &Path) -> Result<String> {
        let text = read_text_file(path, LARGEST_MATRIX)?;
        let mut table = column_names(&self.axis).join("\t") + "\n";
        for line in text.lines() {
            let cells: Vec<&str> =
                line.split(',').map(|cell| if cell == "NaN" { MISSING } else { cell }).collect();
            table += &cells.join("\t");
            table.push('\n');
        }
        Ok(table)
    }

    /// Returns the table of the regions as tab-separated text with one row per region.
    fn nodes(&self, atlas: &str) -> String {
        let mut table = "matrix_index\tnode_file\tnode_index\tname\n".to_owned();
        for (place, number) in self.axis.numbers().iter().enumerate() {
            let name = self.axis.name(place).map(word_of).filter(|name| !name.is_empty());
            let name = name.as_deref().unwrap_or(MISSING);
            // Writing to a string cannot fail.
            let _ = writeln!(table, "{place}\t{atlas}\t{number}\t{name}");
        }
        table
    }
}

/// The content of a table cell without a value, as BIDS defines it.
const MISSING: &str = "n/a";

/// Converts the name of a region to the cell of a table. The cell has no line break and does not begin with a
/// character with which spreadsheets begin a formula.
fn word_of(name: &str) -> String {
    cell(name.replace(['\t', '\n', '\r'], " ").trim())
}

/// Returns the headings of the columns of a connectome table, which are the names of the regions. If two
/// regions have the same name, or a name is empty, the number of each region is appended to its name.
fn column_names(axis: &Axis) -> Vec<String> {
    let names: Vec<String> =
        (0..axis.len()).map(|place| axis.name(place).map(word_of).unwrap_or_default()).collect();
    let is_plain =
        |name: &String| !name.is_empty() && names.iter().filter(|other| *other == name).count() == 1;
    let numbered = names.iter().zip(axis.numbers()).map(|(name, number)| {
        if is_plain(name) {
            name.clone()
        } else if name.is_empty() {
            format!("region_{number}")
        } else {
            format!("{name}_{number}")
        }
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::ElementKind;

    #[test]
    fn region_names_are_not_spreadsheet_formulas() {
        let names = ["=1+1", "@x", "+cmd", " -2\t3", "Left-Thalamus", ""];
        let numbers = (1..=6).collect();
        let names = names.map(str::to_owned).to_vec();
        let axis = Axis::new(ElementKind::Region, numbers, names).unwrap();
        let expected = ["'=1+1", "'@x", "'+cmd", "'-2 3", "Left-Thalamus", "region_6"];
        assert_eq!(column_names(&axis), expected);
    }
}
