use crate::colours::{ColourScale, class_colour, class_key, direction_key, window_bar};
use crate::png::{Pixels, data_address};
use crate::slices::{Oriented, Plane, VoxelBox};
use crate::svg::Svg;
use arcuate_core::{Error, Result, Volume};

/// An image of the brain as slices: axial ones, and coronal and sagittal ones where the volume is thick enough.
///
/// Slices follow the image axes nearest to the scanner's, in the radiological convention (the subject's left is on
/// the right), with square millimetres. Where an image does not say where its voxels were, no letter says which side is which.
#[derive(Debug, Clone)]
pub struct MapFigure {
    /// What is shown, such as `Fractional anisotropy`.
    pub title: String,
    /// What a reader should know about it; may be empty.
    pub caption: String,
    /// The values and how they are coloured.
    pub picture: MapPicture,
}

/// The values of a [`MapFigure`] and how they are coloured.
#[derive(Debug, Clone)]
pub enum MapPicture {
    /// One value a voxel, on a scale of colours.
    Scalar {
        /// One channel; values that are not finite are shown black.
        volume: Volume<f32>,
        /// Values at the two ends of the scale; nothing: the first and 99th percentile of the values other than
        /// zero, which serves display alone.
        window: Option<[f32; 2]>,
        /// Unit of the values, such as `mm²/s`; empty for plain numbers.
        unit: String,
        /// The scale.
        colours: ColourScale,
    },
    /// A whole number a voxel, 1 for the first class, 0 for none: a colour for each.
    Classes {
        /// One channel.
        volume: Volume<f32>,
        /// What the classes are called.
        names: Vec<String>,
    },
    /// Colours of their own: channels red (left–right), green (front–back) and blue (up–down) in 0 … 1, as FA-weighted
    /// directions are shown.
    Directions {
        /// Three channels.
        volume: Volume<f32>,
    },
}

/// Axial slices at most, and in a row.
const AXIAL_SLICES: usize = 12;
const COLUMNS: usize = 6;
/// How wide a slice is at most, alone and beside others, in px.
const ALONE: f64 = 460.0;
const BESIDE: f64 = 230.0;
/// Coronal and sagittal slices are shown for stacks at least this thick, in mm …
const THICK: f64 = 30.0;
/// … and of at least so many slices.
const MANY: usize = 8;

impl MapFigure {
    /// A gray map whose window finds itself.
    pub fn scalar(title: impl Into<String>, volume: Volume<f32>, unit: impl Into<String>) -> Self {
        let picture =
            MapPicture::Scalar { volume, window: None, unit: unit.into(), colours: ColourScale::Gray };
        Self { title: title.into(), caption: String::new(), picture }
    }

    /// A map of directions: see [`MapPicture::Directions`].
    pub fn directions(title: impl Into<String>, volume: Volume<f32>) -> Self {
        Self { title: title.into(), caption: String::new(), picture: MapPicture::Directions { volume } }
    }

    /// A map of classes: see [`MapPicture::Classes`].
    pub fn classes(title: impl Into<String>, volume: Volume<f32>, names: Vec<String>) -> Self {
        Self { title: title.into(), caption: String::new(), picture: MapPicture::Classes { volume, names } }
    }

    /// The same map with these values at the ends of the scale.
    pub fn with_window(mut self, low: f32, high: f32) -> Self {
        if let MapPicture::Scalar { window, .. } = &mut self.picture {
            *window = Some([low, high]);
        }
        self
    }

    /// The same map in other colours; maps of directions keep theirs.
    pub fn with_colours(mut self, scale: ColourScale) -> Self {
        if let MapPicture::Scalar { colours, .. } = &mut self.picture {
            *colours = scale;
        }
        self
    }

    /// The same map with a caption.
    pub fn with_caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The image.
    fn volume(&self) -> &Volume<f32> {
        match &self.picture {
            MapPicture::Scalar { volume, .. }
            | MapPicture::Classes { volume, .. }
            | MapPicture::Directions { volume } => volume,
        }
    }

    /// What stands below the map: its caption, and that its orientation is not recorded where that is so.
    pub(crate) fn text(&self) -> String {
        let note = if self.volume().grid().is_placed() { "" } else { "Orientation not recorded." };
        format!("{} {note}", self.caption).trim().to_owned()
    }

