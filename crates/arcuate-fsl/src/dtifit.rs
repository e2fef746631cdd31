//! The program `dtifit`: fits a diffusion tensor in each voxel of a mask.

use super::call::{Call, Outcome, command_line_error};
use super::environment;
use super::grammar::{self, Found, Rule, flag, valued};
use super::results::came_from;
use super::subject::{Subject, require_image};
use super::xfibres_options::Inputs;
use arcuate_core::{Affine, Error, Grid, Mask, Result, Volume};
use arcuate_io::write_image;
use arcuate_model::{FirstWeights, Measurements, TensorOptions, fit_clipped_tensor, tensor_maps};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::require_file;
use arcuate_pipeline::stages::tensor::fsl_maps;

const RULES: &[Rule] = &[
    valued(&["k", "data"]),
    valued(&["o", "out"]),
    valued(&["m", "mask"]),
    valued(&["r", "bvecs"]),
    valued(&["b", "bvals"]),
    flag(&["sse"]),
    flag(&["w", "wls"]),
    flag(&["save_tensor"]),
    flag(&["littlebit"]),
    valued(&["x", "xmin"]),
    valued(&["X", "xmax"]),
    valued(&["y", "ymin"]),
    valued(&["Y", "ymax"]),
    valued(&["z", "zmin"]),
    valued(&["Z", "zmax"]),
    valued(&["cni"]),
    flag(&["kurt"]),
    flag(&["kurtdir"]),
    valued(&["gradnonlin"]),
    flag(&["V", "verbose"]),
    flag(&["h", "help"]),
];

/// Options of FSL's `dtifit` that this program rejects, each with the reason.
const REFUSED: [(&str, &str); 4] = [
    ("cni", "confounds are not fitted here"),
    ("kurt", "kurtosis is not fitted here"),
    ("kurtdir", "kurtosis is not fitted here"),
    ("gradnonlin", "the tensor is fitted here for gradients that are the same in every voxel"),
];

/// Minimum signal as a fraction of S₀. Lower signals are raised to this value.
const MIN_SIGNAL: f32 = 0.01;

/// Suffixes of the names of the maps that are always written. The maps `tensor` and `sse` are only written on
/// request.
const MAPS: [&str; 10] = ["V1", "V2", "V3", "L1", "L2", "L3", "MD", "FA", "MO", "S0"];
const TENSOR: &str = "tensor";
const SQUARED_ERROR: &str = "sse";

pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let found = grammar::read(RULES, arguments).map_err(command_line_error)?;
    if arguments.is_empty() || found.is_set("help") {
        return Err(call.help());
    }
    let inputs = Inputs::read(&found).map_err(command_line_error)?;
    let out = found.text("out").ok_or_else(|| {
        command_line_error(Error::usage(
            "--out",
            "the option is missing",
            "give the prefix of the file names of the output maps",
        ))
    })?;
    if let Some((name, problem)) = REFUSED.iter().find(|(name, _)| found.is_set(name)) {
        let advice = "leave it out, or have FSL's dtifit do it";
        return Err(Error::usage(format_args!("--{name}"), *problem, advice).into());
    }
    let limits = Limits::read(&found).map_err(command_line_error)?;
    let format = environment::image_format()?;
    let job = call.begin(&found)?;
    let inputs = Inputs {
        data: require_image(&inputs.data)?,
        mask: require_image(&inputs.mask)?,
        deviations: None,
        ..inputs
    };
    let requested = [TENSOR, SQUARED_ERROR].into_iter().zip(["save_tensor", "sse"]);
    let requested = requested.filter(|(_, option)| found.is_set(option)).map(|(name, _)| name);
    let names: Vec<&str> = MAPS.into_iter().chain(requested).collect();
    let file = |name: &str| format.file(&format!("{out}_{name}"));
    for name in &names {
        require_file(&file(name), &inputs.files(), &job)?;
    }
    let subject = job.step("read the series", || Subject::read(&inputs))?;
    let subject = if found.is_set("littlebit") { limits.of(subject)? } else { subject };
    came_from(&inputs, &job);
    let Subject { dwi, gradients, mask, .. } = subject;
    let first_weights = if found.is_set("wls") { FirstWeights::Signal } else { FirstWeights::Equal };
    let options = TensorOptions { first_weights, reweightings: 0, measurements: Measurements::All };
    let fitted = job.step("fit the tensor", || {
        let device = job.device_so_far();
        fit_clipped_tensor(dwi, &gradients, &mask, device, &options, MIN_SIGNAL)
            .map_err(|error| job.reword(error))
    })?;
    job.write("write the maps", || {
        let maps = tensor_maps(&fitted.fit.tensor)?;
        let images = fsl_maps::images(&fitted.fit, &maps)?;
        let images = images.iter().map(|(name, volume)| (*name, volume.as_ref()));
        for (name, volume) in images.chain([(SQUARED_ERROR, &fitted.squared_error)]) {
            if names.contains(&name) {
                write_image(&file(name), volume, &format.options(call.name))?;
            }
        }
        Ok(())
    })?;
    let voxels = fitted.fit.repairs.counts.computed();
    job.print(format_args!("{}: {voxels} voxels fitted, into {out}_FA and others\n", call.name));
    Ok(job)
}

