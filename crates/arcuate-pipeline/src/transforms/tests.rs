use super::*;
use arcuate_core::{Affine, Volume};
use arcuate_io::{HeaderNotes, WriteOptions, write_image};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> TransformFile {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        TransformFile { path, inverted: false }
    }

    /// Writes an ITK transform as a text file.
    fn text(&self, name: &str, kind: &str, parameters: &[f64], fixed: &[f64]) -> TransformFile {
        self.put(name, format!("#Insight Transform File V1.0\n{}", one(kind, parameters, fixed)))
    }

    /// Writes a displacement image with the given dimensions and intent code.
    fn field(&self, name: &str, field: &Volume<f32>, dimensions: &[usize], intent: i16) -> TransformFile {
        let path = self.0.path().join(name);
        let notes = HeaderNotes { dimensions: dimensions.to_vec(), ..HeaderNotes::default() };
        write_image(&path, field, &WriteOptions { notes, ..WriteOptions::default() }).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[68..70].copy_from_slice(&intent.to_le_bytes());
        self.put(name, bytes)
    }
}

fn one(kind: &str, parameters: &[f64], fixed: &[f64]) -> String {
    let words = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    format!(
        "Transform: {kind}_double_3_3\nParameters: {}\nFixedParameters: {}\n",
        words(parameters),
        words(fixed)
    )
}

fn oblique() -> Grid {
    let affine =
        Affine::from_rows([[-3.9, 0.3, 0.2, 10.0], [0.25, 3.8, -0.5, -12.0], [0.15, 0.45, 4.4, -6.0]])
            .unwrap();
    Grid::new([7, 6, 5], affine).unwrap()
}

/// Displacements along LPS axes, on the grid of `oblique`.
fn waves() -> Volume<f32> {
    let grid = oblique();
    let value = |voxel: usize| {
        let [x, y, z] = grid.centre(voxel).map(|value| value as f32 / 5.0);
        [x.sin() + y, (y - z).cos(), 2.0 * (z + x).sin()]
    };
    Volume::new(grid, 3, (0..grid.len()).flat_map(value).collect()).unwrap()
}

fn warp(folder: &Folder, name: &str) -> TransformFile {
    folder.field(name, &waves(), &[7, 6, 5, 1, 3], 1007)
}

const ENTRIES: [f64; 12] = [1.1, 0.1, 0.0, -0.05, 0.95, 0.02, 0.01, 0.0, 1.02, 3.0, -4.0, 5.0];
const CENTRE: [f64; 3] = [10.0, 20.0, -5.0];

fn affine(folder: &Folder) -> TransformFile {
    folder.text("affine.txt", "AffineTransform", &ENTRIES, &CENTRE)
}

fn inverse(file: &TransformFile) -> TransformFile {
    TransformFile { inverted: true, ..file.clone() }
}

fn lps([x, y, z]: [f64; 3]) -> [f64; 3] {
    [-x, -y, z]
}

/// Applies the affine as ITK does, to a point in LPS mm.
fn by_affine(point: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| {
        let row = &ENTRIES[3 * r..3 * r + 3];
        (0..3).map(|c| row[c] * (point[c] - CENTRE[c])).sum::<f64>() + CENTRE[r] + ENTRIES[9 + r]
    })
}

fn by_warp(point: [f64; 3]) -> [f64; 3] {
    let field = waves();
    let at = field.grid().inverse().apply(lps(point));
    std::array::from_fn(|axis| point[axis] + field.trilinear(axis, at))
}

fn points() -> impl Iterator<Item = [f64; 3]> {
    (0..oblique().len()).step_by(3).map(|voxel| oblique().centre(voxel).map(|x| 0.95 * x + 0.4))
}

/// Compares a mapping with ITK's mapping, in RAS mm.
fn compare(way: &Mapping, expected: impl Fn([f64; 3]) -> [f64; 3]) {
    for point in points() {
        let (ours, theirs) = (way.apply(point), lps(expected(lps(point))));
        for axis in 0..3 {
            // Displacements have single precision, and are about 10 mm long.
            assert!((ours[axis] - theirs[axis]).abs() < 5e-6, "{point:?} {ours:?} {theirs:?}");
        }
    }
}

