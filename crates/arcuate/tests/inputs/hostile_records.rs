//! Records from untrusted sources. Files that a record lists are shown or removed only if they are in the
//! folder of the record.

use crate::common::{Scratch, small_brain};
use serde_json::{Value, json};

/// A folder of maps, and a separate folder `victim` with a text file and an image.
fn brain() -> Scratch {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out tensors");
    brain.succeed("maps tensors/tensor.nii.gz --out maps");
    brain.write("victim/a.txt", "mine");
    std::fs::copy(brain.path("tensors/md.nii.gz"), brain.path("victim/secret.nii.gz")).unwrap();
    brain
}

/// Replaces the name of the first file with a picture in the record of the maps.
fn name_in_record(brain: &Scratch, name: &str) {
    let mut record: Value = brain.json("maps/arcuate.json");
    let files = record["files"].as_array_mut().unwrap();
    let shown = files.iter_mut().find(|file| !file["picture"].is_null()).unwrap();
    shown["name"] = json!(name);
    brain.write("maps/arcuate.json", record.to_string());
}

/// File names that lead out of the folder, directly or through a link, and the expected error for each.
fn names(brain: &Scratch) -> Vec<(String, &'static str)> {
    let outside = "the record of the results (a JSON file) lists this file, but it is not a file name in the \
                   folder of the record";
    let absolute = brain.path("victim/secret.nii.gz").to_string_lossy().into_owned();
    let mut names = vec![
        ("../victim/secret.nii.gz".to_owned(), outside),
        ("./../victim/secret.nii.gz".to_owned(), outside),
        (absolute, outside),
        (String::new(), outside),
    ];
    #[cfg(unix)]
    {
        let link = "the record of the results (a JSON file) lists this file, but it is a link, and results \
                    are files in the folder of the record";
        std::os::unix::fs::symlink("../victim", brain.path("maps/folder")).unwrap();
        std::os::unix::fs::symlink("../victim/secret.nii.gz", brain.path("maps/link.nii.gz")).unwrap();
        names.extend([("folder/secret.nii.gz".to_owned(), link), ("link.nii.gz".to_owned(), link)]);
    }
    names
}

#[test]
fn reports_show_no_files_outside_the_folder() {
    let brain = brain();
    let record = brain.read("maps/arcuate.json");
    for (name, expected) in names(&brain) {
        name_in_record(&brain, &name);
        let result = brain.run("report maps --out page.html");
        assert_eq!(result.code, 1, "{name}: {}", result.errors);
        assert!(result.errors.contains(expected), "{name}: {}", result.errors);
        assert!(!brain.path("page.html").exists(), "{name}");
        brain.write("maps/arcuate.json", &record);
    }
    // The same applies to the files for the scale, the regions and the map of a picture.
    for picture in [
        json!({"kind": "map", "window_of": "../victim/secret.nii.gz"}),
        json!({"kind": "matrix", "quantity": "q", "regions": "../victim/a.txt"}),
        json!({"kind": "examples", "section": "s", "map": "../victim/secret.nii.gz", "models": [], "voxels": []}),
    ] {
        let mut changed: Value = serde_json::from_slice(&record).unwrap();
        changed["files"][0]["picture"] = picture.clone();
        brain.write("maps/arcuate.json", changed.to_string());
        let result = brain.run("report maps --out page.html");
        assert!(
            result.code == 1
                && result.errors.contains("the record of the results (a JSON file) lists this file"),
            "{picture}: {}",
            result.errors
        );
    }
    brain.write("maps/arcuate.json", &record);
    brain.succeed("report maps --out page.html");
}

#[test]
fn no_files_outside_the_folder_are_removed() {
    let brain = brain();
    for (name, _) in names(&brain) {
        name_in_record(&brain, &name);
        let result = brain.run("maps tensors/tensor.nii.gz --out maps --force");
        assert_eq!(result.code, 0, "{name}: {}", result.errors);
        assert_eq!(brain.listing("victim"), ["a.txt", "secret.nii.gz"], "{name}");
    }
    #[cfg(unix)]
    assert!(brain.path("maps/folder").is_symlink(), "a link is the user's");
}
