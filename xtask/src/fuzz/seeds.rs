//! Creates the files that are damaged (seeds). They are the files of a small simulated brain in every format
//! that `arcuate` writes. Files in formats that it only reads are written by hand. The same program always
//! creates the same files.

use super::cohort_seeds::{
    COHORT_COMMANDS, keep_what_is_read, without_times as without_times_of_work, write_data_sets,
};
use super::gzip;
use super::surface_seeds::surface_seeds;
use super::transform_seeds::transform_seeds;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files by their path relative to the seed folder, with `/` as separator.
pub(super) struct Seeds {
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// The commands that create the seeds, in this order.
const COMMANDS: &[&str] = &[
    "simulate --voxel-size 8 --directions 8 --b0s 1 --streamlines-per-bundle 3 --out brain",
    // Diffusion series, with gradient tables in separate files or in the image.
    "convert brain/dwi.nii.gz dwi.nii",
    "convert dwi.nii dwi.nii.gz",
    "convert dwi.nii dwi_2.nii --nifti-2",
    "convert dwi.nii dwi.mif",
    "convert dwi.nii dwi.mif.gz",
    "convert dwi.mif dwi.b",
    "convert dwi.mif dwi.scheme",
    "convert dwi.mif dwi.prtcl",
    "convert dwi.nii three.nii --volumes 0-2",
    // Maps with one volume.
    "convert brain/mask.nii.gz mask.nii",
    "convert brain/mask.nii.gz mask.nii.gz",
    "convert brain/mask.nii.gz mask.mif",
    "convert brain/labels.nii.gz labels.nii",
    "convert brain/labels.nii.gz labels.mif",
    "convert brain/truth_peaks.nii.gz peaks.nii",
    "convert brain/truth_peaks.nii.gz peaks.mif",
    "fit tensor dwi.nii --mask mask.nii --out maps",
    "convert maps/tensor.nii.gz tensor.nii",
    "convert maps/tensor.nii.gz tensor.mif",
    "convert maps/fa.nii.gz fa.nii",
    // Streamlines with groups, with values at points, and with neither of these.
    "convert brain/truth_streamlines.trx tracks.trx --reference mask.nii",
    "convert tracks.trx tracks.tck",
    "convert tracks.trx double.tck --positions f64",
    "convert tracks.tck tracks.trk --reference mask.nii",
    "convert tracks.trx known.trx --folder",
    "convert tracks.trx half.trx --folder --positions f16",
    "convert tracks.trx double.trx --folder --positions f64",
    "sample tracks.trx fa.nii --name fa --out sampled.trx",
    "sample tracks.trx fa.nii --name fa --statistic mean --out averaged.trx",
    "convert sampled.trx sampled.trk",
    "convert averaged.trx averaged.trk",
    "convert tracks.trx tracks.tck.gz",
    "convert sampled.trx sampled.trk.gz",
    "convert sampled.trx points.trx --folder",
    "evaluate life tracks.tck --dwi dwi.nii --iterations 5 --out life",
    "run dwi.nii --mask mask.nii --labels labels.nii --label-names brain/labels.txt --select 5 --out results",
    "run --show-recipe",
    // Markov chains with their samples and state, and signal models.
    "fit ball-1-stick dwi.nii --mask mask.nii --method mcmc --burn-in 5 --jumps 10 --interval 5 --save-state --out chain",
    "models ball-1-stick",
    "models ball-2-sticks",
    "models noddi-watson",
    "maps tensor.nii --out shown",
    // Raw data.
    "simulate kspace --size 16,16 --readouts 8 --coils 2 --out scan",
    "recon scan/ksp.cfl --trajectory scan/traj.cfl --sensitivities scan/sens.cfl --out scan/image.nii --save-q scan/q.arcuate",
];

/// Commands that create further seeds from those that are written by hand.
const LATER: &[&str] = &[
    "convert matrix.dot matrix.npz",
    "convert named/m.dot named/m.npz",
    "connectome tracks.tck --labels labels.nii --out pairs.npz",
];

/// Commands whose printed output is a seed, each with the name of that seed.
const SAID: [(&str, &str); 4] = [
    ("run --show-recipe", "recipe.toml"),
    ("models ball-1-stick", "stick.toml"),
    ("models ball-2-sticks", "sticks.toml"),
    ("models noddi-watson", "noddi.toml"),
];

/// A recipe with values that the commented defaults do not contain.
const RECIPE: &str = "[fit.tensor]\nreweightings = 1\nshells = [2000]\n\n[track.tensor]\nseeds = 200\nmethod = \"fact\"\n\
                      angle = 60\nmin-length = 10.5\none-way = true\n\n[evaluate.life]\niterations = 3\n\
                      eigenvalues = \"1.7,0.3,0.3\"\n";

impl Seeds {
    /// Creates the seeds in an existing, empty folder.
    pub(super) fn make(arcuate: &Path, folder: &Path) -> Result<Self> {
        for line in COMMANDS {
            let output = arcuate_says(arcuate, folder, line)?;
            if let Some((_, name)) = SAID.iter().find(|(command, _)| *command == *line) {
                write(folder, name, output)?;
            }
        }
        by_hand(folder)?;
        for line in LATER.iter().chain(&COHORT_COMMANDS) {
            arcuate_says(arcuate, folder, line)?;
        }
        keep_what_is_read(folder)?;
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files)?;
        for (name, bytes) in &mut files {
            if let Some(steady) = without_times(name, bytes) {
                *bytes = steady;
                write(folder, name, bytes)?;
            }
        }
        Ok(Self { files })
    }

