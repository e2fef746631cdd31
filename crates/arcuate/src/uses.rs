use crate::global_options::GlobalOptions;
use crate::invocation::Invocation;
use arcuate_compute::DeviceChoice;
use arcuate_core::{Error, Result};
use std::ffi::OsString;

/// What a command does with options that every command has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    /// It draws at random.
    pub(crate) random: bool,
    /// It computes on GPUs.
    pub(crate) gpus: bool,
}

impl Uses {
    pub(crate) const ALL: Self = Self { random: true, gpus: true };

    /// Fails where an option was typed that has nothing to do here.
    pub(crate) fn check(self, options: &GlobalOptions, invocation: &Invocation) -> Result<()> {
        let typed = |option: &str| invocation.global_words.iter().any(|word| word == option);
        let alone = format!("`{}` computes on the processor alone", invocation.command);
        if typed("--random-seed") && !self.random {
            let problem = format!("`{}` as it is asked for draws nothing at random", invocation.command);
            return Err(Error::usage("--random-seed", problem, "leave it out"));
        }
        if matches!(options.device, DeviceChoice::Cuda(_)) && !self.gpus {
            return Err(Error::usage("--device", alone, "leave it out, or say --device cpu"));
        }
        if typed("--device-memory") && !self.gpus {
            return Err(Error::usage("--device-memory", alone, "leave it out"));
        }
        Ok(())
    }

    /// Of words of options that every command has, those that a command takes.
    pub(crate) fn words(self, words: &[OsString]) -> Vec<&OsString> {
        let mut taken = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let value = words.next_if(|next| !next.to_string_lossy().starts_with("--"));
            let is_taken = match word.to_str() {
                Some("--random-seed") => self.random,
                Some("--device") => self.gpus || value.is_some_and(|device| device == "cpu"),
                Some("--device-memory") => self.gpus,
                _ => true,
            };
            if is_taken {
                taken.extend([word].into_iter().chain(value));
            }
        }
        taken
    }
}
