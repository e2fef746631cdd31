//! Computes one part of a divided run. Its streamlines are the same as in an undivided run. Its results are
//! saved, and are merged later with those of the other parts.

use super::driver::{opened, receivers};
use super::field::{Field, Source};
use super::options::Tracking;
use super::part::PartOf;
use super::part_folder::{SavedPart, folder_of, output_files};
use super::part_head::Head;
use super::product::Opening;
use super::product_names::ProductName;
use super::products;
use super::run_inputs::RunInputs;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use arcuate_compute::Device;
use arcuate_core::{Error, Result};
use arcuate_report::human;
use arcuate_track::SampleTracks;
use std::path::PathBuf;

impl Tracking {
    /// Returns the files of a part.
    fn files_of_part(&self) -> Vec<OutputFile> {
        let names: Vec<&'static str> =
            products::of(self).iter().filter_map(|product| product.file_of_part()).collect();
        output_files(&names)
    }

    /// Returns the paths of all output files of a part, with its record last.
    pub(super) fn outputs_of_part(&self, part: PartOf) -> Vec<PathBuf> {
        record::outputs(&folder_of(&self.out, part), &self.files_of_part())
    }

    /// Returns an error if an option is set that a divided run cannot have.
    pub(super) fn check_parts(&self) -> Result<()> {
        if self.select().is_some() {
            let problem = "‘select’ counts the accepted streamlines of the whole run";
            return Err(Error::usage("‘part’", problem, "give ‘seed_number’ or ‘per_seed’"));
        }
        if self.connections.is_some() {
            let problem = "connections are ranked among all rays (paths from a seed in one direction) of a \
                           run, so the run cannot be divided";
            return Err(Error::usage(
                "‘part’",
                problem,
                "leave out this option, or keep every ray instead of the connections to targets",
            ));
        }
        if self.resume.is_some() {
            let problem = "a part of a divided run cannot be continued";
            return Err(Error::usage(
                "‘resume’",
                problem,
                "remove ‘resume’, and divide the run into more parts",
            ));
        }
        Ok(())
    }

    /// Follows the streamlines of one part of a divided run and saves the results.
    pub(super) fn run_part(
        &self,
        part: PartOf,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<Box<dyn Field>>,
        job: &Job,
    ) -> Result<SampleTracks> {
        let inputs = self.inputs(source);
        let (path, files) = (folder_of(&self.out, part), self.files_of_part());
        let folder = OutputFolder::continue_earlier(&path, &files, &inputs, true, job)?;
        self.report_sources(source, job);
        let run_inputs = RunInputs::new(read()?, self, source)?;
        let identity = Self::identity(source, run_inputs.field.as_ref(), &inputs, job)?;
        // The record of a part is written after its description. If the record is missing, the part is not
        // complete and is computed again.
        let is_finished = path.join(record::FILE_NAME).is_file();
        let there = if job.force() || !is_finished { None } else { SavedPart::read(&path)? };
        if let Some(there) = &there {
            if there.head.identity != identity {
                let problem = "it is there already, of a run with other data or options";
                let advice = "choose another ‘out’, or give ‘force’ to overwrite it";
                return Err(Error::usage(path.display(), problem, advice));
            }
            there.verify()?;
            // The part exists already, so no streamline is followed: the range of streamlines is empty.
            let lengths = self.writes(ProductName::Lengths);
            let following = run_inputs.following(self, lengths, &Device::Cpu, job)?;
            job.show_message(format!(
                "part {part} is there already, of the same data and options: {}",
                path.display()
            ));
            return there.tracks(&following.run(&mut [], Some(0..0))?);
        }
        let words = arguments_of(job)?;
        folder.begin();
        // If an earlier job was killed before it wrote its record, its description of the part still exists.
        // It must not declare the files of this job complete.
        SavedPart::forget(folder.path())?;
        let mut head = Head::new(part, identity, words, job.random_seed());
        let opening = Opening {
            tracking: self,
            source,
            run_inputs: &run_inputs,
            folder: Some(&folder),
            saved: None,
            parts: None,
            is_part: true,
            job,
        };
        let tracks = self.follow_part(&mut head, &opening, &folder)?;
        let names: Vec<&str> = files.iter().map(|file| file.name.as_ref()).collect();
        let mut record = Record::new(source.title, files.clone(), job);
        record.add_inputs(&inputs, job)?;
        record.choice("part", part);
        record.choice("streamlines followed by", &tracks.device_name);
        let summary = &tracks.summary;
        record.figure("streamlines followed", summary.seeds).key();
        record.figure("streamlines accepted", summary.streamlines).key();
        record.cite(source.references);
        SavedPart::write(folder.path(), head, &names, &tracks)?;
        record.write(folder.path(), job)?;
        job.show_message(format!(
            "part {part}: {} of {} streamlines accepted",
            human::count(summary.streamlines),
            human::count(summary.seeds)
        ));
        Ok(tracks)
    }

    fn follow_part(
        &self,
        head: &mut Head,
        opening: &Opening<'_>,
        folder: &OutputFolder,
    ) -> Result<SampleTracks> {
        let Opening { run_inputs, job, .. } = *opening;
        let products = products::of(self);
        let mut open = opened(&products, opening)?;
        let device = if run_inputs.field.has_gpu_tracker() { job.device()? } else { &Device::Cpu };
        let following = run_inputs.following(self, self.writes(ProductName::Lengths), device, job)?;
        let of_each = run_inputs.field.of_each_seed();
        let cut = |number| open.iter().fold(number, |number, open| open.cut(number, of_each));
        let streamlines = head.part.streamlines(following.count()?, cut);
        let mut receivers = receivers(&mut open)?;
        let tracks =
            job.step("follow the streamlines", || following.run(&mut receivers, Some(streamlines)))?;
        for receiver in receivers.into_iter().flatten() {
            receiver.keep_part(folder, head)?;
        }
        head.device_name.clone_from(&tracks.device_name);
        Ok(tracks)
    }
}

/// Returns the command line, for the merge.
fn arguments_of(job: &Job) -> Result<Vec<String>> {
    let text = |word: &std::ffi::OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            let problem = "it is not UTF-8; options of a part must be";
            Error::usage(word.to_string_lossy(), problem, "rename it")
        })
    };
    job.words().iter().map(text).collect()
}
