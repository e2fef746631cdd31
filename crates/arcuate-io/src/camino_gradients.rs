//! Reads and writes the scheme files of Camino (`.scheme`) and the protocol files of the Microstructure
//! Diffusion Toolbox (`.prtcl`). Both kinds of files can contain the timing of the gradient pulses.
//!
//! The documentation of neither format specifies the axes of the directions. Camino uses the voxel axes of
//! the image. Its program `fsl2scheme` copies the numbers of a `bvec` file, except if an option flips them.
//! The directions of a `.scheme` are therefore along the voxel axes, without the sign change of x that FSL
//! makes for some images. The toolbox copies the directions of `bvec` files into protocols, as its example
//! data show. The directions of a `.prtcl` are therefore read like those of a `bvec` file.

use crate::stored_gradients::{
    BNumbers, BUnit, DirectionLengths, StoredGradients, StoredPulses, directions_of, require_measurements,
};
use crate::text_table::{numbered_rows, read_text, to_text};
use crate::write_file;
use arcuate_core::{
    Affine, Error, GradientTable, PulseTiming, Result, image_axes_to_scanner, scanner_to_image_axes,
};
use std::path::Path;

/// Reads a `.scheme` that belongs to an image with the given affine. With the first line `VERSION: BVECTOR`,
/// each line has `x y z b`. With `VERSION: STEJSKALTANNER`, each line has `x y z |G| Δ δ TE` in SI units,
/// from which b is computed.
///
/// The b-values of a BVECTOR scheme have no fixed unit. If the user does not specify the unit, the largest
/// b-value determines it. If this is above 100,000, which is impossible in s/mm², the unit is s/m². If not,
/// the unit is s/mm².
pub fn read_scheme(path: &Path, affine: &Affine, measurements: Option<usize>) -> Result<StoredGradients> {
    let text = read_text(path)?;
    let first = text.lines().position(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let header = first.and_then(|n| text.lines().nth(n)).unwrap_or_default();
    let version = header.split_once(':').filter(|(key, _)| key.trim().eq_ignore_ascii_case("VERSION"));
    let version = version.map(|(_, version)| version.trim().to_ascii_uppercase());
    let timed = match version.as_deref() {
        // Older versions of Camino wrote numbers (such as 2 for BVECTOR) as the names of these formats.
        Some("BVECTOR" | "2") => false,
        Some("STEJSKALTANNER" | "1") => true,
        Some(other) => {
            let problem = format!("the scheme file has the version `{other}`, which Arcuate does not read");
            let advice = "give a scheme of version BVECTOR or STEJSKALTANNER";
            return Err(Error::invalid(path.display(), problem, advice));
        }
        None => {
            let problem = "it does not begin with a VERSION line";
            let advice = "give a scheme of version BVECTOR or STEJSKALTANNER";
            return Err(Error::invalid(path.display(), problem, advice));
        }
    };
    // The line with the version is replaced by an empty line, so that error messages state the right line
    // numbers.
    let lines = text.lines().enumerate().map(|(n, line)| if Some(n) == first { "" } else { line });
    let (lines, rows): (Vec<usize>, Vec<Vec<f64>>) = numbered_rows(path, lines)?.into_iter().unzip();
    let width = if timed { 7 } else { 4 };
    if let Some(wrong) = rows.iter().position(|row| row.len() != width) {
        let problem =
            format!("row {} (counted from 1) has {} numbers, not {width}", wrong + 1, rows[wrong].len());
        return Err(Error::invalid(path.display(), problem, "check the line VERSION of the scheme file"));
    }
    let directions = directions_of(rows.iter().map(|row| [row[0], row[1], row[2]]));
    let scanner = voxel_axes_to_scanner(&directions, affine);
    let new = |b_values: Vec<f64>, numbers: BNumbers| {
        StoredGradients::new(path.display(), scanner, b_values, numbers, DirectionLengths::Ignore)
    };
    let stored = if timed {
        let mut b_values = Vec::with_capacity(rows.len());
        let mut pulses = Vec::with_capacity(rows.len());
        for (row, &line) in rows.iter().zip(&lines) {
            let (timing, stored) = timing_of([row[3], row[4], row[5]], Some(row[6]), line, path)?;
            b_values.push(timing.b_value());
            pulses.push(stored);
        }
        new(b_values, BNumbers::OfPulses).with_pulses(pulses)
    } else {
        new(rows.iter().map(|row| row[3]).collect(), BNumbers::Either)
    };
    require_measurements(path, &stored, measurements)?;
    Ok(stored)
}

/// Returns the timing of the gradient pulses of one line of the file, with the gradient amplitude, from which
/// b is computed. Returns an error for impossible values.
fn timing_of(
    [amplitude, separation, duration]: [f64; 3],
    echo_time: Option<f64>,
    line: usize,
    path: &Path,
) -> Result<(PulseTiming, StoredPulses)> {
    let timing = PulseTiming { amplitude, separation, duration, echo_time: echo_time.unwrap_or_default() };
    timing.check().map_err(|e| e.about(format_args!("{}, line {line}", path.display())))?;
    let stored = StoredPulses { amplitude: Some(amplitude), separation, duration, echo_time, line };
    Ok((timing, stored))
}

/// Writes a `.scheme` for an image with the given affine. If the gradient table has pulse timings, the
/// version is STEJSKALTANNER. If not, the version is BVECTOR with b in s/m².
pub fn write_scheme(path: &Path, table: &GradientTable, affine: &Affine) -> Result<()> {
    let directions = scanner_to_voxel_axes(table.directions(), affine)?;
    let text = if let Some(timings) = table.timings() {
        let rows = directions
            .iter()
            .zip(timings)
            .map(|(d, t)| [d[0], d[1], d[2], t.amplitude, t.separation, t.duration, t.echo_time]);
        format!("# x y z |G| (T/m) DELTA (s) delta (s) TE (s)\nVERSION: STEJSKALTANNER\n{}", to_text(rows))
    } else {
        let rows = directions.iter().zip(in_si_units(path, table)?).map(|(d, b)| [d[0], d[1], d[2], b]);
        format!("# x y z b (s/m^2)\nVERSION: BVECTOR\n{}", to_text(rows))
    };
    write_file(path, text)
}

/// Reads a `.prtcl` that belongs to an image with the given affine. The file has a line `#gx,gy,gz,…` with
/// the names of the columns, and then one line per measurement. The columns are `gx gy gz` (direction), `b`
/// (s/m²), `G` (T/m), and `Delta`, `delta`, `TE` (s). Other columns are ignored. If there is no column `b`, b
/// is computed from `G`, `Delta` and `delta`.
pub fn read_protocol(path: &Path, affine: &Affine, measurements: Option<usize>) -> Result<StoredGradients> {
    let text = read_text(path)?;
    let header = text.lines().find_map(|line| line.trim_start().strip_prefix('#')).unwrap_or_default();
    let names: Vec<&str> = header
        .split(|c: char| c == ',' || c.is_whitespace())
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let column = |name: &str| names.iter().position(|&n| n == name);
    let (Some(x), Some(y), Some(z)) = (column("gx"), column("gy"), column("gz")) else {
        let problem = "its first comment does not list the columns gx, gy and gz";
        return Err(Error::invalid(
            path.display(),
            problem,
            "begin the file with a line of column names, such as #gx,gy,gz,b",
        ));
    };
    let (lines, rows): (Vec<usize>, Vec<Vec<f64>>) = numbered_rows(path, text.lines())?.into_iter().unzip();
    if let Some(wrong) = rows.iter().position(|row| row.len() != names.len()) {
        let problem = format!(
            "row {} (counted from 1) has {} numbers, but there are {} columns",
            wrong + 1,
            rows[wrong].len(),
            names.len()
        );
        return Err(Error::invalid(path.display(), problem, "give one number per named column"));
    }
    let (b, g, separation, duration) = (column("b"), column("G"), column("Delta"), column("delta"));
    if b.is_none() && (g.is_none() || separation.is_none() || duration.is_none()) {
        let problem = "it has neither a column b nor columns G, Delta and delta";
        return Err(Error::invalid(
            path.display(),
            problem,
            "in the first line, list column b, or the columns G, Delta and delta",
        ));
    }
    let directions = directions_of(rows.iter().map(|row| [row[x], row[y], row[z]]));
    let given = |row: &[f64], column: Option<usize>| column.map(|c| row[c]);
    let (mut pulses, mut b_values) = (Vec::new(), Vec::new());
    for (row, &line) in rows.iter().zip(&lines) {
        let times = given(row, separation).zip(given(row, duration));
        let echo_time = given(row, column("TE"));
        let mut from_pulses = 0.0;
        match (times, given(row, g)) {
            (Some((separation, duration)), Some(amplitude)) => {
                let (timing, stored) = timing_of([amplitude, separation, duration], echo_time, line, path)?;
                from_pulses = timing.b_value();
                pulses.push(stored);
            }
            (Some((separation, duration)), None) => {
                pulses.push(StoredPulses { amplitude: None, separation, duration, echo_time, line });
            }
            (None, _) => {}
        }
        b_values.push(given(row, b).unwrap_or(from_pulses));
    }
    let numbers = if b.is_some() { BNumbers::In(BUnit::SecondsPerSquareMetre) } else { BNumbers::OfPulses };
    let scanner = image_axes_to_scanner(&directions, affine);
    let stored = StoredGradients::new(path.display(), scanner, b_values, numbers, DirectionLengths::Ignore)
        .with_pulses(pulses);
    require_measurements(path, &stored, measurements)?;
    Ok(stored)
}

/// Writes a `.prtcl` for an image with the given affine. If the gradient table has pulse timings, the file
/// contains them, too.
pub fn write_protocol(path: &Path, table: &GradientTable, affine: &Affine) -> Result<()> {
    let directions = scanner_to_image_axes(table.directions(), affine)?;
    let directions = directions.iter().map(|d| d.map(|c| c + 0.0));
    let rows = directions.zip(in_si_units(path, table)?);
    let text = match table.timings() {
        Some(timings) => {
            let rows = rows
                .zip(timings)
                .map(|((d, b), t)| [d[0], d[1], d[2], b, t.amplitude, t.separation, t.duration, t.echo_time]);
            format!("#gx,gy,gz,b,G,Delta,delta,TE\n{}", to_text(rows))
        }
        None => format!("#gx,gy,gz,b\n{}", to_text(rows.map(|(d, b)| [d[0], d[1], d[2], b]))),
    };
    write_file(path, text)
}

/// Returns the b-values of the table in s/m², to write them to the file at `path`.
fn in_si_units(path: &Path, table: &GradientTable) -> Result<Vec<f64>> {
    let values: Vec<f64> = table.b_values().iter().map(|b| b * 1e6).collect();
    let Some(row) = values.iter().position(|b| b.is_infinite()) else { return Ok(values) };
    let b = table.b_values()[row];
    let problem = format!("measurement {} has b = {b:e} s/mm², too large to write in s/m²", row + 1);
    Err(Error::invalid(path.display(), problem, "check the gradient table from which this b-value comes"))
}

/// Returns the sign with which FSL writes the x component of directions: −1 if the determinant of the affine
/// is positive, 1 if not. A reader multiplies x by this sign to get the voxel axis.
fn fsl_sign(affine: &Affine) -> f64 {
    if affine.determinant() > 0.0 { -1.0 } else { 1.0 }
}

fn voxel_axes_to_scanner(directions: &[[f64; 3]], affine: &Affine) -> Vec<[f64; 3]> {
    let sign = fsl_sign(affine);
    let fsl: Vec<[f64; 3]> = directions.iter().map(|d| [sign * d[0], d[1], d[2]]).collect();
    image_axes_to_scanner(&fsl, affine)
}

fn scanner_to_voxel_axes(directions: &[[f64; 3]], affine: &Affine) -> Result<Vec<[f64; 3]>> {
    let sign = fsl_sign(affine);
    let fsl = scanner_to_image_axes(directions, affine)?;
    // Adding 0 converts −0 to 0.
    Ok(fsl.iter().map(|d| [sign * d[0] + 0.0, d[1] + 0.0, d[2] + 0.0]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GradientReading, fsl_gradients};
    use arcuate_test_support::real_data;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn scheme(path: &Path, affine: &Affine, measurements: Option<usize>) -> Result<GradientTable> {
        read_scheme(path, affine, measurements)?.table(&GradientReading::default())
    }

    fn protocol(path: &Path, affine: &Affine, measurements: Option<usize>) -> Result<GradientTable> {
        read_protocol(path, affine, measurements)?.table(&GradientReading::default())
    }

    fn scheme_error(text: &str, measurements: Option<usize>) -> String {
        let (folder, path) = file("dwi.scheme", text);
        let message = scheme(&path, &Affine::identity(), measurements).unwrap_err().to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    }

    fn protocol_error(text: &str) -> String {
        let (folder, path) = file("dwi.prtcl", text);
        let message = protocol(&path, &Affine::identity(), None).unwrap_err().to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn unreadable_tables_are_not_written() {
        let table = GradientTable::new(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![0.0, 1e303], 50.0).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, write) in [
            ("a.scheme", write_scheme as fn(&Path, &GradientTable, &Affine) -> Result<()>),
            ("a.prtcl", write_protocol),
        ] {
            let path = folder.path().join(name);
            let message = write(&path, &table, &Affine::identity()).unwrap_err().to_string();
            let expected = "measurement 2 has b = 1e303 s/mm², too large to write in s/m²; check the \
                            gradient table from which this b-value comes";
            assert_eq!(message, format!("{}: {expected}", path.display()));
            assert!(!path.exists());
        }
    }

    #[test]
    fn schemes_use_voxel_axes_without_a_flip() {
        let (_folder, path) =
            file("a.scheme", "# x\nVERSION: BVECTOR\n0 0 0 0\n1 0 0 1.0E9\n0 0.6 0.8 2E9\n");
        for (sign, affine) in
            [(1.0, Affine::scaling([2.0; 3], [0.0; 3])), (-1.0, Affine::scaling([-2.0, 2.0, 2.0], [0.0; 3]))]
        {
            let table = scheme(&path, &affine, Some(3)).unwrap();
            assert_eq!(table.directions()[1], [sign, 0.0, 0.0]);
            assert_eq!(table.b_values(), [0.0, 1000.0, 2000.0]);
            assert!(table.timings().is_none());
        }
        let (_folder, path) = file("b.scheme", "VERSION: BVECTOR\n0 0 0 0\n1 0 0 1000\n");
        assert_eq!(scheme(&path, &Affine::identity(), None).unwrap().b_values(), [0.0, 1000.0]);
    }

    #[test]
    fn pulses_give_b_values_and_survive_a_round_trip() {
        // The gradient pulses of the second measurement have δ = 20 ms, Δ = 40 ms and an amplitude of 40
        // mT/m. Their b-value is 2.6751525e8² · 0.04² · 0.02² · (0.04 − 0.02/3) = 1.5267074e9 s/m².
        let text = "VERSION: STEJSKALTANNER\n0 0 0 0 0.04 0.02 0.08\n0 0 1 0.04 0.04 0.02 0.08\n";
        let (folder, path) = file("a.scheme", text);
        let affine = Affine::scaling([-2.0, 2.0, 2.0], [0.0; 3]);
        let table = scheme(&path, &affine, None).unwrap();
        assert!((table.b_values()[1] - 1526.7074).abs() < 1e-4, "{}", table.b_values()[1]);
        assert_eq!(table.timings().unwrap()[1].amplitude, 0.04);
        for (name, kind) in [("b.scheme", true), ("b.prtcl", false)] {
            let path = folder.path().join(name);
            let back = if kind {
                write_scheme(&path, &table, &affine).and_then(|()| scheme(&path, &affine, Some(2)))
            } else {
                write_protocol(&path, &table, &affine).and_then(|()| protocol(&path, &affine, Some(2)))
            };
            let back = back.unwrap();
            assert_eq!(back.timings(), table.timings());
            assert_eq!(back.directions(), table.directions());
            // The file has the b-value as a decimal number in s/m². Converting it to s/mm² again causes a
            // rounding error.
            assert!((back.b_values()[1] - table.b_values()[1]).abs() < 1e-9);
        }
    }

    #[test]
    fn b_values_are_computed_from_pulses() {
        let (_folder, path) = file("a.prtcl", "#gx,gy,gz,G,Delta,delta\n0 1 0 0.04 0.04 0.02\n");
        let table = protocol(&path, &Affine::identity(), None).unwrap();
        assert!((table.b_values()[0] - 1526.7074).abs() < 1e-4);
        assert!(table.timings().is_none(), "without an echo time there is no complete timing");
    }

    #[test]
    fn a_real_protocol_agrees_with_its_bvec_file() {
        let Some(path) = real_data("mdt/b1k_b2k.prtcl") else { return };
        let affine = Affine::scaling([-2.0, 2.0, 2.0], [0.0; 3]);
        let protocol = protocol(&path, &affine, Some(103)).unwrap();
        let (bvals, bvecs) = (path.with_extension("bval"), path.with_extension("bvec"));
        let fsl = fsl_gradients::read(&bvals, &bvecs, &affine, Some(103)).unwrap();
        let fsl = fsl.table(&GradientReading::default()).unwrap();
        for m in 0..103 {
            assert!((protocol.b_values()[m] - fsl.b_values()[m]).abs() < 1e-9);
            for axis in 0..3 {
                // The numbers in the bvec file have only ten digits.
                assert!((protocol.directions()[m][axis] - fsl.directions()[m][axis]).abs() < 1e-9);
            }
        }
        let timing = protocol.timings().unwrap()[6];
        assert_eq!((timing.separation, timing.duration, timing.echo_time), (0.0265, 0.0162, 0.06));
        assert!((timing.b_value() - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn invalid_files_are_reported_by_name() {
        assert_eq!(
            scheme_error("0 0 0 0\n", None),
            "dwi.scheme: it does not begin with a VERSION line; give a scheme of version BVECTOR or STEJSKALTANNER"
        );
        assert_eq!(
            scheme_error("VERSION: GRADIENT_WAVEFORM\n", None),
            "dwi.scheme: the scheme file has the version `GRADIENT_WAVEFORM`, which Arcuate does not read; \
             give a scheme of version BVECTOR or STEJSKALTANNER"
        );
        assert_eq!(
            scheme_error("VERSION: STEJSKALTANNER\n0 0 0 0\n", None),
            "dwi.scheme: row 1 (counted from 1) has 4 numbers, not 7; check the line VERSION of the scheme \
             file"
        );
        assert_eq!(
            scheme_error("VERSION: BVECTOR\n0 0 0 0\n", Some(2)),
            "dwi.scheme: the gradient table has 1 measurements, but the image has 2 volumes; give the \
             gradient table of this image"
        );
        assert_eq!(
            protocol_error("0 0 0 0\n"),
            "dwi.prtcl: its first comment does not list the columns gx, gy and gz; begin the file with a \
             line of column names, such as #gx,gy,gz,b"
        );
        assert_eq!(
            protocol_error("#gx,gy,gz,TE\n0 0 0 0\n"),
            "dwi.prtcl: it has neither a column b nor columns G, Delta and delta; in the first line, list \
             column b, or the columns G, Delta and delta"
        );
        assert_eq!(
            protocol_error("#gx,gy,gz,b\n0 0 0\n"),
            "dwi.prtcl: row 1 (counted from 1) has 3 numbers, but there are 4 columns; give one number per \
             named column"
        );
    }

    #[test]
    fn impossible_timings_are_reported_with_their_line() {
        let scheme = |pulses: &str| {
            scheme_error(&format!("VERSION: STEJSKALTANNER\n0 0 0 0 0 0 0\n\n0 0 1 {pulses}\n"), None)
        };
        let values = ": a gradient amplitude or time is negative or not finite; give |G| in T/m and Δ, δ \
                      and TE in s, each 0 or \
                      more";
        for pulses in
            ["0.04 0.04 -0.02 0.08", "0.04 nan 0.02 0.08", "0.04 0.04 0.02 inf", "-0.04 0.04 0.02 0.08"]
        {
            assert_eq!(scheme(pulses), format!("dwi.scheme, line 4{values}"));
        }
        let overlap = ": the pulse duration δ = 0.05 s is 0 or exceeds the pulse separation Δ = 0.04 s; \
                       give 0 < δ ≤ Δ, in s";
        assert_eq!(scheme("0.04 0.04 0.05 0.08"), format!("dwi.scheme, line 4{overlap}"));
        for columns in [
            "G,Delta,delta,TE\n0 1 0 0.04 0.04 0.05 0.1",
            "G,Delta,delta\n0 1 0 0.04 0.04 0.05",
            "b,Delta,delta,TE\n0 1 0 1e9 0.04 0.05 0.1",
        ] {
            assert_eq!(
                protocol_error(&format!("#gx,gy,gz,{columns}\n")),
                format!("dwi.prtcl, line 2{overlap}")
            );
        }
        assert_eq!(
            protocol_error("#gx,gy,gz,G,Delta,delta\n0 1 0 0.04 nan 0.05\n"),
            format!("dwi.prtcl, line 2{values}")
        );
        let b_value = "1 (counted from 1) has a negative b-value or values that are not finite; give \
                       b-values of at least 0 and finite directions";
        assert_eq!(
            scheme_error("VERSION: BVECTOR\n0 0 1 inf\n", None),
            format!("dwi.scheme: measurement {b_value}")
        );
    }
}
