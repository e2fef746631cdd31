use super::*;
use arcuate_core::{Affine, MeshSpace, NamedLabel, Surface, SurfaceLabels, SurfaceMap, VolumeGeometry};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn tetrahedron() -> Surface {
    let vertices = vec![[0.1, 0.2, 0.3], [10.5, 0.0, 0.0], [0.0, 11.25, 0.0], [0.0, 0.0, -12.0]];
    Surface::new(vertices, vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], Some(Structure::CORTEX_LEFT))
        .unwrap()
}

fn conformed() -> VolumeGeometry {
    VolumeGeometry {
        shape: [256; 3],
        voxel_sizes: [1.0; 3],
        axes: [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        centre: [1.5, -20.0, 7.25],
    }
}

fn labels() -> SurfaceLabels {
    let label = |name: &str, colour| NamedLabel { name: name.to_owned(), colour };
    let table = BTreeMap::from([
        (0, label("unknown", [0.0, 0.0, 0.0, 1.0])),
        (2, label("insula & more", [1.0, 51.0 / 255.0, 0.0, 1.0])),
    ]);
    SurfaceLabels { name: "lh.parts".to_owned(), values: vec![2, 0, SurfaceLabels::NONE, 2], table }
}

/// Creates all content of a surface file, with a mesh in FreeSurfer's or scanner coordinates.
fn file(coordinates: StoredCoordinates) -> SurfaceFile {
    let surface = tetrahedron();
    SurfaceFile {
        format: "",
        structure: surface.structure(),
        kind: None,
        mesh: Some(StoredMesh {
            vertices: surface.vertices().to_vec(),
            triangles: surface.triangles().to_vec(),
            coordinates,
            volume: (coordinates == StoredCoordinates::Tkras).then(conformed),
        }),
        maps: Vec::new(),
        labels: Vec::new(),
        warnings: Vec::new(),
    }
}

fn values() -> SurfaceFile {
    let maps = vec![SurfaceMap { name: "thickness".to_owned(), values: vec![2.5, -0.125, 3.0, 1e-7] }];
    SurfaceFile { mesh: None, maps, ..file(StoredCoordinates::Scanner) }
}

fn parcellation() -> SurfaceFile {
    SurfaceFile { mesh: None, labels: vec![labels()], ..file(StoredCoordinates::Scanner) }
}

/// Without these metadata, Connectome Workbench would show the surface with an unknown type.
#[test]
fn gifti_surfaces_state_their_type() {
    let folder = Folder::new();
    let mesh = file(StoredCoordinates::Scanner);
    let path = folder.write("lh.pial.surf.gii", &mesh).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("<Name>GeometricType</Name><Value>Anatomical</Value>"), "{text}");
    assert!(text.contains("<Name>AnatomicalStructureSecondary</Name><Value>Pial</Value>"), "{text}");
    // The type of the input decides, not the name of the output.
    let pial = read_surface_file(&path).unwrap();
    assert_eq!(pial.kind, Some(SurfaceKind::Pial));
    let path = folder.write("other.surf.gii", &pial).unwrap();
    assert_eq!(read_surface_file(&path).unwrap().kind, Some(SurfaceKind::Pial));
    let path = folder.write("unknown.surf.gii", &mesh).unwrap();
    assert_eq!(read_surface_file(&path).unwrap().kind, None);
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, file: &SurfaceFile) -> Result<PathBuf> {
        let path = self.at(name);
        write_surface_file(&path, Path::new("from"), file, SurfaceReading::default()).map(|()| path)
    }

    fn read(&self, name: &str, content: impl AsRef<[u8]>) -> std::result::Result<SurfaceFile, String> {
        let path = self.at(name);
        std::fs::write(&path, content).unwrap();
        let folder = format!("{}/", self.0.path().display());
        read_surface_file(&path).map_err(|e| e.to_string().replace(&folder, ""))
    }
}