#[test]
fn itk_matrices_use_their_centre_and_lps_coordinates() {
    let folder = Folder::new();
    let matrix = affine(&folder);
    compare(&itk::read(std::slice::from_ref(&matrix)).unwrap(), by_affine);
    let back = itk::read(&[matrix.clone(), inverse(&matrix)]).unwrap();
    compare(&back, |point| point);
}

#[test]
fn each_kind_of_itk_matrix_is_interpreted_correctly() {
    let folder = Folder::new();
    let way = |kind: &str, parameters: &[f64], fixed: &[f64]| {
        itk::read(&[folder.text("one.tfm", kind, parameters, fixed)]).unwrap()
    };
    let turned = |[x, y, z]: [f64; 3], angle: f64| {
        // Rotation about z through the centre.
        let ([a, b, c], (s, co)) = ([x - CENTRE[0], y - CENTRE[1], z - CENTRE[2]], angle.sin_cos());
        [co * a - s * b + CENTRE[0], s * a + co * b + CENTRE[1], c + CENTRE[2]]
    };
    let half = 0.3_f64.sin();
    compare(&way("IdentityTransform", &[], &[]), |point| point);
    compare(&way("TranslationTransform", &[1.0, 2.0, 3.0], &[]), |[x, y, z]| [x + 1.0, y + 2.0, z + 3.0]);
    compare(&way("ScaleTransform", &[2.0, 1.0, 0.5], &[0.0, 8.0, 4.0]), |[x, y, z]| {
        [2.0 * x, y, 0.5 * z + 2.0]
    });
    compare(&way("VersorTransform", &[0.0, 0.0, half], &CENTRE), |point| turned(point, 0.6));
    compare(&way("VersorRigid3DTransform", &[0.0, 0.0, half, 1.0, 2.0, 3.0], &CENTRE), |point| {
        let [x, y, z] = turned(point, 0.6);
        [x + 1.0, y + 2.0, z + 3.0]
    });
    compare(&way("Similarity3DTransform", &[0.0, 0.0, half, 1.0, 2.0, 3.0, 1.5], &CENTRE), |point| {
        let turned = turned(point, 0.6);
        std::array::from_fn(|axis| 1.5 * (turned[axis] - CENTRE[axis]) + CENTRE[axis] + [1.0, 2.0, 3.0][axis])
    });
    let about = |fixed: &[f64]| way("Euler3DTransform", &[0.0, 0.0, 0.6, 0.0, 0.0, 0.0], fixed);
    compare(&about(&CENTRE), |point| turned(point, 0.6));
    // Rotation about y first, then about x. With the flag, the order is reversed.
    let quarters = |flag: f64| {
        let quarter = std::f64::consts::FRAC_PI_2;
        way("Euler3DTransform", &[quarter, quarter, 0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, flag])
    };
    compare(&quarters(0.0), |[x, y, z]| [z, x, y]);
    compare(&quarters(1.0), |[x, y, z]| [y, -z, -x]);
}

