//! Response functions: the signal of fibres that all are along z, or of isotropic tissue.

use crate::basis::{HarmonicBasis, zonal_at_pole};
use arcuate_core::{Error, Result};
use arcuate_numbers::legendre::even_polynomials;
use std::fmt::Write as _;

/// A response function: the signal of one fibre bundle along z, or of isotropic tissue, as a function of
/// direction. For each shell, it has the zonal (m = 0) coefficients `r_l` of the signal, for the even degrees
/// `l = 0, 2, …`. The basis is [`HarmonicBasis`] (Tournier et al. 2004,
/// doi:10.1016/j.neuroimage.2004.07.037). Their unit is that of the signal. The response of isotropic tissue
/// has only the coefficient of l = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    rows: Vec<Vec<f64>>,
    b_values: Option<Vec<f64>>,
}

/// Beginning of the comment line that states the b-values, after the comment character.
const SHELLS: &str = "Shells:";

impl Response {
    /// Creates a response from one row of coefficients per shell, in ascending order of b-values. Returns an
    /// error if there is no row, if rows have different lengths, or if their order is not supported by
    /// [`HarmonicBasis`]. Also returns an error if a number is not finite, or if the coefficient of l = 0,
    /// which is √(4π) times the mean signal, is not positive.
    pub fn new(rows: Vec<Vec<f64>>) -> Result<Self> {
        let advice = "give a row of numbers for each shell, one for each of l = 0, 2, 4, …";
        let wrong = |problem: String| Err(Error::invalid("response function", problem, advice));
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 {
            return wrong("it holds no coefficients".to_owned());
        }
        if columns > HarmonicBasis::LARGEST_ORDER / 2 + 1 {
            return wrong(format!("{columns} coefficients a row are those of no order served"));
        }
        for (number, row) in rows.iter().enumerate() {
            let number = number + 1;
            if row.len() != columns {
                return wrong(format!("row {number} has {} numbers, the first one {columns}", row.len()));
            }
            if row.iter().any(|coefficient| !coefficient.is_finite()) {
                return wrong(format!("row {number} holds a number that is not finite"));
            }
            if row[0] <= 0.0 {
                return wrong(format!("the mean signal in row {number} (counted from 1) is not above 0"));
            }
        }
        Ok(Self { rows, b_values: None })
    }

    /// Sets the b-value of each row in s/mm². Returns an error if the number of b-values differs from the
    /// number of rows, or if a b-value is not finite, negative or not in ascending order.
    pub fn with_b_values(self, b_values: Vec<f64>) -> Result<Self> {
        let ascend = b_values.windows(2).all(|pair| pair[0] < pair[1]);
        if b_values.len() != self.rows.len() || !ascend || b_values.iter().any(|b| !b.is_finite() || *b < 0.0)
        {
            return Err(Error::invalid(
                "response function",
                format!(
                    "the b-values {b_values:?} do not match the {} rows of the response",
                    self.rows.len()
                ),
                "give one b-value per row of the response, in increasing order",
            ));
        }
        Ok(Self { b_values: Some(b_values), ..self })
    }

    /// Parses a response from MRtrix's text format. Each line has one row of coefficients, separated by
    /// spaces, tabs or commas. `#` starts a comment; the comment `# Shells: 0,700,1200` sets the b-values.
    /// Returns an error if the text contains anything that is not a number, or for the reasons that
    /// [`new`](Self::new) states.
    pub fn from_text(text: &str) -> Result<Self> {
        let (mut rows, mut b_values) = (Vec::new(), None);
        for (line, content) in text.lines().enumerate() {
            let (numbers, remark) = content.split_once('#').unwrap_or((content, ""));
            if let Some(shells) = remark.trim().strip_prefix(SHELLS) {
                b_values = Some(parse_numbers(shells, line)?);
            }
            let row = parse_numbers(numbers, line)?;
            if !row.is_empty() {
                rows.push(row);
            }
        }
        let response = Self::new(rows)?;
        match b_values {
            Some(b_values) => response.with_b_values(b_values),
            None => Ok(response),
        }
    }

