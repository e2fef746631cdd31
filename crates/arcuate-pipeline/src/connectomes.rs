//! Connectomes of several parcellations with several measures, computed in one pass over a tractogram, and
//! their files.

use crate::output_files::{Kind, OutputFile};
use crate::parcellations::NamedParcellation;
use arcuate_connect::{
    Assignments, ConnectomeOptions, Connectomes, Interpolation, RegionConnectome, SumsMemory, warn_of_none,
};
use arcuate_core::{ConnectivityMatrix, ElementKind, Error, Measure, Result, StreamlineSink, Volume};
use arcuate_io::{
    AtomicFile, CiftiWriter, Space, is_image_name, npz_files, read_numbers, read_volume, read_weights,
    stream_tractogram_in, write_axis_csv, write_matrix_csv, write_matrix_npy, write_matrix_npz,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Publications to cite.
pub const REFERENCES: &[&str] = &["Smith RE et al. (2015) The effects of SIFT on the reproducibility and \
     biological accuracy of the structural connectome (radial search). doi:10.1016/j.neuroimage.2014.10.004"];

/// Measure of a connectome (a value for each pair of regions). It is parsed from the text `count`, `weight`,
/// `length`, `NAME=FILE`, or `sum:NAME=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeasureRequest {
    /// Number of streamlines. It is always computed.
    Count,
    /// Sum of the weights of the streamlines.
    Weight,
    /// Mean length of the streamlines, in mm.
    Length,
    /// Mean of a value over the streamlines that join two regions. The value of a streamline is the mean of
    /// an image along the streamline, or its number in a text file.
    Mean {
        /// Name of the measure.
        name: String,
        /// Image whose values are averaged along each streamline, or text file with one number per
        /// streamline.
        file: PathBuf,
    },
    /// Sum of a value over the streamlines that join two regions. The value of a streamline is defined as in
    /// [`Mean`](Self::Mean).
    Sum {
        /// Name of the measure.
        name: String,
        /// Image whose values are averaged along each streamline, or text file with one number per
        /// streamline.
        file: PathBuf,
    },
}

/// Prefix of the syntax of a sum.
const SUM: &str = "sum:";

impl FromStr for MeasureRequest {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match (word, word.split_once('=')) {
            ("count", _) => Ok(Self::Count),
            ("weight", _) => Ok(Self::Weight),
            ("length", _) => Ok(Self::Length),
            (_, Some((name, file))) if !file.is_empty() => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
                let of_sum = name.strip_prefix(SUM);
                let name = of_sum.unwrap_or(name);
                if name.is_empty() || !name.chars().all(plain) {
                    return Err(format!("`{name}` is not a valid name; use letters, digits, - and _"));
                }
                let (name, file) = (name.to_owned(), PathBuf::from(file));
                Ok(if of_sum.is_some() { Self::Sum { name, file } } else { Self::Mean { name, file } })
            }
            _ => Err(
                "give count, weight, length, or a name and a file such as fa=fa.nii.gz or sum:fa=fa.nii.gz"
                    .to_owned(),
            ),
        }
    }
}

impl MeasureRequest {
    /// Returns the measure of the matrices.
    #[doc(hidden)]
    pub fn measure(&self) -> Measure {
        match self {
            Self::Count => Measure::Count,
            Self::Weight => Measure::Weight,
            Self::Length => Measure::MeanLength,
            Self::Mean { name, .. } => Measure::Mean(name.clone()),
            Self::Sum { name, .. } => Measure::Sum(name.clone()),
        }
    }

    /// Returns the file that the measure reads.
    #[doc(hidden)]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Mean { file, .. } | Self::Sum { file, .. } => Some(file),
            Self::Count | Self::Weight | Self::Length => None,
        }
    }
}

