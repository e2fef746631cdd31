//! Content of the report about a bedpostX folder, found from the file names in the folder. Arcuate or FSL may
//! have written the folder.

use super::environment::ImageFormat;
use super::model::THRESHOLD;
use super::outputs;
use super::samples::Layout;
use arcuate_core::{Result, Volume, statistics};
use arcuate_io::{NIFTI_ENDINGS, has_ending, read_volume};
use arcuate_pipeline::find_files::find_image;
use arcuate_pipeline::output_files::{Kind, Map, OutputFile};
use arcuate_pipeline::record::{self, Record};
use arcuate_pipeline::scan::SIGNAL_UNIT;
use arcuate_report::human;
use std::path::{Path, PathBuf};

/// Maximum number of fibres of a folder. Pictures of more fibres cannot be created.
const MAX_FIBRES: usize = 20;

/// Returns the path of the record (JSON file) of a bedpostX folder. The record is in a subfolder, because
/// FSL's scripts do not expect other files next to the images.
pub fn record_in(folder: &Path) -> PathBuf {
    folder.join(outputs::LOGS).join(record::FILE_NAME)
}

/// Describes a map of the number of fibres in each voxel for the report. The map is computed from the mean
/// fractions of all fibres. Returns `None` if the model has only one fibre.
pub(super) fn fibres(layout: &Layout, ending: &str) -> Option<OutputFile> {
    let name = |fibre: usize| format!("mean_f{fibre}samples{ending}");
    let others: Vec<_> = (2..=layout.fibres).map(|fibre| name(fibre).into()).collect();
    let kind = Kind::Fibres { others, least: THRESHOLD as f32 };
    (layout.fibres > 1).then(|| {
        OutputFile::shown(name(1), "Fibres in each voxel", kind)
            .with_caption("Fibres count if their mean fraction over the samples is at least 0.05.")
    })
}

/// Creates a record for a bedpostX folder that has no record, from the files in the folder. Returns `None` if
/// the folder is not a bedpostX folder.
pub fn record_of_files(folder: &Path) -> Result<Option<Record>> {
    let image = |name: &str| find_image(&folder.join(name));
    let mut means = Vec::new();
    while means.len() < MAX_FIBRES {
        let Some(path) = image(&format!("mean_f{}samples", means.len() + 1))? else { break };
        means.push(path);
    }
    let Some(first) = means.first() else { return Ok(None) };
    let ending = NIFTI_ENDINGS[usize::from(has_ending(first, &[".gz"]))];
    let format = ImageFormat { ending, nifti_2: false };
    let quantities = ["S0", "d", "d_std", "f0"].map(str::to_owned).to_vec();
    let layout = Layout { quantities, fibres: means.len(), samples: 0 };
    let output_files = outputs::of_bedpostx(&layout).into_iter().map(|image| image.output_file(format));
    let is_there = |output_file: &OutputFile| folder.join(output_file.name.as_ref()).is_file();
    let mut record = Record::default();
    record.title = "Crossing fibres".into();
    let map = Map { unit: SIGNAL_UNIT.into(), backdrop: true, aside: true, ..Map::default() };
    let brain = OutputFile::shown(format!("nodif_brain{ending}"), "The brain at b = 0", Kind::Map(map));
    let all = fibres(&layout, ending).into_iter().chain([brain]).chain(output_files);
    record.files = all.filter(is_there).collect();
    record.done(format!(
        "This folder has no record of a command: it holds what bedpostx found with up to {} in each voxel.",
        describe_fibres(means.len())
    ));
    let means = means.iter().map(|path| read_volume(path)).collect::<Result<Vec<_>>>()?;
    note_fibres(&means, &mut record);
    Ok(Some(record))
}

/// Returns the number of fibres as text.
pub(super) fn describe_fibres(fibres: usize) -> String {
    if fibres == 1 { "one fibre".to_owned() } else { format!("{fibres} fibres") }
}

/// Adds numbers to the record: the number of sampled voxels, the median fraction of the first fibre, and the
/// percentage of voxels with several fibres.
pub(super) fn note_fibres(means: &[Volume<f32>], record: &mut Record) {
    let Some(first) = means.first() else { return };
    let mut sampled: Vec<f32> =
        first.values().iter().step_by(first.channels()).copied().filter(|part| *part > 0.0).collect();
    let Some(median) = statistics::median(&mut sampled) else { return };
    record.figure("voxels sampled", sampled.len()).key();
    record.figure("median part of the signal, fibre 1", median).key();
    for (fibre, mean) in means.iter().enumerate().skip(1) {
        let least = THRESHOLD as f32;
        let with = mean.values().iter().step_by(mean.channels()).filter(|part| **part >= least).count();
        let share = 100.0 * with as f64 / sampled.len() as f64;
        let name = format!("voxels with {} or more", human::count(fibre as u64 + 1) + " fibres");
        record.measure(&name, share, "%").key();
    }
}
