//! Embeds the scene of the interactive viewer in a page. The page contains a description of the scene, and
//! the scene's files in base64.

use super::images::SceneImage;
use super::surfaces::{SceneSurface, Thinned};
use super::{Tracts, ViewerScene};
use crate::colours::ColourScale;
use crate::groups::Groups;
use crate::human;
use crate::stills::{Stills, window_of};
use arcuate_core::{Affine, Error, Grid, Result};
use arcuate_io::{PositionType, TractogramOptions, TrxLayout, write_tractogram};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Value, context};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::path::Path;
use tempfile::TempDir;

/// A scene of the interactive viewer, in the form in which a page contains it.
#[derive(Debug)]
pub(crate) struct Embedded {
    scene: String,
    notes: Vec<String>,
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
        let has_streamlines = self.stills.is_some();
        let scene = Value::from_safe_string(self.scene.clone());
        context! { scene, notes => &self.notes, stills, files, has_streamlines }
    }
}

/// The streamlines of a scene, their file in base64, and still pictures of them.
struct EncodedTracts<'a> {
    tracts: &'a Tracts,
    base64: String,
    stills: String,
}

/// The files of a viewer scene.
struct Files {
    folder: TempDir,
    /// For each file of the scene: the identifier of the page element that contains the file, and the
    /// contents of this element.
    embedded: Vec<(String, String)>,
    notes: Vec<String>,
}

impl Files {
    fn add_bytes(&mut self, id: String, bytes: &[u8]) -> String {
        self.add_text(id, STANDARD.encode(bytes))
    }

    /// Embeds a file that is already encoded. Returns the identifier of the page element that contains the file.
    fn add_text(&mut self, id: String, base64: String) -> String {
        self.embedded.push((id.clone(), base64));
        id
    }

    /// Embeds all images of one kind. Returns their descriptions for the script.
    fn images(&mut self, kind: &str, images: &[SceneImage]) -> Result<Vec<Json>> {
        let folder = self.folder.path();
        let encode = |(n, image): (usize, &SceneImage)| {
            let id = format!("viewer-{kind}-{n}");
            let base64 = encoded(folder, &format!("{id}.nii.gz"), |path| image.write(path))?;
            let window =
                if image.is_coloured() { Vec::new() } else { image.window().map(f64::from).to_vec() };
            Ok((id, base64, window))
        };
        let encoded: Vec<Result<_>> = images.par_iter().enumerate().map(encode).collect();
        let mut described = Vec::new();
        for (image, encoded) in images.iter().zip(encoded) {
            let (id, base64, window) = encoded?;
            let id = self.add_text(id, base64);
            described.push(json!({ "name": image.name, "data": id, "unit": image.unit, "window": window }));
        }
        Ok(described)
    }
}

/// Returns the bytes, in base64, of the file that the function `write` creates under this name in a folder.
fn encoded(folder: &Path, name: &str, write: impl FnOnce(&Path) -> Result<()>) -> Result<String> {
    let path = folder.join(name);
    write(&path)?;
    let bytes = std::fs::read(&path).map_err(|e| Error::read(&path, e))?;
    Ok(STANDARD.encode(bytes))
}

impl ViewerScene {
    /// Returns the point, in mm, through which the viewer's slices pass at the beginning if there are no
    /// streamlines. It is the centre of the voxel with the largest value of the first map.
    fn start(&self) -> Option<[f64; 3]> {
        let map = self.maps.first().filter(|_| self.tracts.is_none())?;
        let values = map.volume.values().iter().enumerate().filter(|(_, value)| value.is_finite());
        let (largest, _) = values.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(map.volume.grid().centre(largest))
    }

    /// Embeds the files of the scene. Also embeds the description of the scene, which the script
    /// `viewer/src/scene.js` reads.
    pub(crate) fn embed(&self) -> Result<Embedded> {
        let folder = tempfile::tempdir().map_err(|e| Error::write(&std::env::temp_dir(), e))?;
        let mut files = Files { folder, embedded: Vec::new(), notes: Vec::new() };
        let folder = files.folder.path().to_owned();
        let (tracts, images) = rayon::join(|| self.encode_tracts(&folder), || self.embed_images(&mut files));
        let (backgrounds, maps, regions) = images?;
        let (surfaces, values) = self.embed_surfaces(&mut files);
        let (tracts, stills) = tracts?.map(|encoded| encoded.embed(&mut files)).unzip();
        let placed = self.backgrounds.first().is_none_or(|background| background.volume.grid().is_placed());
        let scene = json!({
            "backgrounds": backgrounds,
            "maps": maps,
            "regions": regions,
            "surfaces": surfaces,
            "values": values,
            "heat": ColourScale::Inferno.control_points(),
            "tracts": tracts,
            "placed": placed,
            "start": self.start(),
        });
        // A name in the scene may contain any text. In a script element of the page, the text must not
        // contain `<`, which could begin an end tag.
        let scene = scene.to_string().replace('<', "\\u003c");
        Ok(Embedded { scene, notes: files.notes, stills, files: files.embedded })
    }

