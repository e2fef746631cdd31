use super::*;
use crate::is_cifti_name;
use arcuate_core::{
    Affine, BrainElements, BrainModel, BrainModels, Grid, NamedLabel, Structure, SurfaceLabels,
};
use std::collections::BTreeMap;
use std::path::Path;

fn models() -> CiftiAxis {
    let rows = [[-2.0, 0.0, 0.0, 90.0], [0.0, 2.0, 0.0, -126.0], [0.0, 0.0, 2.0, -72.5]];
    let grid = Grid::new([5, 4, 3], Affine::from_rows(rows).unwrap()).unwrap();
    let left = BrainElements::Vertices { surface: 6, numbers: vec![0, 1, 4] };
    let thalamus = BrainElements::Voxels(vec![[4, 3, 2], [0, 1, 2]]);
    let models = vec![
        BrainModel { structure: Structure::CORTEX_LEFT, elements: left },
        BrainModel { structure: Structure::of_name("THALAMUS_RIGHT").unwrap(), elements: thalamus },
    ];
    CiftiAxis::BrainModels(BrainModels::new(models, Some(grid)).unwrap())
}

fn labels() -> CiftiAxis {
    let label = |name: &str| NamedLabel { name: name.to_owned(), colour: [0.25, 0.5, 1.0, 1.0] };
    let table = BTreeMap::from([(0, label("???")), (7, label("a < b"))]);
    CiftiAxis::Labels(vec![CiftiMap { name: "parts".to_owned(), table }])
}

fn parcels() -> CiftiAxis {
    let parcel = |name: &str, numbers, voxels| CiftiParcel {
        name: name.to_owned(),
        parts: vec![BrainModel {
            structure: Structure::CORTEX_RIGHT,
            elements: BrainElements::Vertices { surface: 9, numbers },
        }],
        voxels,
    };
    CiftiAxis::Parcels {
        parcels: vec![parcel("one", vec![8, 3], vec![[0, 0, 1]]), parcel("\"two\"", vec![1], vec![])],
        volume: Some(Grid::new([2, 2, 2], Affine::identity()).unwrap()),
    }
}

fn scalars() -> CiftiAxis {
    CiftiAxis::Scalars(vec!["thickness".to_owned(), "a & b".to_owned()])
}

fn series() -> CiftiAxis {
    CiftiAxis::Series(CiftiSeries { points: 3, start: 0.5, step: 0.72, unit: "SECOND".to_owned() })
}

fn value(row: usize, column: usize) -> f32 {
    (row * 10 + column) as f32 + 0.25
}

fn write(path: &Path, rows: &CiftiAxis, columns: &CiftiAxis, value: impl Fn(usize, usize) -> f32) {
    let mut writer = CiftiWriter::create(path, rows, columns).unwrap();
    for row in 0..rows.len() {
        let values: Vec<f32> = (0..columns.len()).map(|column| value(row, column)).collect();
        writer.write_row(&values).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn matrices_of_every_kind_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows, columns) in [
        ("a.dconn.nii", models(), models()),
        ("a.pconn.nii", parcels(), parcels()),
        ("a.dscalar.nii", models(), scalars()),
        ("a.dlabel.nii", models(), labels()),
        ("a.dtseries.nii", models(), series()),
        ("a.pscalar.nii", parcels(), scalars()),
    ] {
        let path = folder.path().join(name);
        assert!(is_cifti_name(&path));
        write(&path, &rows, &columns, value);
        let copy = folder.path().join(format!("copy_{name}"));
        convert_cifti(&path, &copy).unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&copy).unwrap());
        let file = CiftiFile::open(&copy).unwrap();
        assert_eq!((file.rows(), file.columns()), (&rows, &columns), "{name}");
        let mut values = vec![0.0; columns.len()];
        for row in 0..rows.len() {
            file.read_row(row, &mut values).unwrap();
            let expected: Vec<f64> = (0..columns.len()).map(|column| value(row, column).into()).collect();
            assert_eq!(values, expected);
        }
    }
    assert_eq!(models().describe(), "3 vertices and 2 voxels");
    assert!(!is_cifti_name(Path::new("a.nii")) && !is_cifti_name(Path::new("a.dconn.nii.gz")));
}

