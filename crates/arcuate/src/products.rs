//! What commands write, said once by each: for the user, for the record, and for the report, which shows what the record
//! says without knowing the command.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// A file that a command writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Product {
    /// Its name in the folder of results.
    pub(crate) name: Cow<'static, str>,
    /// What it is.
    pub(crate) title: Cow<'static, str>,
    /// How the report shows it; nothing where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<Picture>,
}

/// How the report shows a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Picture {
    /// What the picture says that its title does not.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub(crate) caption: Cow<'static, str>,
    #[serde(flatten)]
    pub(crate) kind: Kind,
}

/// The kinds of pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Slices of a 3-D image, or of directions in colour.
    Map(Map),
    /// A histogram of a 3-D image of counts where they are not 0, and the image; `of` is what has counts, in the singular.
    Counts { unit: Cow<'static, str>, of: Cow<'static, str> },
    /// A histogram of numbers, one per streamline.
    Weights,
    /// The interactive viewer; `weights` is a file with a number for each streamline.
    Streamlines {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<Cow<'static, str>>,
    },
    /// The interactive viewer with streamlines in the colours of numbers of theirs, and a histogram of these: `data` is their
    /// name in the tractogram, `name` says what they are in a word, `quantity` in full.
    Values { data: Cow<'static, str>, name: Cow<'static, str>, quantity: Cow<'static, str> },
    /// A square matrix, one row for each region of the file `regions`.
    Matrix { quantity: Cow<'static, str>, regions: Cow<'static, str> },
    /// Columns of a table (CSV) over the logarithm of another.
    Curves { over: Cow<'static, str>, step: Cow<'static, str>, columns: Vec<[Cow<'static, str>; 2]> },
    /// Measured and predicted signals of a voxel, a table (CSV): `place` says what the places of its measurements are. Under the
    /// heading `section`, before what else stands there.
    Signals { place: Cow<'static, str>, section: Cow<'static, str> },
    /// Samples of voxels in the order of Markov chains, a table (CSV), under the heading `section`.
    Traces { section: Cow<'static, str>, parameters: Vec<TracedParameter>, voxels: Vec<TracedVoxel> },
}

/// A column of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TracedParameter {
    pub(crate) column: String,
    /// What it is, with its unit.
    pub(crate) label: String,
}

/// A voxel whose samples are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TracedVoxel {
    pub(crate) at: [usize; 3],
    /// What is known of its samples as a whole, parameter by parameter.
    pub(crate) notes: Vec<String>,
}

/// How an image is shown.
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the record, absent unless true")]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Map {
    /// Whether its three volumes are a direction in colour.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) directions: bool,
    /// Unit of the values times `factor`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub(crate) unit: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) factor: Option<f32>,
    /// The values at both ends of the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) window: Option<[f32; 2]>,
    /// Instead: the file whose 99th percentile is the upper end, so that two maps share a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) window_of: Option<Cow<'static, str>>,
    /// In the colours of heat instead of grey.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) heat: bool,
    /// What its whole numbers from 1 on stand for: it is shown in as many colours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) classes: Vec<Cow<'static, str>>,
    /// Whether how its values are spread is shown too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) histogram: bool,
    /// Whether it comes after those that say more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) aside: bool,
    /// Whether streamlines are shown before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) backdrop: bool,
}

impl Product {
    /// A file that the report does not show.
    pub(crate) fn file(name: impl Into<Cow<'static, str>>, title: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), title: title.into(), picture: None }
    }

    /// A file and how it is shown.
    pub(crate) fn shown(
        name: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        kind: Kind,
    ) -> Self {
        Self { picture: Some(Picture { caption: "".into(), kind }), ..Self::file(name, title) }
    }

    /// FA, before which streamlines are shown.
    pub(crate) fn fractional_anisotropy(name: &'static str) -> Self {
        let map = Map { window: Some([0.0, 1.0]), backdrop: true, ..Map::default() };
        Self::shown(name, "Fractional anisotropy", Kind::Map(map))
    }

    /// A map in grey from one value to another.
    pub(crate) fn map(name: impl Into<Cow<'static, str>>, title: &'static str, window: [f32; 2]) -> Self {
        Self::shown(name, title, Kind::Map(Map { window: Some(window), ..Map::default() }))
    }

    /// A map in the colours of heat, up to the 99th percentile of the values of the file `scale`.
    pub(crate) fn heat(name: &'static str, title: &'static str, scale: &'static str) -> Self {
        let map = Map { window_of: Some(scale.into()), heat: true, ..Map::default() };
        Self::shown(name, title, Kind::Map(map))
    }

    /// With a text under the picture.
    pub(crate) fn with_caption(mut self, caption: &'static str) -> Self {
        if let Some(picture) = &mut self.picture {
            picture.caption = caption.into();
        }
        self
    }

    /// The same file seen from another folder, in which its own is `folder`.
    pub(crate) fn moved(mut self, folder: &Path) -> Self {
        for name in self.names_mut() {
            *name = folder.join(name.as_ref()).to_string_lossy().into_owned().into();
        }
        self
    }

    /// The names of all files that it is about: its own, and that of the one its picture takes something from.
    pub(crate) fn names(&self) -> Vec<Cow<'static, str>> {
        self.clone().names_mut().into_iter().map(std::mem::take).collect()
    }

    fn names_mut(&mut self) -> Vec<&mut Cow<'static, str>> {
        let other = match self.picture.as_mut().map(|picture| &mut picture.kind) {
            Some(Kind::Map(map)) => map.window_of.as_mut(),
            Some(Kind::Streamlines { weights }) => weights.as_mut(),
            Some(Kind::Matrix { regions, .. }) => Some(regions),
            Some(
                Kind::Counts { .. }
                | Kind::Weights
                | Kind::Values { .. }
                | Kind::Curves { .. }
                | Kind::Signals { .. }
                | Kind::Traces { .. },
            )
            | None => None,
        };
        std::iter::once(&mut self.name).chain(other).collect()
    }

    /// Whether both are maps of one quantity, shown alike.
    pub(crate) fn is_the_map_of(&self, other: &Self) -> bool {
        let is_map = matches!(self.picture, Some(Picture { kind: Kind::Map(_), .. }));
        is_map && self.title == other.title && self.picture == other.picture
    }

    /// After the maps that say more.
    pub(crate) fn aside(mut self) -> Self {
        if let Some(Picture { kind: Kind::Map(map), .. }) = &mut self.picture {
            map.aside = true;
        }
        self
    }

    /// Not in the report.
    pub(crate) fn unseen(self) -> Self {
        Self { picture: None, ..self }
    }
}