    /// Returns the files of one seed, which is a file or a folder.
    pub(super) fn of<'a>(&'a self, seed: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let inside = move |name: &str| {
            name.strip_prefix(seed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files.iter().filter(move |(name, _)| inside(name)).map(|(name, bytes)| (&**name, &**bytes))
    }
}

type Result<T> = std::result::Result<T, String>;

/// Environment variables for the device and the number of threads. Not every command has options for these.
pub(super) const ON_ONE_THREAD: [(&str, &str); 2] = [("ARCUATE_DEVICE", "cpu"), ("ARCUATE_THREADS", "1")];

/// Runs a command that creates seeds, and returns its output.
pub(super) fn arcuate_says(arcuate: &Path, folder: &Path, line: &str) -> Result<Vec<u8>> {
    let output = command(arcuate)
        .args(line.split(' '))
        .arg("--quiet")
        .envs(ON_ONE_THREAD)
        .current_dir(folder)
        .output()
        .map_err(|e| format!("{}: {e}", arcuate.display()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("no seeds: arcuate {line}: {} ({})", errors.trim(), output.status));
    }
    Ok(output.stdout)
}

/// Returns a command in which the program has its plain name, because records contain this name.
pub(super) fn command(arcuate: &Path) -> Command {
    let mut command = Command::new(arcuate);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "arcuate");
    command.env("COLUMNS", "100");
    command
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>> {
    fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"))
}

fn text(folder: &Path, name: &str) -> Result<String> {
    String::from_utf8(read(folder, name)?).map_err(|e| format!("{name}: {e}"))
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
    let path = folder.join(name);
    let made = fs::create_dir_all(path.parent().unwrap_or(folder));
    made.and_then(|()| fs::write(&path, bytes)).map_err(|e| format!("{name}: {e}"))
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(say)? {
        let path: PathBuf = entry.map_err(say)?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(&path).map_err(say)?);
        }
    }
    Ok(())
}