    /// The slices, and the key to their colours. The slices are those that suit all `companions` on the same grid
    /// too, so that maps under each other show the same places.
    pub(crate) fn draw(&self, companions: &[&MapFigure]) -> Result<String> {
        let companions =
            companions.iter().map(|map| map.volume()).filter(|v| v.grid() == self.volume().grid());
        let shown =
            companions.map(VoxelBox::of).fold(VoxelBox::of(self.volume()), |shown, other| shown.and(&other));
        match &self.picture {
            MapPicture::Scalar { volume, window, unit, colours } => {
                require_channels(volume, 1, &self.title)?;
                let window = usable_window(volume, *window);
                let [low, high] = window.map(f64::from);
                let shade = |values: &[f32]| {
                    let value = f64::from(values[0]);
                    if value.is_finite() { colours.colour((value - low) / (high - low)) } else { [0; 3] }
                };
                let quantity = if unit.is_empty() { &self.title } else { unit };
                Ok(self.mosaic(&Oriented::new(volume, &shown), &shade)?
                    + &window_bar(*colours, [low, high], quantity))
            }
            MapPicture::Classes { volume, names } => {
                require_channels(volume, 1, &self.title)?;
                let shade = |values: &[f32]| {
                    let class = values[0];
                    if class >= 1.0 { class_colour(class as usize - 1) } else { [0; 3] }
                };
                Ok(self.mosaic(&Oriented::new(volume, &shown), &shade)? + &class_key(names))
            }
            MapPicture::Directions { volume } => {
                require_channels(volume, 3, &self.title)?;
                let shade = |values: &[f32]| {
                    std::array::from_fn(|c| {
                        if values[c].is_finite() {
                            (values[c].clamp(0.0, 1.0) * 255.0).round() as u8
                        } else {
                            0
                        }
                    })
                };
                Ok(self.mosaic(&Oriented::new(volume, &shown), &shade)? + &direction_key())
            }
        }
    }

    fn mosaic(&self, view: &Oriented<'_>, shade: &dyn Fn(&[f32]) -> [u8; 3]) -> Result<String> {
        let mut tiles = Vec::new();
        for slice in view.spread(Plane::Axial, AXIAL_SLICES) {
            tiles.push((Plane::Axial, slice));
        }
        let axial = Tile::of(view, Plane::Axial);
        let columns = tiles.len().min(COLUMNS);
        let mut rows: Vec<Vec<(Plane, usize)>> = tiles.chunks(columns).map(<[_]>::to_vec).collect();
        let [_, _, depth] = view.size(Plane::Axial);
        if depth >= MANY && depth as f64 * view.spacing(Plane::Axial)[2] >= THICK {
            let at = |plane: Plane, fraction: f64| (plane, (view.size(plane)[2] as f64 * fraction) as usize);
            rows.push(vec![
                at(Plane::Coronal, 0.35),
                at(Plane::Coronal, 0.5),
                at(Plane::Coronal, 0.65),
                at(Plane::Sagittal, 0.4),
                at(Plane::Sagittal, 0.5),
            ]);
        }
        let width = rows.iter().map(|row| row_width(view, row)).fold(0.0, f64::max);
        let height: f64 = rows.iter().map(|row| row_height(view, row)).sum();
        let mut svg = Svg::new("slices", width, height, &format!("{}: slices of the brain", self.title));
        // Few slices are not blown up to the width of the page.
        let wide = if columns == 1 { ALONE } else { BESIDE };
        svg.limit_width(columns as f64 * wide * (width / (columns as f64 * axial.width)));
        svg.rect("backdrop", [0.0, 0.0, width, height], None, None);
        let size = axial.width * 0.062;
        let mut y = 0.0;
        for row in rows {
            let mut x = (width - row_width(view, &row)) / 2.0;
            let mut labelled = None;
            for (plane, slice) in &row {
                let tile = Tile::of(view, *plane);
                let pixels = paint(view, *plane, *slice, shade);
                svg.image("", x, y, tile.width, tile.height, &data_address(&pixels)?);
                // One slice of each plane in a row says which side is which.
                if self.volume().grid().is_placed() && labelled != Some(*plane) {
                    labelled = Some(*plane);
                    let [left, right] = plane.letters();
                    let middle = y + tile.height / 2.0 + size * 0.35;
                    svg.sized_text("side", size, x + size * 0.25, middle, "start", left);
                    svg.sized_text("side", size, x + tile.width - size * 0.25, middle, "end", right);
                }
                let position = view.position(*plane, *slice).round();
                // No minus before a zero.
                let position = if position == 0.0 { 0.0 } else { position };
                let text = format!("{} {position} mm", plane.through()).replace('-', "−");
                svg.sized_text(
                    "place",
                    size * 0.9,
                    x + size * 0.25,
                    y + tile.height - size * 0.3,
                    "start",
                    &text,
                );
                x += tile.width;
            }
            y += row_height(view, &row);
        }
        Ok(svg.finish())
    }
}

/// The box of a slice on the page, in mm.
struct Tile {
    width: f64,
    height: f64,
}

impl Tile {
    fn of(view: &Oriented<'_>, plane: Plane) -> Self {
        let ([columns, rows, _], [across, down, _]) = (view.size(plane), view.spacing(plane));
        Self { width: columns as f64 * across, height: rows as f64 * down }
    }
}

fn row_width(view: &Oriented<'_>, row: &[(Plane, usize)]) -> f64 {
    row.iter().map(|(plane, _)| Tile::of(view, *plane).width).sum()
}

fn row_height(view: &Oriented<'_>, row: &[(Plane, usize)]) -> f64 {
    row.iter().map(|(plane, _)| Tile::of(view, *plane).height).fold(0.0, f64::max)
}