/// Returns the measures of a connectome: the number of streamlines, then the requested measures in their
/// order, without duplicates.
pub fn measures(requests: &[MeasureRequest]) -> Vec<Measure> {
    let mut measures = vec![Measure::Count];
    for measure in requests.iter().map(MeasureRequest::measure) {
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    measures
}

/// Inputs of connectomes.
#[derive(Debug)]
pub struct ConnectomeInputs<'a> {
    /// Tractogram.
    pub tractogram: &'a Path,
    /// Parcellations. Each gives one connectome.
    pub parcellations: &'a [NamedParcellation],
    /// Measures in addition to the count.
    pub measures: &'a [MeasureRequest],
    /// File with one weight per streamline.
    pub weights: Option<&'a Path>,
    /// Options for the assignment of streamlines to regions.
    pub options: &'a ConnectomeOptions,
}

/// Values that a measure reads.
enum Values {
    Image(Box<Volume<f32>>),
    List(Vec<f64>),
}

impl ConnectomeInputs<'_> {
    /// Returns an error if the assignment options and the parcellations contradict each other. No streamline
    /// is read.
    pub fn check(&self) -> Result<()> {
        self.with_parcellations(Connectomes::new(None, self.options)?).map(|_| ())
    }

    fn with_parcellations<'b>(&'b self, mut all: Connectomes<'b>) -> Result<Connectomes<'b>> {
        for one in self.parcellations {
            let added = all.with_parcellation(&one.parcellation, &one.options(self.options));
            let origin = |data: &str| matches!(data, "labels" | "connectome").then(|| one.path.display());
            all = added.map_err(|e| e.with_subject(origin))?;
        }
        Ok(all)
    }

    /// Computes the connectome of each parcellation, in one pass over the tractogram. Before the work begins,
    /// `say` receives two values for each parcellation: the number of regions, and the memory that counting
    /// the connectome needs.
    ///
    /// Returns an error if the regions of a parcellation are far from all endpoints of streamlines.
    pub fn make(&self, mut say: impl FnMut(usize, SumsMemory)) -> Result<Vec<RegionConnectome>> {
        let weights = self.weights.map(read_weights).transpose()?;
        let mut values: Vec<(&MeasureRequest, Option<Values>)> = Vec::new();
        for request in self.measures {
            if values.iter().any(|(other, _)| other.measure() == request.measure()) {
                let problem = format!("{} is there twice", request.measure().word());
                return Err(Error::usage("‘measure’", problem, "give each measure once"));
            }
            values.push((request, request.file().map(|file| read_values(file)).transpose()?));
        }
        let mut all = Connectomes::new(weights.as_deref(), self.options)?;
        for (request, values) in &values {
            all = match (request, values) {
                (MeasureRequest::Weight, _) => all.with_weights()?,
                (MeasureRequest::Length, _) => all.with_lengths()?,
                (
                    MeasureRequest::Mean { file, .. } | MeasureRequest::Sum { file, .. },
                    Some(Values::Image(image)),
                ) => {
                    let added = all.with_image(request.measure(), image, Interpolation::Linear);
                    added.map_err(|e| e.about(file.display()))?
                }
                (_, Some(Values::List(list))) => all.with_values(request.measure(), list)?,
                _ => all,
            };
        }
        let mut all = self.with_parcellations(all)?;
        all.memory().into_iter().for_each(|(regions, memory)| say(regions, memory));
        let grid =
            self.parcellations.iter().find_map(|one| one.parcellation.voxels()).map(|labels| *labels.grid());
        let space = grid.as_ref().map_or(Space::Unknown, Space::Likely);
        let origin = |data: &str| {
            let of = values.iter().find(|(request, _)| request.measure().word() == data);
            of.and_then(|(request, _)| request.file()).map(|file| file.display())
        };
        stream_tractogram_in(self.tractogram, space, &mut all as &mut dyn StreamlineSink)
            .map_err(|e| e.with_subject(origin))?;
        let name = |place: usize| self.parcellations[place].path.display().to_string();
        all.require_near(name, &format!(" of {}", self.tractogram.display()))?;
        for (measure, outside) in all.outside().into_iter().filter(|(_, outside)| *outside > 0) {
            tracing::warn!(
                "{}: {outside} streamline points are outside this image and get the value 0",
                measure.word()
            );
        }
        let made = all.finish().map_err(|e| e.with_subject(origin))?;
        for (one, connectome) in self.parcellations.iter().zip(&made) {
            let of = if made.len() > 1 { format!("{}: ", one.path.display()) } else { String::new() };
            let assignments = &connectome.assignments;
            warn_of_none(&of, assignments.between_and_within(), assignments.len() as u64);
        }
        Ok(made)
    }
}

