//! Creates the inputs with which coverage-guided fuzzing begins. They have few bytes, so that a run reads many inputs.

use super::gzip;
use super::seeds::{arcuate_says, freesurfer};
use super::surface_seeds::surface_seeds;
use super::transform_seeds::transform_seeds;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The commands that create files from those that are written by hand.
const COMMANDS: &[&str] = &[
    "convert dwi.nii dwi.nii.gz",
    "convert dwi.nii wide.nii --nifti-2",
    "convert dwi.nii dwi.mif",
    "convert dwi.nii dwi.mif.gz",
    "convert dwi.mif dwi.b",
    "convert dwi.mif dwi.scheme",
    "convert dwi.nii three.nii --volumes 0-2",
    "convert tracks.tck tracks.trx --reference mask.nii",
    "convert tracks.tck tracks.trk --reference mask.nii",
    "convert tracks.trx tracks.tck.gz",
    "convert tracks.trx half.trx --positions f16",
    "sample tracks.trx mask.nii --name fa --out sampled.trx",
    "sample tracks.trx mask.nii --name fa --statistic mean --out averaged.trx",
    "convert sampled.trx sampled.trk",
    "convert averaged.trx averaged.trk",
    "convert averaged.trk averaged.trk.gz",
    "connectome tracks.tck --labels labels.nii --out pairs.npz",
];

