//! Surfaces and CIFTI-2 files through `convert` and `info`.

use crate::common::Scratch;

/// A tetrahedron as text.
const MESH: &str = "#!ascii a tetrahedron\n4 4\n0 0 0 0\n10 0 0 1\n0 10 0 2\n0 0 10 0.5\n0 2 1 0\n0 1 3 0\n0 3 2 0\n1 2 3 0\n";

/// A parcellation of it.
const PARTS: &str = "<GIFTI Version='1.0' NumberOfDataArrays='1'><LabelTable><Label Key='0' Red='0' Green='0' Blue='0' \
                     Alpha='1'>none</Label><Label Key='3' Red='1' Green='0.2' Blue='0' Alpha='1'>tip</Label></LabelTable>\
                     <DataArray Intent='NIFTI_INTENT_LABEL' DataType='NIFTI_TYPE_INT32' Dimensionality='1' Dim0='4' \
                     Encoding='ASCII'><Data>0 0 0 3</Data></DataArray></GIFTI>";

#[test]
fn surfaces_are_converted_and_described() {
    let scratch = Scratch::new();
    scratch.write("a.asc", MESH);
    scratch.write("parts.label.gii", PARTS);
    scratch.fail(
        "convert a.asc a.surf.gii",
        2,
        "error: a.asc: the surface file does not state its coordinate space; give the space with \
         --mesh-space: `caret` for scanner mm, `tkras` for FreeSurfer's coordinates (with --reference)",
    );
    scratch.succeed("convert a.asc a.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    let told = scratch.succeed("info a.surf.gii parts.label.gii");
    for line in [
        "format                 GIFTI",
        "structure              CortexLeft",
        "vertices               4",
        "triangles              4",
        "coordinates            scanner mm",
        "extent                 0.0 to 10.0, 0.0 to 10.0, 0.0 to 10.0 mm (as stored)",
        "closed                 yes",
        "map                    shape: 4 values from 0 to 2",
        "parcellation           4 vertices, 2 regions",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    scratch.succeed("convert parts.label.gii lh.parts.annot");
    assert!(scratch.succeed("info lh.parts.annot").contains("lh.parts: 4 vertices, 2 regions"));
    let json: serde_json::Value = serde_json::from_str(&scratch.succeed("info --json a.surf.gii")).unwrap();
    assert_eq!((&json[0]["kind"], &json[0]["mesh"]["is_closed"]), (&"surface".into(), &true.into()));
    // Options that say nothing here, and names that say something else.
    for (words, message) in [
        ("convert a.surf.gii b.surf.gii --reference a.nii", "error: a.nii: no such file"),
        ("convert a.surf.gii b.surf.gii --volumes 1", "error: --volumes: it is for images; leave it out"),
        (
            "convert parts.label.gii b.gii --mesh-space vox",
            "error: --mesh-space: the file has no mesh; leave it out",
        ),
        (
            "convert a.surf.gii b.gii --structure NOWHERE",
            "error: --structure: `NOWHERE` is not a brain structure of CIFTI-2; give a structure",
        ),
        (
            "convert a.surf.gii b.annot",
            "error: b.annot: an annotation holds one parcellation and nothing else",
        ),
    ] {
        let result = scratch.run(words);
        assert!(result.code != 0 && result.errors.contains(message), "{words}: {}", result.errors);
    }
}