    /// Embeds the images of the scene. Returns the descriptions of the background images, the maps and the regions.
    fn embed_images(&self, files: &mut Files) -> Result<(Vec<Json>, Vec<Json>, Option<Json>)> {
        let backgrounds = files.images("image", &self.backgrounds)?;
        let maps = files.images("map", &self.maps)?;
        let Some(regions) = &self.regions else { return Ok((backgrounds, maps, None)) };
        let base64 = encoded(files.folder.path(), "regions.nii.gz", |path| regions.write(path))?;
        let data = files.add_text("viewer-regions".into(), base64);
        Ok((backgrounds, maps, Some(json!({ "data": data, "key": regions.key() }))))
    }

    /// Returns the descriptions of the scene's surfaces, and the descriptions of the values at their
    /// vertices.
    fn embed_surfaces(&self, files: &mut Files) -> (Vec<Json>, Vec<Json>) {
        let count = |surface: &SceneSurface| surface.surface.triangles().len();
        let all: usize = self.surfaces.iter().map(count).sum();
        // The maximum number of triangles is divided among the surfaces, in proportion to their numbers of
        // triangles.
        let maximum = |own: usize| {
            if all <= Self::MAX_TRIANGLES {
                own
            } else {
                (Self::MAX_TRIANGLES as u64 * own as u64 / all as u64) as usize
            }
        };
        let thinned: Vec<Thinned> = self
            .surfaces
            .iter()
            .map(|surface| Thinned::of(&surface.surface, maximum(count(surface))))
            .collect();
        let shown: usize = thinned.iter().map(|surface| surface.triangles.len()).sum();
        if shown < all {
            let [shown, all] = [shown, all].map(|n| human::count(n as u64));
            files.notes.push(format!(
                "To keep the page small, its surfaces have {shown} triangles instead of {all}. Each vertex shows the largest value of the vertices that it replaces."
            ));
        }
        let describe = |(n, (surface, thinned)): (usize, (&SceneSurface, &Thinned))| {
            let data = files.add_bytes(format!("viewer-surface-{n}"), &thinned.mz3());
            json!({ "name": surface.name, "data": data })
        };
        let surfaces = self.surfaces.iter().zip(&thinned).enumerate().map(describe).collect();
        let mut values = Vec::new();
        for (n, of) in self.values.iter().enumerate() {
            let largest = of.largest();
            let mut on = Vec::new();
            for (surface, values) in &of.on {
                let levels = thinned[*surface].levels(values, largest);
                let data = files.add_bytes(format!("viewer-values-{n}-{surface}"), &levels);
                on.push(json!({ "surface": surface, "data": data }));
            }
            let (name, quantity, place) = (&of.name, &of.quantity, &of.place);
            values.push(
                json!({ "name": name, "quantity": quantity, "largest": largest, "place": place, "on": on }),
            );
        }
        (surfaces, values)
    }

    /// Writes the file of the streamlines, and draws still pictures of them. Returns `None` if the scene has no
    /// streamlines.
    fn encode_tracts(&self, folder: &Path) -> Result<Option<EncodedTracts<'_>>> {
        let Some(tracts) = self.tracts.as_ref().filter(|tracts| !tracts.streamlines.is_empty()) else {
            return Ok(None);
        };
        let Tracts { streamlines, groups, groups_at_start, .. } = tracts;
        let first = self.backgrounds.first();
        let grid = first.map_or_else(unit_grid, |background| Ok(*background.volume.grid()))?;
        // Coordinates in half precision need half of the bytes of single precision. Within the head, they are
        // accurate to 0.06 mm.
        let options = TractogramOptions {
            positions: PositionType::F16,
            layout: TrxLayout::Deflated,
            ..TractogramOptions::default()
        };
        let drawing = Stills {
            streamlines,
            groups: groups.as_ref().filter(|_| *groups_at_start),
            anatomy: first.map(|background| &background.volume),
            anatomy_window: first.and_then(|background| window_of(&background.volume, background.window)),
        };
        let write = |path: &Path| write_tractogram(path, streamlines, Some(&grid), &options);
        let (base64, stills) = rayon::join(|| encoded(folder, "streamlines.trx", write), || drawing.draw());
        Ok(Some(EncodedTracts { tracts, base64: base64?, stills: stills? }))
    }
}