#[test]
fn meshes_are_written_and_read_back() {
    let folder = Folder::new();
    let scanner = file(StoredCoordinates::Scanner);
    let path = folder.write("a.surf.gii", &scanner).unwrap();
    assert_eq!(read_surface(&path, None).unwrap(), tetrahedron());
    // The surface is in the coordinates of its volume. The conversion may change the last digit.
    let tkras = file(StoredCoordinates::Tkras);
    let expected = tkras.surface(Path::new("a"), SurfaceReading::default()).unwrap();
    assert_eq!(expected.vertices()[1], [12.0, -20.0, 7.25]);
    let path = folder.write("lh.white", &tkras).unwrap();
    let back = read_surface_file(&path).unwrap();
    let mesh = back.mesh.as_ref().unwrap();
    assert_eq!((mesh.coordinates, mesh.volume), (StoredCoordinates::Tkras, Some(conformed())));
    assert_eq!(mesh.triangles, tetrahedron().triangles());
    let back = back.surface(&path, SurfaceReading::default()).unwrap();
    for (a, b) in back.vertices().iter().flatten().zip(expected.vertices().iter().flatten()) {
        assert!((a - b).abs() < 2e-6, "{a} {b}");
    }
    assert_eq!(back.structure(), Some(Structure::CORTEX_LEFT));
    // A text file has all digits, but does not specify the coordinate space.
    let path = folder.write("a.asc", &scanner).unwrap();
    let error = read_surface(&path, None).unwrap_err().to_string();
    assert!(
        error.contains(
            "the surface file does not state its coordinate space; give the space with ‘mesh_space’"
        ),
        "{error}"
    );
    let reading = SurfaceReading { mesh_space: Some(MeshSpace::Caret), reference: None };
    let back = read_surface_file(&path).unwrap().surface(&path, reading).unwrap();
    assert_eq!(back.vertices(), tetrahedron().vertices());
}

#[test]
fn values_and_parcellations_are_written_and_read_back() {
    let folder = Folder::new();
    for name in ["lh.thickness", "a.shape.gii"] {
        let path = folder.write(name, &values()).unwrap();
        assert_eq!(read_surface_file(&path).unwrap().maps, values().maps, "{name}");
    }
    for name in ["lh.parts.annot", "lh.parts.label.gii"] {
        let path = folder.write(name, &parcellation()).unwrap();
        assert_eq!(read_surface_file(&path).unwrap().labels, [labels()], "{name}");
    }
    // The file has a mesh, maps and parcellations.
    let all = SurfaceFile {
        maps: values().maps,
        labels: parcellation().labels,
        format: "GIFTI",
        ..file(StoredCoordinates::Scanner)
    };
    let path = folder.write("all.gii", &all).unwrap();
    assert_eq!(read_surface_file(&path).unwrap(), all);
    // A text file can store a mesh and its values.
    let meshed = SurfaceFile { labels: Vec::new(), ..all };
    let path = folder.write("all.srf", &meshed).unwrap();
    assert_eq!(read_surface_file(&path).unwrap().maps[0].values, meshed.maps[0].values);
    let old = [&[0, 0, 2, 0, 0, 1][..], &125i16.to_be_bytes(), &(-50i16).to_be_bytes()].concat();
    assert_eq!(folder.read("rh.curv", old).unwrap().maps[0].values, [1.25, -0.5]);
}

#[test]
fn unsupported_data_are_rejected() {
    let folder = Folder::new();
    let refused = |name: &str, file: &SurfaceFile| {
        let error = folder.write(name, file).unwrap_err().to_string();
        assert!(!folder.at(name).exists());
        error.replace(&format!("{}/", folder.0.path().display()), "")
    };
    let mesh = file(StoredCoordinates::Scanner);
    assert_eq!(
        refused("lh.white", &mesh),
        "lh.white: FreeSurfer's coordinates are with respect to a volume, which is not known; name it (orig.mgz) with \
         ‘reference’"
    );
    assert!(refused("lh.a.annot", &mesh).contains("one parcellation and nothing else, of from; write GIFTI"));
    assert!(refused("lh.a.asc", &values()).contains("a mesh and one map at most"));
    assert!(refused("lh.curv", &parcellation()).contains("hold a mesh or one map"));
    let mut same = parcellation();
    same.labels[0].table.get_mut(&2).unwrap().colour = [0.0, 0.0, 0.0, 1.0];
    assert!(refused("a.annot", &same).contains("`unknown` and `insula & more` have the same colour"));
    let mut missing = parcellation();
    missing.labels[0].values[1] = 7;
    assert!(refused("a.annot", &missing).contains("label 7 of vertex 1 is not in the table"));
    let mut few = SurfaceFile { maps: values().maps, ..mesh };
    few.maps[0].values.pop();
    assert!(refused("a.gii", &few).contains("the file has 3 values, but the surface has 4 vertices"));
}

