use crate::fsl_programs::names;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use clap::Args;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// List the FSL programs that Arcuate replaces, or link their names to it
///
/// Without FOLDER, prints the names of the programs. With FOLDER, makes one link per name in this folder.
/// Scripts that call dtifit, bedpostx and other FSL programs then call Arcuate, if FOLDER precedes FSL's own
/// folder in PATH. Links of an earlier call are replaced. Other files are never overwritten.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// Folder for the links; it is created if it does not exist
    folder: Option<PathBuf>,
    /// Former spelling: print the names.
    #[arg(long, hide = true, conflicts_with = "folder")]
    list: bool,
}

/// Second line of the scripts that replace links.
const MARK: &str = "Made by `arcuate setup names`";

/// Second line of such scripts in earlier versions.
const FORMER_MARK: &str = "Made by `arcuate names`";

impl Names {
    pub(crate) fn run(&self, job: &Job) -> Result<()> {
        let Some(folder) = self.folder.as_ref().filter(|_| !self.list) else {
            for name in names() {
                job.print(format_args!("{name}\n"));
            }
            return Ok(());
        };
        let program = std::env::current_exe().map_err(|error| Error::read(Path::new("arcuate"), error))?;
        let links: Vec<Link> = names().map(|name| Link::new(folder, name)).collect();
        // All links are checked before the first one is created.
        links.iter().try_for_each(|link| link.require_free(&program))?;
        std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        for link in &links {
            link.make(&program).map_err(|error| Error::write(&link.path, error))?;
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        job.show_message(format_args!("{} names in {}", links.len(), folder.display()));
        for line in shadows(&folder, &program) {
            job.show_message(line);
        }
        Ok(())
    }
}

/// A link with the name of a program in the folder.
struct Link {
    name: &'static str,
    path: PathBuf,
}

impl Link {
    fn new(folder: &Path, name: &'static str) -> Self {
        // Windows does not run a file without a file name ending.
        let file = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
        Self { name, path: folder.join(file) }
    }

    /// Returns an error if the file exists and is not a link of Arcuate.
    fn require_free(&self, program: &Path) -> Result<()> {
        if self.path.symlink_metadata().is_err() || is_ours(&self.path, program) {
            return Ok(());
        }
        let problem = "it is there already, and no link that this command has made";
        Err(Error::invalid(self.path.display(), problem, "give another folder"))
    }

    /// Creates a link, or a small script if the file system has no links.
    fn make(&self, program: &Path) -> std::io::Result<()> {
        if self.path.symlink_metadata().is_ok() {
            std::fs::remove_file(&self.path)?;
        }
        #[cfg(unix)]
        if std::os::unix::fs::symlink(program, &self.path).is_ok() {
            return Ok(());
        }
        self.write_script(program)
    }

    #[cfg(unix)]
    fn write_script(&self, program: &Path) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let program = program.to_string_lossy().replace('\'', "'\\''");
        let text = format!("#!/bin/sh\n# {MARK}\nexec '{program}' {} \"$@\"\n", self.name);
        std::fs::write(&self.path, text)?;
        std::fs::set_permissions(&self.path, std::fs::Permissions::from_mode(0o755))
    }

    #[cfg(not(unix))]
    fn write_script(&self, program: &Path) -> std::io::Result<()> {
        let text = format!("@echo off\r\nrem {MARK}\r\n\"{}\" {} %*\r\n", program.display(), self.name);
        std::fs::write(&self.path, text)
    }
}

/// Returns true if the file is a link to Arcuate, or a script that replaces a link.
fn is_ours(path: &Path, program: &Path) -> bool {
    if let Ok(target) = std::fs::read_link(path) {
        return target.file_name().is_some() && target.file_name() == program.file_name();
    }
    // A script that this command wrote is short. Longer files are not read.
    let is_short = path.metadata().is_ok_and(|data| data.is_file() && data.len() < 1 << 14);
    let text = if is_short { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&text)
        .lines()
        .nth(1)
        .is_some_and(|line| line.ends_with(MARK) || line.ends_with(FORMER_MARK))
}

/// Returns messages about FSL's programs in PATH with the same names.
fn shadows(folder: &Path, program: &Path) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()).collect();
    let is_it = |other: &PathBuf| other.canonicalize().is_ok_and(|other| other == folder);
    let own = folders.iter().position(is_it);
    let mut lines = Vec::new();
    let mut comes_later = false;
    for name in names() {
        let found =
            folders.iter().enumerate().filter(|(_, other)| !is_it(other)).find_map(|(place, other)| {
                let file = other.join(name);
                (file.is_file() && !is_ours(&file, program)).then_some((place, file))
            });
        let Some((place, file)) = found else { continue };
        let (file, is_first) = (file.display(), own.is_some_and(|own| own < place));
        comes_later |= !is_first;
        lines.push(if is_first {
            format!("{name} is this program now, in place of {file}")
        } else {
            format!("{name} is {file} still")
        });
    }
    if own.is_none() || comes_later {
        let folder = folder.to_string_lossy();
        let quoted = arcuate_pipeline::shell::shell_line([OsStr::new(folder.as_ref()).to_owned()].iter());
        lines.push(format!("scripts find these names with  export PATH={quoted}:\"$PATH\""));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_replace_links_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let (link, program) = (Link::new(folder.path(), "dtifit"), Path::new("/opt/it's/arcuate"));
        link.write_script(program).unwrap();
        assert!(is_ours(&link.path, program));
        let text = std::fs::read_to_string(&link.path).unwrap();
        assert!(text.contains(MARK) && text.contains("dtifit"), "{text}");
        std::fs::write(&link.path, "#!/bin/sh\necho FSL\n").unwrap();
        assert!(!is_ours(&link.path, program));
        assert!(link.require_free(program).unwrap_err().to_string().contains("give another folder"));
    }
}
