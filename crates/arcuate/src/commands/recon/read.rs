//! Reads the input files of a reconstruction.

use super::axes::{Axes, by};
use super::options::Recon;
use crate::space::image_grid;
use arcuate_core::{Affine, ComplexArray, Control, Error, Grid, Result};
use arcuate_io::{describe_image, read_complex_array, read_components};
use arcuate_pipeline::memory;
use arcuate_recon::{CoilMaps, Element, Names, Scan, Shape, TrajectoryUnit, Weights, place, reach};
use std::path::Path;

/// A scan, and the position of its image.
pub(super) struct Input<T> {
    pub(super) scan: Scan<T>,
    /// Grid of the image; [not placed](Grid::is_placed) if its position is unknown.
    pub(super) grid: Grid,
    /// Grid for comparisons with other images. If the position of the image is unknown, the centre of the
    /// field of view is at 0 and the axes are R, A and S.
    pub(super) frame: Grid,
    /// Axes of the samples in the trajectory.
    pub(super) axes: Axes,
    /// Source of the image size if no option gives it.
    pub(super) size_from: Option<&'static str>,
    /// True if the voxel size is unknown and assumed to be 1 mm.
    pub(super) size_unknown: bool,
}

/// Index of the coil dimension in BART's arrays: read-out direction, samples, read-outs, coils.
const COILS: usize = 3;

/// Reads all input files and checks that they fit together.
pub(super) fn read<T: Element>(command: &Recon, control: &Control) -> Result<Input<T>> {
    let k_space = read_complex_array(&command.kspace)?;
    let trajectory = read_complex_array(&command.trajectory)?;
    let coils = command.sensitivities.as_ref().map(|path| read_complex_array(path)).transpose()?;
    let mut samples = places(&trajectory, &command.trajectory)?;
    let axes = Axes::new(&trajectory.shape()[1..]);
    let like = command.like.as_ref().map(|path| image_grid(path)).transpose()?;
    let stated = command.trajectory_unit.map(TrajectoryUnit::from);
    let unit = stated.unwrap_or(TrajectoryUnit::FieldOfView);
    let (shape, size_from) = match (&command.size, &like, &coils) {
        (Some(size), ..) => (shape_of(size)?, None),
        (None, Some(grid), _) => (Shape::new(grid.shape())?, None),
        (None, None, Some(maps)) => {
            (Shape::new([0, 1, 2].map(|axis| maps.length(axis)))?, Some("the coil sensitivities"))
        }
        (None, None, None) => (size_of(&samples, unit, stated, command)?, Some("the trajectory")),
    };
    require_memory::<T>(shape, command)?;
    let field_of_view = field_of_view(command, like.as_ref(), shape)?;
    place(&mut samples, stated, shape, field_of_view, &command.trajectory.display(), control)?;
    let data = data_of(&k_space, &axes, command)?;
    let names = Names {
        k_space: command.kspace.display().to_string(),
        trajectory: command.trajectory.display().to_string(),
        image: command.out.display().to_string(),
        is_compared: command.truth.is_some(),
    };
    let scan = Scan::new(shape, samples, data).map_err(|e| e.about(command.kspace.display()))?;
    let mut scan = scan.with_names(names);
    if let (Some(maps), Some(path)) = (coils, &command.sensitivities) {
        let found = [0, 1, 2].map(|axis| maps.length(axis));
        if found != shape.lengths() {
            let ([x, y, z], [nx, ny, nz]) = (found, shape.lengths());
            let problem = format!(
                "the sensitivity maps have {x} × {y} × {z} voxels, but the image has {nx} × {ny} × {nz}"
            );
            return Err(Error::invalid(
                path.display(),
                problem,
                "give maps of the size of the image, or remove --size",
            ));
        }
        require_no_more(&maps, COILS + 1, path)?;
        let maps = CoilMaps::new(shape, numbers(&maps));
        scan = maps.and_then(|maps| scan.with_coils(maps)).map_err(|e| e.about(path.display()))?;
    }
    if let Some(path) = &command.sample_weights {
        let weights = read_complex_array(path)?;
        axes.require(&Axes::new(weights.shape()), &command.trajectory, path, "weights")?;
        let weights: Vec<[f64; 2]> = weights.values().iter().map(|w| w.map(f64::from)).collect();
        let weights = Weights::new(weights);
        scan = weights.and_then(|weights| scan.with_weights(weights)).map_err(|e| e.about(path.display()))?;
    }
    let stated_place = like.filter(|like| command.fov.is_none() && like.is_placed());
    let sizes = voxel_sizes(shape, field_of_view);
    let frame = stated_place.map_or_else(|| centred(shape.lengths(), sizes), Ok)?;
    let grid = stated_place.map_or_else(|| Grid::unplaced(shape.lengths(), sizes), Ok)?;
    Ok(Input { scan, grid, frame, axes, size_from, size_unknown: field_of_view.is_none() })
}

