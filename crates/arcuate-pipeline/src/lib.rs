//! What commands, notebooks and workflows share: inputs are found, read and brought into one space, and what was done is
//! recorded. It stands between the algorithms and the command line, and knows none of its words.

pub mod caller;
pub mod checksums;
pub mod connectomes;
pub mod diffusivities;
pub mod figures;
pub mod map_format;
pub mod orientation_files;
pub mod output;
pub mod output_files;
pub mod parcellation;
pub mod parcellations;
pub mod record;
pub mod regions;
pub mod row_labels;
pub mod run;
pub mod sample_folder;
pub mod scan;
pub mod series;
pub mod sidecar;
pub mod signals_table;
pub mod space;
pub mod stems;
pub mod tensor_order;
pub mod transforms;
pub mod units;
