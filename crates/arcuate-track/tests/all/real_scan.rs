//! Tensor tracking in a real scan, compared with MRtrix 3.0.3 (`oracles/tracking_mrtrix.py`).

use arcuate_compute::Device;
use arcuate_core::{Control, Tractogram};
use arcuate_io::{read_mask, read_volume};
use arcuate_test_support::real_data;
use arcuate_track::{Curvature, Integrator, Seeds, TrackOptions, track_tensor};

/// Options of `tckgen -algorithm Tensor_Det`.
fn as_tckgen() -> TrackOptions {
    TrackOptions {
        integrator: Integrator::Euler,
        curvature: Curvature::MaxAngleDegrees(60.0),
        fa_cutoff: 0.1,
        min_length_mm: None,
        max_length_mm: None,
        ..TrackOptions::default()
    }
}

#[test]
fn lengths_and_ends_agree_with_tckgen() {
    let paths = ["dt", "wm_fa02", "mask"].map(|name| real_data(&format!("philips_dwi/{name}.nii.gz")));
    let [Some(tensor), Some(white_matter), Some(brain)] = paths else { return };
    let tensor = read_volume(&tensor).unwrap();
    let seeds = Seeds::random_until(read_mask(&white_matter).unwrap(), 5000);
    let options = TrackOptions {
        step_mm: Some(1.0),
        mask: Some(read_mask(&brain).unwrap()),
        select: Some(5000),
        seed: 1,
        ..as_tckgen()
    };
    let mut out = Tractogram::new();
    let summary =
        track_tensor(&tensor, &seeds, &options, &Device::Cpu, &mut out, &Control::default()).unwrap();
    assert_eq!(summary.streamlines, 5000);
    for point in out.positions() {
        let voxel = tensor.grid().voxel_at(point.map(f64::from)).unwrap();
        assert!(options.mask.as_ref().unwrap().contains(voxel));
    }
    // Reference: tckgen -algorithm Tensor_Det -seed_image wm_fa02 -mask mask -select 100000 -step 1 -cutoff
    // 0.1. The mean length is 70.09 mm and the standard deviation is 46.2 mm. The standard error of 5000
    // streamlines is 0.65 mm.
    let mean = summary.lengths.mean();
    assert!((mean / 70.09 - 1.0).abs() < 0.05, "{mean}");
    let close = |share: f64, of_tckgen: f64, tolerance: f64, what: &str| {
        assert!((share - of_tckgen).abs() < tolerance, "{what}: {share} where tckgen has {of_tckgen}");
    };
    // tckgen fits tensors to interpolated signals, but Arcuate interpolates tensors. Up to 0.05 of the ends
    // have another reason.
    close(summary.streamlines as f64 / summary.seeds as f64, 0.843, 0.03, "seeds accepted");
    let ends = summary.terminated;
    let all = ends.left_image + ends.left_mask + ends.anisotropy + ends.angle + ends.max_length;
    assert_eq!(all, 2 * (summary.streamlines + summary.rejected.too_short));
    let share = |count: u64| count as f64 / all as f64;
    // tckgen counts a step that leaves both the image and the mask as one that leaves the mask.
    close(share(ends.left_image + ends.left_mask), 0.307, 0.03, "ends at the edge of image or mask");
    close(share(ends.anisotropy), 0.420, 0.06, "ends in low anisotropy");
    close(share(ends.angle), 0.264, 0.06, "ends in a sharp bend");
    close(share(ends.max_length), 0.009, 0.003, "ends at the maximum length");
}
