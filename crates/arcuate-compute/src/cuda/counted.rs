//! Conversion of numbers of items (voxels, for example) to the integer types of kernel parameters.

use super::error::{CudaError, CudaResult};

/// Converts numbers of items to the integer type of a kernel's parameters, which usually has 32 bits.
///
/// Returns an error if a number is too large for this type. The caller can then do the work on another
/// device. Without the error, the upper bits would be lost, and the kernel would get a wrong number.
pub fn counted<N: TryFrom<usize>, const COUNT: usize>(
    what: &'static str,
    counts: [usize; COUNT],
) -> CudaResult<[N; COUNT]> {
    if let Some(&count) = counts.iter().find(|&&count| N::try_from(count).is_err()) {
        return Err(CudaError::TooMany { what, count });
    }
    Ok(counts.map(|count| N::try_from(count).unwrap_or_else(|_| unreachable!("it was tried before"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_exceed_the_type_are_rejected() {
        assert_eq!(counted::<u8, 3>("voxels", [0, 255, 7]).unwrap(), [0, 255, 7]);
        let error = counted::<u8, 3>("voxels", [0, 256, 7]).unwrap_err();
        assert_eq!(error, CudaError::TooMany { what: "voxels", count: 256 });
        assert_eq!(counted::<i8, 1>("voxels", [127]).unwrap(), [127]);
        assert!(counted::<i8, 1>("voxels", [128]).is_err());
        assert!(counted::<u32, 2>("voxels", [1, 1 << 32]).is_err());
    }
}
