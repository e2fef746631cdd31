//! `arcuate simulate kspace`: simulates the raw k-space data of a known object.

use crate::meanings;
use crate::numbers::positive;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::Record;
use crate::references;
use arcuate_core::{Affine, ComplexArray, Error, Grid, Result, Volume, image_shape};
use arcuate_io::{LARGEST_TEXT, read_text_file, write_cfl, write_image};
use arcuate_phantom::{
    CoilLoops, Ellipsoid, Ellipsoids, KSpaceOptions, KSpacePath, Trajectory, measure_k_space, object_image,
    signal_to_noise,
};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::memory;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Simulate raw data of an object whose Fourier transform is known exactly
///
/// Writes arrays in BART's format. The array ksp is the k-space (1 × samples × readouts × coils). The array
/// traj is the trajectory (3 × samples × readouts, in cycles per field of view). With --coils, also writes
/// sens, the coil sensitivities. Writes the mean of the object in each voxel as truth.nii.gz.
#[derive(Debug, Args)]
pub(crate) struct SimulateKSpace {
    /// Output: folder for the simulated raw data
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Object to image: shepp-logan (a head phantom), or a text file of ellipsoids
    ///
    /// Each line of the file is an ellipsoid: its value, centre x y z (mm), half axes x y z (mm) and rotation
    /// about z (°).
    #[arg(long, value_name = "OBJECT", default_value = "shepp-logan")]
    object: String,
    #[arg(
        long,
        help = meanings::SIZE,
        long_help = meanings::with(
            meanings::SIZE,
            "Give two numbers X,Y for one slice, or three numbers X,Y,Z for a volume."
        ),
        value_name = "X,Y[,Z]",
        value_delimiter = ',',
        default_value = "128,128"
    )]
    size: Vec<usize>,
    #[arg(long, help = meanings::FOV, value_name = "MM", default_value_t = 220.0)]
    fov: f64,
    /// Kind of k-space trajectory
    #[arg(long, value_name = "WAY", value_enum, default_value = "radial")]
    trajectory_kind: TrajectoryKind,
    /// Number of readouts: spokes, spiral interleaves per slice, cones or rosette shots
    ///
    /// [default: enough to sample k-space fully; but 16 interleaves of a spiral, and 16 shots of a rosette]
    #[arg(long, value_name = "N")]
    readouts: Option<usize>,
    /// Number of k-space samples per readout
    ///
    /// [default: the number that gives half the Nyquist distance between samples]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Number of turns of a spiral, of a cone at the equator, or of a rosette
    ///
    /// [default: the number that samples k-space fully]
    #[arg(long, value_name = "N", value_parser = positive)]
    turns: Option<f64>,
    /// Number of petals of one shot of a rosette trajectory
    ///
    /// [default: 17]
    #[arg(long, value_name = "N", value_parser = positive)]
    petals: Option<f64>,
    /// Number of receive coils around the object
    ///
    /// [default: one coil with uniform sensitivity]
    #[arg(long, value_name = "N")]
    coils: Option<usize>,
    #[arg(
        long,
        help = meanings::SNR,
        long_help = meanings::with(
            meanings::SNR,
            "The ratio is the largest value of the object divided by the standard deviation of the noise in \
             a fully sampled Cartesian image."
        ),
        value_name = "SNR",
        default_value_t = 0.0
    )]
    snr: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrajectoryKind {
    /// Cartesian trajectory: parallel lines
    Cartesian,
    /// Radial trajectory: spokes in a plane, each rotated by the golden angle from the previous one
    Radial,
    /// Radial trajectory in 3-D: spokes from the centre of k-space, in directions that the golden means give
    #[value(name = "radial-3d")]
    RadialInSpace,
    /// Spiral trajectory: spirals in a plane; a volume is a stack of such planes
    Spiral,
    /// Cones trajectory: spirals on cones about the z axis
    Cones,
    /// Rosette trajectory: loops through the centre of k-space
    Rosette,
}

/// Default number of petals of a rosette.
const PETALS: f64 = 17.0;

impl SimulateKSpace {
    /// Returns true if noise is added.
    pub(super) fn is_noisy(&self) -> bool {
        self.snr > 0.0
    }

