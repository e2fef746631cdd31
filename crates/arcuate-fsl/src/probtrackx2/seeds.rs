//! Seeds of probtrackx2, and the rows of the results that belong to them.

use super::options::{Mode, Request};
use super::rois::{self, Reference, Roi, RoiFile, listed};
use super::text;
use crate::subject::require_image;
use arcuate_core::{Error, Mapping, Result};
use arcuate_io::{LARGEST_TEXT, read_text_file};
use arcuate_pipeline::space::image_grid;
use arcuate_track::{Jitter, Seeds};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files or the points from which the seeds are read later.
pub(super) enum SeedFiles {
    /// The seeds are regions.
    Regions(Vec<RoiFile>),
    /// The seeds are points of a table.
    Points(Vec<SeedPoint>),
}

/// A seed point in voxel indices of the reference image.
pub(super) struct SeedPoint {
    pub(super) voxel: [f64; 3],
    /// Coordinates as written in the table.
    pub(super) words: [String; 3],
}

impl SeedFiles {
    /// Finds the seed files or reads the seed points. Returns an error if the given seeds do not fit the mode
    /// of the run.
    pub(super) fn find(request: &Request) -> Result<Self> {
        if request.mode == Mode::Simple {
            return points(&request.seed).map(Self::Points);
        }
        let (files, is_list) = listed("seed", &request.seed)?;
        if request.mode == Mode::Network && (files.len() < 2 || !is_list) {
            let problem = "a network needs a text file of two regions or more";
            return Err(Error::invalid(
                request.seed.display(),
                problem,
                "give a text file of regions as --seed, or remove --network",
            ));
        }
        Ok(Self::Regions(files))
    }

    /// Returns the paths of the files from which the seeds are read.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Regions(files) => files.iter().map(|file| file.path.clone()).collect(),
            Self::Points(_) => Vec::new(),
        }
    }

    /// Returns the reference image. It is the first image among the seeds. If there is none, it is the image
    /// of `--seedref`. If this option is not given, it is the mask.
    pub(super) fn reference(&self, request: &Request) -> Result<Reference> {
        let own = match self {
            Self::Regions(files) => files.iter().find(|file| file.is_image).map(|file| file.path.clone()),
            Self::Points(_) => None,
        };
        let path = match (own, &request.seed_reference) {
            (Some(own), _) => own,
            (None, Some(named)) => require_image(named)?,
            (None, None) => require_image(&request.mask)?,
        };
        Ok(Reference { grid: image_grid(&path)?, path, mesh_space: request.mesh_space })
    }

    pub(super) fn read(self, reference: &Reference) -> Result<SeedList> {
        let what = match self {
            Self::Regions(files) => {
                let rois: Result<Vec<Roi>> = files.iter().map(|file| Roi::read(file, reference)).collect();
                SeedKind::Regions(rois?)
            }
            Self::Points(points) => SeedKind::Points(points),
        };
        let list = SeedList { what };
        if list.len() == 0 {
            let problem = "no voxel and no vertex is inside";
            return Err(Error::invalid(
                reference.path.display(),
                problem,
                "give seed regions that have values other than 0",
            ));
        }
        Ok(list)
    }
}

/// Seeds in the order of their lists.
pub(super) struct SeedList {
    what: SeedKind,
}

enum SeedKind {
    Regions(Vec<Roi>),
    Points(Vec<SeedPoint>),
}

impl SeedList {
    /// Returns the regions. Empty if the seeds are points.
    pub(super) fn regions(&self) -> &[Roi] {
        match &self.what {
            SeedKind::Regions(rois) => rois,
            SeedKind::Points(_) => &[],
        }
    }

    pub(super) fn points(&self) -> &[SeedPoint] {
        match &self.what {
            SeedKind::Regions(_) => &[],
            SeedKind::Points(points) => points,
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.what {
            SeedKind::Regions(rois) => rois::count(rois),
            SeedKind::Points(points) => points.len(),
        }
    }

    /// For each seed region, returns the range of the indices of its seeds.
    pub(super) fn of_regions(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let mut next = |count: usize| {
            let begin = end;
            end += count;
            begin..end
        };
        self.regions().iter().map(|roi| next(roi.len())).collect()
    }

    /// Returns the seeds in the form that the tracking library needs, with the requested number of
    /// streamlines per seed.
    pub(super) fn seeds(
        &self,
        request: &Request,
        reference: &Reference,
        to_field: Option<&Arc<Mapping>>,
    ) -> Seeds {
        let grid = &reference.grid;
        let points = match &self.what {
            SeedKind::Regions(rois) => rois.iter().flat_map(|roi| roi.places(grid)).collect(),
            SeedKind::Points(points) => points.iter().map(|point| grid.affine().apply(point.voxel)).collect(),
        };
        let jitter = if request.radius_mm > 0.0 { Jitter::BallMm(request.radius_mm) } else { Jitter::None };
        Seeds::Points { points, mapping: to_field.cloned(), each: request.each, jitter }
    }

    /// Creates FSL's coordinate table of the seeds.
    pub(super) fn coordinates(&self, reference: &Reference) -> String {
        match &self.what {
            SeedKind::Regions(rois) => rois::coordinates(rois, &reference.grid),
            SeedKind::Points(points) => {
                let row = |(n, point): (usize, &SeedPoint)| {
                    let [x, y, z] = point.voxel;
                    text::row([x, y, z, 0.0, n as f64 + 1.0])
                };
                points.iter().enumerate().map(row).collect()
            }
        }
    }
}

/// Reads seed points from a text file that has a table with three columns or three rows. Lines before the
/// first number are ignored.
fn points(path: &Path) -> Result<Vec<SeedPoint>> {
    if !path.exists() {
        let advice = "give a text file of voxels as --seed, x y z a line";
        return Err(Error::no_file(path, advice));
    }
    let refuse = |problem: String| {
        Err(Error::invalid(
            path.display(),
            problem,
            "as --seed, give a text file with the x, y and z of one seed voxel per line",
        ))
    };
    let text = read_text_file(path, LARGEST_TEXT)?;
    let begins = |line: &&str| line.split_whitespace().next().is_some_and(|word| word.parse::<f64>().is_ok());
    let lines = text.lines().skip_while(|line| !begins(line)).filter(|line| !line.trim().is_empty());
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split_whitespace().collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    if let Some(n) = rows.iter().position(|row| row.len() != columns) {
        return refuse(format!("row {} has {} numbers where the first has {columns}", n + 1, rows[n].len()));
    }
    let all: Vec<[&str; 3]> = match (rows.as_slice(), columns) {
        ([], _) => return refuse("it holds no number".to_owned()),
        (rows, 3) => rows.iter().map(|row| [row[0], row[1], row[2]]).collect(),
        ([x, y, z], _) => (0..columns).map(|n| [x[n], y[n], z[n]]).collect(),
        (rows, _) => return refuse(format!("it is a table of {} rows and {columns} columns", rows.len())),
    };
    let mut found = Vec::new();
    for words in all {
        let numbers = words.map(|word| word.parse::<f64>().ok().filter(|number| number.is_finite()));
        let [Some(x), Some(y), Some(z)] = numbers else {
            return refuse(format!("`{}` is not a point", words.join(" ")));
        };
        found.push(SeedPoint { voxel: [x, y, z], words: words.map(str::to_owned) });
    }
    Ok(found)
}
