//! What commands write, said once by each: for the user, for the record, and for the report, which shows what the record
//! says without knowing the command.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// The heading that all of the scan stands under.
pub const OF_THE_SCAN: &str = "The scan";

/// A matrix that is drawn has at most so many rows.
pub const MOST_REGIONS: usize = 2000;

/// A file that a command writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputFile {
    /// Its name in the folder of results.
    pub name: Cow<'static, str>,
    /// What it is.
    pub title: Cow<'static, str>,
    /// How the report shows it; nothing where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

/// How the report shows a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// What the picture says that its title does not.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub caption: Cow<'static, str>,
    /// What is drawn.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The kinds of pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// Slices of a 3-D image, or of directions in colour.
    Map(Map),
    /// A mask, as a line on the image that is shown below; as a map where there is none.
    Mask,
    /// Directions and b-values of a scan, a table (CSV), on the sphere.
    Gradients,
    /// How many fibres each voxel has: of this image of parts of the signal, and of those of further fibres, those count that
    /// are at least `least`.
    Fibres {
        /// Images of further fibres.
        others: Vec<Cow<'static, str>>,
        /// Fractions below this are none.
        least: f32,
    },
    /// A histogram of a 3-D image of counts where they are not 0, and the image; `of` is what has counts, in the singular.
    Counts {
        /// What is counted, in the plural.
        unit: Cow<'static, str>,
        /// What has counts, in the singular.
        of: Cow<'static, str>,
    },
    /// A histogram of numbers, one per streamline, in this unit.
    Weights {
        /// The unit.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        unit: Cow<'static, str>,
    },
    /// The interactive viewer; `weights` is a file with a number for each streamline.
    Streamlines {
        /// The file of their weights.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Cow<'static, str>>,
    },
    /// The interactive viewer with streamlines in the colours of numbers of theirs, and a histogram of these: `data` is their
    /// name in the tractogram, `name` says what they are in a word, `quantity` in full.
    Values {
        /// Their name in the tractogram.
        data: Cow<'static, str>,
        /// What they are, in a word.
        name: Cow<'static, str>,
        /// In full.
        quantity: Cow<'static, str>,
    },
    /// A square matrix, one row for each region of the file `regions`.
    Matrix {
        /// What it is of.
        quantity: Cow<'static, str>,
        /// The file that says which region each row is.
        regions: Cow<'static, str>,
        /// Whether it is drawn as a circle of regions too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        circle: bool,
    },
    /// Columns of a table (CSV) over the logarithm of another.
    Curves {
        /// The column that they are over, and what it is.
        over: Cow<'static, str>,
        /// The column that numbers the rows.
        step: Cow<'static, str>,
        /// Columns and what they are.
        columns: Vec<[Cow<'static, str>; 2]>,
    },
    /// Measured and predicted signals of a voxel, a table (CSV): `place` says what the places of its measurements are. Under the
    /// heading `section`, before what else stands there.
    Signals {
        /// What the places of its measurements are.
        place: Cow<'static, str>,
        /// Its heading.
        section: Cow<'static, str>,
    },
    /// Measured signals of voxels and those that several models predict, a table (CSV) with a column for each model, under the
    /// heading `section`. `map` is an image with the number of a model in each voxel, on which the voxels are shown.
    Examples {
        /// Its heading.
        section: Cow<'static, str>,
        /// The image that voxels are shown on.
        map: Cow<'static, str>,
        /// Names of models, by their numbers.
        models: Vec<Cow<'static, str>>,
        /// The voxels.
        voxels: Vec<ExampleVoxel>,
    },
    /// Values at the vertices of surfaces, seen on them in the viewer: of `surfaces`, which are inputs by the paths that the record
    /// has, those that the file has values of.
    Vertices {
        /// Paths of the surfaces.
        surfaces: Vec<Cow<'static, str>>,
        /// What the values are, in the plural.
        quantity: Cow<'static, str>,
        /// The place in mm that each of its maps is of, where these are of places.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        places: Vec<[f64; 3]>,
    },
    /// Fibre orientation distributions, coefficients of MRtrix's spherical harmonics, as surfaces where a slice is opened large.
    Distributions,
    /// Fractions of five tissues (MRtrix's 5TT), as a map of three colours; streamlines have the colours of the tissues that they end in.
    Tissues,
    /// Directions in scanner axes that are as long as they count, three volumes for each, as sticks where a slice is opened large.
    Sticks,
    /// The response function of a tissue, MRtrix's text, as a curve for each shell.
    Response {
        /// The tissue.
        tissue: Cow<'static, str>,
    },
    /// Samples of voxels in the order of Markov chains, a table (CSV), under the heading `section`.
    Traces {
        /// Its heading.
        section: Cow<'static, str>,
        /// Columns of the table.
        parameters: Vec<TracedParameter>,
        /// The voxels.
        voxels: Vec<TracedVoxel>,
    },
}