    fn output_files(&self) -> Vec<OutputFile> {
        let mut output_files = vec![
            OutputFile::file("ksp.cfl", "Samples of k-space"),
            OutputFile::file("ksp.hdr", "Dimensions of ksp.cfl"),
            OutputFile::file("traj.cfl", "Positions of the samples, in cycles per field of view"),
            OutputFile::file("traj.hdr", "Dimensions of traj.cfl"),
            OutputFile::shown("truth.nii.gz", "Object", Kind::Map(Map::default())),
        ];
        if self.coils.is_some() {
            output_files.push(OutputFile::file("sens.cfl", "Sensitivities of the coils"));
            output_files.push(OutputFile::file("sens.hdr", "Dimensions of sens.cfl"));
        }
        output_files
    }

    pub(crate) fn run(&self, job: &Job) -> Result<()> {
        let shape = self.shape()?;
        if !(self.fov > 0.0 && self.fov.is_finite()) {
            return Err(Error::usage("--fov", "it is not a length", "give a number of mm above 0"));
        }
        let snr = signal_to_noise(self.snr)?;
        if self.coils.is_some_and(|coils| !(1..=128).contains(&coils)) {
            return Err(Error::usage("--coils", "this number of coils is not possible", "give 1 to 128"));
        }
        let trajectory = self.trajectory(shape)?;
        self.require_memory(shape, trajectory.counts()?)?;
        let inputs: Vec<PathBuf> =
            if self.object == "shepp-logan" { Vec::new() } else { vec![PathBuf::from(&self.object)] };
        let folder = OutputFolder::create(&self.out, &self.output_files(), &inputs, job)?;
        let object = self.object(shape)?;
        let path = trajectory.path()?;
        let in_plane = object.dimensions() == 2;
        let coils = self.coils.map(|coils| CoilLoops::new(coils, in_plane));
        let options = KSpaceOptions { shape, field_of_view_mm: [self.fov; 3], snr, seed: job.random_seed() };
        let (data, truth) = job.step("measure", || {
            let data = measure_k_space(&object, &path.samples, coils.as_ref(), &options);
            Ok((data, object_image(&object, shape, options.field_of_view_mm)))
        })?;
        self.require_finite(&data, &truth, &object)?;
        job.write("write the data", || self.write(&folder, &path, data, truth, coils.as_ref(), shape, job))?;
        let mut record = Record::new("Simulated k-space", self.output_files(), job);
        record.cite(references::SIMULATE_KSPACE);
        record.add_inputs(&inputs, job)?;
        record.figure("readouts", path.samples.len() / path.per_readout);
        record.figure("samples of each", path.per_readout);
        record.figure("ellipsoids", object.shapes().len());
        record.write(folder.path(), job)?;
        job.show_message(format_args!(
            "{} readouts of {} samples: {}",
            path.samples.len() / path.per_readout,
            path.per_readout,
            folder.path().display()
        ));
        Ok(())
    }

    fn shape(&self) -> Result<[usize; 3]> {
        let shape = match *self.size.as_slice() {
            [x, y] => [x, y, 1],
            [x, y, z] => [x, y, z],
            _ => [0; 3],
        };
        if shape.contains(&0) {
            return Err(Error::usage(
                "--size",
                "this is not an image size",
                "give two or three numbers, such as 128,128 or 64,64,64",
            ));
        }
        image_shape(shape).map_err(|e| e.about("--size"))
    }

    /// Checks the memory for all data before the work begins.
    fn require_memory(&self, shape: [usize; 3], [readouts, samples]: [usize; 2]) -> Result<()> {
        let (coils, maps) = (self.coils.unwrap_or(1), self.coils.unwrap_or(0));
        // Bytes per k-space sample: the position, and three copies of the data of each coil. The copies are
        // the computed sum, the stored value, and the value to write.
        let of_sample = size_of::<[f64; 3]>() + coils * (2 * size_of::<[f64; 2]>() + size_of::<[f32; 2]>());
        // Bytes per voxel: the true value, and two copies of the sensitivity of each coil. The copies are the
        // computed value and the value to write.
        let of_voxel = size_of::<f32>() + maps * (size_of::<[f64; 2]>() + size_of::<[f32; 2]>());
        let [x, y, z] = shape;
        let bytes = (readouts * samples) as u64 * of_sample as u64 + (x * y * z) as u64 * of_voxel as u64;
        let work =
            format!("{readouts} readouts of {samples} samples by {coils} coils, and {x} × {y} × {z} voxels,");
        memory::require(bytes, "--size, --readouts and --samples", &work, "give smaller ones")
    }

