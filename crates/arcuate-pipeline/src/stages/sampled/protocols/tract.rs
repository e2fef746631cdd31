//! Processes one tract: reads the masks of its protocol, follows its streamlines and writes its files.

use super::super::field::rejections;
use super::files::TractFiles;
use super::folder::Protocol;
use super::native::{InScan, Scan};
use crate::output::OutputFolder;
use crate::space::image_grid;
use arcuate_core::{Control, Error, ErrorKind, Grid, Mask, Result, Tractogram, Volume};
use arcuate_io::{WriteOptions, write_file, write_image};
use arcuate_track::{
    Constraints, Jitter, Mapping, Region, SEEDS_PER_STREAMLINE, SampleOptions, SampleOutputs, SampleTracker,
    Seeds, TrackSummary, VisitMap,
};
use std::sync::Arc;

/// Number of streamlines of a tract that are kept to show them.
const SHOWN: u64 = 200;

/// Data and options that are the same for all tracts, and the folder of the results.
pub(super) struct ProtocolContext<'a> {
    pub(super) tracker: SampleTracker<'a>,
    pub(super) to_masks: Option<Arc<Mapping>>,
    pub(super) to_field: Option<Arc<Mapping>>,
    /// Regions that apply to every tract.
    pub(super) of_all: Constraints,
    pub(super) options: SampleOptions,
    pub(super) per_seed: Option<u32>,
    pub(super) jitter: Jitter,
    pub(super) lengths: bool,
    pub(super) threshold: f64,
    pub(super) scan: Scan,
    pub(super) folder: &'a OutputFolder,
    pub(super) image_options: WriteOptions,
}

/// Results of a tract that is in the scan.
pub(super) struct Tract {
    pub(super) summary: TrackSummary,
    pub(super) in_scan: InScan,
    /// Some streamlines of the tract, which the report shows.
    pub(super) shown: Tractogram,
    /// Density of the tract on the voxel grid of its seed mask: the fraction of its accepted streamlines that
    /// pass each voxel.
    pub(super) shares: Volume<f32>,
    pub(super) device_name: String,
}

/// Result of a tract, or the reason why the tract is not in the scan.
pub(super) enum Outcome {
    Found(Box<Tract>),
    /// The tract is not in the scan, because its seeds or waypoints are in voxels without orientations. The
    /// text is the reason.
    NotThere(String),
}

impl Outcome {
    /// Warns if the tract is not in the scan, or if it has no accepted streamline.
    pub(super) fn tell(&self, name: &str) {
        match self {
            Self::NotThere(why) => tracing::warn!("tract {name} is not in this scan and is skipped: {why}"),
            Self::Found(tract) if tract.summary.streamlines == 0 => {
                let why = rejections(&tract.summary).into_iter().max_by_key(|(_, count)| *count);
                let (why, count) = why.unwrap_or(("", 0));
                let seeds = tract.summary.seeds;
                tracing::warn!(
                    "{name}: all {seeds} streamlines were rejected; the most frequent reason ({count} \
                     streamlines): {why}"
                );
            }
            Self::Found(_) => {}
        }
    }

    /// Returns the density of the tract (the fraction of its streamlines that pass each voxel). Returns
    /// `None` if the tract is not in the scan.
    pub(super) fn shares(&self) -> Option<&Volume<f32>> {
        match self {
            Self::Found(tract) => Some(&tract.shares),
            Self::NotThere(_) => None,
        }
    }
}

/// Result of one direction of a tract.
struct DirectedTract {
    summary: TrackSummary,
    map: VisitMap,
    shown: Tractogram,
    device_name: String,
}

