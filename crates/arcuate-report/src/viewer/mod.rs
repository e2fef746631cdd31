//! The scene of the page's interactive viewer.

mod embedded;
mod images;
mod surfaces;

use crate::groups::Groups;
use crate::shown_streamlines::{Chosen, Showable};
use arcuate_core::{
    Column, Error, Mask, Result, Scalars, StreamlineGroups, StreamlineSource, Surface, Tractogram, Volume,
};
use images::{SceneImage, SceneRegions};
use serde_json::json;
use surfaces::SceneSurface;

pub(crate) use embedded::Embedded;
pub use surfaces::VertexValues;

/// The contents of the interactive viewer: streamlines, maps, regions and surfaces. They are shown over one
/// or more images of the same brain.
///
/// The size of a page is limited. A scene therefore contains at most
/// [`MAX_STREAMLINES`](Self::MAX_STREAMLINES) streamlines with [`MAX_POINTS`](Self::MAX_POINTS) points in
/// total. If there are more, evenly distributed streamlines are selected. Surfaces have at most
/// [`MAX_TRIANGLES`](Self::MAX_TRIANGLES) triangles in total. If they have more, they are simplified. The
/// page reports the original numbers.
#[derive(Debug, Clone, Default)]
pub struct ViewerScene {
    backgrounds: Vec<SceneImage>,
    maps: Vec<SceneImage>,
    regions: Option<SceneRegions>,
    surfaces: Vec<SceneSurface>,
    values: Vec<VertexValues>,
    tracts: Option<Tracts>,
}

/// A quantity with one value per streamline. In the viewer, the user can colour streamlines by this quantity,
/// and hide those with small values.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamlineQuantity {
    /// The name of the quantity in one or two words, such as `weight`.
    pub name: String,
    /// One value per streamline.
    pub values: Vec<f64>,
    /// True if the colour scale is logarithmic. It suits non-negative values over several decades.
    pub logarithmic: bool,
    /// True if streamlines are initially coloured by this quantity. False if they are initially coloured by
    /// direction.
    pub at_start: bool,
}

impl StreamlineQuantity {
    /// Creates the quantity for streamline weights.
    pub fn weights(values: Vec<f64>) -> Self {
        Self { name: "weight".into(), values, logarithmic: true, at_start: false }
    }

    /// Returns the value that replaces values of the quantity that are not finite.
    fn minimum(&self) -> f64 {
        let finite = self.values.iter().copied().filter(|value| value.is_finite());
        if self.logarithmic { 0.0 } else { finite.reduce(f64::min).unwrap_or(0.0) }
    }
}

#[derive(Debug, Clone)]
struct Tracts {
    streamlines: Tractogram,
    total: usize,
    /// The description of the quantity for the viewer. The values of the selected streamlines are stored with
    /// the streamlines in the file, under the name [`QUANTITY`].
    quantity: Option<serde_json::Value>,
    /// The groups of the streamlines. The group number of each streamline is stored with the streamlines in
    /// the file, under the name [`GROUP`].
    groups: Option<Groups>,
    /// True if streamlines are initially coloured by group. False if they are initially coloured by
    /// direction.
    groups_at_start: bool,
}

/// The names of the values per streamline that the viewer reads from the file: the quantity, and the group
/// number.
const QUANTITY: &str = "quantity";
const GROUP: &str = "group";
impl ViewerScene {
    /// The maximum number of streamlines in a scene.
    pub const MAX_STREAMLINES: usize = 20_000;
    /// The maximum number of points of all streamlines in a scene.
    pub const MAX_POINTS: usize = 1_000_000;
    /// The maximum number of triangles of all surfaces in a scene.
    pub const MAX_TRIANGLES: usize = 300_000;

