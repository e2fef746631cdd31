//! Tests that publish a synthetic run of a scan as derivatives.

use super::{Prepared, begin, prepare};
use crate::dataset::Dataset;
use crate::scans::{Scan, Search, find};
use arcuate_core::{Affine, ErrorKind, Grid, Result, Volume};
use arcuate_io::{WriteOptions, read_volume, write_image};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A dataset, the results of a run of its scan, and a folder for derivatives.
struct Example {
    folder: tempfile::TempDir,
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn object(path: &Path) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

fn write(path: &Path, contents: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

/// Writes an image with distinct values.
fn image(path: &Path, channels: usize) {
    let grid = Grid::new(
        [2, 2, 1],
        Affine::from_rows([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.5, 0.0]]).unwrap(),
    );
    let grid = grid.unwrap();
    let values = (0..4 * channels).map(|n| n as f32).collect();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_image(path, &Volume::new(grid, channels, values).unwrap(), &WriteOptions::default()).unwrap();
}

/// The beginning of the path and name of all derivatives of the scan.
const STEM: &str = "sub-01/ses-a/dwi/sub-01_ses-a_space-ACPC_res-2mm";

/// Returns the path of a derivative from the ending of its name. An atlas entity precedes the resolution
/// entity.
fn named(ending: &str) -> String {
    match ending.strip_prefix("ATLAS") {
        Some(ending) => STEM.replace("_res-2mm", "_atlas-aparc_res-2mm") + ending,
        None => format!("{STEM}{ending}"),
    }
}

impl Example {
    fn new() -> Self {
        let example = Self { folder: tempfile::tempdir().unwrap() };
        let description = json!({
            "Name": "prep", "DatasetType": "derivative", "GeneratedBy": [{"Name": "qsiprep", "Version": "1"}], "License": "CC0",
        });
        write(&example.path("qsiprep/dataset_description.json"), description.to_string());
        let series = example.path(&format!("qsiprep/{STEM}_desc-preproc_dwi.nii.gz"));
        image(&series, 3);
        write(&series.with_file_name("sub-01_ses-a_space-ACPC_res-2mm_desc-preproc_dwi.b"), "");
        image(&example.path(&format!("qsiprep/{STEM}_desc-brain_mask.nii.gz")), 1);
        image(&example.path("qsiprep/sub-01/anat/sub-01_space-ACPC_seg-aparc_dseg.nii.gz"), 1);
        example
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn scan(&self) -> Scan {
        let dataset = Dataset::read(&self.path("qsiprep")).unwrap();
        let (mut scans, unusable) = find(&dataset, &[], &Search::default()).unwrap();
        assert!(unusable.is_empty());
        scans.remove(0)
    }

    /// Writes the record of one part of the run, and adds its files to the list in the record of the run.
    fn record(&self, name: &str, mut record: Value, whole: &mut Value) {
        record["form"] = json!(1);
        record["versions"] = json!({"arcuate": "9.9"});
        let folder = Path::new(name).parent().unwrap();
        for file in record["files"].as_array().unwrap() {
            let name = folder.join(file["name"].as_str().unwrap());
            whole["files"].as_array_mut().unwrap().push(json!({"name": name, "title": ""}));
        }
        whole["steps"].as_array_mut().unwrap().push(json!(name));
        write(&self.path("run").join(name), record.to_string());
    }

    fn input(&self, name: &str) -> Value {
        json!({"path": self.path(name), "bytes": 1, "sha256": ""})
    }

    /// Writes the results of a run with FODs, an evaluation and a connectome.
    fn run(&self) {
        let run = self.path("run");
        let mut whole = json!({"form": 1, "files": [{"name": "report.html", "title": ""}], "steps": []});
        let series = self.input(&format!("qsiprep/{STEM}_desc-preproc_dwi.nii.gz"));
        let mask = self.input(&format!("qsiprep/{STEM}_desc-brain_mask.nii.gz"));
        write(&run.join("report.html"), "<html></html>");
        for (name, channels) in [("tensor", 6), ("fa", 1), ("scan_mask", 1)] {
            image(&run.join(format!("tensor/{name}.nii.gz")), channels);
        }
        image(&run.join("tensor/md.nii.gz"), 1);
        let files =
            ["tensor", "fa", "scan_mask"].map(|name| json!({"name": format!("{name}.nii.gz"), "title": ""}));
        let record = json!({"files": files, "inputs": [series, mask], "options": {"reweightings": 2}});
        self.record("tensor/arcuate.json", record, &mut whole);
        write(&run.join("responses/response_wm.txt"), "# Shells: 0,1000\n4 0\n2 -0.5\n");
        let record = json!({"files": [{"name": "response_wm.txt", "title": ""}]});
        self.record("responses/arcuate.json", record, &mut whole);
        image(&run.join("csd/wm_fod.nii.gz"), 6);
        let record = json!({
            "files": [{"name": "wm_fod.nii.gz", "title": ""}],
            "inputs": [series, self.input("run/responses/response_wm.txt")],
        });
        self.record("csd/arcuate.json", record, &mut whole);
        write(&run.join("tracks.trx"), "plain");
        let record = json!({
            "title": "Tracking", "done": "Tracked.", "files": [{"name": "tracks.trx", "title": ""}],
            "inputs": [self.input("run/csd/wm_fod.nii.gz"), mask],
            "options": {"method": "arcs", "cutoff": 0.1, "min-length": 20, "max-length": 250, "mask": mask["path"]},
            "choices": {"step": "1 mm", "sharpest turn": "45° between steps of 1 mm, which corresponds to a \
                                                          radius of curvature of 1.31 mm"},
            "figures": {"streamlines": {"value": 7}},
            "tables": [{"title": "", "text": "", "columns": ["what", "number"], "rows": [["seeds tried", 9]]}],
        });
        self.record("tracks.trx.json", record, &mut whole);
        write(&run.join("commit/tracks_weighted.trx"), "weighted");
        let record = json!({"files": [{"name": "tracks_weighted.trx", "title": ""}], "done": "Weighed."});
        self.record("commit/arcuate.json", record, &mut whole);
        write(&run.join("connectome/connectome_counts.csv"), "0,3\n3,NaN\n");
        write(&run.join("connectome/connectome_regions.csv"), "row,region,name\n0,4,\"a, b\"\n1,7,\n");
        let picture =
            json!({"kind": "matrix", "quantity": "streamlines", "regions": "connectome_regions.csv"});
        let record = json!({
            "files": [
                {"name": "connectome_counts.csv", "title": "", "picture": picture},
                {"name": "connectome_regions.csv", "title": ""},
            ],
            "inputs": [self.input("run/tracks.trx")],
        });
        self.record("connectome/arcuate.json", record, &mut whole);
        write(&run.join("arcuate.json"), whole.to_string());
    }

    fn prepare(&self) -> Result<Prepared> {
        prepare(&self.scan(), &self.path("run"), &self.path("out"))
    }

    /// Returns the paths of all derivatives, with their contents.
    fn published(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    add(&path, files);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        add(&self.path("out"), &mut files);
        files
    }

    /// Creates the derivatives dataset, publishes the run, and returns the paths of the published files.
    fn publish(&self, earlier: &[PathBuf]) -> Vec<PathBuf> {
        let dataset = Dataset::read(&self.path("qsiprep")).unwrap();
        begin(&self.path("out"), &dataset, &[]).unwrap();
        self.prepare().unwrap().publish(earlier).unwrap()
    }
}

#[test]
fn all_results_of_a_run_are_published() {
    let example = Example::new();
    example.run();
    let written = example.publish(&[]);
    let expected = [
        "_desc-brain_mask.nii.gz",
        "_desc-brain_mask.json",
        "_model-tensor_param-diffusivity_dwimap.nii.gz",
        "_model-tensor_param-diffusivity_dwimap.json",
        "_model-tensor_param-fa_dwimap.nii.gz",
        "_model-tensor_param-fa_dwimap.json",
        "_model-csd_param-wm_dwimap.nii.gz",
        "_model-csd_param-wm_dwimap.json",
        "_tract-wholebrain_track-arcs_tractogram.trx",
        "_tract-wholebrain_track-arcs_tractogram.json",
        "ATLAS_meas-count_relmat.dense.tsv",
        "ATLAS_meas-count_relmat.json",
        "ATLAS_nodeindices.tsv",
        "ATLAS_nodeindices.json",
    ];
    // The file tensor/md.nii.gz is in the folder, but in no record. It is therefore not a result and is not
    // published.
    let mut names: Vec<PathBuf> = expected.iter().map(|ending| named(ending).into()).collect();
    names.push("sub-01_ses-a_space-ACPC_res-2mm.html".into());
    assert_eq!(written, names);
    let out = example.path("out");
    let content = |ending: &str| text(&out.join(named(ending)));
    assert_eq!(content("_tract-wholebrain_track-arcs_tractogram.trx"), "weighted");
    assert_eq!(content("ATLAS_meas-count_relmat.dense.tsv"), "a, b\tregion_7\n0\t3\n3\tn/a\n");
    let nodes = "matrix_index\tnode_file\tnode_index\tname\n0\tA\t4\ta, b\n1\tA\t7\tn/a\n";
    let atlas = "bids:preprocessed:sub-01/anat/sub-01_space-ACPC_seg-aparc_dseg.nii.gz";
    assert_eq!(content("ATLAS_nodeindices.tsv"), nodes.replace('A', atlas));
}

#[test]
fn tensor_components_have_the_order_of_the_bids_draft() {
    let example = Example::new();
    example.run();
    example.publish(&[]);
    let path = example.path("out").join(format!("{STEM}_model-tensor_param-diffusivity_dwimap.nii.gz"));
    // In the first voxel, the elements D11 D22 D33 D12 D13 D23 have the values 0 1 2 3 4 5. They are
    // published in another order.
    assert_eq!(read_volume(&path).unwrap().voxel(0), [0.0, 3.0, 4.0, 1.0, 5.0, 2.0]);
}

#[test]
fn sidecars_describe_their_files() {
    let example = Example::new();
    example.run();
    example.publish(&[]);
    let sidecar = |ending: &str| object(&example.path("out").join(named(ending) + ".json"));
    let series = format!("bids:preprocessed:{STEM}_desc-preproc_dwi.nii.gz");
    let mask = format!("bids:preprocessed:{STEM}_desc-brain_mask.nii.gz");
    let tensor = sidecar("_model-tensor_param-diffusivity_dwimap");
    assert_eq!(tensor["Sources"], json!([series, mask]));
    assert_eq!((&tensor["SpatialReference"], &tensor["SkullStripped"]), (&json!(series), &json!(true)));
    assert_eq!((&tensor["Units"], &tensor["Software"]), (&json!("mm^2/s"), &json!("arcuate 9.9")));
    assert_eq!(tensor["Model"]["Parameters"]["FitMethod"], "iwls");
    assert_eq!(tensor["Resolution"], "the grid of the series, voxels of 2.00 × 2.00 × 2.50 mm");
    let encoding = json!({"Type": "tensor", "TensorRank": 2, "Reference": "xyz", "EncodingAxis": 3, "AntipodalSymmetry": true});
    assert_eq!(tensor["OrientationEncoding"], encoding);
    assert_eq!(sidecar("_model-tensor_param-fa_dwimap").get("OrientationEncoding"), None);

    let fod = sidecar("_model-csd_param-wm_dwimap");
    // Response functions are in the sidecar, not in separate files.
    assert_eq!(fod["Sources"], json!([series]));
    let response =
        json!({"Type": "zsh", "Coefficients": [[4.0, 0.0], [2.0, -0.5]], "BValues": [0.0, 1000.0]});
    assert_eq!(fod["ResponseFunction"], response);
    assert_eq!(fod["OrientationEncoding"]["SphericalHarmonicDegree"], 2);

    let tracks = sidecar("_tract-wholebrain_track-arcs_tractogram");
    let own = |ending: &str| format!("bids::{}", named(ending));
    let source = own("_model-csd_param-wm_dwimap.nii.gz");
    assert_eq!(tracks["Sources"], json!([source, mask]));
    assert_eq!(tracks["Description"], "Tracked. Each has a weight, dps/commit_weights: Weighed.");
    let criterion = json!([{
        "Metric": "amplitude of the fibre orientation distribution", "Source": source, "Threshold": 0.1,
    }]);
    let seeding = json!({"Sources": [{"Type": "Random", "Source": source}], "AcceptanceCriteria": criterion});
    assert_eq!(tracks["StreamlineSeeding"], seeding);
    let propagation = &tracks["StreamlinePropagation"];
    assert_eq!((&propagation["StepSize"], &propagation["AnglePerStep"]), (&json!(1.0), &json!(45.0)));
    assert_eq!((&propagation["MinimumRadius"], &propagation["IntegrationOrder"]), (&json!(1.31), &json!(2)));
    assert_eq!(tracks["StreamlineTermination"]["Masks"], json!([mask]));
    assert_eq!(tracks["StreamlineAcceptanceCriteria"], json!({"MinimumLength": 20, "MaximumLength": 250}));
    assert_eq!(tracks["StreamlineReconstructionDensity"], json!({"Seeds": 9, "AcceptedStreamlines": 7}));

    let matrix = sidecar("ATLAS_meas-count_relmat");
    assert_eq!(matrix["Sources"], json!([own("_tract-wholebrain_track-arcs_tractogram.trx")]));
    assert_eq!(matrix["NodeIndicesFile"], own("ATLAS_nodeindices.tsv"));
    assert_eq!((&matrix["Directed"], &matrix["RelationshipMeasure"]), (&json!(false), &json!("streamlines")));
    let given = sidecar("_desc-brain_mask");
    assert_eq!((&given["Type"], &given["Sources"]), (&json!("Brain"), &json!([mask])));
}

#[test]
fn earlier_runs_are_replaced_and_failed_runs_change_nothing() {
    let example = Example::new();
    example.run();
    let earlier = example.publish(&[]);
    let out = example.path("out");
    let whole = example.path("run/arcuate.json");
    let record = text(&whole);
    // This file of an earlier run has no new version in the second run.
    let matrix = out.join(named("ATLAS_meas-count_relmat.dense.tsv"));
    write(&whole, record.replace("connectome/", "elsewhere/"));
    let prepared = example.prepare().unwrap();
    assert!(matrix.exists() && !prepared.names().iter().any(|name| out.join(name) == matrix));
    let written = prepared.publish(&earlier).unwrap();
    assert!(written.len() < earlier.len() && !matrix.exists());
    assert!(written.iter().all(|name| out.join(name).is_file()));
    let before = example.published();
    write(&whole, "{");
    assert_eq!(example.prepare().unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(example.published(), before);
    // The wrong shape of the tensor image is detected only when the image is written. The mask has been
    // written before.
    write(&whole, &record);
    image(&example.path("run/tensor/tensor.nii.gz"), 5);
    image(&example.path("run/tensor/scan_mask.nii.gz"), 2);
    example.prepare().unwrap_err();
    assert_eq!(example.published(), before);
    // A folder, not a file, has the name of a result.
    image(&example.path("run/tensor/tensor.nii.gz"), 6);
    fs::create_dir(&matrix).unwrap();
    let error = example.prepare().unwrap().publish(&written).unwrap_err();
    assert!(error.to_string().contains("relmat.dense.tsv: a folder has the name of this result"), "{error}");
    assert_eq!(example.published(), before);
    fs::remove_dir(&matrix).unwrap();
    assert!(example.publish(&written).len() > written.len() && matrix.exists());
}

#[test]
fn dataset_descriptions_name_the_sources() {
    let example = Example::new();
    let other = json!({"Name": "atlas", "DatasetType": "derivative"});
    write(&example.path("my atlas/dataset_description.json"), other.to_string());
    let source = Dataset::read(&example.path("qsiprep")).unwrap();
    let other = Dataset::read(&example.path("my atlas")).unwrap();
    let out = example.path("out");
    begin(&out, &source, &[]).unwrap();
    let path = out.join("dataset_description.json");
    let description = object(&path);
    assert_eq!((&description["DatasetType"], &description["License"]), (&json!("derivative"), &json!("CC0")));
    assert_eq!(description["GeneratedBy"][0]["Version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(description["DatasetLinks"], json!({"preprocessed": "../qsiprep"}));
    assert_eq!(description["SourceDatasets"][0]["URL"], "../qsiprep");
    assert!(out.join("README.md").is_file() && out.join(".bidsignore").is_file());
    // Changes that users make to the description are kept, and new datasets are added.
    write(&path, text(&path).replace("\"CC0\"", "\"CC0\", \"Authors\": [\"A\"]"));
    write(&out.join("README.md"), "mine");
    begin(&out, &source, std::slice::from_ref(&other)).unwrap();
    let again = object(&path);
    assert_eq!(again["DatasetLinks"], json!({"preprocessed": "../qsiprep", "myatlas": "../my%20atlas"}));
    assert_eq!((&again["Authors"], again["SourceDatasets"].as_array().unwrap().len()), (&json!(["A"]), 2));
    assert_eq!(text(&out.join("README.md")), "mine");
    begin(&out, &source, std::slice::from_ref(&other)).unwrap();
    assert_eq!(object(&path), again);
    // Results of another dataset are rejected. A dataset that was moved is still the same dataset.
    assert_eq!(begin(&out, &other, &[]).unwrap_err().kind(), ErrorKind::Usage);
    assert_eq!(begin(&example.path("qsiprep"), &other, &[]).unwrap_err().kind(), ErrorKind::Usage);
    fs::rename(example.path("qsiprep"), example.path("moved")).unwrap();
    begin(&out, &Dataset::read(&example.path("moved")).unwrap(), &[]).unwrap();
    assert_eq!(object(&path)["DatasetLinks"]["preprocessed"], "../moved");
}

#[test]
fn dataset_descriptions_add_another_version() {
    let example = Example::new();
    let source = Dataset::read(&example.path("qsiprep")).unwrap();
    let path = example.path("out/dataset_description.json");
    write(&path, r#"{"Name": "Arcuate", "GeneratedBy": [{"Name": "arcuate", "Version": "0.0.1"}]}"#);
    begin(&example.path("out"), &source, &[]).unwrap();
    let versions = object(&path)["GeneratedBy"].clone();
    assert_eq!(
        (&versions[0]["Version"], &versions[1]["Version"]),
        (&json!(env!("CARGO_PKG_VERSION")), &json!("0.0.1"))
    );
}

#[test]
fn several_jobs_can_start_at_the_same_time() {
    let example = Example::new();
    let source = Dataset::read(&example.path("qsiprep")).unwrap();
    let out = example.path("out");
    let others: Vec<Dataset> = (0..8)
        .map(|n| {
            write(&example.path(&format!("other{n}/dataset_description.json")), r#"{"Name": "other"}"#);
            Dataset::read(&example.path(&format!("other{n}"))).unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        for other in &others {
            scope.spawn(|| begin(&out, &source, std::slice::from_ref(other)).unwrap());
        }
    });
    let links = object(&out.join("dataset_description.json"))["DatasetLinks"].clone();
    assert_eq!(links.as_object().unwrap().len(), 9);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 3);
}

/// `.bidsignore` also lists the files that the group level adds.
#[test]
fn bidsignore_lists_the_files_of_the_group_level() {
    for line in crate::group::IGNORED.iter().filter(|line| **line != "/group.html") {
        assert!(super::texts::IGNORED.lines().any(|told| told == *line), "{line}");
    }
    // The page of the group level is an HTML report.
    assert!(super::texts::IGNORED.lines().any(|told| told == "*.html"));
}
