//! The option for the file format of maps that a command writes into a folder of results.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

pub(crate) use arcuate_pipeline::map_format::MapFormat;

/// Options of commands that write maps into a folder.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MapOptions {
    /// File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif
    ///
    /// [default: nii.gz]
    #[arg(long, value_parser = formats())]
    format: Option<MapFormat>,
}

impl MapOptions {
    /// Returns the format that the user gave. If the user gave none, returns the default format.
    pub(crate) fn format(self) -> MapFormat {
        self.format.unwrap_or_default()
    }

    /// Returns the format that the user gave. If the user gave none, returns `None`.
    pub(crate) fn given(self) -> Option<MapFormat> {
        self.format
    }
}

/// Parses the names of formats.
fn formats() -> impl TypedValueParser<Value = MapFormat> {
    PossibleValuesParser::new(MapFormat::ALL.map(MapFormat::word)).try_map(|word| {
        let named = |format: &MapFormat| format.word() == word;
        MapFormat::ALL.into_iter().find(named).ok_or("no such format")
    })
}