    /// Returns an error with the cause if the data exceed single precision.
    fn require_finite(&self, data: &[[f32; 2]], truth: &[f32], object: &Ellipsoids) -> Result<()> {
        if data.iter().flatten().chain(truth).all(|value| value.is_finite()) {
            return Ok(());
        }
        let noise = object.largest_value() / self.snr;
        // The factor 100 allows for random noise that exceeds its standard deviation many times.
        if self.snr > 0.0 && 100.0 * noise.abs() > f64::from(f32::MAX) {
            let problem =
                format!("the noise {noise:e} that this ratio gives exceeds the range of single precision");
            return Err(Error::usage(
                "--snr",
                problem,
                "give a larger signal-to-noise ratio, or 0 for no noise",
            ));
        }
        if self.object == "shepp-logan" {
            let problem =
                format!("with a field of view of {:e} mm the data exceed the range of numbers", self.fov);
            return Err(Error::usage("--fov", problem, "give the field of view in mm, such as 220"));
        }
        let advice = "give smaller values, or ellipsoids and a --fov in the same millimetres";
        Err(Error::invalid(
            &self.object,
            "the k-space data of the object exceed the range of single precision",
            advice,
        ))
    }

    fn object(&self, [_, _, slices]: [usize; 3]) -> Result<Ellipsoids> {
        if self.object == "shepp-logan" {
            return Ok(if slices == 1 {
                Ellipsoids::shepp_logan_slice(self.fov)
            } else {
                Ellipsoids::shepp_logan_head(self.fov)
            });
        }
        let shapes = read_ellipsoids(Path::new(&self.object))?;
        Ok(if slices == 1 { Ellipsoids::in_plane(shapes) } else { Ellipsoids::new(shapes) })
    }

