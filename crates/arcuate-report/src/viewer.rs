use crate::groups::Groups;
use crate::map::usable_window;
use crate::shown_streamlines::{Chosen, Showable};
use crate::stills::{Stills, window_of};
use arcuate_core::{
    Affine, Column, Error, Grid, Result, Scalars, StreamlineGroups, StreamlineSource, Tractogram, Volume,
};
use arcuate_io::{PositionType, TractogramOptions, TrxLayout, WriteOptions, write_image, write_tractogram};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Value, context};
use serde_json::json;

/// What the interactive viewer shows: streamlines over one or more images of the same brain.
///
/// A page should stay light, so the scene holds at most [`MOST_STREAMLINES`](Self::MOST_STREAMLINES) streamlines of
/// [`MOST_POINTS`](Self::MOST_POINTS) points in all, taken evenly from those given; the page says of how many.
#[derive(Debug, Clone, Default)]
pub struct ViewerScene {
    backgrounds: Vec<Background>,
    tracts: Option<Tracts>,
}

#[derive(Debug, Clone)]
struct Background {
    name: String,
    unit: String,
    /// One channel, or three of 0 … 1 for colours.
    volume: Volume<f32>,
    window: Option<[f32; 2]>,
}

/// A number of each streamline, which the viewer colours them by, and below which it hides them.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamlineQuantity {
    /// What it is, in a word or two, such as `weight`.
    pub name: String,
    /// One for each streamline.
    pub values: Vec<f64>,
    /// Whether colours go by its logarithm: of numbers of 0 or more that span decades.
    pub logarithmic: bool,
    /// Whether streamlines have its colours at the beginning, and not those of their directions.
    pub at_start: bool,
}

impl StreamlineQuantity {
    /// Weights of streamlines.
    pub fn weights(values: Vec<f64>) -> Self {
        Self { name: "weight".into(), values, logarithmic: true, at_start: false }
    }

    /// What stands for values that are no numbers.
    fn least(&self) -> f64 {
        let finite = self.values.iter().copied().filter(|value| value.is_finite());
        if self.logarithmic { 0.0 } else { finite.reduce(f64::min).unwrap_or(0.0) }
    }
}

#[derive(Debug, Clone)]
struct Tracts {
    streamlines: Tractogram,
    total: usize,
    /// With the values of the streamlines that are shown in the data [`QUANTITY`] of `streamlines`.
    quantity: Option<serde_json::Value>,
    /// With the numbers of the groups in the data [`GROUP`] of `streamlines`.
    groups: Option<Groups>,
}

/// Name of the per-streamline data that the viewer looks for.
const QUANTITY: &str = "quantity";
const GROUP: &str = "group";
/// Levels that a value between the ends of a window is rounded to.
const LEVELS: f32 = 1000.0;
/// Images with more voxels than this are thinned out.
const MOST_VOXELS: usize = 4_000_000;