/// Creates seeds that `arcuate` does not write.
fn by_hand(folder: &Path) -> Result<()> {
    let series = read(folder, "dwi.nii")?;
    for name in ["dwi.bval", "dwi.bvec"] {
        write(folder, &format!("fsl/{name}"), read(folder, name)?)?;
    }
    pairs(folder, &series)?;
    let mgh = freesurfer(&series);
    write(folder, "dwi.mgz", gzip::stored(&mgh))?;
    write(folder, "dwi.mgh", mgh)?;
    timed_tables(folder)?;
    tables_of_names(folder)?;
    write(folder, "recipe_small.toml", RECIPE)?;
    write(folder, "weights.txt", read(folder, "life/life_weights.txt")?)?;
    write(folder, "numbers.txt", "0 1 2\n5\n# and the last\n44\n")?;
    write(folder, "points.txt", "# seeds\n0 0 20\n-20 10 5\n20.5 -30 1e1\n")?;
    write(folder, "groups.txt", "left\nright\n-\n".repeat(15))?;
    // The directions are on a spiral over a hemisphere.
    let mut directions = String::new();
    for n in 0..60 {
        let (z, turn) = ((f64::from(n) + 0.5) / 60.0, 2.4 * f64::from(n));
        let r = (1.0 - z * z).sqrt();
        let _ = writeln!(directions, "{:.6} {:.6} {z:.6}", r * turn.cos(), r * turn.sin());
    }
    write(folder, "directions.txt", directions)?;
    write(
        folder,
        "ellipsoids.txt",
        "# value, middle, half axes, turn\n1 0 0 0 80 60 50 0\n-0.4, 20, -10, 5, 20, 30, 10, 30\n",
    )?;
    arrays_of_numpy(folder)?;
    for (name, bytes) in surface_seeds() {
        write(folder, name, bytes)?;
    }
    for (name, bytes) in transform_seeds(&read(folder, "three.nii")?)? {
        write(folder, name, bytes)?;
    }
    matrices(folder)?;
    write_data_sets(folder)?;
    // The HTML page is only written and never read, so it is removed.
    fs::remove_file(folder.join("results/report.html")).map_err(|e| format!("results/report.html: {e}"))?;
    for (name, from) in [
        ("data.nii.gz", "dwi.nii.gz"),
        ("nodif_brain_mask.nii.gz", "mask.nii.gz"),
        ("bvals", "dwi.bval"),
        ("bvecs", "dwi.bvec"),
    ] {
        write(folder, &format!("subject/{name}"), read(folder, from)?)?;
    }
    dictionary(folder)
}

/// Creates matrices in FSL's formats: as text, alone and with coordinates, and as three binary files. The matrices in
/// SciPy's format are created from them.
fn matrices(folder: &Path) -> Result<()> {
    let dot = "1  1  5\n3  1  1\n1  2  1\n3  2  4\n4  2  4\n4  3  4\n4  3  0\n";
    write(folder, "matrix.dot", dot)?;
    write(folder, "named/m.dot", dot)?;
    write(folder, "named/coords_for_m", "1  1  1  0  1\n2  1  1  0  2\n1  2  1  0  3\n1  1  2  0  4\n")?;
    write(folder, "named/tract_space_coords_for_m", "5  5  5\n6  5  5\n7  5  5\n")?;
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let code =
        |count: u64, p1: u64, p2: u64, distance: u64| (count << 32) + (p1 * 1001 + p2) * 1001 + distance;
    write(folder, "oxford/m_1.mtx", "4\n3\n")?;
    write(folder, "oxford/m_2.mtx", words(&[2, 0, 1]))?;
    let entries = [0, code(5, 1000, 0, 12), 2, code(1, 300, 700, 90), 3, code(40, 0, 0, 1000)];
    write(folder, "oxford/m_3.mtx", words(&entries))
}

/// Creates the scan in NumPy's format: complex numbers with the last axis fastest, and doubles with the first axis
/// fastest.
fn arrays_of_numpy(folder: &Path) -> Result<()> {
    let array = |descr: &str, fortran: &str, shape: &str, data: &[u8]| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
        let length = (text.len() as u16).to_le_bytes();
        [&b"\x93NUMPY\x01\x00"[..], &length[..], text.as_bytes(), data].concat()
    };
    // The k-space data have 32 samples, 8 readouts and 2 coils.
    let (k_space, places) = (read(folder, "scan/ksp.cfl")?, read(folder, "scan/traj.cfl")?);
    let value = |n: usize| k_space[8 * n..8 * n + 8].to_vec();
    let last_fastest: Vec<u8> =
        (0..32 * 8 * 2).flat_map(|n| value(n / 16 + 32 * (n / 2 % 8) + 256 * (n % 2))).collect();
    let single = |n: usize| f32::from_le_bytes([places[n], places[n + 1], places[n + 2], places[n + 3]]);
    let doubles: Vec<u8> = (0..3 * 32 * 8).flat_map(|n| f64::from(single(8 * n)).to_be_bytes()).collect();
    let weights: Vec<u8> = (0..32 * 8).flat_map(|n: u16| (1.0 + f32::from(n % 32)).to_le_bytes()).collect();
    write(folder, "scan/ksp.npy", array("<c8", "False", "1, 32, 8, 2", &last_fastest))?;
    write(folder, "scan/traj.npy", array(">f8", "True", "3, 32, 8", &doubles))?;
    write(folder, "scan/weights.npy", array("<f4", "False", "32, 8", &weights))
}