#[test]
fn warps_and_matrices_are_composed_without_resampling() {
    let folder = Folder::new();
    let (matrix, warp) = (affine(&folder), warp(&folder, "1Warp.nii"));
    let joined = |files: &[&TransformFile]| {
        let files: Vec<TransformFile> = files.iter().copied().cloned().collect();
        assert!(itk::has_field(&files).unwrap());
        itk::read(&files).unwrap()
    };
    compare(&joined(&[&warp]), by_warp);
    // In the order of antsApplyTransforms, points go through the first transform of the list first.
    compare(&joined(&[&warp, &matrix]), |point| by_affine(by_warp(point)));
    compare(&joined(&[&matrix, &warp]), |point| by_warp(by_affine(point)));
    compare(&joined(&[&matrix, &warp, &matrix]), |point| by_affine(by_warp(by_affine(point))));
    compare(&joined(&[&inverse(&matrix), &matrix, &warp]), by_warp);

    // The same mapping as a composite transform, in which points go through the last transform of the file
    // first.
    let grid = oblique();
    let rows = grid.affine().rows();
    let [sx, sy, sz] = grid.voxel_sizes();
    let sizes = [sx, sy, sz];
    let mut fixed: Vec<f64> = grid.shape().map(|n| n as f64).to_vec();
    fixed.extend(lps([rows[0][3], rows[1][3], rows[2][3]]));
    fixed.extend(sizes);
    for (r, row) in rows.iter().enumerate() {
        fixed.extend((0..3).map(|c| if r < 2 { -row[c] } else { row[c] } / sizes[c]));
    }
    let parameters: Vec<f64> = waves().values().iter().map(|&value| f64::from(value)).collect();
    let composite = format!(
        "#Insight Transform File V1.0\nTransform: CompositeTransform_double_3_3\n{}{}",
        one("AffineTransform", &ENTRIES, &CENTRE),
        one("DisplacementFieldTransform", &parameters, &fixed)
    );
    compare(&joined(&[&folder.put("composite.txt", composite)]), |point| by_affine(by_warp(point)));

    let error = itk::has_field(&[warp.clone(), matrix.clone(), warp.clone()]).unwrap_err();
    assert!(error.problem().starts_with("it is a second field on the same way"));
    assert!(itk::has_field(&[inverse(&warp)]).unwrap_err().problem().contains("cannot be inverted"));
    // A matrix before a field must be invertible.
    let flat = folder.text("flat.txt", "ScaleTransform", &[1.0, 0.0, 1.0], &[0.0; 3]);
    for files in [vec![flat.clone(), warp.clone()], vec![inverse(&flat)]] {
        assert_eq!(itk::read(&files).unwrap_err().problem(), "it is a matrix that cannot be undone");
    }
    assert!(itk::read(&[warp, flat]).is_ok());
}

#[test]
fn invalid_itk_transforms_are_reported() {
    let folder = Folder::new();
    let problem = |kind: &str, parameters: &[f64], fixed: &[f64]| {
        let file = folder.text("one.txt", kind, parameters, fixed);
        itk::read(&[file]).unwrap_err().problem().to_owned()
    };
    let counts = |kind: &str, a: usize, b: usize| {
        format!(
            "the transform of type {kind} has {a} parameters and {b} fixed parameters, which is not possible"
        )
    };
    assert_eq!(problem("AffineTransform", &[1.0; 11], &CENTRE), counts("AffineTransform", 11, 3));
    assert_eq!(problem("AffineTransform", &ENTRIES, &[0.0; 4]), counts("AffineTransform", 12, 4));
    assert_eq!(problem("Euler3DTransform", &[0.0; 6], &[]), counts("Euler3DTransform", 6, 0));
    assert_eq!(problem("TranslationTransform", &[0.0; 3], &CENTRE), counts("TranslationTransform", 3, 3));
    assert_eq!(
        problem("VersorTransform", &[1.0, 1.0, 0.0], &CENTRE),
        "its rotation is none: the versor is longer than 1"
    );
    assert_eq!(
        problem("BSplineTransform", &[0.0; 3], &CENTRE),
        "the file contains a transform of type BSplineTransform, which is not supported"
    );
    let field = |parameters: &[f64], fixed: &[f64]| problem("DisplacementFieldTransform", parameters, fixed);
    let lattice = |shape: [f64; 3], size: f64| {
        let mut fixed = vec![0.0; 18];
        fixed[..3].copy_from_slice(&shape);
        fixed[6..9].fill(size);
        for place in [9, 13, 17] {
            fixed[place] = 1.0;
        }
        fixed
    };
    assert_eq!(
        field(&[0.0; 6], &CENTRE),
        "its DisplacementFieldTransform does not have a three-dimensional grid"
    );
    assert_eq!(
        field(&[0.0; 7], &lattice([2.0, 1.0, 1.0], 1.0)),
        "its DisplacementFieldTransform of 2 × 1 × 1 voxels has 7 displacements"
    );
    assert!(field(&[0.0; 6], &lattice([0.5, 4.0, 1.0], 1.0)).contains("of 0.5 × 4 × 1 voxels"));
    assert!(field(&[0.0; 6], &lattice([2.0, 1.0, 1.0], 0.0)).contains("linearly dependent"));
    assert_eq!(
        field(&[1e300; 6], &lattice([2.0, 1.0, 1.0], 1.0)),
        "the field has values that are not numbers"
    );
}

