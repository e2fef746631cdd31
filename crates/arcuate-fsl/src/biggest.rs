//! `find_the_biggest`: the target with the most connections, for each seed.

use super::call::{Call, Outcome};
use super::environment;
use super::grammar::Found;
use super::seed_maps::SeedMaps;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::require_file;

/// `find_the_biggest MAP … OUT`: writes the number of the largest map at each seed, counted from 1. The
/// number is 0 if no map is above 0. If several maps are equal, the first one counts.
pub(super) fn run(call: &Call, words: &[String]) -> Outcome<Job> {
    call.help_if_asked(words)?;
    let (out, names) = match words.split_last() {
        Some((out, names)) if !names.is_empty() => (out, names),
        _ => return Err(call.wrong_count(words.len(), "MAP … OUT")),
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
