use crate::{Error, Result};

/// An array of complex numbers with any number of dimensions, stored with the first dimension fastest. The
/// array holds, for example, k-space data, a k-space trajectory, coil sensitivities or a complex image. The
/// real and imaginary part of each number are adjacent in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ComplexArray {
    shape: Vec<usize>,
    values: Vec<[f32; 2]>,
}

impl ComplexArray {
    /// Creates an array from a shape and the matching number of values.
    pub fn new(shape: Vec<usize>, values: Vec<[f32; 2]>) -> Result<Self> {
        let count = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        if count == Some(values.len()) {
            return Ok(Self { shape, values });
        }
        let problem = format!("the shape {shape:?} of the array does not have {} values", values.len());
        Err(Error::invalid("array", problem, "give one value per array element"))
    }

    /// The length of each dimension of the array, as given to [`new`](Self::new).
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The length of dimension `n`, counted from 0. The length of a dimension that the array does not have is
    /// 1.
    pub fn length(&self, n: usize) -> usize {
        self.shape.get(n).copied().unwrap_or(1)
    }

    /// The shape of the array without trailing dimensions of length 1.
    pub fn significant_shape(&self) -> &[usize] {
        let used = self.shape.iter().rposition(|&n| n != 1).map_or(0, |last| last + 1);
        &self.shape[..used]
    }

    /// All values of the array as pairs of real and imaginary part.
    pub fn values(&self) -> &[[f32; 2]] {
        &self.values
    }

    /// All values of the array, mutable.
    pub fn values_mut(&mut self) -> &mut [[f32; 2]] {
        &mut self.values
    }

    /// Consumes the array and returns its values without the shape.
    pub fn into_values(self) -> Vec<[f32; 2]> {
        self.values
    }

    /// Index of the first value whose real or imaginary part is infinite or NaN; `None` if all parts are
    /// finite.
    pub fn first_not_finite(&self) -> Option<usize> {
        self.values.iter().position(|value| !(value[0].is_finite() && value[1].is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_must_match_the_number_of_values() {
        let array = ComplexArray::new(vec![2, 3, 1, 1], vec![[1.0, -1.0]; 6]).unwrap();
        assert_eq!(array.significant_shape(), [2, 3]);
        assert_eq!((array.length(1), array.length(3), array.length(40)), (3, 1, 1));
        assert_eq!(array.first_not_finite(), None);
        let empty: &[usize] = &[];
        assert_eq!(ComplexArray::new(vec![1, 1], vec![[0.0; 2]]).unwrap().significant_shape(), empty);
        for shape in [vec![2, 2], vec![usize::MAX, 2], vec![0]] {
            let message = ComplexArray::new(shape, vec![[0.0; 2]; 3]).unwrap_err().to_string();
            assert!(message.starts_with("array: the shape ["), "{message}");
        }
        let mut spoilt = array;
        spoilt.values_mut()[4][1] = f32::NAN;
        assert_eq!(spoilt.first_not_finite(), Some(4));
    }
}
