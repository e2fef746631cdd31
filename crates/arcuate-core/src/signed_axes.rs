//! Permuted and reversed gradient axes.

use crate::{Affine, Error, Result};

/// A signed permutation of three axes: for each axis of an image, the corresponding axis of a gradient table.
/// `x,y,z` changes nothing, `-x,y,z` reverses the first axis, and `y,x,z` exchanges the first two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignedAxes {
    axes: [usize; 3],
    is_reversed: [bool; 3],
}

impl Default for SignedAxes {
    fn default() -> Self {
        Self { axes: [0, 1, 2], is_reversed: [false; 3] }
    }
}

const LETTERS: [char; 3] = ['x', 'y', 'z'];

impl SignedAxes {
    /// All signed permutations that differ for gradient directions, whose sign does not matter. There are six
    /// orders of the axes, and in each order no axis or one axis is reversed. (The reversal of two axes has
    /// the same effect as the reversal of the third axis.) The first permutation is the identity.
    pub fn all_of_lines() -> Vec<Self> {
        let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
        let senses = [None, Some(0), Some(1), Some(2)];
        let of = |axes: [usize; 3], sense: Option<usize>| Self {
            axes,
            is_reversed: std::array::from_fn(|axis| sense == Some(axis)),
        };
        orders.into_iter().flat_map(|axes| senses.map(|sense| of(axes, sense))).collect()
    }

    /// Parses a signed permutation such as `-x,y,z`. Returns an error unless the text names each axis once.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = || {
            let problem = format!("`{text}` does not have each of x, y and z exactly once");
            Error::usage("axes", problem, "write the axes as -x,y,z or y,x,z")
        };
        let mut read = Self::default();
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        if words.len() != 3 {
            return Err(refuse());
        }
        for (axis, word) in words.into_iter().enumerate() {
            let (is_reversed, letter) = match word.strip_prefix('-') {
                Some(letter) => (true, letter),
                None => (false, word),
            };
            let known = LETTERS.iter().position(|known| letter.chars().eq([*known]));
            (read.axes[axis], read.is_reversed[axis]) = (known.ok_or_else(refuse)?, is_reversed);
        }
        if (0..3).all(|axis| read.axes.contains(&axis)) { Ok(read) } else { Err(refuse()) }
    }

    /// Returns whether the permutation is the identity, which leaves the axes of the gradient table
    /// unchanged.
    pub fn is_as_it_seems(&self) -> bool {
        *self == Self::default()
    }

    /// Converts a vector from the gradient table's axes to the image's axes.
    pub fn turn(&self, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let component = v[self.axes[axis]];
            if self.is_reversed[axis] { -component } else { component }
        })
    }

    /// Applies the permutation to a vector that is given in scanner axes. The image's axes are the voxel axes
    /// of `affine`.
    pub fn turn_in_scanner_axes(&self, v: [f64; 3], affine: &Affine) -> [f64; 3] {
        let axes = affine.axes();
        let along = axes.map(|axis| (0..3).map(|n| axis[n] * v[n]).sum::<f64>());
        let turned = self.turn(along);
        std::array::from_fn(|n| (0..3).map(|axis| turned[axis] * axes[axis][n]).sum())
    }
}

impl std::fmt::Display for SignedAxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for axis in 0..3 {
            let comma = if axis == 0 { "" } else { "," };
            let minus = if self.is_reversed[axis] { "-" } else { "" };
            write!(f, "{comma}{minus}{}", LETTERS[self.axes[axis]])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read_and_written() {
        for text in ["x,y,z", "-x,y,z", "y,-x,z", "z,x,y"] {
            assert_eq!(SignedAxes::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "x,y", "x,x,z", "a,y,z", "--x,y,z", "x,y,z,x", "xy,y,z"] {
            assert!(SignedAxes::parse(text).is_err(), "{text}");
        }
        assert!(SignedAxes::default().is_as_it_seems());
        assert_eq!(SignedAxes::parse("y,-x,z").unwrap().turn([1.0, 2.0, 3.0]), [2.0, -1.0, 3.0]);
    }

    #[test]
    fn there_are_24_permutations_and_flips_of_lines() {
        let all = SignedAxes::all_of_lines();
        assert!(all[0].is_as_it_seems());
        // Each permutation maps the test vector to a different line (direction without sign).
        let v = [0.3, 0.5, 0.8];
        for (n, one) in all.iter().enumerate() {
            for other in &all[..n] {
                let [a, b] = [one, other].map(|axes| axes.turn(v));
                let dot: f64 = (0..3).map(|c| a[c] * b[c]).sum();
                assert!(dot.abs() < 0.98 * 0.98, "{one} {other}");
            }
        }
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn axis_changes_refer_to_voxel_axes() {
        // The first voxel axis points to the back, the second to the left, and the third up.
        let rows = [[0.0, -2.0, 0.0, 5.0], [-2.0, 0.0, 0.0, 7.0], [0.0, 0.0, 3.0, 9.0]];
        let affine = Affine::from_rows(rows).unwrap();
        let reversed = SignedAxes::parse("-x,y,z").unwrap();
        assert_eq!(reversed.turn_in_scanner_axes([1.0, 2.0, 3.0], &affine), [1.0, -2.0, 3.0]);
        let exchanged = SignedAxes::parse("y,x,z").unwrap();
        assert_eq!(exchanged.turn_in_scanner_axes([1.0, 2.0, 3.0], &affine), [2.0, 1.0, 3.0]);
        assert_eq!(SignedAxes::default().turn_in_scanner_axes([1.0, 2.0, 3.0], &affine), [1.0, 2.0, 3.0]);
    }
}