/// Creates images that consist of a header file and a separate data file.
fn pairs(folder: &Path, series: &[u8]) -> Result<()> {
    let mut header = series[..348].to_vec();
    header[344..].copy_from_slice(b"ni1\0");
    // Sets the offset of the data to 0.
    header[108..112].fill(0);
    write(folder, "pair/dwi.hdr", header)?;
    write(folder, "pair/dwi.img", &series[352..])?;
    let image = read(folder, "dwi.mif")?;
    let end = image.windows(4).position(|four| four == b"END\n").ok_or("dwi.mif: it has no END")?;
    let header = String::from_utf8_lossy(&image[..end]);
    let line = header.lines().find(|line| line.starts_with("file:")).ok_or("dwi.mif: it has no data")?;
    let start: usize =
        line.rsplit(' ').next().and_then(|n| n.parse().ok()).ok_or("dwi.mif: where are its data?")?;
    write(folder, "split/dwi.mih", header.replace(line, "file: dwi.dat 0") + "END\n")?;
    write(folder, "split/dwi.dat", &image[start..])
}

/// Creates an image in FreeSurfer's format from a NIfTI-1 image of floats; numbers are big-endian.
pub(super) fn freesurfer(series: &[u8]) -> Vec<u8> {
    let float = |at: usize| f32::from_le_bytes([series[at], series[at + 1], series[at + 2], series[at + 3]]);
    let size = |axis: usize| i32::from(i16::from_le_bytes([series[42 + 2 * axis], series[43 + 2 * axis]]));
    // The first three rows of the affine in the NIfTI header.
    let affine = |row: usize, column: usize| float(280 + 16 * row + 4 * column);
    let mut image = Vec::new();
    for number in [1, size(0), size(1), size(2), size(3), 3, 0] {
        image.extend(number.to_be_bytes());
    }
    image.extend(1_i16.to_be_bytes());
    let spacing = [0, 1, 2].map(|axis| affine(axis, axis));
    let directions = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let centre = [0, 1, 2].map(|axis| affine(axis, 3) + spacing[axis] * size(axis) as f32 / 2.0);
    for number in spacing.into_iter().chain(directions).chain(centre) {
        image.extend(number.to_be_bytes());
    }
    image.resize(284, 0);
    for value in series[352..].chunks_exact(4) {
        image.extend(value.iter().rev());
    }
    image
}

/// Creates the gradient table with pulse timings, in both formats that have them.
fn timed_tables(folder: &Path) -> Result<()> {
    // The gyromagnetic ratio is in rad / (T s); times are in seconds.
    let (gyromagnetic, separation, duration, echo) = (2.675_221_9e8_f64, 0.04, 0.02, 0.08);
    let mut scheme = "VERSION: STEJSKALTANNER\n".to_owned();
    let mut protocol = "#gx,gy,gz,G,Delta,delta,TE\n".to_owned();
    for row in text(folder, "dwi.b")?.lines().filter(|line| !line.starts_with('#')) {
        let numbers: Vec<f64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [x, y, z, b] = numbers[..] else { return Err(format!("dwi.b: `{row}`")) };
        let amplitude = (b * 1e6 / (separation - duration / 3.0)).sqrt() / (gyromagnetic * duration);
        for table in [&mut scheme, &mut protocol] {
            let _ = writeln!(table, "{x} {y} {z} {amplitude} {separation} {duration} {echo}");
        }
    }
    write(folder, "timed.scheme", scheme)?;
    write(folder, "timed.prtcl", protocol)
}