/// A voxel whose signals are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleVoxel {
    /// Its place in the image.
    pub at: [usize; 3],
    /// What it is an example of.
    pub title: String,
    /// Why it was chosen, and what it shows.
    pub text: String,
    /// What the places of its measurements are.
    pub place: String,
    /// Its mean signal at b = 0, which signals are shown in parts of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unweighted: Option<f64>,
    /// How well each model describes it.
    pub notes: Vec<String>,
}

/// A column of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedParameter {
    /// Its name in the table.
    pub column: String,
    /// What it is, with the unit in which the report shows it.
    pub label: String,
    /// What values of the table are multiplied by, to be in that unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f32>,
}

/// A voxel whose samples are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedVoxel {
    /// Its place in the image.
    pub at: [usize; 3],
    /// What is known of its samples as a whole, parameter by parameter.
    pub notes: Vec<String>,
}

/// How an image is shown.
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the record, absent unless true")]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Map {
    /// Whether its three volumes are a direction in colour.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub directions: bool,
    /// Whether the directions are along the axes of the voxels, as FSL counts them, and not along the scanner's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub voxel_axes: bool,
    /// Of directions: the image that their colours are weighted with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_by: Option<Cow<'static, str>>,
    /// Unit of the values times `factor`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub unit: Cow<'static, str>,
    /// What values are multiplied by where they are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f32>,
    /// The values at both ends of the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<[f32; 2]>,
    /// Instead: the file whose 99th percentile is the upper end, so that two maps share a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_of: Option<Cow<'static, str>>,
    /// In the colours of heat instead of grey.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heat: bool,
    /// What its whole numbers from 1 on stand for: it is shown in as many colours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Cow<'static, str>>,
    /// What its three volumes are amounts of, which are seen together in red, green and blue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture: Option<[Cow<'static, str>; 3]>,
    /// Whether how its values are spread is shown too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub histogram: bool,
    /// Whether it comes after those that say more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// Whether it is anatomy: streamlines, and maps that are 0 in most voxels, are shown before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backdrop: bool,
    /// Whether the viewer has it too, over anatomy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overlay: bool,
    /// Masks whose outlines are drawn on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<Outline>,
    /// The heading that it stands under, where that is not the one of all maps.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub section: Cow<'static, str>,
}

/// A mask whose outline is drawn on a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Its file.
    pub file: Cow<'static, str>,
    /// What it is.
    pub name: Cow<'static, str>,
    /// Which of its volumes the mask is.
    #[serde(default, skip_serializing_if = "is_first")]
    pub volume: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_first(volume: &usize) -> bool {
    *volume == 0
}

impl Outline {
    /// The first volume of a mask.
    pub fn new(file: impl Into<Cow<'static, str>>, name: impl Into<Cow<'static, str>>) -> Self {
        Self { file: file.into(), name: name.into(), volume: 0 }
    }
}

impl OutputFile {
    /// A file that the report does not show.
    pub fn file(name: impl Into<Cow<'static, str>>, title: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), title: title.into(), picture: None }
    }

    /// A file and how it is shown.
    pub fn shown(
        name: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        kind: Kind,
    ) -> Self {
        Self { picture: Some(Picture { caption: "".into(), kind }), ..Self::file(name, title) }
    }