#[test]
fn coordinates_are_never_guessed() {
    let folder = Folder::new();
    let path = folder.write("lh.pial", &file(StoredCoordinates::Tkras)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let text = bytes.windows(9).position(|nine| nine == b"valid = 1").unwrap();
    let mut invalid = bytes.clone();
    invalid[text + 8] = b'0';
    for without in [&bytes[..text - 12], &bytes[..text - 4], &invalid] {
        std::fs::write(&path, without).unwrap();
        let error = read_surface(&path, None).unwrap_err().to_string();
        assert!(
            error.contains(
                "it is in FreeSurfer's surface coordinates, but does not state the volume they \
                            refer to"
            ),
            "{error}"
        );
        let grid = arcuate_core::Grid::new([256; 3], conformed().voxels_to_scanner().unwrap()).unwrap();
        let surface = read_surface(&path, Some(&grid)).unwrap();
        assert!((surface.vertices()[1][0] - 12.0).abs() < 1e-5);
    }
    // The coordinates of this file are marked as scanner mm.
    let mut scanner = bytes;
    scanner[text - 5] = 1;
    std::fs::write(&path, scanner).unwrap();
    assert!((read_surface(&path, None).unwrap().vertices()[1][0] - 10.5).abs() < 1e-5);
}

/// Creates a GIFTI mesh in the form that other programs write.
fn gifti(coordinates: &str, data: &str) -> String {
    format!(
        "<GIFTI Version='1.0' NumberOfDataArrays='2'><DataArray Intent='NIFTI_INTENT_POINTSET' \
         DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='3' Dim1='3' Encoding='ASCII' \
         ArrayIndexingOrder='ColumnMajorOrder'>{coordinates}<Data>1 2 3 4 5 6 7 8 9</Data></DataArray>\
         <DataArray Intent='NIFTI_INTENT_TRIANGLE' DataType='NIFTI_TYPE_INT32' Dimensionality='2' Dim0='1' Dim1='3' \
         Endian='BigEndian' {data}</DataArray></GIFTI>"
    )
}

#[test]
fn variants_of_gifti_are_read() {
    let folder = Folder::new();
    let triangle = "Encoding='Base64Binary'><Data>AAAAAAAA\nAAEAAAAC</Data>";
    let read = |coordinates: &str| {
        let file = folder.read("a.surf.gii", gifti(coordinates, triangle)).unwrap();
        let surface = file.surface(Path::new("a"), SurfaceReading::default());
        (surface.map(|surface| surface.vertices()[0]).map_err(|e| e.to_string()), file)
    };
    let system = |from: &str, to: &str, shift: f64| {
        format!(
            "<CoordinateSystemTransformMatrix><DataSpace>{from}</DataSpace><TransformedSpace>{to}</TransformedSpace>\
             <MatrixData>1 0 0 {shift} 0 1 0 0 0 0 1 0 0 0 0 1</MatrixData></CoordinateSystemTransformMatrix>"
        )
    };
    let unknown = "NIFTI_XFORM_UNKNOWN";
    let (found, file) = read("");
    assert_eq!(found.unwrap(), [1.0, 4.0, 7.0]);
    assert_eq!(file.mesh.unwrap().triangles, [[0, 1, 2]]);
    // Connectome Workbench writes this coordinate space.
    assert_eq!(read(&system("NIFTI_XFORM_TALAIRACH", "NIFTI_XFORM_TALAIRACH", 0.0)).0.unwrap()[0], 1.0);
    // A matrix to scanner space is used; matrices to other spaces are not.
    assert_eq!(read(&system(unknown, "NIFTI_XFORM_SCANNER_ANAT", 5.0)).0.unwrap()[0], 6.0);
    assert_eq!(read(&system(unknown, "NIFTI_XFORM_TALAIRACH", 5.0)).0.unwrap()[0], 1.0);
    assert_eq!(read(&system("NIFTI_XFORM_SCANNER_ANAT", "NIFTI_XFORM_SCANNER_ANAT", 5.0)).0.unwrap()[0], 1.0);
    // FreeSurfer writes this coordinate space.
    let pair =
        |(name, value): &(&str, &str)| format!("<MD><Name>VolGeom{name}</Name><Value>{value}</Value></MD>");
    let geometry = [
        ("Width", "256"),
        ("Height", "256"),
        ("Depth", "256"),
        ("Xsize", "1.0"),
        ("Ysize", "1.0"),
        ("Zsize", "1.0"),
        ("X_R", "-1"),
        ("X_A", "0"),
        ("X_S", "0"),
        ("Y_R", "0"),
        ("Y_A", "0"),
        ("Y_S", "-1"),
        ("Z_R", "0"),
        ("Z_A", "1"),
        ("Z_S", "0"),
        ("C_R", "100"),
        ("C_A", "0"),
        ("C_S", "0"),
    ];
    let metadata = format!("<MetaData>{}</MetaData>", geometry.iter().map(pair).collect::<String>());
    let freesurfer = metadata.clone() + &system(unknown, "NIFTI_XFORM_TALAIRACH", 0.0);
    assert_eq!(read(&freesurfer).0.unwrap()[0], 101.0);
    let older = metadata.clone() + &system(unknown, "NIFTI_XFORM_SCANNER_ANAT", 0.0);
    assert_eq!(read(&older).0.unwrap()[0], 101.0);
    let placed = metadata + &system("NIFTI_XFORM_SCANNER_ANAT", "NIFTI_XFORM_SCANNER_ANAT", 0.0);
    assert_eq!(read(&placed).0.unwrap()[0], 1.0);
    // The array is in a separate file next to the GIFTI file.
    std::fs::write(folder.at("a.dat"), [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]).unwrap();
    let external = |name: &str, offset: u32| {
        let data = format!(
            "Encoding='ExternalFileBinary' ExternalFileName='{name}' ExternalFileOffset='{offset}'><Data/>"
        );
        folder.read("a.surf.gii", gifti("", &data))
    };
    assert_eq!(external("a.dat", 1).unwrap().mesh.unwrap().triangles, [[0, 1, 2]]);
    assert!(external("a.dat", 2).unwrap_err().starts_with("a.dat: 12 bytes of an array of"));
    assert!(
        external("../a.dat", 1)
            .unwrap_err()
            .contains("the data file `../a.dat` is not in the folder of this header file")
    );
}

#[test]
fn damaged_files_are_reported() {
    let folder = Folder::new();
    let gifti = |data: &str| folder.read("a.gii", gifti("", data)).unwrap_err();
    for (data, problem) in [
        ("Encoding='ASCII'><Data>0 1</Data>", "an array of 3 values has 2"),
        ("Encoding='ASCII'><Data>0 1 x</Data>", "an array holds `x`, which is not a number"),
        ("Encoding='ASCII'><Data>0 1 -2</Data>", "a triangle has vertex -2"),
        ("Encoding='Base64Binary'><Data>AAA</Data>", "the base64 of an array is damaged"),
        ("Encoding='Base64Binary'><Data>AAAA</Data>", "an array of 3 values has 3 bytes, not 12"),
        ("Encoding='GZipBase64Binary'><Data>AAAA</Data>", "the compressed data of an array are damaged"),
        ("Encoding='other'><Data/>", "an array has the encoding `other`"),
    ] {
        let error = gifti(data);
        assert!(error.starts_with(&format!("a.gii: {problem}")), "{error}");
    }
    let large = "<GIFTI><DataArray Intent='NIFTI_INTENT_SHAPE' DataType='NIFTI_TYPE_FLOAT32' Dimensionality='1' \
                 Dim0='1000000000000' Encoding='GZipBase64Binary'><Data>AAAA</Data></DataArray></GIFTI>";
    assert!(
        folder.read("a.gii", large).unwrap_err().contains("an array claims 4000000000000 bytes, more than 3")
    );
    assert!(folder.read("a.gii", "<html/>").unwrap_err().contains("XML file of `html`"));
    let claims = [&[0xff, 0xff, 0xff][..], &[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1]].concat();
    assert!(
        folder
            .read("lh.curv", claims)
            .unwrap_err()
            .contains("it states 2147483647 values, more than its 0 bytes")
    );
    assert!(
        folder.read("lh.white", "hello").unwrap_err().contains("neither a surface nor values at vertices")
    );
    assert!(
        folder.read("lh.a.asc", "#!ascii\n9999999 1\n").unwrap_err().contains("it claims `9999999` vertices")
    );
    assert!(folder.read("lh.a.asc", "1 1\n").unwrap_err().contains("does not begin with `#!ascii`"));
}

/// Every truncated or changed file is either read or rejected, without a panic.
#[test]
fn truncated_and_changed_files_are_read_or_rejected() {
    let folder = Folder::new();
    let mesh = file(StoredCoordinates::Tkras);
    let files = [
        ("a.gii", file(StoredCoordinates::Scanner)),
        ("a.label.gii", parcellation()),
        ("lh.white", mesh.clone()),
        ("lh.curv", values()),
        ("a.annot", parcellation()),
        ("a.asc", mesh),
    ];
    let mut told = 0;
    for (name, content) in &files {
        let path = folder.write(name, content).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let read = find(SURFACES, &path).unwrap().1.read;
        for place in 0..whole.len() {
            told += usize::from(parse(&path, read, &whole[..place]).is_err());
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[place] ^= flip;
                if let Ok(file) = parse(&path, read, &changed) {
                    // Vertex indices that are out of range are reported when a surface is created from them.
                    let _ = file.surface(&path, SurfaceReading::default());
                }
            }
        }
    }
    assert!(told > 1000, "{told}");
}

#[test]
fn file_names_determine_the_format() {
    for name in [
        "lh.white",
        "rh.pial",
        "lh.sphere.reg",
        "a.surf.gii",
        "a.gii.gz",
        "lh.aparc.annot",
        "x.white",
        "a.ASC",
    ] {
        assert!(is_surface_name(Path::new(name)), "{name}");
    }
    for name in ["a.nii", "dwi.bvec", "a.volume.of.area", "lh.ribbon.mgz", "white", "a.trk"] {
        assert!(!is_surface_name(Path::new(name)), "{name}");
    }
    let identity = Affine::identity();
    assert_eq!(
        MeshSpace::Caret.to_scanner(&arcuate_core::Grid::new([1; 3], identity).unwrap()).unwrap(),
        identity
    );
}
