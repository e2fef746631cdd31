//! Reads and writes gradient tables in MRtrix's format. They are text files, or the entry `dw_scheme` of a
//! `.mif` header. Each measurement has a row `x y z b`, with the direction in scanner axes and b in s/mm².

use crate::stored_gradients::{
    BNumbers, BUnit, DirectionLengths, StoredGradients, directions_of, require_measurements,
};
use crate::text_table::{read_text, rows, to_text};
use crate::{camino_gradients, write_file};
use arcuate_core::{Affine, Error, GradientTable, Result};
use std::fmt::Display;
use std::path::Path;

/// Reads a gradient table. `measurements` is the number of volumes of the image to which the table belongs,
/// if known.
///
/// By default, b-values are multiplied by the squared lengths of directions if any squared length differs
/// from 1 by more than 1 %. MRtrix does the same, because scanners encode several shells with directions of
/// different lengths. (MRtrix 3.0.3 does so for any difference. A difference below 1 % results from the
/// rounded decimals in the file, so b-values stay unchanged here.)
pub fn read(path: &Path, measurements: Option<usize>) -> Result<StoredGradients> {
    let stored = from_rows(path.display(), &rows(path, read_text(path)?.lines())?)?;
    require_measurements(path, &stored, measurements)?;
    Ok(stored)
}

/// Creates a gradient table from rows of at least four numbers. Further columns, such as the phase encoding,
/// are ignored.
pub(crate) fn from_rows(source: impl Display, rows: &[Vec<f64>]) -> Result<StoredGradients> {
    if let Some(short) = rows.iter().position(|row| row.len() < 4) {
        let problem = format!("row {} has {} numbers", short + 1, rows[short].len());
        return Err(Error::invalid(source, problem, "give x, y, z and b in each row"));
    }
    let directions = directions_of(rows.iter().map(|row| [row[0], row[1], row[2]]));
    let b_values = rows.iter().map(|row| row[3]).collect();
    let numbers = BNumbers::In(BUnit::SecondsPerSquareMillimetre);
    Ok(StoredGradients::new(source, directions, b_values, numbers, DirectionLengths::Scale))
}

/// Returns the rows `x y z b` of a gradient table, with directions in scanner axes and b in s/mm².
pub(crate) fn to_rows(table: &GradientTable) -> impl Iterator<Item = [f64; 4]> {
    // Adding 0 converts −0 to 0.
    table.directions().iter().zip(table.b_values()).map(|(d, &b)| [d[0] + 0.0, d[1] + 0.0, d[2] + 0.0, b])
}

/// Reads a text that belongs to an image with the given affine. It is a Camino scheme if it has a VERSION
/// line, and MRtrix rows if not.
pub(crate) fn read_any_text(
    path: &Path,
    affine: &Affine,
    measurements: Option<usize>,
) -> Result<StoredGradients> {
    let is_version = |line: &str| line.trim_start().to_ascii_uppercase().starts_with("VERSION");
    if read_text(path)?.lines().any(is_version) {
        camino_gradients::read_scheme(path, affine, measurements)
    } else {
        read(path, measurements)
    }
}

/// Writes a gradient table as text.
pub fn write(path: &Path, table: &GradientTable) -> Result<()> {
    write_file(path, to_text(to_rows(table)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GradientReading;

    fn read_from(text: &str, measurements: Option<usize>) -> std::result::Result<GradientTable, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grad.b");
        std::fs::write(&path, text).unwrap();
        read(&path, measurements)
            .and_then(|stored| stored.table(&GradientReading::with_threshold(50.0)))
            .map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn tables_survive_a_round_trip() {
        let text = "# a comment\n0 0 0 0\n0.6,0.8,0,1000 # another\n\n0\t-1\t0\t2000\n";
        let table = read_from(text, Some(3)).unwrap();
        assert_eq!(table.directions(), [[0.0; 3], [0.6, 0.8, 0.0], [0.0, -1.0, 0.0]]);
        assert_eq!(table.b_values(), [0.0, 1000.0, 2000.0]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.b");
        write(&path, &table).unwrap();
        let back = read(&path, Some(3)).unwrap();
        assert_eq!(back.table(&GradientReading::default()).unwrap(), table);
    }

    #[test]
    fn short_directions_make_shells_as_in_mrtrix() {
        // The expected b-values are those that `mrinfo -dwgrad` of MRtrix 3.0.3 prints for the same table.
        let table =
            read_from("0 0 0 0\n1 0 0 1000\n0 0.5 0 1000\n0.99 0 0 1000\n0 2 0 1000\n", None).unwrap();
        for (b, expected) in table.b_values().iter().zip([0.0, 1000.0, 250.0, 980.1, 4000.0]) {
            assert!((b - expected).abs() < 1e-9, "{b} {expected}");
        }
        let rounded = read_from("0.999 0 0 1000\n0 1.001 0 1000\n", None).unwrap();
        assert_eq!(rounded.b_values(), [1000.0, 1000.0]);
    }

    #[test]
    fn invalid_tables_are_reported() {
        assert_eq!(
            read_from("0 0 0 0\n1 0 0 1000\n", Some(3)).unwrap_err(),
            "grad.b: the gradient table has 2 measurements, but the image has 3 volumes; give the gradient \
             table of this image"
        );
        assert_eq!(
            read_from("0 0 0 0\n1 0 0\n", None).unwrap_err(),
            "grad.b: row 2 has 3 numbers; give x, y, z and b in each row"
        );
        assert_eq!(read_from("", None).unwrap_err(), "grad.b: it is empty; give one row per measurement");
    }
}
