use crate::colours::{ColourScale, outline_key};
use crate::glyphs::{GlyphSlices, Glyphs};
use crate::mosaic::{MAX_SLICES, Mosaic, rows};
use crate::outline::{Outline, outline_colour};
use crate::picture::{MapPicture, anatomy_shade, usable_window};
use crate::slices::{Oriented, VoxelBox};
use crate::stack::{Stack, Store};
use arcuate_core::{Error, Grid, Mask, Result, Volume};
use serde_json::{Value, json};

/// The voxel grid of a map, and the box of its voxels that are not 0. Maps on the same grid show the same slices,
/// which are in the box around the boxes of all these maps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    grid: Grid,
    voxels: VoxelBox,
}

/// A figure that shows a brain image in axial slices. If the image has enough slices, coronal and sagittal
/// slices are shown, too.
///
/// Slices are along the image axes that are nearest to the scanner axes, in the radiological convention (the
/// subject's left is on the right). A millimetre has the same length in both directions of a slice. If the
/// image has no known orientation, the letters for the sides are not shown.
#[derive(Debug, Clone)]
pub struct MapFigure {
    /// The title of the map, such as `Fractional anisotropy`.
    pub title: String,
    /// The caption of the map. It may be empty.
    pub caption: String,
    /// The values of the map and their colours.
    pub picture: MapPicture,
    /// The background image. It is shown in the voxels in which the map is 0.
    anatomy: Option<Volume<f32>>,
    /// The regions whose outlines are drawn over the map, with their names.
    outlines: Vec<(String, Mask)>,
    /// Fibre orientations that are drawn over the map.
    glyphs: Option<Glyphs>,
    /// The label of the colour bar. If there is none, the label is the unit, or the title if the unit is empty.
    key_label: Option<String>,
}

impl MapFigure {
    /// Creates a map in gray. The window (range of shown values) is computed from the values of the map.
    pub fn scalar(title: impl Into<String>, volume: Volume<f32>, unit: impl Into<String>) -> Self {
        let unit = unit.into();
        Self::of(title.into(), MapPicture::Scalar { volume, window: None, unit, colours: ColourScale::Gray })
    }

    /// Creates a map of directions, which are shown as colours (see [`MapPicture::Directions`]).
    pub fn directions(title: impl Into<String>, volume: Volume<f32>) -> Self {
        Self::of(title.into(), MapPicture::Directions { volume })
    }

    /// Creates a map of classes, which are shown as colours (see [`MapPicture::Classes`]).
    pub fn classes(title: impl Into<String>, volume: Volume<f32>, names: Vec<String>) -> Self {
        Self::of(title.into(), MapPicture::Classes { volume, names })
    }

    fn of(title: String, picture: MapPicture) -> Self {
        Self {
            title,
            caption: String::new(),
            picture,
            anatomy: None,
            outlines: Vec::new(),
            glyphs: None,
            key_label: None,
        }
    }

    /// Sets the window of the map: the values at the two ends of the colour scale.
    pub fn with_window(mut self, low: f32, high: f32) -> Self {
        if let MapPicture::Scalar { window, .. } = &mut self.picture {
            *window = Some([low, high]);
        }
        self
    }

    /// Sets the colour scale of the map. Maps of directions are not affected.
    pub fn with_colours(mut self, scale: ColourScale) -> Self {
        if let MapPicture::Scalar { colours, .. } = &mut self.picture {
            *colours = scale;
        }
        self
    }

    /// Sets the label of the colour bar. The values of an enlarged slice keep the unit of the map.
    pub fn with_key_label(mut self, label: impl Into<String>) -> Self {
        self.key_label = Some(label.into());
        self
    }

    /// Sets the caption of the map.
    pub fn with_caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Sets a background image with one channel. It is shown in gray where the map is 0 or not finite. The
    /// voxels of the two images may be stored in different orders. If their grids differ in another way,
    /// drawing returns an error.
    pub fn with_anatomy(mut self, image: Volume<f32>) -> Self {
        self.anatomy = Some(image);
        self
    }

    /// Adds the outline of a region, along the edges of its voxels, with the region's name below the map.
    /// Colours are assigned in the order of the outlines. The voxels of the region and the map may be stored
    /// in different orders. If their grids differ in another way, drawing returns an error.
    pub fn with_outline(mut self, region: &Mask, name: impl Into<String>) -> Self {
        self.outlines.push((name.into(), region.clone()));
        self
    }

