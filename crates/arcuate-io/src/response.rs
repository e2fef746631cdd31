//! Responses of tissues as text, as MRtrix's `dwi2response` writes them: a line for each shell.

use crate::write_file;
use arcuate_core::Result;
use std::fmt::Write;
use std::path::Path;

/// Writes the response of a tissue: for each shell (`b_values`, s/mm²) a line with the coefficients of its signal in the orthonormal zonal
/// harmonics Y_00, Y_20, …, all lines of one length, after a comment with the b-values. Numbers are as short as they can be while
/// reading them gives the same `f64`. Fails where the file cannot be written.
///
/// # Panics
/// Where there are not as many lines as shells.
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
    fn responses_are_lines_of_numbers() {
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
