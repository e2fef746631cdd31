//! Vectors of three components, of any number type. Each product and each sum is rounded. The functions of
//! the same name at the top of the crate use fused multiply-adds, so their results can differ in the last bit.

use crate::Operations;

/// Computes the scalar product a · b, summed from the first component onwards.
#[inline(always)]
pub fn dot<N: Operations>(a: [N; 3], b: [N; 3]) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Computes the cross product a × b.
#[inline(always)]
pub fn cross<N: Operations>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Computes the length of a vector.
#[inline(always)]
pub fn norm<N: Operations>(v: [N; 3]) -> N {
    dot(v, v).root()
}

/// Divides a vector by its length. A vector of length 0 gives NaN.
#[inline(always)]
pub fn unit<N: Operations>(v: [N; 3]) -> [N; 3] {
    let length = norm(v);
    [v[0] / length, v[1] / length, v[2] / length]
}

/// Computes the product S v of a vector and a symmetric matrix with the elements xx, yy, zz, xy, xz and yz.
#[inline(always)]
pub fn times<N: Operations>([xx, yy, zz, xy, xz, yz]: [N; 6], v: [N; 3]) -> [N; 3] {
    [dot([xx, xy, xz], v), dot([xy, yy, yz], v), dot([xz, yz, zz], v)]
}

/// Computes the difference a − b.
#[inline(always)]
pub fn minus<N: Operations>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_right_handed_and_units_have_length_1() {
        assert_eq!(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(cross([2.0, -1.0, 3.0], [1.0, 4.0, -2.0]), [-10.0, 7.0, 9.0]);
        assert_eq!(dot([2.0f32, -1.0, 3.0], [1.0, 4.0, -2.0]), -8.0);
        assert_eq!((norm([2.0, 3.0, 6.0]), unit([3.0, 0.0, -4.0])), (7.0, [0.6, 0.0, -0.8]));
        assert_eq!(minus([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]), [-2.0, 0.0, 2.0]);
        assert_eq!(times([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 10.0, 100.0]), [541.0, 624.0, 365.0]);
        assert!(unit([0.0f64; 3])[0].is_nan());
    }
}
