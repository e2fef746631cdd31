//! Samples the posterior distributions of several signal models with Markov chains, one model after the
//! other.

use super::chain_state;
use super::criteria::ModelCriterion;
use super::example;
use super::models::FitModels;
use super::sampled::{Outcome, Sampled};
use super::sampling::{self, ChainOptions};
use super::traces;
use crate::job::Job;
use crate::memory;
use crate::record::Record;
use arcuate_core::Result;
use arcuate_model::fit::sample::{chain_identity, sample_bytes, sample_model};
use arcuate_model::language::Model;

impl FitModels {
    /// Samples the models one after the other. Samples need much memory, so those of a model are written
    /// before the next model is sampled.
    pub(super) fn sample(
        &self,
        models: &[Model],
        of: &Sampled<'_>,
        record: &mut Record,
        job: &Job,
    ) -> Result<Outcome> {
        let Sampled { series, mask, options, folder } = *of;
        let sampling = self.chains.options(job.random_seed())?;
        let device = job.device()?;
        let grid = series.dwi.grid();
        let mut traced = self.chains.traces.voxels(grid)?;
        let mut outcome = Outcome { fits: Vec::new(), of_samples: Vec::new(), example: None };
        for model in models {
            let identity = if self.chains.needs_identity() {
                let identity = chain_identity(model, &series.dwi, &series.gradients, options, &sampling)
                    .map_err(|e| self.about(e))?;
                self.chains.check_state(&identity)?;
                Some(identity)
            } else {
                None
            };
            let bytes = sample_bytes(model, &series.gradients, options, &sampling, mask.count())
                .map_err(|e| self.about(e))?;
            let advice = "give fewer, a larger ‘interval’, or a mask of fewer voxels";
            memory::require(bytes, "‘jumps’ and ‘chains’", "their samples", advice)?;
            let samples = job.step("sample", || {
                sample_model(model, &series.dwi, &series.gradients, mask, device, options, &sampling)
                    .map_err(|e| self.about(e))
            })?;
            // The example voxel is chosen with the samples of the first model only, because the samples of
            // the other models are not in memory at the same time.
            if outcome.example.is_none() {
                let fits = std::slice::from_ref(&samples.fit);
                let example = example::choose(series, options, fits, models.len() > 1)?;
                if traced.is_empty() {
                    traced.push(example.voxel);
                }
                outcome.example = Some(example);
            }
            let below = Self::folder_of(model, models.len());
            folder.create_below(&below)?;
            // The state of the chains is written before the other results. Its JSON file contains the
            // checksum of the state image, so this image must have its final name already.
            let state = folder.file(&below.join(chain_state::IMAGE).to_string_lossy());
            ChainOptions::write_state(&state, &samples, identity, options.single_precision, job)?;
            job.write("write the samples", || {
                let place = (folder, &*below);
                sampling::write(place, &self.chains, model, &samples, models.len() > 1, record, job)?;
                let name = below.join(traces::FILE).to_string_lossy().into_owned();
                let picture = traces::write(&folder.file(&name), &samples, &traced, grid)?;
                record.show(&name, picture);
                Ok(())
            })?;
            let of_samples = |criterion: &ModelCriterion| criterion.is_of_samples();
            let (compared, own) = (self.compare.filter(of_samples), self.criteria().filter(of_samples));
            let own: Vec<ModelCriterion> = own.collect();
            if compared.is_some() || !own.is_empty() {
                let information = job.step("information criteria", || {
                    samples.information(model, &series.dwi, &series.gradients, options, &sampling.noise)
                })?;
                let of = if models.len() > 1 { format!("{}: ", model.name()) } else { String::new() };
                for criterion in own {
                    let values = criterion.values(&samples.fit, Some(&information));
                    criterion.write((folder, &below), &values, &of, record, job)?;
                }
                let compared = compared.map(|criterion| criterion.of_samples(&samples.fit, &information));
                outcome.of_samples.extend(compared);
            }
            outcome.fits.push(samples.fit);
        }
        Ok(outcome)
    }
}
