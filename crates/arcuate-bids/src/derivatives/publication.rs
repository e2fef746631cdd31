//! Files that are written together: all of them, or none.

use super::addresses::slashed;
use super::sidecars::Sidecar;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{AtomicFile, WriteOptions, read_volume, write_file, write_image};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// What a file will hold.
#[derive(Debug)]
pub(super) enum Content {
    /// What another file holds.
    Same(PathBuf),
    /// Images, one behind the other in their fourth dimension; the volumes of each in this order, where it is not theirs.
    Images(Vec<PathBuf>, Option<&'static [usize]>),
    /// A text.
    Text(String),
}

/// Files to be written, by their names from the root of all on.
#[derive(Debug, Default)]
pub(super) struct Publication {
    files: Vec<(String, Content)>,
}

impl Publication {
    /// Adds a file.
    pub(super) fn add(&mut self, name: String, content: Content) {
        self.files.push((name, content));
    }

    /// Adds a sidecar.
    pub(super) fn add_sidecar(&mut self, name: String, sidecar: Sidecar) {
        self.add(name, Content::Text(format!("{:#}\n", Value::from(sidecar))));
    }

    /// Writes the files below `out` and gives their names; where one cannot be written, those before it go again.
    pub(super) fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        let mut written = Vec::with_capacity(self.files.len());
        for (name, content) in &self.files {
            if let Err(error) = content.write(&out.join(name)) {
                // The error says more than one of what could not be removed.
                let _ = remove(out, &written);
                return Err(error);
            }
            written.push(PathBuf::from(name));
        }
        Ok(written)
    }
}

/// Removes files by their names below `out`, with or without it in front, those that are there. A name that leads elsewhere is an
/// error.
pub(super) fn remove(out: &Path, names: &[PathBuf]) -> Result<()> {
    for name in names {
        let name = name.strip_prefix(out).unwrap_or(name);
        let is_below = name.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below {
            let problem = format!("`{}` is no name of a file in it", slashed(name));
            return Err(Error::invalid(out.display(), problem, "remove the results of this scan by hand"));
        }
        remove_file(&out.join(name))?;
    }
    Ok(())
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::write(path, error))
        }
        _ => Ok(()),
    }
}

impl Content {
    fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;
        }
        match self {
            Self::Same(source) => link(source, path),
            Self::Images(sources, order) => {
                write_image(path, &stacked(sources, *order)?, &WriteOptions::default())
            }
            Self::Text(text) => write_file(path, text),
        }
    }
}

/// Gives a file a second name, or, where the file system does not, a copy that appears when it is complete.
fn link(source: &Path, path: &Path) -> Result<()> {
    // A name that is taken, by this very file perhaps, is given anew.
    remove_file(path)?;
    if fs::hard_link(source, path).is_ok() {
        return Ok(());
    }
    let mut from = fs::File::open(source).map_err(|e| Error::read(source, e))?;
    let mut to = AtomicFile::create(path)?;
    std::io::copy(&mut from, &mut to).map_err(|e| Error::write(path, e))?;
    to.finish()
}

/// The volumes of several images as those of one.
fn stacked(sources: &[PathBuf], order: Option<&[usize]>) -> Result<Volume<f32>> {
    let read = |path: &PathBuf| {
        let volume = read_volume(path)?;
        let Some(order) = order else { return Ok(volume) };
        if volume.channels() != order.len() {
            let problem = format!("it has {} volumes, not {}", volume.channels(), order.len());
            return Err(Error::invalid(path.display(), problem, "run the command again that made it"));
        }
        Ok(volume.channels_at(order))
    };
    let mut volumes: Vec<Volume<f32>> = sources.iter().map(read).collect::<Result<_>>()?;
    if volumes.len() == 1 {
        return Ok(volumes.remove(0));
    }
    let Some((first, others)) = volumes.split_first() else {
        return Err(Error::invalid("volumes", "there are none", "give an image"));
    };
    for (volume, path) in others.iter().zip(&sources[1..]) {
        if !first.grid().matches(volume.grid()) {
            let problem = format!("it lies elsewhere than {}", sources[0].display());
            return Err(Error::invalid(path.display(), problem, "run the command again that made them"));
        }
    }
    let voxels = 0..first.grid().len();
    let values = voxels.flat_map(|voxel| volumes.iter().flat_map(move |volume| volume.voxel(voxel))).copied();
    let channels = volumes.iter().map(Volume::channels).sum();
    Volume::new(*first.grid(), channels, values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_of_what_cannot_be_written_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut publication = Publication::default();
        publication.add("sub-1/a.txt".into(), Content::Text("a".into()));
        assert_eq!(publication.write(&out).unwrap(), [PathBuf::from("sub-1/a.txt")]);
        publication.add("sub-1/b.txt".into(), Content::Same(folder.path().join("none")));
        assert!(publication.write(&out).is_err());
        assert_eq!(fs::read_dir(out.join("sub-1")).unwrap().count(), 0);
    }

    #[test]
    fn files_are_linked_and_only_those_below_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, "text").unwrap();
        let out = folder.path().join("out");
        let mut publication = Publication::default();
        publication.add("a".into(), Content::Same(source.clone()));
        // Twice: the second time the name is there, and is that of the same file.
        for _ in 0..2 {
            publication.write(&out).unwrap();
            assert_eq!(fs::read(out.join("a")).unwrap(), b"text");
            assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        }
        assert!(!out.join("a").is_symlink());
        for name in ["../source", "/source", "."] {
            assert!(remove(&out, &[name.into()]).is_err(), "{name}");
        }
        remove(&out, &[out.join("a"), "gone".into()]).unwrap();
        assert!(!out.join("a").exists() && source.exists());
    }
}
