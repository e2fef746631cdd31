use crate::text_table::{read_text, row};
use arcuate_core::{Error, Result};
use std::path::Path;

/// Reads a text file with three numbers per line, such as seed points or directions. Spaces, tabs, commas or
/// semicolons separate the numbers; `#` begins a comment, and empty lines are ignored.
///
/// `what` describes in error messages what a line should contain: "a point, x y z in RAS mm". Returns an
/// error if a word is not a number, if a number is not finite, or if a line does not have exactly three
/// numbers.
pub fn read_triples(path: &Path, what: &str) -> Result<Vec<[f64; 3]>> {
    let mut triples = Vec::new();
    for (index, line) in read_text(path)?.lines().enumerate() {
        let numbers = row(path, index + 1, line)?;
        if numbers.is_empty() {
            continue;
        }
        let triple = <[f64; 3]>::try_from(numbers).map_err(|numbers| {
            let problem = format!("line {} has {} numbers, not three", index + 1, numbers.len());
            Error::invalid(path.display(), problem, format!("each line must be {what}"))
        })?;
        if let Some(number) = triple.iter().find(|number| !number.is_finite()) {
            let problem = format!("line {} has the number {number}, which is not finite", index + 1);
            return Err(Error::invalid(path.display(), problem, format!("each line must be {what}")));
        }
        triples.push(triple);
    }
    Ok(triples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_must_have_exactly_three_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.txt");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_triples(&path, "a point, x y z in RAS mm").map_err(|e| e.to_string())
        };
        assert_eq!(
            read("# x y z\n1 2 3\n\n-1e1,0; 2.5 # last\n"),
            Ok(vec![[1.0, 2.0, 3.0], [-10.0, 0.0, 2.5]])
        );
        assert_eq!(read(""), Ok(vec![]));
        let word = read("1 2 3\n1 2 3 junk\n").unwrap_err();
        assert!(word.ends_with(
            "points.txt: line 2 has `junk`, which is not a number; check that this is the right file"
        ));
        let few = read("\n1 2\n").unwrap_err();
        assert!(
            few.ends_with(": line 2 has 2 numbers, not three; each line must be a point, x y z in RAS mm"),
            "{few}"
        );
        assert!(read("1 2 3 4\n").is_err());
        for (text, number) in [("1 2 3\n1 nan 3\n", "NaN"), ("\n1 2 -1e999\n", "-inf")] {
            let message = read(text).unwrap_err();
            let expected = format!(
                "points.txt: line 2 has the number {number}, which is not finite; each line must be a point, \
                 x y z in RAS mm"
            );
            assert!(message.ends_with(&expected), "{message}");
        }
    }
}