impl ProtocolContext<'_> {
    /// Returns an error if a mask of a tract cannot be read.
    pub(super) fn check(&self, protocol: &Protocol) -> Result<()> {
        let mut directions = std::iter::once(protocol.clone()).chain(protocol.inverted());
        directions.try_for_each(|direction| Masks::read(self, &direction).map(|_| ()))
    }

    /// Follows a tract and writes its files. `number` is the tract's number, from 1.
    pub(super) fn follow(&self, number: u16, protocol: &Protocol, control: &Control) -> Result<Outcome> {
        let files = TractFiles::new(protocol, self.lengths);
        let directions: Vec<Protocol> =
            std::iter::once(protocol.clone()).chain(protocol.inverted()).collect();
        let mut followed = Vec::new();
        for direction in &directions {
            let masks = Masks::read(self, direction)?;
            match self.follow_direction(masks, SHOWN.div_ceil(directions.len() as u64), control) {
                Ok(direction) => followed.push(direction),
                // The masks could be read, so this error means that the seeds or waypoints of the tract are
                // outside the scan.
                Err(error) if error.kind() == ErrorKind::Invalid => {
                    let seeds = direction.seed.path().display();
                    let error = error.with_subject(|subject| (subject == "seed mask").then_some(seeds));
                    return Ok(Outcome::NotThere(format!("{}: {}", error.subject(), error.problem())));
                }
                Err(error) => {
                    let subject = format!("tract {}: {}", protocol.name, error.subject());
                    return Err(error.about(subject));
                }
            }
        }
        for (inverted, direction) in [false, true].into_iter().zip(&followed) {
            self.write_direction(&files, inverted, direction)?;
        }
        let (mut summary, mut shown) = (TrackSummary::default(), Tractogram::new());
        for direction in &followed {
            summary.merge(&direction.summary);
            direction.shown.iter().for_each(|streamline| shown.push(streamline));
        }
        let sums = Self::sums(&followed)?;
        let write = |name: &str, volume: &Volume<f32>| {
            write_image(&self.folder.file(&files.of_both(name)), volume, &self.image_options)
        };
        if followed.len() > 1 {
            write("sum_density.nii.gz", &sums)?;
            write_file(
                &self.folder.file(&files.of_both("sum_waytotal")),
                format!("{}\n", summary.streamlines),
            )?;
        }
        let total = summary.streamlines.max(1) as f64;
        let shares = sums.map(|count| (f64::from(count) / total) as f32);
        write("densityNorm.nii.gz", &shares)?;
        let threshold = self.threshold as f32;
        write(
            "densityNorm_thresholded.nii.gz",
            &shares.map(|share| if share < threshold { 0.0 } else { share }),
        )?;
        let in_scan = self.scan.add(number, &shares, self.to_masks.as_deref());
        let device_name = followed.swap_remove(0).device_name;
        Ok(Outcome::Found(Box::new(Tract { summary, in_scan, shown, shares, device_name })))
    }

    /// Returns the number of streamlines that pass each voxel, summed over both tracking directions of a
    /// tract.
    fn sums(directions: &[DirectedTract]) -> Result<Volume<f32>> {
        let Some(first) = directions.first() else { return Err(Error::cancelled()) };
        let mut sums = first.map.to_volume()?;
        for direction in &directions[1..] {
            let counts = direction.map.counts();
            // The maps of both directions are on the voxel grid of the seeds of the first direction.
            sums.values_mut().iter_mut().zip(counts).for_each(|(sum, &count)| *sum += count as f32);
        }
        Ok(sums)
    }

    fn follow_direction(&self, masks: Masks, shown: u64, control: &Control) -> Result<DirectedTract> {
        let Masks { seeds, constraints, lattice, each } = masks;
        let mapping = || self.to_field.clone();
        let all = Seeds::Voxels { mask: seeds.clone(), mapping: mapping(), each, jitter: self.jitter };
        let map = Some((lattice, self.to_masks.clone()));
        let outputs = SampleOutputs { map, lengths: self.lengths, ..SampleOutputs::default() };
        let tracks = self.tracker.track(&all, &constraints, &self.options, outputs, control)?;
        let count = shown.saturating_mul(SEEDS_PER_STREAMLINE);
        let some = Seeds::Random { mask: seeds, mapping: mapping(), count };
        let options = SampleOptions { select: Some(shown), ..self.options.clone() };
        let mut shown = Tractogram::new();
        if tracks.summary.streamlines > 0 {
            let outputs = SampleOutputs { sink: Some(&mut shown), ..SampleOutputs::default() };
            let quiet = control.without_progress();
            self.tracker.track(&some, &constraints, &options, outputs, &quiet)?;
        }
        let Some(map) = tracks.map else { return Err(Error::cancelled()) };
        Ok(DirectedTract { summary: tracks.summary, map, shown, device_name: tracks.device_name })
    }

    fn write_direction(&self, files: &TractFiles, inverted: bool, direction: &DirectedTract) -> Result<()> {
        self.folder.create_below(&files.folder(inverted))?;
        let path = |name: &str| self.folder.file(&files.name_in_direction(inverted, name));
        write_image(&path("density.nii.gz"), &direction.map.to_volume()?, &self.image_options)?;
        if let Some(lengths) = direction.map.lengths()? {
            write_image(&path("density_lengths.nii.gz"), &lengths, &self.image_options)?;
        }
        write_file(&path("waytotal"), format!("{}\n", direction.summary.streamlines))
    }
}

/// The masks of a tract for one tracking direction.
struct Masks {
    seeds: Mask,
    constraints: Constraints,
    /// Voxel grid of the tract's density maps.
    lattice: Grid,
    each: u32,
}

impl Masks {
    fn read(context: &ProtocolContext<'_>, protocol: &Protocol) -> Result<Self> {
        let mut constraints = protocol.regions.resolve(context.to_masks.as_ref())?;
        let Constraints { avoid, stop, stop_on_exit, .. } = &context.of_all;
        constraints.avoid.extend_from_slice(avoid);
        constraints.stop.extend_from_slice(stop);
        constraints.stop_on_exit.extend_from_slice(stop_on_exit);
        constraints.anatomy.clone_from(&context.of_all.anatomy);
        let name = protocol.seed.path().display();
        let regions = protocol.seed.read(None)?;
        let [Some(seeds)] = regions.iter().map(Region::mask).collect::<Vec<_>>()[..] else {
            return Err(Error::invalid(
                name,
                "the seed file of the tract contains several regions",
                "as seed file, give a mask, or one label of an image",
            ));
        };
        Ok(Self {
            seeds: seeds.clone(),
            constraints,
            lattice: image_grid(&protocol.lattice)?,
            each: context.per_seed.unwrap_or(protocol.samples),
        })
    }
}
