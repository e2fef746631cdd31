//! Writes the response function of a tissue as text in the format of MRtrix's `dwi2response`, with one line
//! per shell.

use crate::write_file;
use arcuate_core::Result;
use std::fmt::Write;
use std::path::Path;

/// Writes the response function of a tissue. Each shell has a line with the coefficients of its signal in the
/// orthonormal zonal harmonics Y_00, Y_20, …; all lines have the same number of coefficients. A comment with
/// the b-values (`b_values`, in s/mm²) precedes the lines. Each number has the fewest digits from which the
/// same `f64` is read. Returns an error if the file cannot be written.
///
/// # Panics
/// Panics if `coefficients` and `b_values` have different lengths, which are the number of shells.
pub fn write_response(path: &Path, b_values: &[f64], coefficients: &[Vec<f64>]) -> Result<()> {
    assert_eq!(b_values.len(), coefficients.len(), "a line for each shell");
    let joined =
        |values: &[f64], mark: &str| values.iter().map(f64::to_string).collect::<Vec<_>>().join(mark);
    let mut text = format!("# Shells: {}\n", joined(b_values, ","));
    for shell in coefficients {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", joined(shell, " "));
    }
    write_file(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_numbers;

    #[test]
    fn responses_are_written_as_lines_of_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("response.txt");
        let coefficients = [vec![3544.907701811032, 0.0], vec![1.0 / 3.0, -656.026]];
        write_response(&path, &[0.0, 700.5], &coefficients).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().next(), Some("# Shells: 0,700.5"));
        assert_eq!(text.lines().count(), 3);
        assert_eq!(read_numbers(&path).unwrap(), coefficients.concat());
    }
}