    /// Returns the response in MRtrix's text format, which [`from_text`](Self::from_text) reads. The numbers
    /// have all digits.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(b_values) = &self.b_values {
            let words: Vec<String> = b_values.iter().map(f64::to_string).collect();
            let _ = writeln!(text, "# {SHELLS} {}", words.join(","));
        }
        for row in &self.rows {
            let words: Vec<String> = row.iter().map(f64::to_string).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
        text
    }

    /// Returns the coefficients of each shell, in the order of the degrees l = 0, 2, ….
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Returns the b-values of the shells in s/mm², if they are known.
    pub fn b_values(&self) -> Option<&[f64]> {
        self.b_values.as_deref()
    }

    /// Returns the highest degree l of the coefficients. For isotropic tissue, returns 0.
    pub fn order(&self) -> usize {
        2 * (self.rows[0].len() - 1)
    }

    /// Returns a response that has only the row of this shell.
    ///
    /// # Panics
    /// Panics if `shell` is not below the number of shells.
    pub fn of_shell(&self, shell: usize) -> Self {
        Self {
            rows: vec![self.rows[shell].clone()],
            b_values: self.b_values.as_ref().map(|b| vec![b[shell]]),
        }
    }

    /// Returns the signal Σ_l r_l Y_l0 of a shell in a direction. `cosine` is the cosine of the angle between
    /// this direction and the fibres.
    ///
    /// # Panics
    /// Panics if `shell` is not below the number of shells.
    pub fn amplitude(&self, shell: usize, cosine: f64) -> f64 {
        let polynomials = even_polynomials(self.order(), cosine);
        let terms = self.rows[shell].iter().zip(polynomials).enumerate();
        terms.map(|(n, (coefficient, polynomial))| coefficient * zonal_at_pole(2 * n) * polynomial).sum()
    }

    /// Returns the factors that convolve a distribution with the response of a shell. There is one factor for
    /// each degree l = 0, 2, … up to `order`: r_l √(4π/(2l + 1)). The factors are the coefficients r_l
    /// divided by those of a point function along z (Tournier et al. 2004, after Healy, Hendriks and Kim
    /// 1998). They are 0 for degrees above the order of the response.
    pub(crate) fn convolution(&self, shell: usize, order: usize) -> Vec<f64> {
        let row = &self.rows[shell];
        (0..=order / 2).map(|n| row.get(n).map_or(0.0, |r| r / zonal_at_pole(2 * n))).collect()
    }
}

/// Parses the numbers of a line. `line` is the number of the line, counted from 0, for error messages.
fn parse_numbers(text: &str, line: usize) -> Result<Vec<f64>> {
    let words = text.split([' ', '\t', ',', '\r']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse().map_err(|_| {
                let problem = format!("line {} has `{word}`, which is not a number", line + 1);
                Error::invalid(
                    "response function",
                    problem,
                    "give a text file with one row of numbers per shell",
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# made by hand\n# Shells: 0,700,1200\n4128.5 0 0\n2533.16 -656.026 70.4758 \n\n1978.87,-732.453\t151.103 # last\n";

    #[test]
    fn response_texts_survive_a_round_trip() {
        let response = Response::from_text(TEXT).unwrap();
        assert_eq!(response.rows()[1], [2533.16, -656.026, 70.4758]);
        assert_eq!((response.b_values(), response.order()), (Some(&[0.0, 700.0, 1200.0][..]), 4));
        let text = response.to_text();
        assert!(text.starts_with("# Shells: 0,700,1200\n4128.5 0 0\n2533.16 -656.026 70.4758\n"), "{text}");
        assert_eq!(Response::from_text(&text).unwrap(), response);
        let isotropic = Response::from_text("7349.07 \r\n3690.48 \r\n").unwrap();
        assert_eq!((isotropic.order(), isotropic.b_values()), (0, None));
        assert_eq!(isotropic.to_text(), "7349.07\n3690.48\n");
        let last = response.of_shell(2);
        assert_eq!((last.rows(), last.b_values()), (&response.rows()[2..], Some(&[1200.0][..])));
    }

    #[test]
    fn invalid_response_texts_are_rejected() {
        for (text, part) in [
            ("", "no coefficients"),
            ("# Shells: 0\n", "no coefficients"),
            ("1 2\n3\n", "row 2 has 1 numbers"),
            ("1 nan\n", "row 1 holds a number that is not finite"),
            ("1 1e999\n", "not finite"),
            ("1\n0\n", "the mean signal in row 2 (counted from 1) is not above 0"),
            ("-3 1\n", "not above 0"),
            ("1 two\n", "line 1 has `two`, which is not a number"),
            ("# Shells: 0,b\n1\n", "line 1 has `b`, which is not a number"),
            ("# Shells: 0,700\n1\n", "do not match the 1 rows of the response"),
            ("# Shells: 700,0\n1\n1\n", "do not match"),
            ("# Shells: nan,0\n1\n1\n", "do not match"),
            (&"1 ".repeat(18), "no order served"),
        ] {
            let message = Response::from_text(text).unwrap_err().to_string();
            assert!(
                message.starts_with("response function: ") && message.contains(part),
                "{text:?}: {message}"
            );
        }
    }

    #[test]
    fn amplitudes_agree_with_mrtrix() {
        // The expected values are the output of `sh2amp` 3.0.3 at 0, 30, 60 and 90° from z. Its zonal
        // coefficients were 1269.26 −602.593 252.278 −73.2239 13.4862.
        let response = Response::new(vec![vec![1269.26, -602.593, 252.278, -73.2239, 13.4862]]).unwrap();
        for (angle, expected) in [(0.0f64, 132.654), (30.0, 148.032), (60.0, 318.621), (90.0, 655.73)] {
            let amplitude = response.amplitude(0, angle.to_radians().cos());
            assert!((amplitude - expected).abs() < 6e-4, "{angle}: {amplitude} {expected}");
        }
    }
}