    /// Sets fibre orientations, which are drawn over an enlarged slice of the map. If the grids of the two
    /// images differ, drawing returns an error. If the image is large, fewer slices have fibre orientations.
    pub fn with_glyphs(mut self, glyphs: Glyphs) -> Self {
        self.glyphs = Some(glyphs);
        self
    }

    /// Creates a map of the amounts of three components per voxel, which are shown as red, green and blue
    /// (see [`MapPicture::Mixture`]).
    pub fn mixture(title: impl Into<String>, volume: Volume<f32>, names: [String; 3]) -> Self {
        Self::of(title.into(), MapPicture::Mixture { volume, names })
    }

    /// Returns the image of the map.
    fn volume(&self) -> &Volume<f32> {
        self.picture.volume()
    }

    /// Returns the text below the map. It consists of the caption, and of a note if the orientation of the
    /// image is unknown.
    pub(crate) fn text(&self) -> String {
        let note = if self.volume().grid().is_placed() { "" } else { "Orientation not recorded." };
        let glyphs = self.glyphs.as_ref().map(Glyphs::text).unwrap_or_default();
        let parts = [self.caption.as_str(), &glyphs, note];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the voxel grid of the map, and the box of its voxels that are not 0.
    pub(crate) fn extent(&self) -> Extent {
        Extent { grid: *self.volume().grid(), voxels: VoxelBox::of(self.volume()) }
    }

    /// Draws the slices and the colour key. The positions of slices are chosen for all `companions`, which
    /// are the extents of maps on the same grid. Maps that are next to each other thus show the same slices.
    pub(crate) fn draw(&self, companions: &[Extent], store: &Store) -> Result<String> {
        self.check_channels()?;
        let grid = *self.volume().grid();
        let anatomy = self.anatomy.as_ref().map(|image| self.in_order(image)).transpose()?;
        let outlines = self
            .outlines
            .iter()
            .enumerate()
            .map(|(n, (name, region))| {
                let region = region.reordered(&grid).ok_or_else(|| self.elsewhere(name, region.grid()))?;
                Ok(Outline { name: name.clone(), region, number: n })
            })
            .collect::<Result<Vec<_>>>()?;

        let companions = companions.iter().filter(|map| map.grid == grid);
        let focus = companions.fold(VoxelBox::of(self.volume()), |focus, map| focus.and(&map.voxels));
        let mut shown = focus;
        for region in &outlines {
            shown = shown.and(&VoxelBox::of(&region.region.to_volume().map(f32::from)));
        }
        if let Some(image) = &anatomy {
            shown = shown.and(&VoxelBox::of(image));
        }
        let paint = self.picture.paint(anatomy.as_ref());
        let view = Oriented::new(self.volume(), &shown, &focus);
        let stack = Stack::new(&view, store);
        let glyphs = self.glyphs.as_ref().map(|glyphs| (glyphs, glyphs.choose(&stack)));
        let pack = || self.pack(&stack, anatomy.as_ref(), &outlines, glyphs.as_ref(), store);
        let of_glyphs = glyphs.as_ref().map_or_else(String::new, |(_, slices)| slices.key());
        let rows = glyphs.as_ref().map_or_else(|| rows(&view, MAX_SLICES), |(_, slices)| slices.rows.clone());
        let mosaic = Mosaic { title: &self.title, view: &view, rows, paint: &paint, outlines: &outlines };
        let lines: Vec<_> =
            outlines.iter().map(|outline| (outline_colour(outline.number), outline.name.as_str())).collect();
        let key = self.picture.key(&self.title, self.key_label.as_deref());
        let (packed, slices) = rayon::join(pack, || mosaic.draw_slices());
        Ok(Mosaic::with_stack(slices?, &packed?) + &of_glyphs + &key + &outline_key(&lines))
    }

    /// Calls the function `look`. Its arguments are the view of this map alone, and a function that returns
    /// the colour of each voxel.
    pub(crate) fn look<T>(
        &self,
        look: impl FnOnce(&Oriented<'_>, &(dyn Fn(usize) -> [u8; 3] + Sync)) -> Result<T>,
    ) -> Result<T> {
        self.check_channels()?;
        let anatomy = self.anatomy.as_ref().map(|image| self.in_order(image)).transpose()?;
        let own = VoxelBox::of(self.volume());
        let shown = anatomy.as_ref().map_or(own, |image| own.and(&VoxelBox::of(image)));
        look(&Oriented::new(self.volume(), &shown, &own), &*self.picture.paint(anatomy.as_ref()))
    }

    fn check_channels(&self) -> Result<()> {
        let (there, expected) = (self.volume().channels(), self.picture.channels());
        if there != expected {
            let problem = format!("the image of the map has {there} values per voxel instead of {expected}");
            return Err(self.fault(problem, "give an image of the right kind"));
        }
        let Some(glyphs) = &self.glyphs else { return Ok(()) };
        if !self.volume().grid().matches(glyphs.volume().grid()) {
            return Err(self.elsewhere("the image of orientations", glyphs.volume().grid()));
        }
        let advice = "give spherical harmonics of even degree, or x, y and z of directions";
        glyphs.problem().map_or(Ok(()), |problem| Err(self.fault(problem, advice)))
    }

    /// Packs all slices of the map for the page's script.
    fn pack(
        &self,
        stack: &Stack<'_>,
        anatomy: Option<&Volume<f32>>,
        outlines: &[Outline],
        glyphs: Option<&(&Glyphs, GlyphSlices)>,
        store: &Store,
    ) -> Result<Value> {
        let shade = |image: &Volume<f32>| {
            let window = usable_window(image, None);
            stack.bytes(store, |voxel| [anatomy_shade(image.values()[voxel], window)])
        };
        let ((picture, below), glyphs) = rayon::join(
            || rayon::join(|| self.picture.pack(stack, store), || anatomy.map(shade).transpose()),
            || glyphs.map(|(glyphs, slices)| glyphs.pack(slices, stack, store)).transpose(),
        );
        let (picture, below) = (picture?, below?);
        let mut packed = json!({
            "title": self.title,
            "geometry": stack.geometry(),
            "picture": picture,
            "anatomy": below,
            "outlines": stack.outlines(store, outlines)?,
        });
        if let Some(glyphs) = glyphs? {
            packed["glyphs"] = glyphs;
        }
        Ok(packed)
    }

    /// Returns the background image. Its voxels are reordered to the order of the map's voxels.
    fn in_order(&self, image: &Volume<f32>) -> Result<Volume<f32>> {
        if image.channels() != 1 {
            let problem = format!("the image below has {} values in a voxel", image.channels());
            return Err(self.fault(problem, "give an image of one value"));
        }
        let grid = self.volume().grid();
        if grid.matches(image.grid()) {
            return Ok(image.clone());
        }
        let order =
            grid.order_in(image.grid()).ok_or_else(|| self.elsewhere("the image below", image.grid()))?;
        Volume::new(*grid, 1, order.into_iter().map(|voxel| image.values()[voxel]).collect())
    }

    fn elsewhere(&self, what: &str, grid: &Grid) -> Error {
        let [there, here] =
            [grid, self.volume().grid()].map(|grid| grid.shape().map(|n| n.to_string()).join(" × "));
        self.fault(
            format!("the voxel grid of {what} ({there}) differs from that of the map ({here})"),
            "resample the image to the grid of the map",
        )
    }

    fn fault(&self, problem: String, advice: &str) -> Error {
        Error::invalid(format!("report figure `{}`", self.title), problem, advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    fn grid(shape: [usize; 3]) -> Grid {
        Grid::new(shape, Affine::scaling([1.0, 1.0, 4.0], [0.0; 3])).unwrap()
    }

    #[test]
    fn slices_keep_their_aspect_ratio_and_orientation_letters() {
        let drawn = MapFigure::scalar("FA", Volume::filled(grid([10, 20, 1]), 1, 0.5), "")
            .draw(&[], &Store::for_maps(1))
            .unwrap();
        assert_eq!(drawn.matches("<img").count(), 1, "one slice, no coronal or sagittal ones");
        assert!(drawn.contains("aspect-ratio:10.00/20.00"));
        assert!(drawn.contains(">R</b>") && drawn.contains(">L</b>") && drawn.contains("z 0 mm"));
        // If the orientation of the image is unknown, the letters for the sides are not shown.
        let unplaced = Grid::unplaced([10, 20, 10], [1.0, 1.0, 4.0]).unwrap();
        let map = MapFigure::scalar("FA", Volume::filled(unplaced, 1, 0.5), "").with_caption("Of a scan.");
        let drawn = map.draw(&[], &Store::for_maps(1)).unwrap();
        assert!(["R", "L", "A", "P"].iter().all(|letter| !drawn.contains(&format!(">{letter}</b>"))));
        assert_eq!(map.text(), "Of a scan. Orientation not recorded.");
        let placed = MapFigure::scalar("FA", Volume::filled(grid([10, 20, 1]), 1, 0.5), "");
        assert_eq!((placed.text(), placed.with_caption("a").text()), (String::new(), "a".to_owned()));
        let drawn = MapFigure::scalar("FA", Volume::filled(grid([10, 20, 10]), 1, 0.5), "")
            .draw(&[], &Store::for_maps(1))
            .unwrap();
        assert_eq!(drawn.matches("<img").count(), 15, "ten axial, three coronal, two sagittal");
        assert_eq!(drawn.matches("aspect-ratio:10.00/40.00").count(), 3, "coronal");
        assert_eq!(drawn.matches("--share:2.0000;aspect-ratio:20.00/40.00").count(), 2, "sagittal");
    }

    #[test]
    fn anatomy_is_visible_where_the_map_is_zero() {
        let place = grid([3, 1, 1]);
        let image = |values: Vec<f32>| Volume::new(place, 1, values).unwrap();
        let colours = |map: MapFigure| {
            let order = map.anatomy.as_ref().map(|image| map.in_order(image).unwrap());
            (0..3).map(map.picture.paint(order.as_ref())).collect::<Vec<_>>()
        };
        let map =
            || MapFigure::scalar("m", image(vec![0.0, f32::NAN, 1.0]), "").with_colours(ColourScale::Viridis);
        assert_eq!(colours(map().with_window(-1.0, 1.0))[0], ColourScale::Viridis.colour(0.5));
        let over = colours(map().with_anatomy(image(vec![1.0, 0.5, 1.0])));
        assert_eq!(over, [[204; 3], [102; 3], ColourScale::Viridis.colour(1.0)]);
        // If an enlarged slice rounds a value of the map to 0, the background image is shown in this voxel,
        // too.
        let small =
            MapFigure::scalar("m", image(vec![1e-4, 0.5, 1.0]), "").with_colours(ColourScale::Viridis);
        let small = colours(small.with_anatomy(image(vec![1.0, 0.5, 1.0])).with_window(0.0, 1.0));
        assert_eq!(small, [[204; 3], ColourScale::Viridis.colour(0.5), ColourScale::Viridis.colour(1.0)]);
        // If an image is stored from right to left instead of left to right, its picture is the same.
        let flipped = Affine::from_rows([[-1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]]);
        let flipped = Grid::new([3, 1, 1], flipped.unwrap()).unwrap();
        let image = Volume::new(flipped, 1, vec![1.0, 0.5, 1.0]).unwrap();
        assert_eq!(colours(map().with_anatomy(image)), over);
        let elsewhere = map()
            .with_anatomy(Volume::filled(grid([3, 2, 1]), 1, 1.0))
            .draw(&[], &Store::for_maps(1))
            .unwrap_err();
        assert_eq!(
            elsewhere.to_string(),
            "report figure `m`: the voxel grid of the image below (3 × 2 × 1) differs from that of the map \
             (3 × 1 × 1); resample the image to the grid of the map"
        );
    }

    #[test]
    fn orientations_are_drawn_over_the_voxels_of_the_map() {
        let draw = |shape: [usize; 3], channels: usize| {
            let glyphs = Glyphs::Distributions(Volume::filled(grid(shape), channels, 0.1));
            let map = MapFigure::scalar("Distributions", Volume::filled(grid([4, 4, 1]), 1, 1.0), "")
                .with_glyphs(glyphs)
                .with_caption("Of white matter.");
            assert_eq!(map.text(), "Of white matter. Click a slice to show the distributions.");
            map.draw(&[], &Store::for_maps(1))
        };
        let drawn = draw([4, 4, 1], 15).unwrap();
        assert!(drawn.contains(r#""glyphs":{"codes":"#) && drawn.contains("left – right"));
        let elsewhere = draw([4, 5, 1], 15).unwrap_err().to_string();
        assert!(elsewhere.contains("the voxel grid of the image of orientations"), "{elsewhere}");
        let wrong = draw([4, 4, 1], 16).unwrap_err().to_string();
        assert!(wrong.contains("16 values in a voxel are no orientations"), "{wrong}");
    }

    #[test]
    fn mixture_components_are_red_green_and_blue() {
        let values = vec![0.28, 0.0, 0.0, 0.0, 0.28, 0.0, 0.0, 0.0, 0.14];
        let names = ["fluid", "grey matter", "white matter"].map(str::to_owned);
        let map = MapFigure::mixture("Tissues", Volume::new(grid([3, 1, 1]), 3, values).unwrap(), names);
        let colours: Vec<_> = (0..3).map(map.picture.paint(None)).collect();
        assert_eq!(colours, [[255, 0, 0], [0, 255, 0], [0, 0, 128]]);
        let drawn = map.draw(&[], &Store::for_maps(1)).unwrap();
        assert!(
            drawn.contains(r#""names":["fluid","grey matter","white matter"]"#)
                && drawn.contains(">fluid</text>")
        );
    }

    #[test]
    fn outlines_have_colours_and_names() {
        let place = grid([4, 4, 1]);
        let region =
            |inside: &dyn Fn(usize) -> bool| Mask::new(place, (0..16).map(inside).collect()).unwrap();
        let map = MapFigure::scalar("b = 0", Volume::filled(place, 1, 1.0), "")
            .with_outline(&region(&|n| n < 4), "mask")
            .with_outline(&region(&|n| n == 5), "<seed>");
        let drawn = map.draw(&[], &Store::for_maps(1)).unwrap();
        assert!(drawn.contains("outline: mask") && drawn.contains("outline: &lt;seed&gt;"));
        let lines: Vec<&str> = drawn.split(r#"" stroke=""#).skip(1).map(|rest| &rest[..7]).collect();
        assert!(lines.len() == 2 && lines[0] != lines[1], "{lines:?}");
        let other = Mask::full(grid([5, 4, 1]));
        assert!(
            map.with_outline(&other, "stop")
                .draw(&[], &Store::for_maps(1))
                .unwrap_err()
                .to_string()
                .contains("the voxel grid of stop")
        );
    }

    #[test]
    fn slices_pass_through_the_map_and_show_the_whole_anatomy() {
        let place = grid([10, 10, 20]);
        let mut tract = Volume::filled(place, 1, 0.0);
        tract.values_mut()[place.index([5, 5, 7])] = 1.0;
        let map = MapFigure::scalar("visits", tract, "").with_anatomy(Volume::filled(place, 1, 1.0));
        let drawn = map.draw(&[], &Store::for_maps(1)).unwrap();
        assert_eq!(drawn.matches("data-plane=\"axial\"").count(), 1);
        assert!(drawn.contains("z 28 mm") && drawn.contains("aspect-ratio:10.00/10.00"));
    }

    #[test]
    fn display_windows_are_robust_to_invalid_values() {
        let volume = |values: Vec<f32>| Volume::new(grid([values.len(), 1, 1]), 1, values).unwrap();
        let ramp = volume((0..=1000).map(|n| n as f32).collect());
        assert_eq!(usable_window(&ramp, None), [0.0, 990.01]);
        assert_eq!(usable_window(&ramp, Some([5.0, 6.0])), [5.0, 6.0]);
        assert_eq!(usable_window(&ramp, Some([6.0, f32::NAN])), [0.0, 990.01]);
        assert_eq!(usable_window(&volume(vec![f32::NAN, f32::INFINITY, 0.0]), None), [0.0, 1.0]);
        assert_eq!(usable_window(&volume(vec![-2.0; 4]), None), [-2.0, 0.0]);
        let drawn = MapFigure::scalar("x", volume(vec![f32::NAN, f32::NEG_INFINITY, 3.0]), "")
            .draw(&[], &Store::for_maps(1))
            .unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }

    #[test]
    fn the_wrong_number_of_channels_is_an_error() {
        let error = MapFigure::directions("Colour FA", Volume::filled(grid([2, 2, 2]), 1, 0.0))
            .draw(&[], &Store::for_maps(1))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "report figure `Colour FA`: the image of the map has 1 values per voxel instead of 3; give an \
             image of the right kind"
        );
    }
}
