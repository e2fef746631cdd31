//! Reads and writes streamline weights as text with one number per line. MRtrix's `tcksift2` writes such
//! files, and the option `-tck_weights_in` of MRtrix commands reads them.

use crate::AtomicFile;
use crate::text_file::for_each_line;
use arcuate_core::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Maximum weight of a streamline. With this limit, sums of weights over any number of streamlines do not
/// overflow single precision.
const LARGEST: f64 = 1e25;

/// Reads one weight for each streamline, in the order of the streamlines in the tractogram. `#` begins a
/// comment, empty lines are ignored, and a single line may contain all numbers.
///
/// Returns an error with the line number if a word is not a number of at least 0, or if the file is a table
/// with several columns. A negative weight, or a weight that exceeds single precision, is a mistake of the
/// program that wrote the file.
pub fn read_weights(path: &Path) -> Result<Vec<f64>> {
    let mut weights = Vec::new();
    let (mut rows, mut longest) = (0, 0);
    for_each_line(path, |number, line| {
        let before = weights.len();
        for word in line.split('#').next().unwrap_or("").split([' ', '\t', ',']).filter(|w| !w.is_empty()) {
            let shown = || word.chars().take(20).collect::<String>();
            let weight = match word.parse::<f64>() {
                Ok(weight) if weight.is_finite() => weight,
                _ => return Err(not_weights(path, number, &format!("holds `{}`, not a number", shown()))),
            };
            if !(0.0..=LARGEST).contains(&weight) {
                let problem = format!("holds the weight {}, which is not between 0 and {LARGEST:e}", shown());
                return Err(not_weights(path, number, &problem));
            }
            weights.push(weight);
        }
        let found = weights.len() - before;
        rows += usize::from(found > 0);
        longest = longest.max(found);
        if rows > 1 && longest > 1 {
            return Err(not_weights(path, number, "makes it a table, not a list of weights"));
        }
        Ok(())
    })?;
    Ok(weights)
}

/// Writes one weight per line for each streamline. Before the weights, each of `comments` is written as a
/// line that begins with `#`. Each number has the fewest digits from which the same `f64` is read.
pub fn write_weights(path: &Path, weights: &[f64], comments: &[&str]) -> Result<()> {
    let mut file = BufWriter::new(AtomicFile::create(path)?);
    let mut write = || -> std::io::Result<()> {
        for line in comments.iter().flat_map(|comment| comment.lines()) {
            writeln!(file, "# {line}")?;
        }
        for weight in weights {
            writeln!(file, "{weight}")?;
        }
        file.flush()
    };
    write().map_err(|e| Error::write(path, e))?;
    file.into_inner().map_err(|e| Error::write(path, e.into_error()))?.finish()
}

fn not_weights(path: &Path, line: usize, problem: &str) -> Error {
    let problem = format!("line {line} {problem}");
    Error::invalid(path.display(), problem, "give a text file with one weight for each streamline")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: impl AsRef<[u8]>) -> std::result::Result<Vec<f64>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.txt");
        std::fs::write(&path, text).unwrap();
        let name = format!("{}: ", path.display());
        read_weights(&path).map_err(|e| e.to_string().replace(&name, ""))
    }

    #[test]
    fn comments_lines_and_rows_are_parsed() {
        assert_eq!(read("# made by tcksift2\n1\n0.5 # short\r\n\n2e-3\n").unwrap(), [1.0, 0.5, 2e-3]);
        assert_eq!(read("1 2,3\t4\n").unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn invalid_weights_are_reported() {
        let advice = "; give a text file with one weight for each streamline";
        let message = |problem: &str| Err(format!("{problem}{advice}"));
        assert_eq!(read("1\nx\n"), message("line 2 holds `x`, not a number"));
        assert_eq!(read("nan\n"), message("line 1 holds `nan`, not a number"));
        for weight in ["-1", "-2e-3", "1e308"] {
            assert_eq!(
                read(format!("0\n{weight}\n")),
                message(&format!("line 2 holds the weight {weight}, which is not between 0 and 1e25"))
            );
        }
        assert_eq!(read("1 2\n3 4\n"), message("line 2 makes it a table, not a list of weights"));
        assert_eq!(read("1\n2\n3 4\n"), message("line 3 makes it a table, not a list of weights"));
        let advice = "; save the file as text in UTF-8, or check that this is the right file";
        let problem = "it is not UTF-8 text: line 2 has the byte 0xFF";
        assert_eq!(read([b'1', b'\n', 0xff, 0xfe]), Err(format!("{problem}{advice}")));
    }

    #[test]
    fn numbers_survive_a_round_trip_exactly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.txt");
        let weights = [0.1, 1.0 / 3.0, 0.0, f64::MIN_POSITIVE, 1e25];
        write_weights(&path, &weights, &["LiFE weights\nsecond line"]).unwrap();
        assert_eq!(read_weights(&path).unwrap(), weights);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# LiFE weights\n# second line\n0.1\n"));
    }
}
