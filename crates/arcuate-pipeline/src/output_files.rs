//! Descriptions of the files that commands write. Each command describes a file once, for the user, the
//! record and the report. The report uses only the descriptions in the record, and has no code for single
//! commands.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// Heading of the report section about the scan: its images, gradient directions, noise and metadata.
pub const SCAN_HEADING: &str = "The scan";

/// Title of maps of fractional anisotropy.
pub const FA_TITLE: &str = "Fractional anisotropy";

/// Maximum number of rows of a connectivity matrix that the report draws.
pub const MAX_DRAWN_REGIONS: usize = 2000;

/// Content of an image of five tissues.
pub const FIVE_TISSUES: &str = "Five volumes, MRtrix's 5TT: fractions of cortical grey matter, sub-cortical grey matter, \
    white matter, CSF, pathological tissue";

/// Description of a file that a command writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputFile {
    /// File name, relative to the folder of results.
    pub name: Cow<'static, str>,
    /// Title of the file.
    pub title: Cow<'static, str>,
    /// Description of the values, units, shape and axes of the file. Empty if the title states these already.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub content: Cow<'static, str>,
    /// How the report shows the file. `None`: the report does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub picture: Option<Picture>,
}

/// How the report shows a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Caption of the picture, with information that is not in its title.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub caption: Cow<'static, str>,
    /// Kind of the picture.
    #[serde(flatten)]
    pub kind: Kind,
}

/// Maximum number of mask outlines that are drawn on a map. More lines would be hard to distinguish.
pub const MAX_OUTLINES: usize = 8;

/// Kinds of pictures in the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// Slices of a 3-D image, or of an image of directions, which are shown in colour.
    Map(Map),
    /// A mask. If there is an anatomical image, the outline of the mask is drawn on it. If not, the mask is
    /// drawn as a map.
    Mask,
    /// Gradient directions and b-values of a scan (a CSV table), drawn as points on a sphere.
    Gradients,
    /// Number of fibres in each voxel. The file contains the volume fraction of the first fibre, and the
    /// images `others` contain those of the other fibres. A fibre counts if its volume fraction is at least
    /// `least`.
    Fibres {
        /// Images of the volume fractions of the other fibres.
        others: Vec<Cow<'static, str>>,
        /// Minimum volume fraction of a fibre that counts.
        least: f32,
    },
    /// A 3-D image of numbers of objects, with a histogram of its nonzero values.
    Counts {
        /// Name, in the plural, of the objects that are counted, for example "segments" in "number of
        /// segments in each voxel".
        unit: Cow<'static, str>,
        /// Name, in the singular, of the place in which the objects are counted, for example "voxel" in
        /// "number of segments in each voxel".
        of: Cow<'static, str>,
    },
    /// A histogram of numbers, one per streamline.
    Weights {
        /// Unit of the numbers.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        unit: Cow<'static, str>,
    },
    /// Streamlines in the interactive viewer.
    Streamlines {
        /// File with one weight per streamline.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Cow<'static, str>>,
    },
    /// Streamlines in the interactive viewer. Each streamline has a value that determines its colour. A
    /// histogram of these values is shown, too.
    Values {
        /// Name of the values in the tractogram.
        data: Cow<'static, str>,
        /// Short name of the values, one word.
        name: Cow<'static, str>,
        /// Full name of the values.
        quantity: Cow<'static, str>,
    },
    /// A square connectivity matrix, with one row for each region in the file `regions`.
    Matrix {
        /// Name of the quantity in the matrix.
        quantity: Cow<'static, str>,
        /// File with the name of the region of each matrix row.
        regions: Cow<'static, str>,
        /// True if the matrix is also drawn as a diagram of regions on a circle, with lines for the
        /// connections.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        circle: bool,
    },
    /// Curves of some columns of a CSV table, plotted against the logarithm of another column.
    Curves {
        /// Table column of the horizontal axis, and the label of this axis.
        over: Cow<'static, str>,
        /// Column that numbers the rows.
        step: Cow<'static, str>,
        /// Table column and label of each curve.
        columns: Vec<[Cow<'static, str>; 2]>,
    },
    /// Measured and predicted signals of a voxel (a CSV table). The plot is the first picture of the report
    /// section `section`.
    Signals {
        /// Label of the horizontal axis, which is the quantity that the signals are plotted against.
        place: Cow<'static, str>,
        /// Heading of the report section.
        section: Cow<'static, str>,
    },
    /// Measured signals of example voxels, and the signals that several models predict. The file is a CSV
    /// table with one column of predictions per model. The voxels are marked on `map`, an image of the number
    /// of the best model in each voxel.
    Examples {
        /// Heading of the report section.
        section: Cow<'static, str>,
        /// Image of the number of the best model in each voxel.
        map: Cow<'static, str>,
        /// Names of the models, in the order of their numbers in `map`.
        models: Vec<Cow<'static, str>>,
        /// The example voxels.
        voxels: Vec<ExampleVoxel>,
    },
    /// Values at the vertices of surfaces, shown in the viewer. `surfaces` are inputs that the record lists.
    /// The viewer shows the surfaces for which the file has values.
    Vertices {
        /// Paths of the surfaces, as the record lists them.
        surfaces: Vec<Cow<'static, str>>,
        /// Name of the values, in the plural.
        quantity: Cow<'static, str>,
        /// Position, in mm, of the seed whose connections a map of the file shows; one position per map.
        /// Empty if the maps do not belong to seeds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        places: Vec<[f64; 3]>,
    },
    /// Fibre orientation distributions, as coefficients of spherical harmonics in MRtrix's basis. An enlarged
    /// slice shows them as glyphs.
    Distributions,
    /// Fractions of five tissues (MRtrix's 5TT image), shown as a map in three colours. In the viewer, the
    /// colour of a streamline shows the tissues in which it terminates.
    Tissues,
    /// Fibre directions of each voxel, as vectors in scanner axes with three volumes per vector. The length
    /// of a vector is the weight of its direction. An enlarged slice shows the vectors as sticks.
    Sticks,
    /// Response function of a tissue (MRtrix's text format), plotted as one curve per shell.
    Response {
        /// Name of the tissue.
        tissue: Cow<'static, str>,
    },
    /// Posterior samples of parameters in some voxels, in the order of the Markov chains (a CSV table).
    Traces {
        /// Heading of the report section.
        section: Cow<'static, str>,
        /// Columns of the table.
        parameters: Vec<TracedParameter>,
        /// Voxels of the table.
        voxels: Vec<TracedVoxel>,
    },
}

