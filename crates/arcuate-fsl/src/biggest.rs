//! The program `find_the_biggest`: finds the target with the most connections for each seed.

use super::call::{Call, Outcome};
use super::environment;
use super::grammar::Found;
use super::seed_maps::SeedMaps;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::require_file;

/// `find_the_biggest MAP … OUT`: for each seed, writes the number of the map that has the largest value, with
/// maps counted from 1. If no map has a value above 0, it writes 0. If several maps have the largest value,
/// it writes the number of the first of them.
pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    call.help_if_asked(arguments)?;
    let (out, names) = match arguments.split_last() {
        Some((out, names)) if !names.is_empty() => (out, names),
        _ => return Err(call.wrong_count(arguments.len(), "MAP … OUT")),
    };
    let format = environment::image_format()?;
    let job = call.begin(&Found::default())?;
    let maps = SeedMaps::find(names)?;
    let path = maps.result(out, format);
    require_file(&path, &maps.paths, &job)?;
    let numbers = job.step("compare the maps", || {
        let mut largest: Vec<(f32, i32)> = Vec::new();
        for (map, number) in maps.paths.iter().zip(1..) {
            let values = maps.values(map)?;
            largest.resize(values.len(), (0.0, 0));
            for (largest, value) in
                largest.iter_mut().zip(values).filter(|(largest, value)| *value > largest.0)
            {
                *largest = (value, number);
            }
        }
        Ok(largest.into_iter().map(|(_, number)| number).collect())
    })?;
    maps.write_whole(&path, numbers, format, call.name)?;
    for (map, number) in maps.paths.iter().zip(1..) {
        job.print(format_args!("{number} {}\n", map.display()));
    }
    Ok(job)
}
