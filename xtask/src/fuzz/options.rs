//! The options of `cargo xtask fuzz`.

use std::path::PathBuf;

pub(super) const HELP: &str = "\
cargo xtask fuzz [OPTIONS]

  --coverage      run libFuzzer on the readers of files instead; needs a C++ compiler
  --kill          kill commands at random moments instead, and call them again
  --full-disk     let the disk become full instead while commands write, and call them again
  --minutes N     how long [default: 1]
  --seed N        seed of the damage; another seed finds other things [default: 0]
  --case K        run this case alone and print all that is known of it
  --keep FOLDER   leave the seeds and the files of failures there: FOLDER/case-K
  --jobs N        cases side by side [default: 2]
  --program FILE  what is to read them [default: target/debug/arcuate, which is built]
";

pub(super) struct Options {
    pub(super) coverage: bool,
    pub(super) kill: bool,
    pub(super) full_disk: bool,
    pub(super) minutes: f64,
    pub(super) seed: u64,
    pub(super) case: Option<u64>,
    pub(super) keep: Option<PathBuf>,
    pub(super) jobs: usize,
    pub(super) program: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(words: &[String]) -> Result<Self, String> {
        let mut options = Self {
            coverage: false,
            kill: false,
            full_disk: false,
            minutes: 1.0,
            seed: 0,
            case: None,
            keep: None,
            jobs: 2,
            program: None,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            match option.as_str() {
                "--coverage" => options.coverage = true,
                "--kill" => options.kill = true,
                "--full-disk" => options.full_disk = true,
                _ => {}
            }
            if matches!(option.as_str(), "--coverage" | "--kill" | "--full-disk") {
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{option}: its value is missing\n\n{HELP}"))?;
            let wrong = || format!("{option}: `{value}` is not what it takes\n\n{HELP}");
            match option.as_str() {
                "--minutes" => options.minutes = value.parse().map_err(|_| wrong())?,
                "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
                "--case" => options.case = Some(value.parse().map_err(|_| wrong())?),
                "--keep" => options.keep = Some(value.into()),
                "--program" => options.program = Some(value.into()),
                "--jobs" => options.jobs = value.parse().map_err(|_| wrong())?,
                _ => return Err(format!("`{option}` is no option of fuzz\n\n{HELP}")),
            }
        }
        if !(options.minutes > 0.0 && options.minutes < 1e6) || options.jobs == 0 {
            return Err(format!("--minutes and --jobs are above 0\n\n{HELP}"));
        }
        Ok(options)
    }
}