/// The seeds of each fuzz target: the names of the files of an input, and the files with their contents.
type Table = &'static [(&'static str, &'static [(&'static [&'static str], &'static [&'static str])])];

pub(super) const TABLE: Table = &[
    (
        "images",
        &[
            (&["a.nii"], &["dwi.nii"]),
            (&["a.nii"], &["wide.nii"]),
            (&["a.nii"], &["labels.nii"]),
            (&["a.nii"], &["mask.nii"]),
            (&["a.nii.gz"], &["dwi.nii.gz"]),
            (&["a.mif"], &["dwi.mif"]),
            (&["a.mif.gz"], &["dwi.mif.gz"]),
            (&["a.mgh"], &["dwi.mgh"]),
            (&["a.mgz"], &["dwi.mgz"]),
            (&["a.hdr", "a.img"], &["pair.hdr", "pair.img"]),
            (&["a.mih", "a.dat"], &["split.mih", "split.dat"]),
        ],
    ),
    (
        "tractograms",
        &[
            (&["a.tck"], &["tracks.tck"]),
            (&["a.tck.gz"], &["tracks.tck.gz"]),
            (&["a.trk"], &["tracks.trk"]),
            (&["a.trk"], &["sampled.trk"]),
            (&["a.trk"], &["averaged.trk"]),
            (&["a.trk.gz"], &["averaged.trk.gz"]),
            (&["a.trx"], &["tracks.trx"]),
            (&["a.trx"], &["half.trx"]),
            (&["a.trx"], &["sampled.trx"]),
            (&["a.trx"], &["averaged.trx"]),
        ],
    ),
    (
        "surfaces",
        &[
            (&["a.gii"], &["mesh.gii"]),
            (&["a.vtk"], &["mesh.vtk"]),
            (&["a.asc"], &["mesh.asc"]),
            (&["lh.white"], &["lh.white"]),
            (&["lh.thickness"], &["lh.thickness"]),
            (&["lh.parts.annot"], &["lh.parts.annot"]),
        ],
    ),
    (
        "matrices",
        &[
            (&["a.dscalar.nii"], &["maps.dscalar.nii"]),
            (&["a.dlabel.nii"], &["parts.dlabel.nii"]),
            (&["a.csv"], &["matrix.csv"]),
            (&["a.npz"], &["pairs_counts.npz"]),
            (&["a.npy"], &["matrix.npy"]),
            (&["a.dot"], &["matrix.dot"]),
            (&["a_1.mtx", "a_2.mtx", "a_3.mtx"], &["m_1.mtx", "m_2.mtx", "m_3.mtx"]),
            (&["a.hdr", "a.cfl"], &["array.hdr", "array.cfl"]),
        ],
    ),
    (
        "gradients",
        &[
            (&["a.bval", "a.bvec"], &["dwi.bval", "dwi.bvec"]),
            (&["a.b"], &["dwi.b"]),
            (&["a.scheme"], &["dwi.scheme"]),
            (&["a.scheme"], &["timed.scheme"]),
            (&["a.prtcl"], &["timed.prtcl"]),
        ],
    ),
    (
        "transforms",
        &[
            (&["a.txt"], &["affine.txt"]),
            (&["a.txt"], &["flirt.mat"]),
            (&["a.mat"], &["affine.mat"]),
            (&["a.h5"], &["composite.h5"]),
            (&["a.nii"], &["coefficients.nii"]),
            (&["a.nii"], &["warp.nii"]),
        ],
    ),
    (
        "tables",
        &[
            (&["a.txt"], &["names.txt"]),
            (&["a.txt"], &["freesurfer.txt"]),
            (&["a.csv"], &["names.csv"]),
            (&["a.csv"], &["axis.csv"]),
            (&["a.tsv"], &["pairs_regions.tsv"]),
            (&["a.json"], &["names.json"]),
            (&["a.txt"], &["numbers.txt"]),
        ],
    ),
];

/// Creates the files of the seeds in an existing, empty folder.
pub(super) fn make(arcuate: &Path, folder: &Path) -> Result<(), String> {
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).map_err(|e| format!("{}: {e}", folder.join(name).display()))
    };
    let read = |name: &str| fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let voxels = 4 * 5 * 3_u16;
    let series = nifti(4, (16, 32), (0..4 * voxels).flat_map(|n| f32::from(100 + n % 50).to_le_bytes()));
    write("dwi.nii", &series)?;
    write("mask.nii", &nifti(1, (2, 8), (0..voxels).map(|n| u8::from(n % 3 != 0))))?;
    write("labels.nii", &nifti(1, (4, 16), (0..voxels).flat_map(|n| (n % 4).to_le_bytes())))?;
    write("dwi.bval", b"0 1000 1000 1000\n")?;
    write("dwi.bvec", b"0 1 0 0\n0 0 1 0\n0 0 0 1\n")?;
    write("tracks.tck", &tracks())?;
    for (name, text) in TEXTS {
        write(name, text.as_bytes())?;
    }
    for (name, bytes) in arrays() {
        write(name, &bytes)?;
    }
    for (name, bytes) in surface_seeds() {
        write(name, &bytes)?;
    }
    for line in COMMANDS {
        arcuate_says(arcuate, folder, line)?;
    }
    let mgh = freesurfer(&series);
    write("dwi.mgz", &gzip::stored(&mgh))?;
    write("dwi.mgh", &mgh)?;
    let mut header = series[..348].to_vec();
    header[344..].copy_from_slice(b"ni1\0");
    header[108..112].fill(0);
    write("pair.hdr", &header)?;
    write("pair.img", &series[352..])?;
    for (name, bytes) in transform_seeds(&read("three.nii")?)? {
        write(name, &bytes)?;
    }
    Ok(())
}

/// Returns the content of an input: a line with the names and the sizes of the files, and the files.
pub(super) fn input(folder: &Path, names: &[&str], files: &[&str]) -> Result<Vec<u8>, String> {
    let (mut line, mut contents) = (String::new(), Vec::new());
    for (n, (name, file)) in names.iter().zip(files).enumerate() {
        let path = folder.join(file);
        let content = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        line += name;
        if n + 1 < names.len() {
            let _ = write!(line, " {} ", content.len());
        }
        contents.extend(content);
    }
    Ok([line.as_bytes(), b"\n", &contents].concat())
}