/// Checks the memory for the image before the work begins. Every method needs about twice the grid along each
/// axis.
fn require_memory<T: Element>(shape: Shape, command: &Recon) -> Result<()> {
    let doubled: u64 = shape.lengths().map(|n| if n == 1 { 1 } else { 2 * n as u64 }).iter().product();
    let subject =
        if command.size.is_some() { "--size".to_owned() } else { command.trajectory.display().to_string() };
    let work = format!("images of {} voxels", by(&shape.lengths()));
    memory::require(doubled * std::mem::size_of::<[T; 2]>() as u64, &subject, &work, "give a smaller --size")
}

/// Returns the numbers of an array in another precision, interleaved.
fn numbers<T: Element>(array: &ComplexArray) -> Vec<T> {
    array.values().as_flattened().iter().map(|&value| T::of(f64::from(value))).collect()
}

/// Returns the positions of the samples: three coordinates (or two) for each.
fn places(trajectory: &ComplexArray, path: &Path) -> Result<Vec<[f64; 3]>> {
    let invalid = |problem: String| {
        Err(Error::invalid(
            path.display(),
            problem,
            "give the trajectory as an array of 3 coordinates × samples × readouts",
        ))
    };
    let axes = trajectory.length(0);
    if !(2..=3).contains(&axes) {
        let used = trajectory.significant_shape();
        if used.len() > 1 && used.last().is_some_and(|last| (2..=3).contains(last)) {
            return invalid(format!("its dimensions {} come the other way round", by(used)));
        }
        return invalid(format!("its first dimension is {axes}, not 3 coordinates"));
    }
    if let Some(n) = trajectory.first_not_finite() {
        return invalid(format!("the place of sample {} is not finite", n / axes));
    }
    let place = |k: &[[f32; 2]]| [0, 1, 2].map(|axis| k.get(axis).map_or(0.0, |c| f64::from(c[0])));
    Ok(trajectory.values().chunks_exact(axes).map(place).collect())
}

/// Returns the data of all channels. Their samples must have the `axes` of the trajectory.
fn data_of<T: Element>(k_space: &ComplexArray, axes: &Axes, command: &Recon) -> Result<Vec<T>> {
    let path = &command.kspace;
    require_no_more(k_space, COILS + 1, path)?;
    let of_channel: Vec<usize> = (0..COILS).map(|dimension| k_space.length(dimension)).collect();
    axes.require(&Axes::new(&of_channel), &command.trajectory, path, "samples")?;
    Ok(numbers(k_space))
}

/// Returns an error if an array has more than `dimensions` dimensions.
fn require_no_more(array: &ComplexArray, dimensions: usize, path: &Path) -> Result<()> {
    let used = array.significant_shape();
    match used.iter().enumerate().skip(dimensions).find(|(_, n)| **n > 1) {
        None => Ok(()),
        Some((dimension, n)) => {
            let problem = format!(
                "dimension {dimension} has the size {n}, so the file contains several volumes or sets of maps"
            );
            Err(Error::invalid(path.display(), problem, "extract one of the volumes or sets (bart slice)"))
        }
    }
}

fn shape_of(size: &[usize]) -> Result<Shape> {
    let [x, y] = [0, 1].map(|axis| size.get(axis).copied());
    match (x, y) {
        (Some(x), Some(y)) if size.len() <= 3 => {
            Shape::new([x, y, size.get(2).copied().unwrap_or(1)]).map_err(|e| e.about("--size"))
        }
        _ => {
            let problem = format!("an image size does not have {} numbers", size.len());
            Err(Error::usage("--size", problem, "give two or three numbers, such as 256,256 or 128,128,64"))
        }
    }
}