    /// Creates an empty scene.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a background image to the scene. An image with one channel is shown in gray. `window` has the
    /// values that are shown black and white (default: as in
    /// [`MapPicture::Scalar`](crate::MapPicture::Scalar)). An image with three channels from 0 to 1 is shown
    /// as red, green and blue. If there are several background images, the viewer first shows the one that
    /// was added first.
    pub fn with_background(
        mut self,
        name: impl Into<String>,
        volume: &Volume<f32>,
        window: Option<[f32; 2]>,
        unit: impl Into<String>,
    ) -> Result<Self> {
        let image = SceneImage::new(name.into(), volume, window, unit.into(), &[1, 3])?;
        self.backgrounds.push(image);
        Ok(self)
    }

    /// Adds a map to the scene. Values above 0 are drawn over the background in heat colours. The upper end
    /// of `window` has the brightest colour (default: as in
    /// [`MapPicture::Scalar`](crate::MapPicture::Scalar)). If there are no streamlines, the first map is
    /// shown initially. Returns an error if the map has several values per voxel.
    pub fn with_map(
        mut self,
        name: impl Into<String>,
        volume: &Volume<f32>,
        window: Option<[f32; 2]>,
        unit: impl Into<String>,
    ) -> Result<Self> {
        self.maps.push(SceneImage::new(name.into(), volume, window, unit.into(), &[1])?);
        Ok(self)
    }

    /// Sets at most eight regions of the scene with their names, each in a separate colour. If regions
    /// overlap in a voxel, the first region is shown there. Returns an error if the voxel grids of the
    /// regions differ.
    pub fn with_regions(mut self, regions: &[(String, Mask)]) -> Result<Self> {
        self.regions = SceneRegions::new(regions)?;
        Ok(self)
    }

    /// Adds a surface, in scanner mm.
    pub fn with_surface(mut self, name: impl Into<String>, surface: Surface) -> Self {
        self.surfaces.push(SceneSurface { name: name.into(), surface });
        self
    }

    /// Adds values at the vertices of surfaces that the scene already has. Returns an error if there is not
    /// one value per vertex.
    pub fn with_vertex_values(mut self, values: VertexValues) -> Result<Self> {
        values.require(&self.surfaces)?;
        self.values.push(values);
        Ok(self)
    }

    /// Sets the streamlines of the scene, with an optional quantity. If the tractogram has at most 64 groups
    /// of streamlines, the groups have separate colours. Streamlines of length zero or with points that are
    /// not finite cannot be shown and are omitted.
    pub fn with_streamlines(
        self,
        tractogram: &Tractogram,
        quantity: Option<&StreamlineQuantity>,
    ) -> Result<Self> {
        self.with_streamlines_of(tractogram, &tractogram.groups, quantity)
    }

    /// Sets the streamlines of the scene like [`with_streamlines`](Self::with_streamlines), from a source
    /// (such as a file) that is read twice. While the source is read for the first time, the streamlines that
    /// can be shown are counted. While it is read for the second time, some of them are selected. Only the
    /// selected streamlines are kept in memory.
    pub fn with_streamlines_of(
        mut self,
        source: &dyn StreamlineSource,
        groups: &StreamlineGroups,
        quantity: Option<&StreamlineQuantity>,
    ) -> Result<Self> {
        let mut counted = Showable::default();
        source.stream(&mut counted)?;
        let total = counted.total;
        if let Some(StreamlineQuantity { name, values, .. }) = quantity
            && values.len() != total
        {
            let problem = format!(
                "{name} of the streamlines has {} values, but there are {total} streamlines",
                values.len()
            );
            return Err(Error::invalid("viewer streamlines", problem, "give one value per streamline"));
        }
        let mut chosen = Chosen::of(&counted, [Self::MAX_STREAMLINES, Self::MAX_POINTS]);
        source.stream(&mut chosen)?;
        let Chosen { mut streamlines, numbers, .. } = chosen;
        if let Some(quantity) = quantity {
            let minimum = quantity.minimum();
            let value = |&n: &usize| Some(quantity.values[n]).filter(|value| value.is_finite());
            let values = numbers.iter().map(|n| value(n).unwrap_or(minimum) as f32).collect();
            streamlines.per_streamline.insert(QUANTITY.into(), Column::new(1, Scalars::F32(values))?);
        }
        let groups = Groups::of(groups, &numbers);
        if let Some(groups) = &groups {
            let numbers = groups.of.iter().map(|number| *number as f32).collect();
            streamlines.per_streamline.insert(GROUP.into(), Column::new(1, Scalars::F32(numbers))?);
        }
        let describe = |quantity: &StreamlineQuantity| {
            let StreamlineQuantity { name, logarithmic, at_start, .. } = quantity;
            json!({ "name": name, "logarithmic": logarithmic, "atStart": at_start })
        };
        self.tracts = Some(Tracts {
            streamlines,
            total,
            quantity: quantity.map(describe),
            groups,
            groups_at_start: true,
        });
        Ok(self)
    }

