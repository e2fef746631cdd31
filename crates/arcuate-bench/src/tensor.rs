use crate::measure::{arcuate, compare, in_turns, quietly, scan, uncompressed_scan};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_model::{TensorOptions, fit_tensor, tensor_maps};
use std::process::Command;

/// Times the fit of the diffusion tensor in the brain mask by weighted least squares with two reweightings.
/// Arcuate is compared with MRtrix's `dwi2tensor`.
pub(crate) fn run(options: &Options) -> Outcome {
    println!("tensor fit of philips_dwi: 134,843 voxels × 17 measurements, 2 reweightings");
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let (dwi, mask) = (uncompressed_scan(folder.path())?, scan("mask.nii.gz")?);
    let threads = options.threads.to_string();
    quietly(Command::new("mrconvert").arg(&mask).arg(file("mask.mif")).args(["-quiet", "-force"]))?;

    let image = arcuate_io::read_image(&dwi)?;
    let stored = image.gradients.ok_or("mrconvert wrote no gradient table")?;
    let gradients = stored.table(&arcuate_io::GradientReading::default())?;
    let inside = arcuate_io::read_mask(&file("mask.mif"))?;
    let fit = || fit_tensor(&image.volume, &gradients, &inside, &Device::Cpu, &TensorOptions::default());
    let dwi2tensor = |more: &[&str]| {
        let mut command = Command::new("dwi2tensor");
        command.args([dwi.clone(), file("dt.mif")]).arg("-mask").arg(file("mask.mif"));
        command.args(["-nthreads", &threads, "-quiet", "-force"]).args(more);
        command
    };
    let [ours, peer] = in_turns(
        options.turns,
        || {
            fit()?;
            Ok(())
        },
        || quietly(&mut dwi2tensor(&[])),
    )?;
    compare("fit_tensor, data in memory", &ours, "dwi2tensor, whole process", &peer, 2.0);

    let maps =
        ["fa", "adc", "ad", "rd", "value", "vector"].map(|name| (name, file(&format!("{name}.nii.gz"))));
    let [ours, peer] = in_turns(
        options.turns,
        || {
            quietly(
                Command::new(arcuate()?)
                    .args(["fit", "tensor"])
                    .arg(&dwi)
                    .arg("--mask")
                    .arg(file("mask.mif"))
                    .arg("--out")
                    .arg(file("maps"))
                    .args(["--threads", &threads, "--force", "--quiet"]),
            )
        },
        || {
            quietly(&mut dwi2tensor(&[]))?;
            let mut metric = Command::new("tensor2metric");
            metric.arg(file("dt.mif")).args(["-nthreads", &threads, "-quiet", "-force", "-num", "1,2,3"]);
            for (name, path) in &maps {
                metric.arg(format!("-{name}")).arg(path);
            }
            quietly(&mut metric)
        },
    )?;
    compare("arcuate fit tensor, to compressed maps", &ours, "dwi2tensor + tensor2metric", &peer, 2.0);
    let tensor = fit()?.tensor;
    let [ours, _] = in_turns(
        options.turns,
        || {
            tensor_maps(&tensor)?;
            Ok(())
        },
        || Ok(()),
    )?;
    println!("{:<46} {:>9.1} ms\n", "tensor_maps, data in memory", 1e3 * crate::measure::median(&ours));
    Ok(())
}