#[test]
fn maps_of_one_surface_exclude_other_structures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dscalar.nii");
    write(&path, &models(), &scalars(), value);
    let file = CiftiFile::open(&path).unwrap();
    let (maps, none) = file.on_surface(Structure::CORTEX_LEFT).unwrap();
    assert!(none.is_empty());
    assert_eq!(
        (maps[1].name.as_str(), maps[1].values.as_slice()),
        ("a & b", &[1.25, 11.25, 0.0, 0.0, 21.25, 0.0][..])
    );
    let error = file.on_surface(Structure::CORTEX_RIGHT).unwrap_err();
    assert_eq!(error.problem(), "the CIFTI-2 file has no vertices of CortexRight");
    let path = folder.path().join("a.dlabel.nii");
    write(&path, &models(), &labels(), |row, _| if row == 1 { 7.0 } else { 0.0 });
    let (_, found) = CiftiFile::open(&path).unwrap().on_surface(Structure::CORTEX_LEFT).unwrap();
    let no = SurfaceLabels::NONE;
    assert_eq!(found[0].values, [0, 7, no, no, 0, no]);
    assert_eq!(found[0].table[&7].name, "a < b");
}

#[test]
fn file_names_must_state_the_type_and_unfinished_files_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pconn.nii");
    let error = CiftiWriter::create(&path, &models(), &models()).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "the ending of this file name does not fit a matrix with 3 vertices and 2 voxels as rows and 3 \
             vertices and 2 voxels as columns; use a file name that ends in .dconn.nii"
        ),
        "{error}"
    );
    assert!(CiftiWriter::create(&path, &scalars(), &scalars()).is_err());
    let mut unfinished =
        CiftiWriter::create(&folder.path().join("a.dconn.nii"), &models(), &models()).unwrap();
    unfinished.write_row(&[1.0; 5]).unwrap();
    drop(unfinished);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn damaged_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dscalar.nii");
    write(&path, &models(), &scalars(), value);
    let whole = std::fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        CiftiFile::open(&path).map_err(|e| e.problem().to_owned())
    };
    for place in (0..whole.len()).step_by(7) {
        assert!(open(&whole[..place]).is_err(), "{place}");
        let mut changed = whole.clone();
        changed[place] ^= 0x81;
        if let Ok(file) = open(&changed) {
            let mut row = vec![0.0; file.columns().len()];
            file.read_row(0, &mut row).unwrap();
            let _ = file.on_surface(Structure::CORTEX_LEFT);
        }
    }
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = whole.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut changed = whole.clone();
        changed[at..at + to.len()].copy_from_slice(to.as_bytes());
        open(&changed).unwrap_err()
    };
    assert_eq!(
        replaced("IndexCount=\"3\"", "IndexCount=\"2\""),
        "its model of CortexLeft claims 2 elements and has 3"
    );
    assert_eq!(replaced("0 1 4", "0 1 6"), "brain model of CortexLeft: it names vertex 6 of a surface of 6");
    assert_eq!(
        replaced("IndexOffset=\"3\"", "IndexOffset=\"4\""),
        "its model of ThalamusRight begins at 4, not at 3"
    );
    assert_eq!(
        replaced("CORTEX_LEFT", "CORTEX_LOFT"),
        "its structure `CIFTI_STRUCTURE_CORTEX_LOFT` is none of CIFTI-2"
    );
    assert!(replaced("<NamedMap>", "<OtherMap>").starts_with("its XML is damaged near byte"));
    assert_eq!(
        replaced("Version=\"2\"", "Version=\"1\""),
        "the XML document in the file is `CIFTI` of version `1`, not CIFTI-2"
    );
    let mut large = whole.clone();
    large[16 + 8 * 6..16 + 8 * 6 + 6].copy_from_slice(&[0xff; 6]);
    let told = open(&large).unwrap_err();
    assert!(told.contains("are too few for 281474976710655 × 2 values"), "{told}");
}