impl ViewerScene {
    /// Streamlines that a scene holds at most.
    pub const MOST_STREAMLINES: usize = 20_000;
    /// Points that a scene holds at most.
    pub const MOST_POINTS: usize = 1_000_000;

    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an image to choose from: one channel, shown gray between the two values of `window` (by default as in
    /// [`MapPicture::Scalar`](crate::MapPicture::Scalar)), or three channels of 0 … 1, shown as red, green and blue.
    /// The first image added is shown first.
    pub fn with_background(
        mut self,
        name: impl Into<String>,
        volume: &Volume<f32>,
        window: Option<[f32; 2]>,
        unit: impl Into<String>,
    ) -> Result<Self> {
        let name = name.into();
        if ![1, 3].contains(&volume.channels()) {
            let problem = format!("its image has {} values in a voxel", volume.channels());
            let advice = "give one value, or three for red, green and blue";
            return Err(Error::invalid(format!("viewer image `{name}`"), problem, advice));
        }
        self.backgrounds.push(Background { name, unit: unit.into(), volume: thinned(volume)?, window });
        Ok(self)
    }

    /// Sets the streamlines, with a number each where they have any; groups of the tractogram, up to 40, have colours of
    /// their own. Those without a length, or with points that are no numbers, cannot be shown and are left out.
    pub fn with_streamlines(
        self,
        tractogram: &Tractogram,
        quantity: Option<&StreamlineQuantity>,
    ) -> Result<Self> {
        self.with_streamlines_of(tractogram, &tractogram.groups, quantity)
    }

    /// Sets the streamlines like [`with_streamlines`](Self::with_streamlines), of a source that is asked twice: first to
    /// count what can be shown, then to take those that are. No others are held.
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
            let problem = format!("{} values of {name} for {total} streamlines", values.len());
            return Err(Error::invalid("viewer streamlines", problem, "give one per streamline"));
        }
        let mut chosen = Chosen::of(&counted, [Self::MOST_STREAMLINES, Self::MOST_POINTS]);
        source.stream(&mut chosen)?;
        let Chosen { mut streamlines, numbers, .. } = chosen;
        if let Some(quantity) = quantity {
            let least = quantity.least();
            let value = |&n: &usize| Some(quantity.values[n]).filter(|value| value.is_finite());
            let values = numbers.iter().map(|n| value(n).unwrap_or(least) as f32).collect();
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
        self.tracts = Some(Tracts { streamlines, total, quantity: quantity.map(describe), groups });
        Ok(self)
    }
}

/// A scene as it lies in the page.
#[derive(Debug)]
pub(crate) struct Embedded {
    scene: String,
    note: String,
    stills: Option<String>,
    files: Vec<(String, String)>,
}

impl Embedded {
    pub(crate) fn for_template(&self) -> Value {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|(id, base64)| context! { id, base64 => Value::from_safe_string(base64.clone()) })
            .collect();
        let stills = self.stills.clone().map(Value::from_safe_string);
        context! { scene => Value::from_safe_string(self.scene.clone()), note => &self.note, stills, files }
    }
}

impl ViewerScene {
    /// The files of the scene and its description for the script in `viewer/src/scene.js`.
    pub(crate) fn embed(&self) -> Result<Embedded> {
        let folder = tempfile::tempdir().map_err(|e| Error::write(&std::env::temp_dir(), e))?;
        let options = WriteOptions::default();
        let mut files = Vec::new();
        let mut backgrounds = Vec::new();
        for (n, background) in self.backgrounds.iter().enumerate() {
            let path = folder.path().join("image.nii.gz");
            let window = usable_window(&background.volume, background.window);
            let colours = background.volume.channels() == 3;
            if colours {
                write_image(
                    &path,
                    &background.volume.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8),
                    &options,
                )?;
            } else {
                write_image(&path, &rounded(&background.volume, window), &options)?;
            }
            let id = format!("viewer-image-{n}");
            backgrounds.push(json!({
                "name": background.name,
                "data": id,
                "unit": background.unit,
                "window": if colours { Vec::new() } else { window.map(f64::from).to_vec() },
            }));
            files.push((id, base64_of(&path)?));
        }
        let (mut tracts, mut note, mut stills) = (serde_json::Value::Null, String::new(), None);
        if let Some(Tracts { streamlines, total, quantity, groups }) = &self.tracts
            && !streamlines.is_empty()
        {
            let path = folder.path().join("streamlines.trx");
            let grid = self
                .backgrounds
                .first()
                .map_or_else(unit_grid, |background| Ok(*background.volume.grid()))?;
            // Half precision is good to 0.06 mm within the head, and half the size.
            let options = TractogramOptions {
                positions: PositionType::F16,
                layout: TrxLayout::Deflated,
                ..TractogramOptions::default()
            };
            write_tractogram(&path, streamlines, Some(&grid), &options)?;
            let id = "viewer-streamlines";
            tracts = json!({ "data": id, "shown": streamlines.len(), "total": total, "quantity": quantity, "groups": groups.as_ref().map(Groups::key) });
            let anatomy = self.backgrounds.first();
            let drawing = Stills {
                streamlines,
                groups: groups.as_ref(),
                anatomy: anatomy.map(|background| &background.volume),
                anatomy_window: anatomy.and_then(|b| window_of(&b.volume, b.window)),
            };
            stills = Some(drawing.draw()?);
            files.push((id.to_owned(), base64_of(&path)?));
            let [shown, total] = [streamlines.len(), *total].map(|n| crate::human::count(n as u64));
            if streamlines.len() < self.tracts.as_ref().map_or(0, |t| t.total) {
                note = format!(
                    "To keep the page light it holds {shown} of the {total} streamlines, taken evenly."
                );
            }
        }
        let placed = self.backgrounds.first().is_none_or(|background| background.volume.grid().is_placed());
        // A name may hold anything; in a script element `<` must not begin an end tag.
        let scene = json!({ "backgrounds": backgrounds, "tracts": tracts, "placed": placed })
            .to_string()
            .replace('<', "\\u003c");
        Ok(Embedded { scene, note, stills, files })
    }
}

