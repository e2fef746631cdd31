//! Reads and writes the gradient files of FSL. The file `bval` has b-values in s/mm². The file `bvec` has
//! directions along the voxel axes of the image, with x negated if the affine of the image has a positive
//! determinant.

use crate::endings::split_ending;
use crate::stored_gradients::{BNumbers, BUnit, DirectionLengths, StoredGradients, directions_of};
use crate::text_table::{read_text, rows};
use crate::{AtomicFile, finish_together};
use arcuate_core::{
    Affine, Error, GradientTable, Result, image_axes_to_scanner, is_present, scanner_to_image_axes,
};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Further endings of the names of the two files. The words without a dot are the names of FSL's folders, or
/// the ends of other names.
pub(crate) const OTHER_ENDINGS: [&str; 7] = [".bval", ".bvals", ".bvecs", "bval", "bvec", "bvals", "bvecs"];

/// Returns the two files of a gradient table, of which `path` is one: first the b-values, then the
/// directions. For example, `dwi.BVECS` belongs to `dwi.BVALS`. Returns `None` if the name does not end in
/// `bval`, `bvec`, `bvals` or `bvecs`.
pub fn pair(path: &Path) -> Option<[PathBuf; 2]> {
    let name = path.file_name()?.to_str()?;
    let (stem, word) = split_ending(name, &OTHER_ENDINGS[3..])?;
    // The word consists of "b", then "val" or "vec", and an optional "s".
    let (first, kind, last) = (&word[..1], &word[1..4], &word[4..]);
    let capitals = kind.chars().all(|c| c.is_ascii_uppercase());
    let named = |kind: &str| {
        let kind = if capitals { kind.to_ascii_uppercase() } else { kind.to_owned() };
        path.with_file_name(format!("{stem}{first}{kind}{last}"))
    };
    let is_of_b = kind.eq_ignore_ascii_case("val");
    Some(if is_of_b { [path.to_owned(), named("vec")] } else { [named("val"), path.to_owned()] })
}

/// Reads a gradient table from both files, of which `path` is one. The name of the other file may lack the
/// last `s`, or have one more.
pub(crate) fn read_either(
    path: &Path,
    affine: &Affine,
    measurements: Option<usize>,
) -> Result<StoredGradients> {
    let mut files = pair(path).unwrap_or_else(|| [path.to_owned(), path.to_owned()]);
    for file in files.iter_mut().filter(|file| *file != path && !is_present(file)) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let other = name.strip_suffix(['s', 'S']).map_or_else(|| format!("{name}s"), str::to_owned);
        let other = file.with_file_name(other);
        if !is_present(&other) {
            let problem = format!("there is no file {name} next to this file");
            return Err(Error::usage(path.display(), problem, "give both files, with ‘bval’ and ‘bvec’"));
        }
        *file = other;
    }
    read(&files[0], &files[1], affine, measurements)
}

/// Writes a gradient table to both files, of which `path` is one.
pub(crate) fn write_both(path: &Path, table: &GradientTable, affine: &Affine) -> Result<()> {
    let [bvals, bvecs] = pair(path).unwrap_or_else(|| [path.to_owned(), path.to_owned()]);
    write(&bvals, &bvecs, table, affine)
}

/// Reads the b-values and the directions that belong to an image with the given affine.
///
/// Both files, `bval` and `bvec`, may have one measurement per column, as FSL writes them, or one per line.
/// If a `bvec` has 3 × 3 numbers, each column is a measurement. `measurements` is the number of volumes of
/// the image, if known. By default, directions are scaled to length 1, and b-values are unchanged. Directions
/// of measurements with b = 0 may be NaN.
pub fn read(
    bvals: &Path,
    bvecs: &Path,
    affine: &Affine,
    measurements: Option<usize>,
) -> Result<StoredGradients> {
    let b_values: Vec<f64> = rows(bvals, read_text(bvals)?.lines())?.into_iter().flatten().collect();
    let directions = read_directions(bvecs)?;
    if let Some(expected) = measurements {
        let advice = "give the bval and bvec files of this image";
        if directions.len() != expected {
            let problem = format!("{} directions for {expected} volumes", directions.len());
            return Err(Error::invalid(bvecs.display(), problem, advice));
        }
        if b_values.len() != expected {
            let problem = format!("{} b-values for {expected} volumes", b_values.len());
            return Err(Error::invalid(bvals.display(), problem, advice));
        }
    } else if directions.len() != b_values.len() {
        let problem = format!(
            "the file has {} directions, but there are {} b-values in {}",
            directions.len(),
            b_values.len(),
            bvals.display()
        );
        return Err(Error::invalid(
            bvecs.display(),
            problem,
            "give b-values and directions of the same scan",
        ));
    }
    if let Some(position) = b_values.iter().position(|b| !(b.is_finite() && *b >= 0.0)) {
        let problem = format!("b-value {} is {}", position + 1, b_values[position]);
        return Err(Error::invalid(bvals.display(), problem, "give b-values of at least 0, in s/mm²"));
    }
    let scanner = image_axes_to_scanner(&directions_of(directions), affine);
    let numbers = BNumbers::In(BUnit::SecondsPerSquareMillimetre);
    let stored = StoredGradients::new(bvecs.display(), scanner, b_values, numbers, DirectionLengths::Ignore);
    Ok(stored.with_b_source(bvals.display()))
}

