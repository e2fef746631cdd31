//! Tests which files are found for a diffusion series, in a dataset of empty files.

use super::{Scan, Search, find};
use crate::dataset::Dataset;
use crate::selection::Selection;
use std::fs;
use std::path::Path;

fn dataset(root: &Path, files: &[&str]) -> Dataset {
    let description = r#"{"Name": "prep", "DatasetType": "derivative"}"#;
    for (name, text) in
        files.iter().map(|name| (*name, "")).chain([("dataset_description.json", description)])
    {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    }
    Dataset::read(root).unwrap()
}

/// Creates a dataset with the files `files` and a second dataset with `others`. Returns the scan of a
/// participant in the space `space`.
fn scan(space: &str, files: &[&str], others: &[&str]) -> (Scan, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let series = [".nii.gz", ".b"]
        .map(|ending| format!("sub-1/ses-a/dwi/sub-1_ses-a{space}_desc-preproc_dwi{ending}"));
    let all: Vec<&str> = series.iter().map(String::as_str).chain(files.iter().copied()).collect();
    let own = dataset(&folder.path().join("own"), &all);
    let others = dataset(&folder.path().join("others"), others);
    let (mut scans, unusable) = find(&own, &[others], &Search::default()).unwrap();
    assert!(unusable.is_empty(), "{unusable:?}");
    (scans.remove(0), folder)
}

fn name(path: Option<&std::path::PathBuf>) -> Option<&str> {
    path?.file_name()?.to_str()
}

#[test]
fn tissues_come_from_an_image_or_segmentation_in_the_space_of_the_series() {
    let segmentation = |space: &str, files: &[&str], others: &[&str]| {
        let (scan, _folder) = scan(space, files, others);
        (
            name(scan.five_tissues.as_ref()).map(str::to_owned),
            name(scan.segmentation.as_ref()).map(str::to_owned),
        )
    };
    let aseg = "sub-1/anat/sub-1_space-ACPC_desc-aseg_dseg.nii.gz";
    let cortex = "sub-1/ses-a/anat/sub-1_ses-a_space-ACPC_desc-aparcaseg_dseg.nii.gz";
    let tissues = "sub-1/anat/sub-1_space-ACPC_seg-hsvs_probseg.nii.gz";
    let own_name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    assert_eq!(segmentation("_space-ACPC", &[aseg], &[]), (None, own_name(aseg)));
    assert_eq!(segmentation("_space-ACPC", &[aseg], &[cortex]), (None, own_name(cortex)));
    assert_eq!(segmentation("_space-ACPC", &[aseg, cortex], &[tissues]), (own_name(tissues), None));
    // These files belong to another space, participant or session, or to a space whose name only begins in
    // the same way.
    let others = [
        "sub-1/anat/sub-1_space-T1w_desc-aseg_dseg.nii.gz",
        "sub-1/anat/sub-1_desc-aseg_dseg.nii.gz",
        "sub-2/anat/sub-2_space-ACPC_desc-aseg_dseg.nii.gz",
        "sub-1/ses-b/anat/sub-1_ses-b_space-ACPC_desc-aseg_dseg.nii.gz",
        "sub-1/anat/sub-1_space-ACPC_desc-aseg_dseg.tsv",
    ];
    assert_eq!(segmentation("_space-ACPC", &others, &[]), (None, None));
    assert_eq!(segmentation("", &["sub-1/anat/sub-1_desc-aseg_dseg.nii.gz"], &[]), (None, None));
}

#[test]
fn transforms_to_standard_spaces_are_found() {
    let there = "sub-1/anat/sub-1_from-MNI152NLin2009cAsym_to-ACPC_mode-image_xfm.h5";
    let back = "sub-1/ses-a/anat/sub-1_ses-a_from-ACPC_to-MNIInfant_mode-image_xfm.mat";
    let others = [
        "sub-1/anat/sub-1_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5",
        "sub-1/anat/sub-1_from-orig_to-ACPC_mode-image_xfm.txt",
        "sub-2/anat/sub-2_from-ACPC_to-MNI152NLin2009cAsym_mode-image_xfm.h5",
        "sub-1/anat/sub-1_from-ACPC_to-MNI152NLin2009cAsym_mode-image_xfm.json",
    ];
    let transforms_of = |files: &[&str]| {
        let (scan, folder) = scan("_space-ACPC", files, &[there]);
        let root = folder.path().display().to_string() + "/";
        scan.notes
            .iter()
            .filter(|note| note.contains("transforms"))
            .map(|note| note.replace(&root, ""))
            .collect::<Vec<_>>()
    };
    let due = |files: &str| {
        vec![format!("transforms to or from a standard brain were found, and none is applied: {files}")]
    };
    assert_eq!(transforms_of(&others), due(&format!("others/{there}")));
    assert_eq!(transforms_of(&[back]), due(&format!("own/{back}, others/{there}")));
}

#[test]
fn scans_are_selected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let series = |name: &str| {
        [".nii.gz", ".b"].map(|ending| format!("sub-{}/dwi/sub-{name}_desc-preproc_dwi{ending}", &name[..1]))
    };
    let files: Vec<String> =
        ["1_run-1", "1_run-10", "1_run-2", "2_run-1"].into_iter().flat_map(series).collect();
    let own = dataset(folder.path(), &files.iter().map(String::as_str).collect::<Vec<_>>());
    let chosen = |scans: &[&str], participants: &[&str]| {
        let [scans, participants] =
            [scans, participants].map(|labels| labels.iter().map(|&label| label.to_owned()).collect());
        let search = Search {
            selection: Selection { participants, scans, ..Selection::default() },
            ..Search::default()
        };
        find(&own, &[], &search).map(|(scans, unusable)| {
            assert!(unusable.is_empty());
            scans.iter().map(Scan::id).collect::<Vec<_>>()
        })
    };
    // A name that is the beginning of another scan's name selects only its own scan.
    assert_eq!(chosen(&["sub-1_run-1"], &[]).unwrap(), ["sub-1_run-1"]);
    assert_eq!(chosen(&["sub-2_run-1", "sub-1_run-2"], &[]).unwrap(), ["sub-1_run-2", "sub-2_run-1"]);
    assert_eq!(chosen(&["sub-1_run-2"], &["1"]).unwrap(), ["sub-1_run-2"]);
    let error = chosen(&["sub-1_run-3"], &[]).unwrap_err().to_string();
    let due = "‘scan’: there is no scan sub-1_run-3; give some of sub-1_run-1, sub-1_run-10, sub-1_run-2, sub-2_run-1";
    assert_eq!(error, due);
}