/// Returns a NIfTI-1 image of 4 × 5 × 3 voxels. `kind` has the code of the number type and its bits.
fn nifti(volumes: u16, kind: (u16, u16), data: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut bytes = vec![0; 352];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &348_u32.to_le_bytes());
    for (n, size) in [if volumes > 1 { 4 } else { 3 }, 4, 5, 3, volumes, 1, 1, 1].into_iter().enumerate() {
        put(40 + 2 * n, &size.to_le_bytes());
    }
    put(70, &kind.0.to_le_bytes());
    put(72, &kind.1.to_le_bytes());
    for (n, size) in [1.0_f32, 2.0, 2.0, 2.0, 1.0].into_iter().enumerate() {
        put(76 + 4 * n, &size.to_le_bytes());
    }
    put(108, &352.0_f32.to_le_bytes());
    put(123, &[10]);
    put(254, &1_u16.to_le_bytes());
    for row in 0..3 {
        put(280 + 20 * row, &2.0_f32.to_le_bytes());
        put(292 + 16 * row, &(-4.0_f32).to_le_bytes());
    }
    put(344, b"n+1\0");
    bytes.extend(data);
    bytes
}

fn tracks() -> Vec<u8> {
    let end = [f32::NAN; 3];
    let points = [
        [0.0, 0.0, 0.0],
        [3.0, 3.0, 1.0],
        [2.0, 0.0, 0.0],
        end,
        [1.0, 2.0, 1.0],
        [0.0, 5.0, 1.0],
        end,
        [-4.0, 0.0, 0.0],
        [-2.0, 3.0, 0.0],
        [1.0, 2.0, 0.0],
        end,
        [f32::INFINITY; 3],
    ];
    let mut bytes = b"mrtrix tracks\ndatatype: Float32LE\ncount: 3\nfile: . 64\nEND\n".to_vec();
    bytes.resize(64, 0);
    bytes.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

const TEXTS: &[(&str, &str)] = &[
    (
        "split.mih",
        "mrtrix image\ndim: 4,5,3\nvox: 2,2,2\nlayout: +0,-1,+2\ndatatype: UInt8\nfile: a.dat 0\nEND\n",
    ),
    ("timed.scheme", "VERSION: STEJSKALTANNER\n0 0 0 0 0.04 0.02 0.08\n1 0 0 0.03 0.04 0.02 0.08\n"),
    ("timed.prtcl", "#gx,gy,gz,G,Delta,delta,TE\n0 0 0 0 0.04 0.02 0.08\n0 1 0 0.03 0.04 0.02 0.08\n"),
    ("matrix.csv", "0,1.5,2\n1.5,0,3\n2,3,0\n"),
    ("matrix.dot", "1  1  5\n3  1  1\n1  2  1\n3  2  4\n4  3  0\n"),
    ("m_1.mtx", "4\n3\n"),
    ("array.hdr", "# Dimensions\n2 3 1\n"),
    ("names.txt", "1 left\n2 right \"a b\"\n"),
    ("freesurfer.txt", "1  left  205 62 1 0\n2  right  205 62 2 0\n"),
    ("names.csv", "index,name,colour\n1,\"left\",#cd3e4e\n2,right,#cd3e4e\n"),
    ("axis.csv", "id,name,x,y,z\n1,left,1,2,3\n2,right,-1,2,3\n"),
    ("names.json", "{\"1\": \"left\", \"2\": \"right\"}\n"),
    ("numbers.txt", "0 1 2\n5 1e-3 -2.5\n# and the last\n44 nan inf\n"),
];

fn arrays() -> [(&'static str, Vec<u8>); 5] {
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let code = |count: u64, distance: u64| (count << 32) + 5 * 1001 * 1001 + distance;
    let singles: Vec<u8> = (0..12_u16).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let text = "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }\n";
    let [low, high, ..] = text.len().to_le_bytes();
    let npy = [&b"\x93NUMPY\x01\x00"[..], &[low, high], text.as_bytes(), &singles].concat();
    [
        ("split.dat", (0..60).collect()),
        ("m_2.mtx", words(&[2, 0, 1])),
        ("m_3.mtx", words(&[0, code(5, 12), 2, code(1, 90), 3, code(40, 1000)])),
        ("array.cfl", singles),
        ("matrix.npy", npy),
    ]
}