/// Creates tables of region names in the formats of other programs.
fn tables_of_names(folder: &Path) -> Result<()> {
    let plain = text(folder, "brain/labels.txt")?;
    let rows: Vec<(&str, &str)> =
        plain.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect();
    let colours =
        |row: fn(&str, &str) -> String| rows.iter().map(|(n, name)| row(n, name)).collect::<String>();
    write(folder, "freesurfer.txt", colours(|n, name| format!("{n}  {name}  205 62 {n} 0\n")))?;
    write(folder, "mrtrix.txt", colours(|n, name| format!("{n} R{n} {name} 205 62 {n} 255\n")))?;
    let comma = colours(|n, name| format!("{n},\"{name}\",#cd3e4e\n"));
    write(folder, "names.csv", format!("index,name,colour\n{comma}"))?;
    write(folder, "names.txt", plain.as_bytes())
}

/// Creates a folder in the format of dmri-commit's trk2dictionary, with a few segments in the voxels of the mask.
fn dictionary(folder: &Path) -> Result<()> {
    let mask = read(folder, "mask.nii")?;
    // The program stores masks as bytes.
    let inside = |(_, value): &(usize, &u8)| **value != 0;
    let voxels: Vec<u32> = mask[352..].iter().enumerate().filter(inside).map(|(n, _)| n as u32).collect();
    let streamlines = 45_u32;
    let (mut of, mut at, mut along, mut lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for streamline in 0..streamlines {
        for n in 0..8 {
            of.extend(streamline.to_le_bytes());
            at.extend(voxels[(streamline as usize * 7 + n) % voxels.len()].to_le_bytes());
            along.extend((streamline as u16 % 60).to_le_bytes());
            lengths.extend((4.0 + n as f32).to_le_bytes());
        }
    }
    let every: Vec<u8> = voxels.iter().flat_map(|voxel| voxel.to_le_bytes()).collect();
    let peaks: Vec<u8> = voxels.iter().flat_map(|voxel| ((voxel % 60) as u16).to_le_bytes()).collect();
    let norms: Vec<u8> = (0..streamlines).flat_map(|_| 21.9_f32.to_le_bytes()).collect();
    for (name, content) in [
        ("TRK_kept", vec![1; streamlines as usize]),
        ("TRK_norm", norms),
        ("IC_f", of),
        ("IC_v", at),
        ("IC_o", along),
        ("IC_len", lengths),
        ("EC_v", every.clone()),
        ("EC_o", peaks),
        ("ISO_v", every),
    ] {
        write(folder, &format!("dict/dictionary_{name}.dict"), content)?;
    }
    write(folder, "dict/dictionary_tdi.nii.gz", read(folder, "mask.nii.gz")?)
}

/// Returns a record or an iteration history with constant times, so that a case is reproducible.
fn without_times(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if let Some(steady) = without_times_of_work(name, text) {
        return Some(steady.into_bytes());
    }
    let mut steady = String::new();
    if name.ends_with("_trace.csv") {
        for line in text.lines() {
            let (rest, last) = line.rsplit_once(',')?;
            let last = if last.starts_with(|c: char| c.is_ascii_digit()) { "0.001" } else { last };
            let _ = writeln!(steady, "{rest},{last}");
        }
    } else if Path::new(name).extension().is_some_and(|ending| ending == "json")
        && text.contains("\"seconds\"")
    {
        let mut in_seconds = false;
        for line in text.lines() {
            in_seconds = (in_seconds && !line.contains('}')) || line.trim_end().ends_with("\"seconds\": {");
            let (key, value) = line.split_once("\": ").unwrap_or((line, ""));
            let comma = if line.ends_with(',') { "," } else { "" };
            let timed = (in_seconds || key.ends_with("\"seconds")) && value != "{";
            if key.trim() == "\"created" {
                let _ = writeln!(steady, "{key}\": \"2020-01-01T00:00:00Z\"{comma}");
            } else if timed && !value.is_empty() {
                let _ = writeln!(steady, "{key}\": 0.001{comma}");
            } else {
                let _ = writeln!(steady, "{line}");
            }
        }
    } else {
        return None;
    }
    Some(steady.into_bytes())
}