/// A voxel whose signals the report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleVoxel {
    /// Indices of the voxel in the image.
    pub at: [usize; 3],
    /// Title, which states what the voxel is an example of.
    pub title: String,
    /// Text that explains why the voxel was chosen, and what its signals show.
    pub text: String,
    /// Label of the horizontal axis of the plot of signals.
    pub place: String,
    /// Mean signal of the voxel at b = 0. The signals are shown relative to this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unweighted: Option<f64>,
    /// Text about the goodness of fit of each model; one per model.
    pub notes: Vec<String>,
}

/// A column of a table of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedParameter {
    /// Name of the column in the table.
    pub column: String,
    /// Label of the parameter in the report, with the unit that the report uses.
    pub label: String,
    /// Factor that converts the values in the table to the unit in the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f32>,
}

/// A voxel whose samples the report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedVoxel {
    /// Voxel indices.
    pub at: [usize; 3],
    /// Summary of the samples of each parameter.
    pub notes: Vec<String>,
}

/// How the report shows an image.
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the record, absent unless true")]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Map {
    /// True if the three volumes of the image are the components of a direction, which is shown in colour.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub directions: bool,
    /// True if the components of the directions are along the voxel axes, in FSL's convention. False if they
    /// are along the scanner axes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub voxel_axes: bool,
    /// If the image contains directions: the image that scales the brightness of their colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_by: Option<Cow<'static, str>>,
    /// Unit of the values that are shown, which are those of the file times `factor`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub unit: Cow<'static, str>,
    /// Factor by which the values of the file are multiplied before they are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f32>,
    /// Values at the lower and upper end of the colour scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<[f32; 2]>,
    /// Image file whose 99th percentile is the upper end of the colour scale. Two maps with the same file
    /// here have the same colour scale. This file replaces `window`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_of: Option<Cow<'static, str>>,
    /// True if the map has a heat colour scale (black through red to pale yellow). False if it has a grey
    /// scale.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heat: bool,
    /// Names of the classes of an image of labels, for the values 1, 2, … Each class has its own colour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Cow<'static, str>>,
    /// Names of the quantities in the three volumes of the image, which are shown together as the red, green
    /// and blue parts of a colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture: Option<[Cow<'static, str>; 3]>,
    /// True if the report also shows a histogram of the values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub histogram: bool,
    /// True if the map is less important. The report shows it after the other maps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// True if the map shows anatomy. The report then draws streamlines and sparse maps (maps that are 0 in
    /// most voxels) on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backdrop: bool,
    /// True if the interactive viewer also shows the map, on top of an anatomical image.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overlay: bool,
    /// Masks whose outlines are drawn on the map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<Outline>,
    /// Heading of the report section that contains the map. If it is empty, the map is in the section of
    /// maps.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub section: Cow<'static, str>,
}