/// Disk space in bytes up to which dense matrices are written without a warning.
const DENSE_ON_DISK: u64 = 1 << 30;

/// Logs the memory that counting a connectome needs, before the work begins. `dense` is the number of dense
/// matrices that will be written. If their files are large, warns of the disk space that they need.
pub fn say_memory(regions: usize, memory: SumsMemory, dense: u64) {
    tracing::info!("connectome: {memory}");
    // Each matrix entry needs at least 10 bytes: 8 bytes in the `.npy` file, and at least a digit and a
    // separator in the `.csv` file.
    let bytes = (regions as u64).saturating_mul(regions as u64).saturating_mul(10 * dense);
    if bytes > DENSE_ON_DISK {
        tracing::warn!(
            "matrices of all pairs of {regions} regions need at least {:.1} GB on disk; use an ‘out’ that \
             ends in .npz, which stores only connected pairs",
            bytes as f64 / 1e9
        );
    }
}

fn read_values(path: &Path) -> Result<Values> {
    if is_image_name(path) {
        read_volume(path).map(|image| Values::Image(Box::new(image)))
    } else {
        read_numbers(path).map(Values::List)
    }
}

/// Returns the beginning of the file names of each connectome. If there is one parcellation, this is
/// `connectome`. If there are several, this is the name of the parcellation.
pub fn stems(parcellations: &[NamedParcellation]) -> Vec<String> {
    match parcellations {
        [_] => vec!["connectome".to_owned()],
        all => all.iter().map(|one| one.name.clone()).collect(),
    }
}

/// Form of the matrix of a connectome.
pub(crate) const SYMMETRIC: &str =
    "The matrix is symmetric; its diagonal is of streamlines with both ends in one region";