    /// Colours streamlines initially by direction instead of by group. The user can still select the colours
    /// of groups.
    pub fn with_groups_to_choose(mut self) -> Self {
        if let Some(tracts) = &mut self.tracts {
            tracts.groups_at_start = false;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(n: usize, points: usize) -> Tractogram {
        let mut t = Tractogram::new();
        for line in 0..n {
            let points: Vec<_> = (0..points).map(|p| [line as f32 * 0.01, p as f32, 0.0]).collect();
            t.push(&points);
        }
        t
    }

    #[test]
    fn streamlines_are_subsampled_evenly_with_their_weights() {
        let weights: Vec<f64> = (0..50_000).map(f64::from).collect();
        let weights = StreamlineQuantity::weights(weights);
        let scene = ViewerScene::new().with_streamlines(&lines(50_000, 3), Some(&weights)).unwrap();
        let tracts = scene.tracts.unwrap();
        assert_eq!((tracts.streamlines.len(), tracts.total), (ViewerScene::MAX_STREAMLINES, 50_000));
        let kept = tracts.streamlines.per_streamline[QUANTITY].values().to_f64();
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "in order and none twice");
        for (n, weight) in kept.iter().enumerate() {
            assert!((weight - n as f64 * 2.5).abs() <= 3.0, "from its own share");
            assert_eq!(tracts.streamlines.streamline(n)[0][0], *weight as f32 * 0.01);
        }
        let sixth = kept.iter().filter(|weight| **weight as usize % 6 == 5).count();
        assert!(sixth > 3000, "what repeats is not missed: {sixth} of {} expected", 20_000 / 6);
    }

    #[test]
    fn points_are_limited_and_invalid_streamlines_are_omitted() {
        let scene = ViewerScene::new().with_streamlines(&lines(1000, 3000), None).unwrap();
        let streamlines = scene.tracts.unwrap().streamlines;
        assert_eq!(streamlines.len(), 333);
        let mut odd = lines(1, 3);
        odd.push(&[]);
        odd.push(&[[1.0; 3]]);
        odd.push(&[[f32::NAN; 3], [0.0; 3]]);
        let tracts = ViewerScene::new().with_streamlines(&odd, None).unwrap().tracts.unwrap();
        assert_eq!((tracts.streamlines.len(), tracts.total), (1, 4));
        assert!(
            ViewerScene::new().with_streamlines(&odd, Some(&StreamlineQuantity::weights(vec![1.0]))).is_err()
        );
    }

    #[test]
    fn quantities_other_than_weights_can_give_colours() {
        let quantity = StreamlineQuantity {
            name: "connectivity".into(),
            values: vec![1.25, f64::NAN, 0.75],
            logarithmic: false,
            at_start: true,
        };
        let scene = ViewerScene::new().with_streamlines(&lines(3, 2), Some(&quantity)).unwrap();
        let kept = &scene.tracts.as_ref().unwrap().streamlines.per_streamline[QUANTITY];
        assert_eq!(kept.values().to_f64(), [1.25, 0.75, 0.75], "what is no number is the least");
        let described = serde_json::to_string(&scene.tracts.unwrap().quantity).unwrap();
        assert_eq!(described, r#"{"atStart":true,"logarithmic":false,"name":"connectivity"}"#);
    }
}
