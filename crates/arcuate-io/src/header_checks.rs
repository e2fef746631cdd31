//! Checks header fields that several image formats have, so that the same contradiction gives the same
//! message in each format.

use arcuate_core::{Affine, Error, Result, printable};
use std::path::{Component, Path, PathBuf};

/// Returns the edge lengths of a voxel in a form that can be used: the absolute value of each length, or 1 if
/// the length is invalid.
pub(crate) fn usable_sizes(stored: [f64; 3]) -> [f64; 3] {
    stored.map(|size| if is_length(size.abs()) { size.abs() } else { 1.0 })
}

fn is_length(size: f64) -> bool {
    size.is_finite() && size > 0.0
}

/// Returns warnings about voxel edge lengths that [`usable_sizes`] has replaced. `field` is the name of the
/// header field with the edge lengths.
pub(crate) fn doubts_of_sizes(stored: [f64; 3], shape: [usize; 3], field: &str) -> Vec<String> {
    let axes = |is_meant: &dyn Fn(f64) -> bool| {
        // An axis along which the image has a single voxel is ignored, because programs rarely store the
        // thickness of a single slice.
        let named = (0..3).filter(|&axis| shape[axis] > 1 && is_meant(stored[axis]));
        named.map(|axis| ["x", "y", "z"][axis]).collect::<Vec<_>>().join(", ")
    };
    let missing = axes(&|size| !is_length(size.abs()));
    let negative = axes(&|size| size < 0.0 && size.is_finite());
    let mut doubts = Vec::new();
    if !missing.is_empty() {
        doubts.push(format!("its header has no voxel size along {missing} ({field}); 1 is taken"));
    }
    if !negative.is_empty() {
        let problem = "its header has a negative voxel size along";
        doubts.push(format!("{problem} {negative} ({field}); the size without its sign is taken"));
    }
    doubts
}

/// Returns an error if voxel edge lengths are invalid. Callers use this function if the positions of the
/// voxels depend on these lengths.
pub(crate) fn require_sizes(path: &Path, sizes: [f64; 3]) -> Result<()> {
    if sizes.iter().all(|&size| is_length(size)) {
        return Ok(());
    }
    let problem = format!("the image header has the impossible voxel sizes {}", shown(sizes));
    Err(Error::invalid(path.display(), problem, "repair the header, or copy the file again"))
}

/// Returns true if the voxel edge lengths that a header stores separately agree with those of its affine to
/// within 1 %.
pub(crate) fn sizes_agree(sizes: [f64; 3], affine: &Affine) -> bool {
    let of_affine = affine.voxel_sizes();
    (0..3).all(|axis| (sizes[axis] / of_affine[axis] - 1.0).abs() < 0.01)
}

/// Returns a text that describes the contradiction if the voxel edge lengths in the header field `field`
/// differ from those of the affine. `used` states which of the two the program uses.
pub(crate) fn contradiction_of_sizes(
    sizes: [f64; 3],
    affine: &Affine,
    field: &str,
    used: &str,
) -> Option<String> {
    (!sizes_agree(sizes, affine)).then(|| {
        let (own, of_affine) = (shown(sizes), shown(affine.voxel_sizes()));
        format!("its voxel sizes {own}{field} contradict its affine, whose voxels are {of_affine}; {used}")
    })
}

fn shown([x, y, z]: [f64; 3]) -> String {
    format!("{x:.3} × {y:.3} × {z:.3} mm")
}

/// Returns a text that describes the problem if a file contains more volumes than its header states.
/// `available` is the number of bytes for image data in the file, `size` the number that the header states,
/// and `volume` the number of bytes of a volume. If the file has fewer additional bytes than a volume, they
/// are a footer or padding.
pub(crate) fn unread_volumes(available: u64, size: u64, volume: u64) -> Option<String> {
    let more = available.saturating_sub(size);
    (volume > 0 && more >= volume).then(|| {
        format!(
            "its header describes {size} bytes of image data, and the file has {more} bytes more. These are \
             enough for {} more volumes, which are ignored; check the dimensions in its header",
            more / volume
        )
    })
}

/// Returns a text that describes the problem if a file is shorter or longer than its header states. It is for
/// callers that read only the header.
pub(crate) fn contradiction_of_length(available: u64, size: u64, volume: u64) -> Option<String> {
    if available < size {
        return Some(format!("the image data end early ({available} of {size} bytes)"));
    }
    unread_volumes(available, size, volume)
}

/// Prints a warning with the problem about the length of a file, if there is a problem.
pub(crate) fn warn_of_unread(path: &Path, problem: Option<String>) {
    if let Some(problem) = problem {
        tracing::warn!("{}: {problem}", path.display());
    }
}

/// Returns the path of the data file that a header names. For safety, the data file must be in the folder of
/// the header or below.
pub(crate) fn file_next_to(path: &Path, name: &str) -> Result<PathBuf> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(name).components().all(is_inside) {
        let problem =
            format!("the data file `{}` is not in the folder of this header file", printable(name, 100));
        let advice = "put both into one folder and name the file alone";
        return Err(Error::invalid(path.display(), problem, advice));
    }
    Ok(path.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_voxel_sizes_are_replaced_with_a_warning() {
        assert_eq!(usable_sizes([2.0, 0.0, f64::NAN]), [2.0, 1.0, 1.0]);
        assert_eq!(usable_sizes([-2.0, f64::INFINITY, 1e-3]), [2.0, 1.0, 1e-3]);
        let doubts = |stored, shape| doubts_of_sizes(stored, shape, "vox");
        assert_eq!(doubts([2.0, 2.0, 3.0], [4; 3]), Vec::<String>::new());
        assert_eq!(doubts([2.0, 2.0, 0.0], [4, 4, 1]), Vec::<String>::new(), "a single slice");
        assert_eq!(
            doubts([-2.0, 0.0, f64::NAN], [4; 3]),
            [
                "its header has no voxel size along y, z (vox); 1 is taken",
                "its header has a negative voxel size along x (vox); the size without its sign is taken"
            ]
        );
        assert!(require_sizes(Path::new("a"), [1.0, -1.0, 1.0]).is_err());
        assert!(require_sizes(Path::new("a"), [1.0, 1.0, 2.0]).is_ok());
    }

    #[test]
    fn files_with_more_volumes_than_the_header_states_are_detected() {
        assert_eq!(unread_volumes(100, 100, 10), None);
        assert_eq!(unread_volumes(109, 100, 10), None, "less than a volume");
        assert!(unread_volumes(150, 100, 10).unwrap().contains("enough for 5 more volumes"));
    }

    #[test]
    fn data_files_must_be_next_to_their_header() {
        let beside = |name| file_next_to(Path::new("a/b.mih"), name).map_err(|e| e.problem().to_owned());
        assert_eq!(beside("b.dat"), Ok("a/b.dat".into()));
        assert_eq!(beside("./c/b.dat"), Ok("a/./c/b.dat".into()));
        for name in ["/etc/passwd", "../b.dat", "c/../../b.dat"] {
            assert_eq!(
                beside(name),
                Err(format!("the data file `{name}` is not in the folder of this header file"))
            );
        }
    }
}
