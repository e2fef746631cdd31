//! What commands, notebooks and workflows share: inputs are found, read and brought into one space, and what was done is
//! recorded. It stands between the algorithms and the command line, and knows none of its words.

pub mod caller;
pub mod checksums;
pub mod constraint_files;
pub mod diffusivities;
pub mod figures;
pub mod fsl_directions;
pub mod map_format;
pub mod mask_space;
pub mod memory;
pub mod orientation_files;
pub mod output;
pub mod output_files;
pub mod output_images;
pub mod parcellation;
pub mod precision;
pub mod record;
pub mod regions;
pub mod report;
pub mod run;
pub mod sample_folder;
pub mod scan;
pub mod series;
pub mod series_file;
pub mod session;
pub mod shell;
pub mod sidecar;
pub mod signals_table;
pub mod space;
pub mod stages;
pub mod stems;
pub mod tensor_order;
pub mod transforms;
pub mod units;
pub mod warnings;
