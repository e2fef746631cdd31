//! Tests segments and peaks on a real scan.

use arcuate_core::{Mask, PeakFrame};
use arcuate_evaluate::commit::{Axes, SegmentEncoder, SegmentOptions};
use arcuate_io::{read_mask, read_tractogram, read_volume, stream_tractogram};
use arcuate_test_support::real_data;

#[test]
fn streamlines_follow_the_peaks_that_they_were_tracked_on() {
    let Some(folder) = real_data("philips_dwi") else { return };
    let mask: Mask = read_mask(&folder.join("mask.nii.gz")).unwrap();
    let mut encoder = SegmentEncoder::new(&mask, SegmentOptions::default()).unwrap();
    let tracks = folder.join("tracks.tck");
    stream_tractogram(&tracks, &mut encoder).unwrap();
    let (segments, summary) = encoder.finish().unwrap();
    let tractogram = read_tractogram(&tracks).unwrap().tractogram;
    let total: f64 = (0..tractogram.len()).map(|n| tractogram.length(n)).sum();
    // Each streamline's length is rounded to 10⁻⁶ mm.
    let counted = summary.length_inside + summary.length_outside;
    assert!((counted - total).abs() < 1e-6 * tractogram.len() as f64);
    assert_eq!(summary.not_finite + summary.wrong_length, 0);
    println!("{summary:?} {} segments", segments.len());

    let peaks = read_volume(&folder.join("peaks.nii.gz")).unwrap();
    for frame in [PeakFrame::Scanner, PeakFrame::Image, PeakFrame::Fsl] {
        let (axes, agreement) = Axes::from_peaks(&peaks, frame, 0.1, &segments).unwrap();
        println!("{frame}: {} axes, {agreement:?}", axes.len());
        // MRtrix writes peaks in scanner axes.
        assert_eq!(agreement.best_frame, PeakFrame::Scanner);
        assert_eq!(agreement.problem().is_none(), frame == PeakFrame::Scanner);
    }
}