fn paint(view: &Oriented<'_>, plane: Plane, slice: usize, shade: &dyn Fn(&[f32]) -> [u8; 3]) -> Pixels {
    let [width, height, _] = view.size(plane);
    let mut pixels = Pixels::new(width, height);
    for row in 0..height {
        for column in 0..width {
            pixels.set(column, row, shade(view.pixel(plane, slice, column, row)));
        }
    }
    pixels
}

fn require_channels(volume: &Volume<f32>, channels: usize, title: &str) -> Result<()> {
    if volume.channels() == channels {
        return Ok(());
    }
    let problem = format!("its image has {} values in a voxel instead of {channels}", volume.channels());
    Err(Error::invalid(format!("report figure `{title}`"), problem, "give an image of the right kind"))
}

/// The window asked for, where it is one, or one from the values: first to 99th percentile of the finite ones other
/// than zero, from zero on where none is negative.
pub(crate) fn usable_window(volume: &Volume<f32>, asked: Option<[f32; 2]>) -> [f32; 2] {
    if let Some([low, high]) = asked
        && low.is_finite()
        && high.is_finite()
        && low < high
    {
        return [low, high];
    }
    let mut values: Vec<f32> =
        volume.values().iter().copied().filter(|value| value.is_finite() && *value != 0.0).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    let mut at = |fraction: f64| {
        let place = ((values.len() - 1) as f64 * fraction).round() as usize;
        *values.select_nth_unstable_by(place, f32::total_cmp).1
    };
    let (low, high) = (at(0.01), at(0.99));
    let low = if low > 0.0 { 0.0 } else { low };
    if high > low { [low, high] } else { [low, low + low.abs().max(1.0)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    fn grid(shape: [usize; 3]) -> Grid {
        Grid::new(shape, Affine::scaling([1.0, 1.0, 4.0], [0.0; 3])).unwrap()
    }

    #[test]
    fn slices_keep_their_millimetres_and_letters() {
        let drawn = MapFigure::scalar("FA", Volume::filled(grid([10, 20, 1]), 1, 0.5), "").draw(&[]).unwrap();
        assert_eq!(drawn.matches("<image").count(), 1, "one slice, no coronal or sagittal ones");
        assert!(drawn.contains(r#"width="10" height="20" preserveAspectRatio="none""#));
        assert!(drawn.contains(">R</text>") && drawn.contains(">L</text>") && drawn.contains("z 0 mm"));
        // Of what is not known there is no letter.
        let unplaced = Grid::unplaced([10, 20, 10], [1.0, 1.0, 4.0]).unwrap();
        let map = MapFigure::scalar("FA", Volume::filled(unplaced, 1, 0.5), "").with_caption("Of a scan.");
        let drawn = map.draw(&[]).unwrap();
        assert!(["R", "L", "A", "P"].iter().all(|letter| !drawn.contains(&format!(">{letter}</text>"))));
        assert_eq!(map.text(), "Of a scan. Orientation not recorded.");
        let placed = MapFigure::scalar("FA", Volume::filled(grid([10, 20, 1]), 1, 0.5), "");
        assert_eq!((placed.text(), placed.with_caption("a").text()), (String::new(), "a".to_owned()));
        let drawn =
            MapFigure::scalar("FA", Volume::filled(grid([10, 20, 10]), 1, 0.5), "").draw(&[]).unwrap();
        assert_eq!(drawn.matches("<image").count(), 15, "ten axial, three coronal, two sagittal");
        assert!(drawn.contains(r#"width="10" height="40" preserveAspectRatio="none""#), "coronal");
        assert!(drawn.contains(r#"width="20" height="40" preserveAspectRatio="none""#), "sagittal");
    }

    #[test]
    fn windows_find_themselves_and_survive_nonsense() {
        let volume = |values: Vec<f32>| Volume::new(grid([values.len(), 1, 1]), 1, values).unwrap();
        let ramp = volume((0..=1000).map(|n| n as f32).collect());
        assert_eq!(usable_window(&ramp, None), [0.0, 990.0]);
        assert_eq!(usable_window(&ramp, Some([5.0, 6.0])), [5.0, 6.0]);
        assert_eq!(usable_window(&ramp, Some([6.0, f32::NAN])), [0.0, 990.0]);
        assert_eq!(usable_window(&volume(vec![f32::NAN, f32::INFINITY, 0.0]), None), [0.0, 1.0]);
        assert_eq!(usable_window(&volume(vec![-2.0; 4]), None), [-2.0, 0.0]);
        let drawn =
            MapFigure::scalar("x", volume(vec![f32::NAN, f32::NEG_INFINITY, 3.0]), "").draw(&[]).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }

    #[test]
    fn the_wrong_number_of_channels_is_an_error() {
        let error = MapFigure::directions("Colour FA", Volume::filled(grid([2, 2, 2]), 1, 0.0))
            .draw(&[])
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "report figure `Colour FA`: its image has 1 values in a voxel instead of 3; give an image of the right kind"
        );
    }
}
