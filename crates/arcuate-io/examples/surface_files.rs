//! Reads and converts surfaces and CIFTI-2 files. `oracles/surfaces_nibabel.py` runs this example and
//! compares the results with other programs.
//!
//!     surface_files dump FILE                what a file holds, as JSON
//!     surface_files convert FROM TO [GRID]   written again, with an image as the reference
//!     surface_files segments MESH SEGMENTS   of each line `x y z x y z`: crossings, 1 where it has a contact, 1 where its
//!                                            beginning is inside

use arcuate_core::{Error, Result, SurfaceGeometry};
use arcuate_io::{
    CiftiAxis, CiftiFile, SurfaceReading, convert_cifti, describe_image, is_cifti_name, read_numbers,
    read_surface, read_surface_file, write_surface_file,
};
use serde_json::{Value, json};
use std::path::Path;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["dump", file] if is_cifti_name(Path::new(file)) => println!("{}", cifti(Path::new(file))?),
        ["dump", file] => println!("{}", surface(Path::new(file))?),
        ["convert", from, to] if is_cifti_name(Path::new(from)) => {
            convert_cifti(Path::new(from), Path::new(to))?;
        }
        ["convert", from, to] => convert(Path::new(from), Path::new(to), None)?,
        ["convert", from, to, grid] => convert(Path::new(from), Path::new(to), Some(Path::new(grid)))?,
        ["segments", mesh, list] => segments(Path::new(mesh), Path::new(list))?,
        _ => {
            let advice = "say dump FILE, convert FROM TO [GRID] or segments MESH SEGMENTS";
            return Err(Error::usage("surface_files", "the command is missing", advice));
        }
    }
    Ok(())
}

fn convert(from: &Path, to: &Path, grid: Option<&Path>) -> Result<()> {
    let grid = grid.map(describe_image).transpose()?.map(|image| image.grid);
    let reading = SurfaceReading { reference: grid.as_ref(), mesh_space: None };
    write_surface_file(to, from, &read_surface_file(from)?, reading)
}

fn surface(path: &Path) -> Result<Value> {
    let file = read_surface_file(path)?;
    let scanner = file.surface(path, SurfaceReading::default()).ok();
    let maps: Vec<Value> =
        file.maps.iter().map(|map| json!({ "name": map.name, "values": map.values })).collect();
    let labels: Vec<Value> = file
        .labels
        .iter()
        .map(|labels| {
            let table: Vec<Value> =
                labels.table.iter().map(|(key, label)| json!([key, label.name, label.colour])).collect();
            json!({ "name": labels.name, "values": labels.values, "table": table })
        })
        .collect();
    Ok(json!({
        "structure": file.structure.map(|structure| structure.to_string()),
        "stored": file.mesh.as_ref().map(|mesh| &mesh.vertices),
        "triangles": file.mesh.as_ref().map(|mesh| &mesh.triangles),
        "scanner": scanner.as_ref().map(arcuate_core::Surface::vertices),
        "maps": maps,
        "labels": labels,
    }))
}

fn cifti(path: &Path) -> Result<Value> {
    let file = CiftiFile::open(path)?;
    let width = file.columns().len();
    let mut values = Vec::new();
    for row in 0..file.rows().len() {
        let mut numbers = vec![0.0; width];
        file.read_row(row, &mut numbers)?;
        values.push(numbers);
    }
    Ok(json!({ "rows": axis(file.rows()), "columns": axis(file.columns()), "values": values }))
}

fn axis(axis: &CiftiAxis) -> Value {
    let CiftiAxis::BrainModels(models) = axis else { return json!(axis.describe()) };
    let places: Vec<Value> = models
        .models()
        .iter()
        .map(|model| match &model.elements {
            arcuate_core::BrainElements::Vertices { surface, numbers } => {
                json!([model.structure.cifti_name(), surface, numbers])
            }
            arcuate_core::BrainElements::Voxels(voxels) => {
                json!([model.structure.cifti_name(), null, voxels])
            }
        })
        .collect();
    json!({ "models": places, "affine": models.volume().map(|grid| grid.affine().rows()) })
}

fn segments(mesh: &Path, list: &Path) -> Result<()> {
    let geometry = SurfaceGeometry::new(&read_surface(mesh, None)?)?;
    let mut crossings = Vec::new();
    for numbers in read_numbers(list)?.chunks_exact(6) {
        let (p, q) = ([numbers[0], numbers[1], numbers[2]], [numbers[3], numbers[4], numbers[5]]);
        geometry.crossings(p, q, &mut crossings);
        let contact = geometry.first_contact(p, q);
        println!(
            "{} {} {} {}",
            crossings.len(),
            u8::from(contact.is_some()),
            u8::from(geometry.is_inside(p)),
            contact.map_or(-1.0, |contact| contact.along)
        );
    }
    Ok(())
}