/// Describes the files of a connectome in a folder, and how the report shows them. `weighted` is true if
/// streamlines have weights. If not, each streamline has weight 1, and the matrix of weights equals the
/// matrix of counts.
pub fn output_files(stem: &str, measures: &[Measure], weighted: bool, is_cifti: bool) -> Vec<OutputFile> {
    let regions = format!("{stem}_regions.csv");
    let is_requested = |measure: &Measure| measures.contains(measure);
    let weighted = weighted && is_requested(&Measure::Weight);
    let shown = |measure: &Measure, title: String, quantity: String, caption: String, circle: bool| {
        let kind = Kind::Matrix { quantity: quantity.into(), regions: regions.clone().into(), circle };
        let content = format!("{caption} {SYMMETRIC}");
        // Each streamline with weight 0 is counted, but it adds nothing to a sum of weights.
        let included = match measure {
            Measure::Weight => "Only streamlines with a weight above 0 (supported streamlines) contribute.",
            Measure::Count if weighted => "All streamlines are counted, also those with weight 0.",
            Measure::Count => "All streamlines of the tractogram are counted.",
            Measure::MeanLength | Measure::Mean(_) | Measure::Sum(_) => "",
        };
        OutputFile::shown(format!("{stem}_{}.csv", measure.word()), title, kind)
            .with_caption(format!("{caption} {included}").trim_end().to_owned())
            .with_content(content)
    };
    let array = |measure: &Measure, title: &str| {
        OutputFile::file(format!("{stem}_{}.npy", measure.word()), format!("{title}, NumPy"))
            .with_content("The same matrix for NumPy")
    };
    let mut files = Vec::new();
    // The matrices of counts and of lengths are the first files, as in all commands that compute connectomes.
    let count = "Number of streamlines between two regions";
    files.push(shown(
        &Measure::Count,
        "Streamlines between regions".into(),
        "streamlines".into(),
        format!("{count}."),
        !weighted,
    ));
    files.push(array(&Measure::Count, count));
    if is_requested(&Measure::MeanLength) {
        files.push(
            shown(
                &Measure::MeanLength,
                "Length of connections".into(),
                "mean length, mm".into(),
                "Mean length of the streamlines between two regions.".into(),
                false,
            )
            .with_content(format!("Mean length of the streamlines between two regions, mm. {SYMMETRIC}")),
        );
        files.push(array(&Measure::MeanLength, "Their mean length, mm"));
    }
    files.push(OutputFile::file(regions.clone(), "Region of each row"));
    if is_requested(&Measure::Weight) {
        let weights = shown(
            &Measure::Weight,
            "Weight of connections".into(),
            "sum of weights".into(),
            "Sum of the weights of the streamlines between two regions.".into(),
            true,
        );
        files.push(if weighted { weights } else { weights.without_picture() });
        files.push(array(&Measure::Weight, "Sum of their weights"));
    }
    for measure in measures {
        let (name, how) = match measure {
            Measure::Mean(name) => (name, "mean"),
            Measure::Sum(name) => (name, "sum"),
            Measure::Count | Measure::Weight | Measure::MeanLength => continue,
        };
        let along = match measure {
            Measure::Sum(_) => format!("Sum of the means of {name} along"),
            _ => format!("Mean of {name} along"),
        };
        files.push(shown(
            measure,
            format!("{name} of connections, {how}"),
            format!("{how} {name}"),
            format!("{along} the streamlines between two regions."),
            false,
        ));
        files.push(array(measure, &format!("{along} them")));
    }
    if is_cifti {
        let title = "CIFTI-2, a row for each parcel";
        let file =
            |measure: &Measure| OutputFile::file(format!("{stem}_{}.pconn.nii", measure.word()), title);
        files.extend(measures.iter().map(file));
    }
    let assignments = OutputFile::file(format!("{stem}_assignments.txt"), ASSIGNMENTS);
    files.push(assignments.with_content(
        "The two regions of each streamline, 0 0 for none. With the assignment all-voxels: all regions of each streamline, 0 \
         for none",
    ));
    files
}

/// Title of the assignments file.
pub const ASSIGNMENTS: &str = "The two regions of each streamline, 0 0 for none";

/// Writes the files of a connectome. The function `file` returns the path at which the file with a given name
/// is written.
pub fn write(
    file: impl Fn(&str) -> PathBuf,
    stem: &str,
    one: &NamedParcellation,
    connectome: &RegionConnectome,
) -> Result<()> {
    let RegionConnectome { matrix, assignments } = connectome;
    for measure in matrix.measures() {
        let word = measure.word();
        write_matrix_csv(&file(&format!("{stem}_{word}.csv")), matrix, measure)?;
        write_matrix_npy(&file(&format!("{stem}_{word}.npy")), matrix, measure)?;
        write_pconn(&file(&format!("{stem}_{word}.pconn.nii")), one, matrix, measure)?;
    }
    write_axis_csv(&file(&format!("{stem}_regions.csv")), matrix.rows())?;
    write_assignments(&file(&format!("{stem}_assignments.txt")), assignments)
}

/// Returns the files of a connectome in SciPy's sparse format. Their names begin with the name of `out`. If
/// there are several parcellations, `stem` (the name of the parcellation) follows.
pub fn sparse_files(out: &Path, stem: Option<&str>, measures: &[Measure]) -> Result<Vec<PathBuf>> {
    let name = sparse_name(out, stem);
    let mut files = npz_files(&name, measures, ElementKind::Region, None)?;
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    files.push(out.with_file_name(format!("{stem}_assignments.txt")));
    Ok(files)
}

