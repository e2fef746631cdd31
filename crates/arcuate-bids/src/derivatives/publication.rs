//! Plans the names and contents of all published files before the first file is written.

use super::sidecars::Sidecar;
use super::staging::Staging;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{AtomicFile, WriteOptions, read_volume, write_file, write_image};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The content of a published file.
#[derive(Debug)]
pub(super) enum Content {
    /// The published file has the same content as this existing file.
    Same(PathBuf),
    /// The published file is an image whose volumes are those of one or several existing images, in sequence.
    /// If an order is given, the volumes of each existing image are reordered.
    Images(Vec<PathBuf>, Option<&'static [usize]>),
    /// The content is a text.
    Text(String),
}

/// The files of the derivatives that will be written. Their paths are relative to the root folder of the
/// derivatives.
#[derive(Debug, Default)]
pub(super) struct Publication {
    files: Vec<(String, Content)>,
}

impl Publication {
    /// Adds a file with this name and content to the plan.
    pub(super) fn add(&mut self, name: String, content: Content) {
        self.files.push((name, content));
    }

    /// Adds a sidecar file with this name.
    pub(super) fn add_sidecar(&mut self, name: String, sidecar: Sidecar) {
        self.add(name, Content::Text(format!("{:#}\n", Value::from(sidecar))));
    }

    /// Writes the planned files under temporary names below the folder `out`. If a file cannot be written,
    /// all files written so far are removed.
    pub(super) fn stage(&self, out: &Path, label: &str) -> Result<Staging> {
        let mut staging = Staging::new(out, label);
        for (name, content) in &self.files {
            let place = staging.place(name)?;
            // The error message states the final path of the published file, because users do not know its
            // temporary path.
            content.write(&place).map_err(|error| {
                error.with_subject(|subject| {
                    (place == Path::new(subject)).then(|| out.join(name).display().to_string())
                })
            })?;
        }
        Ok(staging)
    }
}

impl Content {
    fn write(&self, path: &Path) -> Result<()> {
        match self {
            Self::Same(source) => link(source, path),
            Self::Images(sources, order) => {
                write_image(path, &stacked(sources, *order)?, &WriteOptions::default())
            }
            Self::Text(text) => write_file(path, text),
        }
    }
}

/// Creates a hard link to the file `source`. If the file system does not support hard links, copies the file;
/// the copy appears under its name only when it is complete.
fn link(source: &Path, path: &Path) -> Result<()> {
    if fs::hard_link(source, path).is_ok() {
        return Ok(());
    }
    let mut from = fs::File::open(source).map_err(|e| Error::read(source, e))?;
    let mut to = AtomicFile::create(path)?;
    std::io::copy(&mut from, &mut to).map_err(|e| Error::write(path, e))?;
    to.finish()
}

/// Returns one image with the volumes of several images in sequence. If `order` is given, the volumes of each
/// image are reordered first.
fn stacked(sources: &[PathBuf], order: Option<&[usize]>) -> Result<Volume<f32>> {
    let read = |path: &PathBuf| {
        let volume = read_volume(path)?;
        let Some(order) = order else { return Ok(volume) };
        if volume.channels() != order.len() {
            let problem = format!("the image has {} volumes, not {}", volume.channels(), order.len());
            return Err(Error::invalid(path.display(), problem, "repeat the command that wrote the image"));
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
            let problem = format!(
                "the voxel grid of this image differs from the voxel grid of {}",
                sources[0].display()
            );
            return Err(Error::invalid(
                path.display(),
                problem,
                "repeat the command that wrote these two images",
            ));
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
    fn failed_publications_leave_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut publication = Publication::default();
        publication.add("sub-1/a.txt".into(), Content::Text("a".into()));
        let names = publication.stage(&out, "sub-1").unwrap().exchange(&[]).unwrap();
        assert_eq!(names, [PathBuf::from("sub-1/a.txt")]);
        publication.files[0].1 = Content::Text("other".into());
        publication.add("sub-1/b.txt".into(), Content::Same(folder.path().join("none")));
        assert!(publication.stage(&out, "sub-1").is_err());
        assert_eq!(fs::read_dir(out.join("sub-1")).unwrap().count(), 1);
        assert_eq!(fs::read(out.join("sub-1/a.txt")).unwrap(), b"a");
    }

    #[test]
    fn files_are_linked() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, "text").unwrap();
        let out = folder.path().join("out");
        let mut publication = Publication::default();
        publication.add("a".into(), Content::Same(source.clone()));
        // In the second iteration of this loop, the file at the target path exists already: it is a hard link
        // to the same source.
        for _ in 0..2 {
            publication.stage(&out, "sub-1").unwrap().exchange(&["a".into()]).unwrap();
            assert_eq!(fs::read(out.join("a")).unwrap(), b"text");
            assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        }
        assert!(!out.join("a").is_symlink());
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let identity = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).unwrap();
            assert_eq!(identity(&out.join("a")), identity(&source));
        }
    }
}
