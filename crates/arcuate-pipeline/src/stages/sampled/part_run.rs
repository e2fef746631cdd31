//! A part of a run: followed as the whole would, and kept to be merged.

use super::following::Takers;
use super::ground::Ground;
use super::part::PartOf;
use super::part_file::{remedy, write_entries};
use super::part_folder::{CONNECTIONS, PAIRS, ROWS, STREAMLINES, SavedPart, folder_of, output_files};
use super::part_head::Head;
use super::products::ProductName;
use super::tracking::{REFERENCES, SampledTracking, Source};
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::tracked_matrix::{MatrixPlan, MatrixRequest};
use arcuate_core::{Error, Result, StreamlineLengths};
use arcuate_io::{TractogramOptions, TractogramWriter};
use arcuate_report::human;
use arcuate_track::{OrientationTable, SampleTracks};

impl SampledTracking {
    /// The files of a part.
    pub(super) fn files_of_part(&self) -> Vec<OutputFile> {
        let files = [
            (self.writes(ProductName::Streamlines), STREAMLINES),
            (self.matrix.as_ref().is_some_and(|matrix| matrix.kind.has_rows_of_seeds()), ROWS),
            (self.matrix.as_ref().is_some_and(|matrix| !matrix.kind.has_rows_of_seeds()), PAIRS),
            (self.regions.is_some(), CONNECTIONS),
        ];
        let names: Vec<&str> =
            files.into_iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name).collect();
        output_files(&names)
    }

    /// Fails on what has no parts.
    pub(super) fn check_parts(&self) -> Result<()> {
        if self.select().is_some() {
            let problem = "‘select’ counts the accepted streamlines of the whole run";
            return Err(Error::usage("‘part’", problem, "give ‘seed_number’ or ‘per_seed’"));
        }
        if self.resume.is_some() {
            let problem = "a part is done, or not";
            return Err(Error::usage("‘resume’", problem, "leave it out, and make more parts"));
        }
        Ok(())
    }

    /// Follows the streamlines of a part, and keeps what they come to.
    pub(super) fn run_part(
        &self,
        part: PartOf,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<OrientationTable>,
        job: &Job,
    ) -> Result<SampleTracks> {
        let inputs = self.inputs(source);
        let (path, files) = (folder_of(&self.out, part), self.files_of_part());
        let folder = OutputFolder::go_on(&path, &files, &inputs, true, job)?;
        self.tell_sources(source.path, job);
        let ground = self.ground(source, read, job)?;
        let identity = Self::identity(source, &ground.options, &inputs, job)?;
        let there = if job.force() { None } else { SavedPart::read(&path)? };
        if let Some(there) = &there {
            if there.head.identity != identity {
                let problem = "it is there already, of a run with other data or options";
                let advice = "choose another ‘out’, or say ‘force’ to write over it";
                return Err(Error::usage(path.display(), problem, advice));
            }
            there.verify()?;
            // Nothing is followed.
            let device = &arcuate_compute::Device::Cpu;
            let follow = ground.following(self.has_maps(), self.has_lengths(), device, job)?;
            job.say(format!(
                "part {part} is there already, of the same data and options: {}",
                path.display()
            ));
            return there.tracks(&follow.run(Takers::none(), Some(0..0))?);
        }
        let words = words_of(job)?;
        folder.begin();
        // One that was killed before its record was written has a head that no record names: it would vouch for other files.
        SavedPart::forget(folder.path())?;
        let mut head = Head::new(part, identity, words, ground.options.seed);
        let tracks = self.follow_part(&mut head, &ground, &folder, job)?;
        let names: Vec<&str> = files.iter().map(|file| file.name.as_ref()).collect();
        let mut record = Record::new(source.title, files.clone(), job);
        record.add_inputs(&inputs, job)?;
        record.choice("part", part);
        record.choice("streamlines followed by", &tracks.followed_by);
        let summary = &tracks.summary;
        record.figure("streamlines followed", summary.seeds).key();
        record.figure("streamlines accepted", summary.streamlines).key();
        record.cite(source.references);
        record.cite(REFERENCES);
        SavedPart::write(folder.path(), head, &names, &tracks)?;
        record.write(folder.path(), job)?;
        job.say(format!(
            "part {part}: {} of {} streamlines accepted",
            human::count(summary.streamlines),
            human::count(summary.seeds)
        ));
        Ok(tracks)
    }

    fn follow_part(
        &self,
        head: &mut Head,
        ground: &Ground,
        folder: &OutputFolder,
        job: &Job,
    ) -> Result<SampleTracks> {
        // Rows and sums alone: its files are written once all parts are there.
        let request =
            self.matrix.as_ref().map(|request| MatrixRequest { forms: Vec::new(), ..request.clone() });
        let mut matrix =
            request.as_ref().map(|request| ground.plan(self, request, folder.path())).transpose()?;
        let rows = match &mut matrix {
            Some(matrix) if matrix.has_rows_of_seeds() => {
                let path = folder.file(ROWS);
                Some(matrix.keep_rows(&path, None, &remedy(&path))?)
            }
            _ => None,
        };
        let follow = ground.following(self.has_maps(), self.has_lengths(), job.device()?, job)?;
        let all = follow.tracker.count(&ground.seeds)?;
        let streamlines =
            head.part.streamlines(all, |number| matrix.as_ref().map_or(number, |matrix| matrix.cut(number)));
        let mut met = matrix.as_mut().map(MatrixPlan::counter).transpose()?;
        let regions = self.regions.as_ref();
        let labels = regions.map(|regions| regions.read(job)).transpose()?;
        let counted = regions.zip(labels.as_ref());
        let mut counter = counted.map(|(regions, labels)| regions.counter(labels)).transpose()?;
        let keeps = self.writes(ProductName::Streamlines);
        // Points as they are followed: the format and precision of the result are chosen once all parts are there.
        let mut writer = keeps
            .then(|| {
                let options = TractogramOptions::default();
                TractogramWriter::create(&folder.file(STREAMLINES), Some(ground.table.grid()), &options)
            })
            .transpose()?;
        let mut lengths = StreamlineLengths::default();
        let tracks = job.step("follow the streamlines", || {
            let writer = writer.as_mut().map(|writer| (writer, &mut lengths));
            let takers = Takers { writer, met: met.as_mut(), counter: counter.as_mut() };
            follow.run(takers, Some(streamlines))
        })?;
        writer.map_or(Ok(()), TractogramWriter::finish)?;
        match (met, &rows) {
            (Some(met), Some(rows)) => {
                met.finish_part(&mut |_| Ok(()))?;
                rows.finish()?;
            }
            (Some(met), None) => write_entries(&folder.file(PAIRS), |take| met.finish_part(take))?,
            (None, _) => {}
        }
        if let Some(counter) = counter {
            head.counted = counter.streamlines();
            write_entries(&folder.file(CONNECTIONS), |take| {
                counter.entries().into_iter().try_for_each(take)
            })?;
        }
        head.followed_by.clone_from(&tracks.followed_by);
        Ok(tracks)
    }
}

/// The command line, for those who merge.
fn words_of(job: &Job) -> Result<Vec<String>> {
    let text = |word: &std::ffi::OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            let problem = "it is not UTF-8, which the words of parts are";
            Error::usage(word.to_string_lossy(), problem, "rename it")
        })
    };
    job.words().iter().map(text).collect()
}