/// Stands in for the image of streamlines that come without one; positions are millimetres all the same.
fn unit_grid() -> Result<Grid> {
    Grid::new([1; 3], Affine::identity())
}

fn base64_of(path: &std::path::Path) -> Result<String> {
    Ok(STANDARD.encode(std::fs::read(path).map_err(|e| Error::read(path, e))?))
}

/// Values cut to steps far below what an eye can tell, which compress to a third; what is no number becomes 0.
fn rounded(volume: &Volume<f32>, window: [f32; 2]) -> Volume<f32> {
    let step = (window[1] - window[0]) / LEVELS;
    volume.map(|value| {
        let rounded = (value / step).round() * step;
        if rounded.is_finite() { rounded } else { 0.0 }
    })
}

/// Every second (third, …) voxel of an image too large for a page, each still in its place.
fn thinned(volume: &Volume<f32>) -> Result<Volume<f32>> {
    let shape = volume.grid().shape();
    let mut stride = 1;
    while shape.iter().map(|n| n.div_ceil(stride)).product::<usize>() > MOST_VOXELS {
        stride += 1;
    }
    if stride == 1 {
        return Ok(volume.clone());
    }
    let scale = stride as f64;
    let rows = volume.grid().affine().rows().map(|[a, b, c, place]| [a * scale, b * scale, c * scale, place]);
    let small = Grid::new(shape.map(|n| n.div_ceil(stride)), Affine::from_rows(rows)?)?;
    let mut values = Vec::with_capacity(small.len() * volume.channels());
    for index in 0..small.len() {
        let voxel = small.coordinates(index).map(|n| n * stride);
        values.extend_from_slice(volume.voxel(volume.grid().index(voxel)));
    }
    Volume::new(small, volume.channels(), values)
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
    fn streamlines_are_taken_evenly_with_their_weights() {
        let weights: Vec<f64> = (0..50_000).map(f64::from).collect();
        let weights = StreamlineQuantity::weights(weights);
        let scene = ViewerScene::new().with_streamlines(&lines(50_000, 3), Some(&weights)).unwrap();
        let tracts = scene.tracts.unwrap();
        assert_eq!((tracts.streamlines.len(), tracts.total), (ViewerScene::MOST_STREAMLINES, 50_000));
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
    fn points_are_limited_and_what_cannot_be_shown_is_left_out() {
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
    fn a_quantity_that_is_no_weight_may_give_the_colours() {
        let quantity = StreamlineQuantity {
            name: "connectivity".into(),
            values: vec![1.25, f64::NAN, 0.75],
            logarithmic: false,
            at_start: true,
        };
        let scene = ViewerScene::new().with_streamlines(&lines(3, 2), Some(&quantity)).unwrap();
        let kept = &scene.tracts.as_ref().unwrap().streamlines.per_streamline[QUANTITY];
        assert_eq!(kept.values().to_f64(), [1.25, 0.75, 0.75], "what is no number is the least");
        let embedded = scene.embed().unwrap().scene;
        assert!(
            embedded.contains(r#""quantity":{"atStart":true,"logarithmic":false,"name":"connectivity"}"#),
            "{embedded}"
        );
    }

    #[test]
    fn large_images_are_thinned_in_place() {
        let affine =
            Affine::from_rows([[-1.0, 0.1, 0.0, 90.0], [0.1, 1.0, 0.0, -100.0], [0.0, 0.0, 1.0, 5.0]]);
        let grid = Grid::new([301, 200, 100], affine.unwrap()).unwrap();
        let volume = Volume::new(grid, 1, (0..grid.len()).map(|n| n as f32).collect()).unwrap();
        let small = thinned(&volume).unwrap();
        assert_eq!(small.grid().shape(), [151, 100, 50]);
        for index in [0, 7, small.grid().len() - 1] {
            let value = small.values()[index] as usize;
            let (there, here) = (volume.grid().centre(value), small.grid().centre(index));
            assert!((0..3).all(|axis| (there[axis] - here[axis]).abs() < 1e-9));
        }
    }

    #[test]
    fn embedded_files_hold_the_scene() {
        let affine =
            Affine::from_rows([[-2.0, 0.1, 0.0, 90.0], [0.1, 2.0, 0.0, -100.0], [0.0, 0.0, 2.5, 5.0]]);
        let grid = Grid::new([5, 4, 3], affine.unwrap()).unwrap();
        let gray = Volume::new(grid, 1, (0..60).map(|n| n as f32).collect()).unwrap();
        let colours = Volume::new(grid, 3, (0..180).map(|n| n as f32 / 100.0).collect()).unwrap();
        let mut lines = Tractogram::new();
        lines.push(&[[71.3, -99.9, 12.34], [70.1, -98.0, 13.0], [68.8, -96.1, 14.2]]);
        lines.push(&[[0.01, 0.02, 0.03], [1.0, 2.0, 3.0]]);
        let scene = ViewerScene::new().with_background("gray", &gray, Some([0.0, 60.0]), "").unwrap();
        let scene = scene.with_background("</script>", &colours, None, "").unwrap();
        let weights = StreamlineQuantity::weights(vec![0.25, f64::NAN]);
        let embedded = scene.with_streamlines(&lines, Some(&weights)).unwrap().embed().unwrap();
        assert!(!embedded.scene.contains('<') && embedded.note.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let open = |n: usize, name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, STANDARD.decode(&embedded.files[n].1).unwrap()).unwrap();
            path
        };
        let read = arcuate_io::read_volume(&open(0, "gray.nii.gz")).unwrap();
        assert!(read.grid().matches(&grid));
        // A thousandth of the window, half of it either way.
        assert!(read.values().iter().zip(gray.values()).all(|(a, b)| (a - b).abs() <= 0.0301));
        let read = arcuate_io::read_volume(&open(1, "colours.nii.gz")).unwrap();
        assert_eq!((read.channels(), read.values()[50], read.values()[179]), (3, 128.0, 255.0));
        let read = arcuate_io::read_tractogram(&open(2, "lines.trx")).unwrap().tractogram;
        assert_eq!(read.offsets(), lines.offsets());
        // Half precision has steps of 0.0625 mm from 64 mm on.
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 0.0313;
        assert!(read.positions().as_flattened().iter().zip(lines.positions().as_flattened()).all(near));
        assert_eq!(read.per_streamline[QUANTITY].values().to_f64(), [0.25, 0.0]);
    }

    #[test]
    fn rounding_is_finer_than_sight() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let volume = Volume::new(grid, 1, vec![0.12345, f32::NAN, 7.0, -0.5]).unwrap();
        let rounded = rounded(&volume, [0.0, 1.0]);
        assert!((rounded.values()[0] - 0.12345).abs() <= 0.5 / LEVELS);
        assert_eq!(rounded.values()[1], 0.0);
    }
}
