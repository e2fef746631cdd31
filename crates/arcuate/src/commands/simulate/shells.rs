//! The shells of a simulated series. The user gives the b-value and the number of directions of each shell.

use arcuate_core::{Error, GradientTable, Result};
use arcuate_phantom::multi_shell_gradients;
use std::str::FromStr;

/// Default number of directions of a shell.
pub(super) const DIRECTIONS: usize = 64;
/// Default number of measurements with b = 0.
pub(super) const UNWEIGHTED: usize = 6;

/// A shell in the syntax `B` or `B:N`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shell {
    /// The b-value in s/mm².
    b_value: f64,
    /// Number of directions, or of measurements with b = 0.
    number: Option<usize>,
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (b_value, number) = match text.split_once(':') {
            Some((b_value, number)) => (b_value, Some(number)),
            None => (text, None),
        };
        let b_value: f64 = b_value.trim().parse().map_err(|_| "its b-value is not a number".to_owned())?;
        if !(b_value.is_finite() && b_value >= 0.0) {
            return Err("its b-value is not 0 or more".to_owned());
        }
        let number = number.map(|number| number.trim().parse::<usize>()).transpose();
        let number =
            number.map_err(|_| "the text after the colon is not a number of directions".to_owned())?;
        Ok(Self { b_value, number })
    }
}

/// Returns the gradient table: first all measurements with b = 0, then the shells in the given order.
pub(super) fn gradients(shells: &[Shell]) -> Result<GradientTable> {
    let refused = |problem: String, advice: &str| Err(Error::usage("--shells", problem, advice));
    for (n, shell) in shells.iter().enumerate() {
        if shells[..n].iter().any(|other| other.b_value == shell.b_value) {
            let problem = format!("b = {} s/mm² is given twice", shell.b_value);
            return refused(problem, "give each shell once");
        }
    }
    let Some(unweighted) = shells.iter().find(|shell| shell.b_value == 0.0) else {
        return refused("there is none with b = 0".to_owned(), "put 0:6 in front, for six of them");
    };
    let weighted: Vec<(usize, f64)> = shells
        .iter()
        .filter(|shell| shell.b_value > 0.0)
        .map(|shell| (shell.number.unwrap_or(DIRECTIONS), shell.b_value))
        .collect();
    multi_shell_gradients(&weighted, unweighted.number.unwrap_or(UNWEIGHTED))
        .map_err(|error| error.about("--shells"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> std::result::Result<GradientTable, String> {
        let shells: std::result::Result<Vec<Shell>, String> = text.split(',').map(str::parse).collect();
        gradients(&shells?).map_err(|error| error.to_string())
    }

    #[test]
    fn shell_lists_become_a_gradient_table() {
        let counts = |text| table(text).map(|table| table.shells());
        assert_eq!(
            counts("0:3,700:16,1200:30,2800:50"),
            Ok(vec![(0.0, 3), (700.0, 16), (1200.0, 30), (2800.0, 50)])
        );
        assert_eq!(counts("2000, 0"), Ok(vec![(0.0, 6), (2000.0, 64)]));
    }

    #[test]
    fn invalid_shell_lists_are_rejected() {
        for (text, expected) in [
            ("700:16", "none with b = 0"),
            ("0:6", "there is none"),
            ("0:0,700:16", "needs a measurement without weighting"),
            ("0:6,700:5", "5 directions"),
            ("0:6,30:16", "not a possible b-value"),
            ("0:6,700:16,700:20", "given twice"),
            ("0:6,x:16", "not a number"),
            ("0:6,inf:16", "not 0 or more"),
            ("0:6,-700:16", "not 0 or more"),
            ("0:6,700:16:3", "not a number of directions"),
            ("0:6,700:-3", "not a number of directions"),
        ] {
            let error = table(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