/// A mask whose outline is drawn on a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// File of the mask.
    pub file: Cow<'static, str>,
    /// Name of the mask.
    pub name: Cow<'static, str>,
    /// Index of the volume that contains the mask.
    #[serde(default, skip_serializing_if = "is_first")]
    pub volume: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_first(volume: &usize) -> bool {
    *volume == 0
}

impl Outline {
    /// Creates the outline of the mask in the first volume of a file.
    pub fn new(file: impl Into<Cow<'static, str>>, name: impl Into<Cow<'static, str>>) -> Self {
        Self { file: file.into(), name: name.into(), volume: 0 }
    }
}

impl OutputFile {
    /// Describes a file that the report does not show.
    #[doc(hidden)]
    pub fn file(name: impl Into<Cow<'static, str>>, title: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), title: title.into(), content: "".into(), picture: None }
    }

    /// Describes a file that the report shows.
    #[doc(hidden)]
    pub fn shown(
        name: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        kind: Kind,
    ) -> Self {
        Self { picture: Some(Picture { caption: "".into(), kind }), ..Self::file(name, title) }
    }

    /// Describes a map of fractional anisotropy (FA). The report draws streamlines on this map.
    #[doc(hidden)]
    pub fn fractional_anisotropy(name: &'static str) -> Self {
        let map = Map { window: Some([0.0, 1.0]), backdrop: true, ..Map::default() };
        Self::shown(name, FA_TITLE, Kind::Map(map))
    }

    /// Describes a map with a heat colour scale (black through red to pale yellow) from the first to the
    /// second value of `window`.
    #[doc(hidden)]
    pub fn heat_between(name: impl Into<Cow<'static, str>>, title: &'static str, window: [f32; 2]) -> Self {
        Self::shown(name, title, Kind::Map(Map { window: Some(window), heat: true, ..Map::default() }))
    }

    /// Describes a map in the unit `unit`, with a heat colour scale (black through red to pale yellow). The
    /// upper end of the scale is the 99th percentile of the image file `scale`.
    #[doc(hidden)]
    pub fn heat(name: &'static str, title: &'static str, scale: &'static str, unit: &'static str) -> Self {
        let map = Map { window_of: Some(scale.into()), heat: true, unit: unit.into(), ..Map::default() };
        Self::shown(name, title, Kind::Map(map))
    }

    /// Adds the description of the values, units, shape and axes of the file.
    #[doc(hidden)]
    pub fn with_content(mut self, content: impl Into<Cow<'static, str>>) -> Self {
        self.content = content.into();
        self
    }

    /// Adds a caption to the picture.
    #[doc(hidden)]
    pub fn with_caption(mut self, caption: impl Into<Cow<'static, str>>) -> Self {
        if let Some(picture) = &mut self.picture {
            picture.caption = caption.into();
        }
        self
    }

    /// Returns the description with `folder` added before all of its file names. They are then relative to a
    /// parent folder of the results.
    #[doc(hidden)]
    pub fn moved(self, folder: &Path) -> Self {
        self.named(|name| folder.join(name).to_string_lossy().into_owned())
    }

    /// Returns the description with each of its file names replaced by the name that the function `new`
    /// returns.
    #[doc(hidden)]
    pub fn named(mut self, new: impl Fn(&str) -> String) -> Self {
        for name in self.names_mut() {
            *name = new(name).into();
        }
        self
    }

    /// Returns the names of all files in the description: the file itself and the files that its picture
    /// uses.
    #[doc(hidden)]
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

    /// Checks whether the pictures of two files show the same content. This is the case for maps with the
    /// same title and the same display settings, and for pictures of the scan itself.
    #[doc(hidden)]
    pub fn shows_same_content(&self, other: &Self) -> bool {
        let of_the_scan = |output_file: &Self| match output_file.picture.as_ref().map(|picture| &picture.kind)
        {
            Some(Kind::Map(map)) => map.section == SCAN_HEADING,
            Some(Kind::Gradients) => true,
            _ => false,
        };
        let is_map = matches!(self.picture, Some(Picture { kind: Kind::Map(_), .. }));
        let are_alike = is_map && self.picture == other.picture || of_the_scan(self) && of_the_scan(other);
        are_alike && self.title == other.title
    }

    /// Marks the map as less important, so that the report shows it after the other maps.
    #[doc(hidden)]
    pub fn aside(mut self) -> Self {
        if let Some(Picture { kind: Kind::Map(map), .. }) = &mut self.picture {
            map.aside = true;
        }
        self
    }

    /// Removes the file from the report.
    #[doc(hidden)]
    pub fn without_picture(self) -> Self {
        Self { picture: None, ..self }
    }
}