    /// Returns the trajectory. Parameters that are not given are chosen for full sampling.
    fn trajectory(&self, [x, y, slices]: [usize; 3]) -> Result<Trajectory> {
        let voxels = x.max(y);
        let in_space = matches!(self.trajectory_kind, TrajectoryKind::RadialInSpace | TrajectoryKind::Cones);
        let flat = matches!(self.trajectory_kind, TrajectoryKind::Radial | TrajectoryKind::Rosette);
        let usage = |problem: &str, advice: &str| Err(Error::usage("--trajectory-kind", problem, advice));
        if in_space && slices == 1 {
            return usage(
                "it fills space, and the image is a slice",
                "give --size three numbers, or another way",
            );
        }
        if flat && slices > 1 {
            return usage(
                "it fills a plane, and the image is a volume",
                "give --size two numbers, or another way",
            );
        }
        let turns = matches!(
            self.trajectory_kind,
            TrajectoryKind::Spiral | TrajectoryKind::Cones | TrajectoryKind::Rosette
        );
        if self.turns.is_some() && !turns {
            let advice = "choose --trajectory-kind spiral, cones or rosette, or leave it out";
            return Err(Error::usage("--turns", "this --trajectory-kind has none", advice));
        }
        if self.petals.is_some() && self.trajectory_kind != TrajectoryKind::Rosette {
            let advice = "choose --trajectory-kind rosette, or leave it out";
            return Err(Error::usage("--petals", "this --trajectory-kind has none", advice));
        }
        let diameter = std::f64::consts::PI * voxels as f64;
        let full = |count: f64| self.readouts.unwrap_or(count.ceil() as usize);
        Ok(match self.trajectory_kind {
            TrajectoryKind::Cartesian => {
                if x != y || self.readouts.is_some() || self.samples.is_some() {
                    let problem = "a Cartesian scan has one line per row of a square image";
                    return usage(
                        problem,
                        "give --size the same number twice, and no --readouts or --samples",
                    );
                }
                Trajectory::Cartesian { voxels, slices }
            }
            TrajectoryKind::Radial => Trajectory::Radial {
                voxels,
                spokes: full(diameter / 2.0),
                samples: self.samples.unwrap_or(2 * voxels),
            },
            TrajectoryKind::RadialInSpace => Trajectory::RadialInSpace {
                voxels,
                spokes: full(diameter * voxels as f64),
                samples: self.samples.unwrap_or(voxels),
            },
            TrajectoryKind::Spiral => {
                let interleaves = self.readouts.unwrap_or(16);
                let turns = self.turns.unwrap_or(voxels as f64 / 2.0 / interleaves as f64);
                // A spiral from the centre to the edge of k-space has a path length of about π · (number of
                // turns) · (radius of the edge).
                let trajectory = 0.5 * diameter * turns;
                let samples = self.samples.unwrap_or((2.0 * trajectory).ceil() as usize);
                Trajectory::Spirals { voxels, slices, interleaves, turns, samples }
            }
            TrajectoryKind::Cones => {
                let cones = full(diameter / 2.0);
                let turns = self.turns.unwrap_or(voxels as f64 / 2.0);
                let samples = self.samples.unwrap_or((diameter * turns).ceil() as usize);
                Trajectory::Cones { voxels, cones, turns, samples }
            }
            TrajectoryKind::Rosette => {
                let shots = self.readouts.unwrap_or(16);
                let petals = self.petals.unwrap_or(PETALS);
                let turns = self.turns.unwrap_or(petals * 0.381_966);
                let samples = self.samples.unwrap_or((2.0 * petals * voxels as f64).ceil() as usize);
                Trajectory::Rosette { voxels, shots, petals, turns, samples }
            }
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one scan, each once")]
    fn write(
        &self,
        folder: &OutputFolder,
        path: &KSpacePath,
        data: Vec<[f32; 2]>,
        truth: Vec<f32>,
        coils: Option<&CoilLoops>,
        shape: [usize; 3],
        job: &Job,
    ) -> Result<()> {
        let [x, y, z] = shape;
        let sizes = shape.map(|n| self.fov / n as f64);
        let sizes = if z == 1 { [sizes[0], sizes[1], sizes[0]] } else { sizes };
        let origin = [0, 1, 2].map(|axis| -sizes[axis] * (shape[axis] / 2) as f64);
        let grid = Grid::new(shape, Affine::scaling(sizes, origin)).map_err(|e| e.about("--fov"))?;
        let (samples, readouts) = (path.per_readout, path.samples.len() / path.per_readout);
        let channels = coils.map_or(1, CoilLoops::coils);
        write_cfl(&folder.file("ksp.cfl"), &ComplexArray::new(vec![1, samples, readouts, channels], data)?)?;
        let places = path.samples.iter().flatten().map(|&k| [k as f32, 0.0]).collect();
        write_cfl(&folder.file("traj.cfl"), &ComplexArray::new(vec![3, samples, readouts], places)?)?;
        if let Some(coils) = coils {
            let maps = ComplexArray::new(vec![x, y, z, channels], coils.maps(shape))?;
            write_cfl(&folder.file("sens.cfl"), &maps)?;
        }
        write_image(&folder.file("truth.nii.gz"), &Volume::new(grid, 1, truth)?, &job.image_options())
    }
}

/// Reads one ellipsoid per line: value, centre, half axes, rotation about z.
fn read_ellipsoids(path: &Path) -> Result<Vec<Ellipsoid>> {
    let text = read_text_file(path, LARGEST_TEXT)?;
    let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    let shapes: Vec<Ellipsoid> = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(n, line)| {
            let numbers: Option<Vec<f64>> = line
                .split(|c: char| c.is_whitespace() || c == ',')
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()))
                .collect();
            let numbers: Option<[f64; 8]> = numbers.and_then(|numbers| numbers.try_into().ok());
            match numbers {
                Some([value, x, y, z, a, b, c, turn]) if a > 0.0 && b > 0.0 && c > 0.0 => {
                    let (sin, cos) = turn.to_radians().sin_cos();
                    let axes = [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]];
                    Ok(Ellipsoid { value, centre: [x, y, z], semi_axes: [a, b, c], axes })
                }
                _ => Err(Error::invalid(
                    path.display(),
                    format!("line {n} does not describe an ellipsoid"),
                    "in each line, give the value, the centre x y z (mm), the half axes x y z above 0 (mm), \
                     and the rotation about z (degrees)",
                )),
            }
        })
        .collect::<Result<_>>()?;
    if shapes.is_empty() {
        return Err(Error::invalid(path.display(), "it has no ellipsoid", "give a line for each"));
    }
    Ok(shapes)
}