impl EncodedTracts<'_> {
    /// Embeds the streamlines. Returns their description, and still pictures of them.
    fn embed(self, files: &mut Files) -> (Json, String) {
        let Self { tracts, base64, stills } = self;
        let Tracts { streamlines, total, quantity, groups, groups_at_start } = tracts;
        let data = files.add_text("viewer-streamlines".into(), base64);
        let (shown, key) = (streamlines.len(), groups.as_ref().map(Groups::key));
        if shown < *total {
            let [shown, total] = [shown, *total].map(|n| human::count(n as u64));
            files.notes.push(format!(
                "To keep the page small, it has {shown} of the {total} streamlines, taken evenly."
            ));
        }
        let at_start = key.is_some() && *groups_at_start;
        let tracts = json!({
            "data": data, "shown": shown, "total": total, "quantity": quantity, "groups": key, "groupsAtStart": at_start
        });
        (tracts, stills)
    }
}

/// Returns the voxel grid for a file of streamlines without a reference image. The positions of streamlines
/// are still in mm.
fn unit_grid() -> Result<Grid> {
    Grid::new([1; 3], Affine::identity())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::{QUANTITY, StreamlineQuantity, VertexValues};
    use arcuate_core::{Mask, Surface, Tractogram, Volume};

    #[test]
    fn embedded_files_contain_the_scene() {
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
        assert!(!embedded.scene.contains('<') && embedded.notes.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let open = |n: usize, name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, STANDARD.decode(&embedded.files[n].1).unwrap()).unwrap();
            path
        };
        let read = arcuate_io::read_volume(&open(0, "gray.nii.gz")).unwrap();
        assert!(read.grid().matches(&grid));
        // Values are rounded to a thousandth of the window (the shown range of values). The error is at most
        // half of this step.
        assert!(read.values().iter().zip(gray.values()).all(|(a, b)| (a - b).abs() <= 0.0301));
        let read = arcuate_io::read_volume(&open(1, "colours.nii.gz")).unwrap();
        assert_eq!((read.channels(), read.values()[50], read.values()[179]), (3, 128.0, 255.0));
        let read = arcuate_io::read_tractogram(&open(2, "lines.trx")).unwrap().tractogram;
        assert_eq!(read.offsets(), lines.offsets());
        // Numbers in half precision from 64 upwards have steps of 0.0625, here in mm.
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 0.0313;
        assert!(read.positions().as_flattened().iter().zip(lines.positions().as_flattened()).all(near));
        assert_eq!(read.per_streamline[QUANTITY].values().to_f64(), [0.25, 0.0]);
    }

    #[test]
    fn maps_regions_and_surfaces_are_embedded_without_streamlines() {
        let grid = Grid::new([3, 1, 1], Affine::identity()).unwrap();
        let map = Volume::new(grid, 1, vec![0.0, 2.0, 8.0]).unwrap();
        let seeds = Mask::new(grid, vec![true, false, false]).unwrap();
        let corners = vec![[0.0; 3], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]];
        let surface = Surface::new(corners, vec![[0, 1, 2]], None).unwrap();
        let values = VertexValues {
            name: "vertex 1".into(),
            quantity: "streamlines".into(),
            place: Some([10.0, 0.0, 0.0]),
            on: vec![(0, vec![0.0, 3.0, 40.0])],
        };
        let scene = ViewerScene::new()
            .with_map("visits", &map, None, "streamlines")
            .and_then(|scene| scene.with_regions(&[("seeds".to_owned(), seeds)]))
            .and_then(|scene| scene.with_surface("white", surface).with_vertex_values(values));
        let embedded = scene.unwrap().embed().unwrap();
        let ids: Vec<&str> = embedded.files.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["viewer-map-0", "viewer-regions", "viewer-surface-0", "viewer-values-0-0"]);
        let scene: Json = serde_json::from_str(&embedded.scene).unwrap();
        assert_eq!(scene["tracts"], Json::Null);
        assert_eq!(scene["regions"]["key"][0][0], "seeds");
        assert_eq!(scene["values"][0]["largest"], 40.0);
        assert_eq!(scene["values"][0]["on"][0]["data"], "viewer-values-0-0");
        assert_eq!(scene["heat"].as_array().map(Vec::len), Some(9));
        assert!(embedded.stills.is_none() && embedded.notes.is_empty());
    }

    #[test]
    fn too_many_triangles_are_thinned_and_the_page_reports_it() {
        let side = 400u32;
        let vertices = (0..side * side).map(|n| [(n % side) as f32, (n / side) as f32, 0.0]).collect();
        let squares = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        let triangles = squares.flat_map(|n| [[n, n + 1, n + side], [n + 1, n + side + 1, n + side]]);
        let sheet = Surface::new(vertices, triangles.collect(), None).unwrap();
        let embedded = ViewerScene::new().with_surface("sheet", sheet).embed().unwrap();
        assert_eq!(embedded.notes.len(), 1);
        assert!(embedded.notes[0].contains("instead of 318,402"), "{:?}", embedded.notes);
    }
}