#[test]
fn inconsistent_transform_files_are_reported() {
    let folder = Folder::new();
    let (matrix, warp) = (affine(&folder), warp(&folder, "1Warp.nii"));
    let flirt = folder.put("flirt.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let fnirt = folder.field("fnirt.nii", &waves(), &[7, 6, 5, 3], 2006);
    let of = |there: &[&TransformFile], back: &[&TransformFile]| {
        let [there, back] = [there, back].map(|files| files.iter().copied().cloned().collect::<Vec<_>>());
        TransformFiles::of(&there, &back)
    };
    assert!(matches!(of(&[&flirt], &[]).unwrap(), TransformFiles::Flirt(_)));
    assert!(matches!(of(&[&fnirt], &[&fnirt]).unwrap(), TransformFiles::Fnirt { .. }));
    for (there, back) in [(vec![&matrix, &matrix], vec![]), (vec![&warp, &matrix], vec![&matrix, &warp])] {
        assert!(matches!(of(&there, &back).unwrap(), TransformFiles::Itk { .. }));
    }
    let field_alone = "a field does not define its inverse";
    let two_ways = "the way back is that of the matrix ‘masks_to_dwi’";
    let one_field = "it is a matrix where ‘masks_to_dwi’ is a field";
    let inverse = inverse(&flirt);
    for (there, back, problem) in [
        (vec![&warp], vec![], field_alone),
        (vec![&fnirt], vec![], field_alone),
        (vec![&matrix], vec![&matrix], two_ways),
        (vec![&flirt], vec![&flirt], two_ways),
        (vec![&warp], vec![&matrix], one_field),
        (vec![&fnirt], vec![&flirt], one_field),
        (vec![&fnirt], vec![&warp], "transforms of FSL do not go together with those of ITK and ANTs"),
        (vec![&flirt, &matrix], vec![], "transforms of FSL do not go together with those of ITK and ANTs"),
        (
            vec![&flirt, &flirt],
            vec![],
            "this is a list of 2 files, but only transforms of ITK and ANTs can be a list",
        ),
        (vec![&inverse], vec![], "its inverse is meant, and only matrices of ITK and ANTs are inverted here"),
    ] {
        assert_eq!(of(&there, &back).unwrap_err().problem(), problem);
    }
    // Images that are neither FNIRT fields nor ITK warps.
    let odd = [
        folder.field("a.nii", &waves(), &[7, 6, 5, 3], 1007),
        folder.field("b.nii", &waves(), &[7, 6, 5, 1, 3], 0),
    ];
    for (file, problem) in
        odd.iter().zip(["has not the five dimensions", "does not say vectors (intent 1007)"])
    {
        let error = of(&[file], &[file]).unwrap_err();
        assert!(error.problem().contains(problem), "{error}");
    }
}

#[test]
fn transforms_that_are_not_inverses_are_rejected() {
    let folder = Folder::new();
    let shift = |name: &str, by: f32| {
        let field = Volume::new(oblique(), 3, [by, 0.0, 0.0].repeat(oblique().len())).unwrap();
        folder.field(name, &field, &[7, 6, 5, 1, 3], 1007)
    };
    let (there, back) = (shift("there.nii", 8.0), shift("back.nii", -8.0));
    let read = |there: &TransformFile, back: &TransformFile| {
        let one = std::slice::from_ref;
        TransformFiles::of(one(there), one(back)).unwrap().read(None, &oblique(), None)
    };
    let transforms = read(&there, &back).unwrap();
    // The transform moves points to the left in LPS. Points from the diffusion images to the masks therefore
    // have a smaller x in RAS.
    assert_eq!(transforms.from_field.apply([1.0, 2.0, 3.0]), [-7.0, 2.0, 3.0]);
    assert_eq!(transforms.to_field.apply([1.0, 2.0, 3.0]), [9.0, 2.0, 3.0]);
    let error = read(&there, &there).unwrap_err();
    assert_eq!(
        error.problem(),
        "this transform is not the inverse of ‘masks_to_dwi’: after both transforms, points are 16 mm from \
         their start"
    );
    // The inverse of a matrix is computed.
    let matrix = TransformFiles::of(&[affine(&folder)], &[]).unwrap().read(None, &oblique(), None).unwrap();
    compare(&matrix.from_field, by_affine);
    for point in points() {
        let again = matrix.to_field.apply(matrix.from_field.apply(point));
        assert!((0..3).all(|axis| (again[axis] - point[axis]).abs() < 1e-12));
    }
}

/// Writes spline coefficients for a field of 9 × 9 × 7 voxels, with knots 4, 3 and 5 voxels apart.
fn coefficients(folder: &Folder, value: impl Fn([f64; 3]) -> [f64; 3], intent: i16) -> TransformFile {
    let grid = Grid::new([5, 6, 5], Affine::identity()).unwrap();
    // The first knot is one spacing before the first voxel.
    let at = |voxel: usize| {
        let knot = grid.coordinates(voxel);
        std::array::from_fn(|axis| (knot[axis] as f64 - 1.0) * [4.0, 3.0, 5.0][axis])
    };
    let values = (0..grid.len()).flat_map(|voxel| value(at(voxel)).map(|value| value as f32)).collect();
    let file =
        folder.field("coefficients.nii", &Volume::new(grid, 3, values).unwrap(), &[5, 6, 5, 3], intent);
    let mut bytes = std::fs::read(&file.path).unwrap();
    let mut put = |at: usize, values: &[f32]| {
        for (n, value) in values.iter().enumerate() {
            bytes[at + 4 * n..][..4].copy_from_slice(&value.to_le_bytes());
        }
    };
    put(80, &[4.0, 3.0, 5.0]);
    put(56, &[2.0, 2.5, 3.0]);
    put(268, &[9.0, 9.0, 7.0]);
    // The affine doubles x and shifts. Its inverse halves x.
    put(280, &[2.0, 0.0, 0.0, 6.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
    folder.put("coefficients.nii", bytes)
}

#[test]
fn fnirt_cubic_splines_reproduce_linear_functions() {
    let folder = Folder::new();
    // A right-handed grid: the x of FSL counts from the other side.
    let space = Grid::new([9, 9, 7], Affine::scaling([2.0, 2.5, 3.0], [-8.0, -10.0, -9.0])).unwrap();
    let mm = Millimetres::of(MillimetresOf::Lattice(&space)).unwrap();
    let linear = |[i, j, k]: [f64; 3]| [0.5 + 0.25 * i, 0.125 * j - 1.0, 0.5 * (i + k)];
    let file = coefficients(&folder, linear, 2007);
    let way = fsl::displaced(&file.path, &mm, &mm).unwrap();
    for voxel in 0..space.len() {
        let [i, j, k] = space.coordinates(voxel).map(|n| n as f64);
        // Voxel indices to FSL millimetres, then the inverse registration and the displacement, then to RAS
        // mm.
        let [x, y, z] = [2.0 * (8.0 - i), 2.5 * j, 3.0 * k];
        let [u, v, w] = linear([i, j, k]);
        let [x, y, z] = [(x - 6.0) / 2.0 + u, y + 1.0 + v, z + w];
        let expected = [8.0 - x, y - 10.0, z - 9.0];
        let ours = way.apply(space.centre(voxel));
        assert!(
            (0..3).all(|axis| (ours[axis] - expected[axis]).abs() < 1e-6),
            "{voxel} {ours:?} {expected:?}"
        );
    }
}

#[test]
fn unsupported_splines_and_too_few_knots_are_rejected() {
    let folder = Folder::new();
    let mm = Millimetres::of(MillimetresOf::Lattice(&oblique())).unwrap();
    let error = |file: &TransformFile| fsl::displaced(&file.path, &mm, &mm).unwrap_err().problem().to_owned();
    for (intent, functions) in [(2008, "cosines"), (2009, "quadratic splines")] {
        let file = coefficients(&folder, |at| at, intent);
        assert!(error(&file).starts_with(&format!("the file has coefficients of {functions}; ")));
    }
    for (size, knots) in
        [(13.0f32, "5 spline knots with a spacing of 4 voxels do not cover 13 voxels"), (300.0, "300 voxels")]
    {
        let mut bytes = std::fs::read(coefficients(&folder, |at| at, 2007).path).unwrap();
        bytes[268..272].copy_from_slice(&size.to_le_bytes());
        let problem = error(&folder.put("coefficients.nii", bytes));
        assert!(problem.contains(knots), "{problem}");
    }
}