fn sparse_name(out: &Path, stem: Option<&str>) -> PathBuf {
    let Some(stem) = stem else { return out.to_owned() };
    let name = out.file_stem().unwrap_or_default().to_string_lossy();
    out.with_file_name(format!("{name}_{stem}.npz"))
}

/// Writes a connectome in SciPy's sparse format.
pub fn write_sparse(out: &Path, stem: Option<&str>, connectome: &RegionConnectome) -> Result<()> {
    let name = sparse_name(out, stem);
    write_matrix_npz(&name, &connectome.matrix)?;
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    write_assignments(&out.with_file_name(format!("{stem}_assignments.txt")), &connectome.assignments)
}

/// Writes the regions that each streamline joins, in the format of `tck2connectome -out_assignments`. A
/// streamline that reaches no region has the line `0 0`. If streamlines join all regions along their path,
/// and not only those at their ends, such a streamline has the line `0`.
fn write_assignments(path: &Path, assignments: &Assignments) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let failed = |e| Error::write(path, e);
    match assignments {
        Assignments::Ends(ends) => {
            for assignment in ends {
                let (a, b) = assignment.unwrap_or((0, 0));
                writeln!(file, "{a} {b}").map_err(failed)?;
            }
        }
        Assignments::Passed(_) => {
            for streamline in 0..assignments.len() {
                let regions: Vec<String> = assignments.of(streamline).iter().map(u32::to_string).collect();
                let line = if regions.is_empty() { "0".to_owned() } else { regions.join(" ") };
                writeln!(file, "{line}").map_err(failed)?;
            }
        }
    }
    file.finish()
}

/// Writes the matrix of a measure in CIFTI-2 format, with a row and a column for each parcel (region). Writes
/// no file if the parcellation is not from a CIFTI-2 file.
fn write_pconn(
    path: &Path,
    one: &NamedParcellation,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
) -> Result<()> {
    let Some(axis) = one.cifti_axis(matrix.rows().numbers()) else { return Ok(()) };
    let Some(values) = matrix.values(measure) else { return Ok(()) };
    let mut file = CiftiWriter::create(path, &axis, &axis)?;
    let whole = matrix.whole_rows();
    let mut row = vec![0.0; axis.len()];
    let mut rounded = vec![0.0; axis.len()];
    for n in 0..axis.len() {
        whole.fill(n, values, &mut row);
        rounded.iter_mut().zip(&row).for_each(|(rounded, value)| *rounded = *value as f32);
        file.write_row(&rounded)?;
    }
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_parsed_from_words() {
        for (word, measure) in
            [("count", Measure::Count), ("weight", Measure::Weight), ("length", Measure::MeanLength)]
        {
            assert_eq!(word.parse::<MeasureRequest>().unwrap().measure(), measure);
        }
        let fa: MeasureRequest = "f-a=a=b.nii".parse().unwrap();
        assert_eq!((fa.measure(), fa.file()), (Measure::Mean("f-a".into()), Some(&PathBuf::from("a=b.nii"))));
        let sum: MeasureRequest = "sum:md=md.nii".parse().unwrap();
        assert_eq!((sum.measure(), sum.file()), (Measure::Sum("md".into()), Some(&PathBuf::from("md.nii"))));
        for wrong in
            ["", "counts", "fa=", "=a.nii", "f/a=a.nii", "f a=x", "sum:=a.nii", "sum:length", "sums:fa=a.nii"]
        {
            assert!(wrong.parse::<MeasureRequest>().is_err(), "{wrong}");
        }
        let is_requested = [MeasureRequest::Length, MeasureRequest::Count];
        assert_eq!(measures(&is_requested), [Measure::Count, Measure::MeanLength]);
    }
}
