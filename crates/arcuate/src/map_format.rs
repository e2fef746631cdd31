//! The format of maps in a folder of results, as people say it.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

pub(crate) use arcuate_pipeline::map_format::MapFormat;

/// Options of commands that write maps into a folder.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MapOptions {
    /// Format of the maps, which is the ending of their names; nii.gz by default
    #[arg(long, value_parser = formats())]
    format: Option<MapFormat>,
}

impl MapOptions {
    /// What was asked for, or the default.
    pub(crate) fn format(self) -> MapFormat {
        self.format.unwrap_or_default()
    }

    /// Whether somebody said which.
    pub(crate) fn is_given(self) -> bool {
        self.format.is_some()
    }
}

/// Takes the words of formats.
fn formats() -> impl TypedValueParser<Value = MapFormat> {
    PossibleValuesParser::new(MapFormat::ALL.map(MapFormat::word)).map(|word| {
        let named = |format: &MapFormat| format.word() == word;
        MapFormat::ALL.into_iter().find(named).expect("one of the words")
    })
}
