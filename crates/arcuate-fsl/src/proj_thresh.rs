//! The program `proj_thresh`: computes the fraction of each seed's connections that leads to each target.

use super::call::{Call, Outcome, command_line_error};
use super::environment;
use super::grammar::Found;
use super::seed_maps::SeedMaps;
use arcuate_core::Error;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::numbers::invalid_number;
use arcuate_pipeline::output::require_file;

/// `proj_thresh MAP … THRESHOLD`: divides each map by the sum of all maps. If the sum at a seed is below the
/// threshold, the result is 0. Also writes the sum of the maps as `total`.
pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    call.help_if_asked(arguments)?;
    let (threshold, names) = match arguments.split_last() {
        Some((threshold, names)) if !names.is_empty() => (threshold, names),
        _ => return Err(call.wrong_count(arguments.len(), "MAP … THRESHOLD")),
    };
    let is_possible = |number: &f64| *number >= 0.0 && invalid_number(*number).is_none();
    let threshold: f64 = threshold.parse().ok().filter(is_possible).ok_or_else(|| {
        let problem = format!("the last argument, `{threshold}`, is not a threshold");
        command_line_error(Error::usage("THRESHOLD", problem, "give a threshold of 0 or more"))
    })?;
    let format = environment::image_format()?;
    let job = call.begin(&Found::default())?;
    let maps = SeedMaps::find(names)?;
    let suffix = format!("_proj_seg_thr_{threshold}");
    let shares: Vec<_> = maps.paths.iter().map(|map| maps.companion_path(map, &suffix, format)).collect();
    let total = maps.result("total", format);
    for path in shares.iter().chain([&total]) {
        require_file(path, &maps.paths, &job)?;
    }
    let sums = job.step("sum the maps", || {
        let mut sums: Vec<f64> = Vec::new();
        for map in &maps.paths {
            let values = maps.values(map)?;
            sums.resize(values.len(), 0.0);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(value));
        }
        Ok(sums)
    })?;
    job.write("write the maps", || {
        for (map, path) in maps.paths.iter().zip(&shares) {
            let mut values = maps.values(map)?;
            for (value, &sum) in values.iter_mut().zip(&sums) {
                let is_kept = sum > 0.0 && sum >= threshold;
                *value = if is_kept { (f64::from(*value) / sum) as f32 } else { 0.0 };
            }
            maps.write(path, values, format, call.name)?;
        }
        maps.write(&total, sums.iter().map(|&sum| sum as f32).collect(), format, call.name)
    })?;
    job.print(format_args!("{}: the sum is in {}\n", call.name, total.display()));
    Ok(job)
}