/// Returns the image size for a trajectory: twice its largest wave number along each axis.
fn size_of(
    samples: &[[f64; 3]],
    unit: TrajectoryUnit,
    stated: Option<TrajectoryUnit>,
    command: &Recon,
) -> Result<Shape> {
    let furthest = match (unit, &command.fov) {
        (TrajectoryUnit::FieldOfView, _) => reach(samples),
        (TrajectoryUnit::PerMetre, Some(fov)) => {
            let fov = three(fov)?;
            let reach = reach(samples);
            [0, 1, 2].map(|axis| reach[axis] * fov[axis] * 1e-3)
        }
        _ => {
            let problem = "the trajectory alone does not tell it";
            return Err(Error::usage("image size", problem, "give --size, --like or --sensitivities"));
        }
    };
    let largest = furthest.iter().copied().fold(0.0, f64::max);
    // The positions of the trajectory may be in radians per voxel instead, because they are this small.
    if largest < 2.0 || (stated.is_none() && largest < 3.2) {
        let problem = format!(
            "the unit of the trajectory is not clear: its largest wave number is {largest:.4}. K-space ends at \
             {} cycles per field of view (of {} voxels), 0.5 cycles per voxel or {:.4} radians per voxel",
            largest.ceil(),
            2.0 * largest.ceil(),
            std::f64::consts::PI
        );
        let advice = "give --size, and its unit with --trajectory-unit: fov, voxel, radian or per-metre";
        return Err(Error::invalid(command.trajectory.display(), problem, advice));
    }
    let lengths = furthest.map(|k| if k < 0.5 { 1 } else { 2 * (k - 1e-3).ceil().min(LARGEST) as usize });
    let shape = Shape::new(lengths).map_err(|e| e.about(command.trajectory.display()))?;
    // A single wrong position in the trajectory would make the image arbitrarily large, so its size is
    // limited.
    if shape.voxels() / SPARSEST > samples.len() {
        let [x, y, z] = shape.lengths();
        let problem = format!(
            "the range of the trajectory corresponds to an image of {x} × {y} × {z} voxels, but the \
             trajectory has only {} samples",
            samples.len()
        );
        let advice = "give --size, and --trajectory-unit if it is in 1/m";
        return Err(Error::invalid(command.trajectory.display(), problem, advice));
    }
    Ok(shape)
}

/// Largest plausible wave number. Beyond it, an axis would have more voxels than any real image.
const LARGEST: f64 = 1e9;
/// Maximum number of voxels per sample for an image size derived from the trajectory.
const SPARSEST: usize = 256;

/// Plausible fields of view in mm.
const FIELDS_OF_VIEW: std::ops::RangeInclusive<f64> = 1e-3..=1e5;

/// Returns three lengths, from one number for all axes or from three numbers.
fn three(fov: &[f64]) -> Result<[f64; 3]> {
    let can_be = fov.iter().all(|length| FIELDS_OF_VIEW.contains(length));
    match *fov {
        [all] if can_be => Ok([all; 3]),
        [x, y, z] if can_be => Ok([x, y, z]),
        _ => {
            let problem = "it is no field of view";
            Err(Error::usage("--fov", problem, "give one length in mm, or three, such as 220,220,160"))
        }
    }
}

fn field_of_view(command: &Recon, like: Option<&Grid>, shape: Shape) -> Result<Option<[f64; 3]>> {
    if let Some(fov) = &command.fov {
        let mut lengths = three(fov)?;
        let [x, _, z] = shape.lengths();
        // For a slice, one given length is the field of view along both of its axes. The slice thickness is
        // then the voxel width.
        if fov.len() == 1 && z == 1 {
            lengths[2] = lengths[0] / x as f64;
        }
        return Ok(Some(lengths));
    }
    Ok(like.map(|grid| {
        let (sizes, lengths) = (grid.voxel_sizes(), shape.lengths());
        [0, 1, 2].map(|axis| sizes[axis] * lengths[axis] as f64)
    }))
}

/// Returns voxel sizes in mm; 1 if unknown.
fn voxel_sizes(shape: Shape, field_of_view: Option<[f64; 3]>) -> [f64; 3] {
    let lengths = shape.lengths();
    [0, 1, 2].map(|axis| field_of_view.map_or(1.0, |fov| fov[axis] / lengths[axis] as f64))
}

/// Returns a grid whose centre of the field of view, voxel ⌊n/2⌋, is at 0, with the axes R, A and S.
pub(super) fn centred(lengths: [usize; 3], sizes: [f64; 3]) -> Result<Grid> {
    let origin = [0, 1, 2].map(|axis| -sizes[axis] * (lengths[axis] / 2) as f64);
    Grid::new(lengths, Affine::scaling(sizes, origin))
}

/// Reads a complex image of this shape: a BART or NumPy array, or an image with complex or real values.
pub(super) fn complex_image(path: &Path, shape: [usize; 3], out: &Path) -> Result<Vec<[f32; 2]>> {
    let require = |found: Axes| Axes::new(&shape).require(&found, out, path, "voxels");
    let values = if arcuate_io::is_image_name(path) {
        let described = describe_image(path)?;
        let parts = described.channels();
        if parts > 2 {
            let problem = format!("the image has {parts} volumes, not one");
            return Err(Error::invalid(path.display(), problem, "give a 3-D image"));
        }
        // The header is checked before the values of the image are read.
        require(Axes::new(&described.grid.shape()))?;
        let (image, _) = read_components::<f32>(path)?;
        let value = |value: &[f32]| [value[0], value.get(1).copied().unwrap_or(0.0)];
        image.values().chunks_exact(parts).map(value).collect()
    } else {
        let array = read_complex_array(path)?;
        require(Axes::new(array.shape()))?;
        array.into_values()
    };
    Ok(values)
}
