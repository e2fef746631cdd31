//! Parses the lengths of the dimensions of an array from the text header of a file.

use arcuate_core::{Error, Result};

/// Parses the lengths of the dimensions of an array. `invalid` creates the error for a word that is not a
/// valid length, because each file format gives other advice.
pub(crate) fn lengths<'a>(
    words: impl Iterator<Item = &'a str>,
    invalid: impl Fn(String) -> Error,
) -> Result<Vec<usize>> {
    words
        .map(|word| {
            let length = word.parse().ok().filter(|&length| length > 0);
            length.ok_or_else(|| invalid(format!("`{}` is not a length of a dimension", word.escape_debug())))
        })
        .collect()
}

/// Computes the size in bytes of an array whose values have `size` bytes each. If the size exceeds the range
/// of memory addresses, returns the error that `invalid` creates.
pub(crate) fn bytes(shape: &[usize], size: usize, invalid: impl FnOnce(String) -> Error) -> Result<u64> {
    let bytes = shape.iter().try_fold(size as u64, |product, &length| product.checked_mul(length as u64));
    bytes.ok_or_else(|| invalid(format!("no memory holds an array of {shape:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid(problem: String) -> Error {
        Error::invalid("a", problem, "b")
    }

    #[test]
    fn lengths_must_be_positive_integers() {
        let read = |text: &str| lengths(text.split(' '), invalid).map_err(|e| e.to_string());
        assert_eq!(read("3 1 4"), Ok(vec![3, 1, 4]));
        for word in ["0", "-4", "x", "1.5", "99999999999999999999", "1e3"] {
            let expected = format!("a: `{word}` is not a length of a dimension; b");
            assert_eq!(read(&format!("3 {word}")), Err(expected));
        }
        assert_eq!(read("\t"), Err("a: `\\t` is not a length of a dimension; b".to_owned()));
    }

    #[test]
    fn byte_counts_that_overflow_are_errors() {
        assert_eq!(bytes(&[3, 4], 8, invalid).unwrap(), 96);
        // An array without dimensions has one value.
        assert_eq!(bytes(&[], 8, invalid).unwrap(), 8);
        let many = bytes(&[usize::MAX, 2], 8, invalid).unwrap_err().to_string();
        assert_eq!(many, format!("a: no memory holds an array of [{}, 2]; b", usize::MAX));
    }
}
