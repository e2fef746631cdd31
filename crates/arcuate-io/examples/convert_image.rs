//! Reads an image and writes it in another format or number type. `oracles/nifti_nibabel.py` calls this
//! example.
//!
//! ```text
//! convert_image IN OUT [TYPE]      OUT ends in .nii, .nii.gz, .mif, .mif.gz or .npy (values only, x y z channel order)
//! convert_image time IN [TIMES]    seconds to read IN, and to decode it in one thread without converting
//! ```
//! TYPE is u8, i8, … f64 (default f64), or `components` for complex values (f64).

use arcuate_core::{Result, Volume};
use arcuate_io::{
    Element, GradientReading, WriteOptions, describe_image, read_components, read_volume, read_volume_as,
    write_image, write_npy,
};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn convert<T: Element>(input: &Path, output: &Path) -> Result<()> {
    write(&read_volume_as::<T>(input)?, input, output)
}

fn write<T: Element>(volume: &Volume<T>, input: &Path, output: &Path) -> Result<()> {
    if output.extension().is_some_and(|ending| ending == "npy") {
        let [nx, ny, nz] = volume.grid().shape();
        // In NumPy, the last axis is fastest, so the axes are z, y, x and channel.
        return write_npy(output, &[nz, ny, nx, volume.channels()], volume.values());
    }
    let described = describe_image(input)?;
    let into_mif = output.to_string_lossy().contains(".mif");
    let stored = described.gradients.filter(|_| into_mif);
    let gradients = stored.map(|stored| stored.table(&GradientReading::default())).transpose()?;
    write_image(output, volume, &WriteOptions { gradients, ..WriteOptions::default() })
}

fn time(input: &Path, times: usize) -> Result<()> {
    for _ in 0..times {
        let start = Instant::now();
        let volume = read_volume(input)?;
        let whole = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let compressed = std::fs::read(input).unwrap_or_default();
        let mut bytes = Vec::new();
        // If the file is not compressed, decoding ends here at once.
        let _ = flate2::read::MultiGzDecoder::new(&compressed[..]).read_to_end(&mut bytes);
        let decode = start.elapsed().as_secs_f64();
        let (mib, values) = (bytes.len() / (1 << 20), volume.values().len());
        println!("read {whole:.3} s ({values} values), decode alone {decode:.3} s ({mib} MiB)");
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["time", input] => time(Path::new(input), 5),
        ["time", input, times] => time(Path::new(input), times.parse().unwrap_or(5)),
        [input, output, ref rest @ ..] => {
            let (input, output) = (Path::new(input), Path::new(output));
            match rest.first().copied().unwrap_or("f64") {
                "u8" => convert::<u8>(input, output),
                "i8" => convert::<i8>(input, output),
                "u16" => convert::<u16>(input, output),
                "i16" => convert::<i16>(input, output),
                "u32" => convert::<u32>(input, output),
                "i32" => convert::<i32>(input, output),
                "u64" => convert::<u64>(input, output),
                "i64" => convert::<i64>(input, output),
                "f32" => convert::<f32>(input, output),
                "components" => {
                    read_components::<f64>(input).and_then(|(volume, _)| write(&volume, input, output))
                }
                _ => convert::<f64>(input, output),
            }
        }
        _ => {
            eprintln!("usage: convert_image IN OUT [TYPE] | convert_image time IN [TIMES]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
