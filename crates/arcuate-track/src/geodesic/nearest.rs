//! Distance of each voxel to a region.

/// Returns for each voxel the distance in mm from its centre to the nearest centre of a voxel for which
/// `inside` is true (Felzenszwalb and Huttenlocher 2012, doi:10.4086/toc.2012.v008a019). `sizes` are the edge
/// lengths of the voxels in mm; the edges must be perpendicular. If `inside` is false for all voxels,
/// distances are infinite.
pub(super) fn distances(inside: impl Fn(usize) -> bool, shape: [usize; 3], sizes: [f64; 3]) -> Vec<f32> {
    let count = shape.iter().product();
    let mut squares: Vec<f64> =
        (0..count).map(|voxel| if inside(voxel) { 0.0 } else { f64::INFINITY }).collect();
    let strides = [1, shape[0], shape[0] * shape[1]];
    for axis in 0..3 {
        let mut line = vec![0.0; shape[axis]];
        for begin in (0..count).filter(|voxel| (voxel / strides[axis]).is_multiple_of(shape[axis])) {
            for (n, value) in line.iter_mut().enumerate() {
                *value = squares[begin + n * strides[axis]];
            }
            for (n, square) in lower_envelope(&line, sizes[axis]).into_iter().enumerate() {
                squares[begin + n * strides[axis]] = square;
            }
        }
    }
    squares.into_iter().map(|square| square.sqrt() as f32).collect()
}

/// Returns, for each n, the minimum over m of (size · (n − m))² + values[m].
fn lower_envelope(values: &[f64], size: f64) -> Vec<f64> {
    // The function is the minimum of parabolas. For each parabola that is the lowest one somewhere: its
    // index, and the position from which it is the lowest.
    let mut lowest: Vec<(usize, f64)> = Vec::new();
    let at = |m: usize| m as f64 * size;
    for (m, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let mut from = f64::NEG_INFINITY;
        while let Some(&(other, begin)) = lowest.last() {
            from =
                ((value + at(m).powi(2)) - (values[other] + at(other).powi(2))) / (2.0 * (at(m) - at(other)));
            if from > begin {
                break;
            }
            lowest.pop();
            from = f64::NEG_INFINITY;
        }
        lowest.push((m, from));
    }
    let mut current = 0;
    let distance = |n: usize| {
        while current + 1 < lowest.len() && lowest[current + 1].1 < at(n) {
            current += 1;
        }
        lowest.get(current).map_or(f64::INFINITY, |&(m, _)| (at(n) - at(m)).powi(2) + values[m])
    };
    (0..values.len()).map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_to_the_nearest_voxel() {
        let (shape, sizes) = ([7, 5, 4], [2.0, 1.5, 3.0]);
        for region in [vec![3], vec![0, 139, 70], vec![17, 18, 90, 91], (0..140).collect()] {
            let found = distances(|voxel| region.contains(&voxel), shape, sizes);
            let centre = |voxel: usize| {
                [voxel % 7, voxel / 7 % 5, voxel / 35]
                    .iter()
                    .zip(sizes)
                    .map(|(&c, s)| c as f64 * s)
                    .collect::<Vec<_>>()
            };
            for voxel in 0..140 {
                let to = |other: &usize| {
                    let square: f64 =
                        centre(voxel).iter().zip(centre(*other)).map(|(a, b)| (a - b).powi(2)).sum();
                    square.sqrt()
                };
                let expected = region.iter().map(to).fold(f64::INFINITY, f64::min);
                assert!(
                    (f64::from(found[voxel]) - expected).abs() < 1e-5,
                    "{voxel}: {} {expected}",
                    found[voxel]
                );
            }
        }
        assert!(distances(|_| false, [3, 2, 1], sizes).iter().all(|distance| *distance == f32::INFINITY));
    }
}
