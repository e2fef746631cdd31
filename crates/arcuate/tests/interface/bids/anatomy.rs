//! Anatomical data of a data set: segmentations, which give tissues, and transforms.

use super::{RUN, cohort, json};
use crate::common::Scratch;
use arcuate_core::Volume;
use serde_json::Value;

const SEGMENTATION: &str = "data/sub-02/anat/sub-02_space-T1w_desc-aseg_dseg.nii.gz";
const SERIES: &str = "data/sub-02/dwi/sub-02_space-T1w_desc-preproc_dwi.nii.gz";
const TISSUES: &str = "sub-02/dwi/sub-02_space-T1w_seg-freesurfer_probseg";

/// Writes a segmentation with FreeSurfer's numbers: cortex in the regions where bundles end, and white matter
/// in the rest of the brain.
fn write_segmentation(scratch: &Scratch) {
    let read = |name: &str| scratch.volume(name);
    let (mask, regions) = (read("mask.nii.gz"), read("labels.nii.gz"));
    let label = |(brain, region): (&f32, &f32)| match (*brain > 0.0, *region > 0.0) {
        (_, true) => 3i32,
        (true, false) => 2,
        (false, false) => 0,
    };
    let labels = mask.values().iter().zip(regions.values()).map(label).collect();
    let labels = Volume::new(*mask.grid(), 1, labels).unwrap();
    std::fs::create_dir_all(scratch.path(SEGMENTATION).parent().unwrap()).unwrap();
    scratch.write_image(SEGMENTATION, &labels);
}

#[test]
fn tissues_are_computed_from_a_segmentation_in_the_space_of_the_series() {
    let scratch = cohort();
    write_segmentation(&scratch);
    let words = format!("bids data out participant {RUN} --participant-label 02");
    let result = scratch.run(&words);
    let told = format!("sub-02_space-T1w: tissues are those of {SEGMENTATION}");
    assert!(result.code == 0 && result.output.contains(&told), "{}{}", result.output, result.errors);
    // `5tt` gives the same tissues, and `run` gives the same streamlines.
    let alone = scratch.run(&format!("5tt {SEGMENTATION} --lut FreeSurfer --out 5tt.nii.gz"));
    assert_eq!(alone.code, 0, "{}", alone.errors);
    let image = scratch.read(&format!("out/{TISSUES}.nii.gz"));
    assert!(image == scratch.read("5tt.nii.gz"), "other tissues");
    let mask = SERIES.replace("preproc_dwi", "brain_mask");
    let run = scratch.run(&format!("run {SERIES} --mask {mask} --five-tissues 5tt.nii.gz {RUN} --out alone"));
    assert_eq!(run.code, 0, "{}", run.errors);
    let tracks = scratch.read("out/.arcuate/sub-02_space-T1w/results/tracks.trx");
    assert!(tracks == scratch.read("alone/tracks.trx"), "other streamlines");
    // The sidecar files name the segmentation.
    let own = format!("bids::{TISSUES}.nii.gz");
    let sidecar = json(&scratch, &format!("out/{TISSUES}.json"));
    let segmentation = SEGMENTATION.replace("data/", "bids:preprocessed:");
    assert_eq!(sidecar["Sources"], Value::from(vec![segmentation]));
    assert_eq!(sidecar["LabelMap"][2], "white matter");
    let tracks = "out/sub-02/dwi/sub-02_space-T1w_tract-wholebrain_track-tensor_tractogram.json";
    let tracks = json(&scratch, tracks);
    assert!(tracks["Sources"].as_array().unwrap().contains(&Value::from(own.clone())), "{tracks}");
    assert_eq!(tracks["StreamlineTermination"]["AnatomicalSegmentation"], own);

    // The tissues are computed once. They are computed again if the segmentation changes.
    let result = scratch.run(&words);
    assert!(
        result.output.contains("all of it is there already") && !result.output.contains(&told),
        "{}",
        result.output
    );
    let mut labels = scratch.volume(SEGMENTATION);
    labels.values_mut().iter_mut().filter(|label| **label == 3.0).for_each(|label| *label = 1005.0);
    *labels.values_mut().iter_mut().find(|label| **label == 2.0).unwrap() = 77.0;
    scratch.write_image(SEGMENTATION, &labels);
    let result = scratch.run(&words);
    assert!(result.code == 0 && result.output.contains(&told), "{}{}", result.output, result.errors);
    assert!(scratch.read(&format!("out/{TISSUES}.nii.gz")) != image, "tissues of another segmentation");

    // Shortest paths do not use tissues, so the earlier image of tissues is removed.
    let words = "bids data out participant --participant-label 02 --tracking geodesic --evaluate none";
    let result = scratch.run(words);
    assert!(result.code == 0 && !result.output.contains(&told), "{}{}", result.output, result.errors);
    assert!(!scratch.path(&format!("out/{TISSUES}.nii.gz")).exists());
    // If the file is not a segmentation, the error names the file.
    scratch.write(SEGMENTATION, "no image");
    let result = scratch.run(&format!("bids data out participant {RUN} --participant-label 02"));
    assert!(result.code == 1 && result.errors.contains("desc-aseg_dseg.nii.gz: "), "{}", result.errors);
}

#[test]
fn transforms_to_standard_spaces_are_reported_and_not_applied() {
    let scratch = cohort();
    let name = "anat/sub-02_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5";
    scratch.write(&format!("data/sub-02/{name}"), "a transform");
    let result = scratch.run(&format!("bids data out participant {RUN} --participant-label 02"));
    let told = "transforms to or from a standard brain were found, and none is applied: data/sub-02/anat/";
    assert!(result.code == 0 && result.output.contains(told), "{}{}", result.output, result.errors);
}