/// Box of voxels that `--littlebit` selects. For each axis, it has the first voxel and the voxel after the
/// last one. If the second number is 0, the box extends to the end of the image. Voxel indices are FSL's, so
/// x counts from right to left.
struct Limits([(usize, usize); 3]);

impl Limits {
    fn read(found: &Found) -> Result<Self> {
        let pair = |low: &str, high: &str| -> Result<(usize, usize)> {
            Ok((found.number(low, 0)?, found.number(high, 0)?))
        };
        Ok(Self([pair("xmin", "xmax")?, pair("ymin", "ymax")?, pair("zmin", "zmax")?]))
    }

    /// Crops a subject to the box.
    fn of(&self, subject: Subject) -> Result<Subject> {
        let grid = *subject.dwi.grid();
        let (mut first, mut shape) = ([0; 3], grid.shape());
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (low, high) = self.0[axis];
            let size = shape[axis];
            let high = if high == 0 { size } else { high };
            if low >= high || high > size {
                let problem =
                    format!("{low} to {high} is not a range of voxels along an axis of {size} voxels");
                let subject = format_args!("--{name}min, --{name}max").to_string();
                return Err(Error::usage(
                    subject,
                    problem,
                    "count voxels from 0; the end of the range is one after the last voxel",
                ));
            }
            // If the x axis of the image file runs from left to right, the limits along x are reversed,
            // because FSL counts x from the right.
            let is_turned = axis == 0 && grid.affine().determinant() > 0.0;
            (first[axis], shape[axis]) = (if is_turned { size - high } else { low }, high - low);
        }
        let part = part_of(&grid, first, shape)?;
        let places: Vec<usize> = (0..part.len())
            .map(|index| {
                let place = part.coordinates(index);
                grid.index(std::array::from_fn(|axis| place[axis] + first[axis]))
            })
            .collect();
        let inside = places.iter().map(|&place| subject.mask.contains(place)).collect();
        let values = places.iter().flat_map(|&place| subject.dwi.voxel(place)).copied().collect();
        let dwi = Volume::new(part, subject.dwi.channels(), values)?;
        Ok(Subject { dwi, mask: Mask::new(part, inside)?, ..subject })
    }
}

/// Returns the grid of a box of voxels of an image. The voxels of the box keep their positions in scanner
/// coordinates.
fn part_of(grid: &Grid, first: [usize; 3], shape: [usize; 3]) -> Result<Grid> {
    let origin = grid.affine().apply(first.map(|n| n as f64));
    let mut rows = grid.affine().rows();
    rows.iter_mut().zip(origin).for_each(|(row, origin)| row[3] = origin);
    let part = Grid::new(shape, Affine::from_rows(rows)?)?;
    Ok(if grid.is_placed() { part } else { part.presumed() })
}
