//! The check of an image size.

use crate::error::{Error, Result};

/// Checks the numbers of voxels of an image along x, y and z, and returns them.
///
/// # Errors
/// Returns an error if the number of voxels along an axis is 0, or if the image would be larger than any memory.
pub fn image_shape(lengths: [usize; 3]) -> Result<[usize; 3]> {
    let voxels = lengths.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    // The limit must also hold for the complex numbers of the doubled grid of a reconstruction, which is twice as long
    // along each axis.
    match voxels {
        Some(voxels) if (1..1 << 40).contains(&voxels) => Ok(lengths),
        _ => {
            let [x, y, z] = lengths;
            let problem = format!("{x} × {y} × {z} voxels are not a possible image");
            let advice = "give at least one voxel along each axis, below 2⁴⁰ in total";
            Err(Error::usage("image size", problem, advice))
        }
    }
}