    /// FA, before which streamlines are shown.
    pub fn fractional_anisotropy(name: &'static str) -> Self {
        let map = Map { window: Some([0.0, 1.0]), backdrop: true, ..Map::default() };
        Self::shown(name, "Fractional anisotropy", Kind::Map(map))
    }

    /// A map in the colours of heat from one value to another.
    pub fn heat_between(name: impl Into<Cow<'static, str>>, title: &'static str, window: [f32; 2]) -> Self {
        Self::shown(name, title, Kind::Map(Map { window: Some(window), heat: true, ..Map::default() }))
    }

    /// A map in the colours of heat, in a unit, up to the 99th percentile of the values of the file `scale`.
    pub fn heat(name: &'static str, title: &'static str, scale: &'static str, unit: &'static str) -> Self {
        let map = Map { window_of: Some(scale.into()), heat: true, unit: unit.into(), ..Map::default() };
        Self::shown(name, title, Kind::Map(map))
    }

    /// With a text under the picture.
    pub fn with_caption(mut self, caption: impl Into<Cow<'static, str>>) -> Self {
        if let Some(picture) = &mut self.picture {
            picture.caption = caption.into();
        }
        self
    }

    /// The same file seen from another folder, in which its own is `folder`.
    pub fn moved(self, folder: &Path) -> Self {
        self.named(|name| folder.join(name).to_string_lossy().into_owned())
    }

    /// The same with other names of all its files.
    pub fn named(mut self, new: impl Fn(&str) -> String) -> Self {
        for name in self.names_mut() {
            *name = new(name).into();
        }
        self
    }

    /// The names of all files that it is about: its own, and that of the one its picture takes something from.
    pub fn names(&self) -> Vec<Cow<'static, str>> {
        self.clone().names_mut().into_iter().map(std::mem::take).collect()
    }

    fn names_mut(&mut self) -> Vec<&mut Cow<'static, str>> {
        let others: Vec<&mut Cow<'static, str>> = match self.picture.as_mut().map(|picture| &mut picture.kind)
        {
            Some(Kind::Map(map)) => {
                let outlines = map.outlines.iter_mut().map(|outline| &mut outline.file);
                map.window_of.iter_mut().chain(&mut map.weighted_by).chain(outlines).collect()
            }
            Some(Kind::Streamlines { weights }) => weights.iter_mut().collect(),
            Some(Kind::Matrix { regions, .. }) => vec![regions],
            Some(Kind::Fibres { others, .. }) => others.iter_mut().collect(),
            Some(Kind::Examples { map, .. }) => vec![map],
            Some(
                Kind::Mask
                | Kind::Distributions
                | Kind::Tissues
                | Kind::Sticks
                | Kind::Response { .. }
                | Kind::Gradients
                | Kind::Counts { .. }
                | Kind::Weights { .. }
                | Kind::Values { .. }
                | Kind::Curves { .. }
                | Kind::Signals { .. }
                | Kind::Vertices { .. }
                | Kind::Traces { .. },
            )
            | None => Vec::new(),
        };
        std::iter::once(&mut self.name).chain(others).collect()
    }

    /// Whether both show the same: maps of one quantity, shown alike, or the scan itself.
    pub fn shows_what(&self, other: &Self) -> bool {
        let of_the_scan = |output_file: &Self| match output_file.picture.as_ref().map(|picture| &picture.kind)
        {
            Some(Kind::Map(map)) => map.section == OF_THE_SCAN,
            Some(Kind::Gradients) => true,
            _ => false,
        };
        let is_map = matches!(self.picture, Some(Picture { kind: Kind::Map(_), .. }));
        let are_alike = is_map && self.picture == other.picture || of_the_scan(self) && of_the_scan(other);
        are_alike && self.title == other.title
    }

    /// After the maps that say more.
    pub fn aside(mut self) -> Self {
        if let Some(Picture { kind: Kind::Map(map), .. }) = &mut self.picture {
            map.aside = true;
        }
        self
    }

    /// Not in the report.
    pub fn unseen(self) -> Self {
        Self { picture: None, ..self }
    }
}