/// Reads the directions of all measurements from a `bvec` file with three lines, or with three numbers per
/// line.
fn read_directions(path: &Path) -> Result<Vec<[f64; 3]>> {
    let rows = rows(path, read_text(path)?.lines())?;
    if rows.len() == 3 && rows.iter().all(|row| row.len() == rows[0].len()) {
        return Ok((0..rows[0].len()).map(|n| [rows[0][n], rows[1][n], rows[2][n]]).collect());
    }
    if !rows.is_empty() && rows.iter().all(|row| row.len() == 3) {
        return Ok(rows.iter().map(|row| [row[0], row[1], row[2]]).collect());
    }
    let lengths: Vec<String> = rows.iter().take(4).map(|row| row.len().to_string()).collect();
    let dots = if rows.len() > 4 { ", …" } else { "" };
    let problem = match rows.len() {
        0 => "it holds no numbers".to_owned(),
        1 => format!("the only line of the bvec file has {} numbers", lengths[0]),
        lines => format!("the {lines} lines of the bvec file have {}{dots} numbers", lengths.join(", ")),
    };
    Err(Error::invalid(
        path.display(),
        problem,
        "give a bvec file with three lines of equal length, or three numbers per line",
    ))
}

/// Writes a gradient table as FSL's files `bval` and `bvec`, for an image with the given affine.
pub fn write(bvals: &Path, bvecs: &Path, table: &GradientTable, affine: &Affine) -> Result<()> {
    let directions = scanner_to_image_axes(table.directions(), affine)?;
    let line = |values: &mut dyn Iterator<Item = f64>| {
        // Adding 0 converts −0 to 0.
        values.map(|value| (value + 0.0).to_string()).collect::<Vec<_>>().join(" ") + "\n"
    };
    let lines: String = (0..3).map(|axis| line(&mut directions.iter().map(|d| d[axis]))).collect();
    // Both files are complete before one of them appears under its name, because new b-values with old
    // directions would be wrong without any error.
    let (mut b_file, mut d_file) = (AtomicFile::create(bvals)?, AtomicFile::create(bvecs)?);
    let text = line(&mut table.b_values().iter().copied());
    b_file.write_all(text.as_bytes()).map_err(|e| Error::write(bvals, e))?;
    d_file.write_all(lines.as_bytes()).map_err(|e| Error::write(bvecs, e))?;
    finish_together(vec![b_file, d_file])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GradientReading;
    use proptest::prelude::*;
    use std::path::PathBuf;

    struct Files {
        folder: tempfile::TempDir,
        bvals: PathBuf,
        bvecs: PathBuf,
    }

    fn files(bvals: &str, bvecs: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("dwi.bval"), folder.path().join("dwi.bvec"));
        std::fs::write(&a, bvals).unwrap();
        std::fs::write(&b, bvecs).unwrap();
        Files { folder, bvals: a, bvecs: b }
    }

    fn left_handed() -> Affine {
        Affine::scaling([-2.0, 2.0, 2.0], [90.0, -120.0, -60.0])
    }

    impl Files {
        fn read(&self, measurements: Option<usize>) -> Result<GradientTable> {
            read(&self.bvals, &self.bvecs, &left_handed(), measurements)?
                .table(&GradientReading::with_threshold(50.0))
        }

        fn message(&self, measurements: Option<usize>) -> String {
            let message = self.read(measurements).unwrap_err().to_string();
            message.replace(&format!("{}/", self.folder.path().display()), "")
        }
    }

    #[test]
    fn tables_are_read_from_rows_and_columns() {
        let rows = files("0 1000 1000 2000\n", "0 1 0 0.6\n0 0 1 0\n0 0 0 0.8\n").read(Some(4)).unwrap();
        let columns =
            files("0\n1000\n1000\n2000\n", "0,0,0\n1,0,0\n0,1,0\n0.6,0,0.8\n\n").read(None).unwrap();
        assert_eq!(rows, columns);
        // The determinant of this affine is negative, so the voxel axis x points to the left. The x component
        // in the file is along this axis.
        assert_eq!(rows.directions()[1], [-1.0, 0.0, 0.0]);
        assert_eq!(rows.b_values(), [0.0, 1000.0, 1000.0, 2000.0]);
    }

    #[test]
    fn three_measurements_are_read_as_columns() {
        let table = files("0 1000 1000", "0 1 0\n0 0 0\n0 0 1\n").read(Some(3)).unwrap();
        assert_eq!(table.directions()[2], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn directions_at_b0_may_be_nan() {
        let table = files("0 1000", "NaN 0\nnan 1\nNaN 0").read(Some(2)).unwrap();
        assert_eq!(table.directions()[0], [0.0; 3]);
        assert_eq!(
            files("1000 1000", "NaN 0\nNaN 1\nNaN 0").message(Some(2)),
            "dwi.bvec: measurement 1 (counted from 1) has b = 1000 s/mm² but no direction; give its \
             direction, or b = 0, or raise ‘b0_threshold’"
        );
        assert_eq!(
            files("1000 1000", "inf 0\n0 1\n0 0").message(Some(2)),
            "dwi.bvec: measurement 1 (counted from 1) has a negative b-value or values that are not \
             finite; give b-values of at least 0 and finite directions"
        );
    }

    #[test]
    fn wrong_counts_are_reported_with_advice() {
        let pair = files("0 1000", "0 1 0\n0 0 1\n0 0 0");
        assert_eq!(
            pair.message(Some(17)),
            "dwi.bvec: 3 directions for 17 volumes; give the bval and bvec files of this image"
        );
        assert_eq!(
            pair.message(Some(3)),
            "dwi.bval: 2 b-values for 3 volumes; give the bval and bvec files of this image"
        );
        let message = pair.message(None);
        assert_eq!(
            message,
            "dwi.bvec: the file has 3 directions, but there are 2 b-values in dwi.bval; give b-values and \
             directions of the same scan"
        );
        assert_eq!(
            files("0 1000", "0 1\n0 0").message(Some(2)),
            "dwi.bvec: the 2 lines of the bvec file have 2, 2 numbers; give a bvec file with three lines of equal length, \
             or three numbers per line"
        );
        assert_eq!(
            files("0 1000", "").message(Some(2)),
            "dwi.bvec: it holds no numbers; give a bvec file with three lines of equal length, or three \
             numbers per line"
        );
        assert_eq!(
            files("0 x1000", "").message(Some(2)),
            "dwi.bval: line 1 has `x1000`, which is not a number; check that this is the right file"
        );
        assert_eq!(
            files("0 -1000", "0 1\n0 0\n0 0").message(Some(2)),
            "dwi.bval: b-value 2 is -1000; give b-values of at least 0, in s/mm²"
        );
        assert_eq!(
            files("0 1000", "0 0\n0 0\n0 0").message(Some(2)),
            "dwi.bvec: measurement 2 (counted from 1) has b = 1000 s/mm² but no direction; give its \
             direction, or b = 0, or raise ‘b0_threshold’"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn tables_survive_a_round_trip_with_any_affine(
            rows in proptest::array::uniform3(proptest::array::uniform4(-3.0f64..3.0)),
            directions in proptest::collection::vec(proptest::array::uniform3(-1.0f64..1.0), 1..20),
        ) {
            let affine = Affine::from_rows(rows).unwrap();
            let sizes = affine.voxel_sizes();
            prop_assume!(affine.determinant().abs() > 0.05 * sizes.iter().product::<f64>());
            prop_assume!(directions.iter().all(|d| d.iter().map(|c| c * c).sum::<f64>() > 0.01));
            let b = (0..directions.len()).map(|n| 500.0 * n as f64).collect();
            let table = GradientTable::new(&directions, b, 50.0).unwrap();
            let files = files("", "");
            write(&files.bvals, &files.bvecs, &table, &affine).unwrap();
            let back = read(&files.bvals, &files.bvecs, &affine, Some(directions.len())).unwrap();
            let back = back.table(&GradientReading::default()).unwrap();
            prop_assert_eq!(back.b_values(), table.b_values());
            for (a, b) in back.directions().iter().flatten().zip(table.directions().iter().flatten()) {
                // Inverting an affine that is skewed like this one loses at most three digits.
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
    }
}
