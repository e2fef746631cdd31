//! Fits fibre orientation distributions (FODs) by constrained spherical deconvolution (CSD).

use super::mask;
use super::response::CONSTRAINTS;
use super::work::Work;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::output_images::write_images;
use crate::record::{self, Record};
use crate::responses::{self, ResponseFile, TISSUES};
use crate::run::MASK;
use crate::series::{Series, Weighting};
use crate::series_file::SeriesFile;
use arcuate_compute::Device;
use arcuate_core::{Control, Error, ErrorKind, GradientTable, Mask, Orientations, Result, Volume};
use arcuate_fod::{
    Distributions, LabelledResponse, MultiTissue, NormaliseOptions, PeakFinder, Response, SingleShell,
    SingleShellOptions, Tissue, TissueKind, check_directions, check_responses_of_series,
    largest_number_of_tissues, normalise_tissues,
};
use arcuate_io::write_image;
use arcuate_report::human;
use std::path::PathBuf;

/// Name that the record of a command uses for the number of voxels whose deconvolution has not converged.
pub const NOT_CONVERGED: &str = "voxels whose iterations were not enough";

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Tournier JD, Calamante F, Connelly A (2007) Robust determination of the fibre orientation distribution in diffusion MRI. \
     doi:10.1016/j.neuroimage.2007.02.016",
    "Jeurissen B et al. (2014) Multi-tissue constrained spherical deconvolution for improved analysis of multi-shell diffusion MRI \
     data. doi:10.1016/j.neuroimage.2014.07.061",
];

/// Papers to cite if the intensities of the tissues are normalised.
pub const OF_NORMALISING: &[&str] = &[
    "Raffelt D et al. (2017) Bias field correction and intensity normalisation for quantitative analysis of apparent fibre density. \
     Proc. ISMRM 25:3541",
    "Dhollander T et al. (2021) Multi-tissue log-domain intensity and inhomogeneity normalisation for quantitative apparent fibre \
     density. Proc. ISMRM 29:2472",
];

/// Number of FOD peaks that are written for each voxel.
const PEAKS: usize = 3;
/// Names of the three tissues in reports, in the order of [`TissueKind::ALL`].
const TITLES: [&str; 3] = ["white matter", "grey matter", "cerebrospinal fluid"];

/// Fits a fibre orientation distribution (FOD) in every voxel of a series, and writes it with the amounts of the other
/// tissues.
#[derive(Debug, Clone, PartialEq)]
pub struct FitCsd {
    /// The diffusion series.
    pub series: SeriesFile,
    /// Mask of the voxels to fit. By default the mask is computed from the series and written with the maps.
    pub mask: Option<PathBuf>,
    /// A folder of response functions, or the response files of white matter, grey matter and cerebrospinal
    /// fluid (CSF), one for each tissue to be fitted.
    pub responses: Vec<PathBuf>,
    /// Highest degree of the spherical harmonics of the FODs. Default: the degree of the white matter
    /// response function, up to 8.
    pub order: Option<usize>,
    /// True if the amounts of the tissues are scaled so that their sum is constant across the brain. If no
    /// scaling achieves this, a warning is printed and the amounts are not changed. The intensity field that
    /// is written is then 1 in all voxels.
    pub normalise: bool,
    /// Folder of the output maps.
    pub out: PathBuf,
    /// Format of the output maps.
    pub format: MapFormat,
}

impl FitCsd {
    /// Creates a fit of a series, with default options and the response functions in a folder.
    pub fn new(series: SeriesFile, responses: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            series,
            mask: None,
            responses: vec![responses.into()],
            order: None,
            normalise: false,
            out: out.into(),
            format: MapFormat::default(),
        }
    }

    fn inputs(&self, responses: &[PathBuf]) -> Vec<PathBuf> {
        self.series.files().into_iter().chain(self.mask.clone()).chain(responses.iter().cloned()).collect()
    }

    fn output_files(&self, tissues: &[usize]) -> Vec<OutputFile> {
        let map = |name: String, title: String| {
            OutputFile::shown(name, title, Kind::Map(Map { heat: true, ..Map::default() }))
        };
        let title = "Fibre orientation distributions of white matter";
        let distributions = OutputFile::shown("wm_fod.nii.gz", title, Kind::Distributions);
        let mut files = vec![
            distributions
                .with_caption("MRtrix's spherical harmonics.")
                .with_content("Coefficients of spherical harmonics, in MRtrix's basis and order"),
        ];
        files.extend(tissues.iter().skip(1).map(|&n| {
            let content = format!("Coefficient of l = 0 of {}", TITLES[n]);
            let title = format!("Amount of {} (l = 0 coefficient; 0.28 is pure tissue)", TITLES[n]);
            map(format!("{}.nii.gz", TISSUES[n]), title).with_content(content)
        }));
        if tissues.len() > 1 {
            let mixture = Some([2, 1, 0].map(|n| TITLES[n].into()));
            let kind = Kind::Map(Map { mixture, ..Map::default() });
            // The volumes have the order CSF, grey matter and white matter, as in MRtrix's `vf.mif`.
            let file = OutputFile::shown(
                "vf.nii.gz",
                "Tissues (l = 0 coefficient of each; 0.28 is pure tissue)",
                kind,
            );
            files.push(file.with_content(
                "Coefficients of l = 0 of CSF, grey and white matter, like vf.mif of MRtrix's users; 0 for a tissue that was \
                 not fitted",
            ));
        }
        let peaks = OutputFile::shown("peaks.nii.gz", "Peaks of the distributions", Kind::Sticks);
        files.push(
            peaks.with_caption("Up to three, in scanner axes, as long as their amplitudes.").with_content(
                "Three peaks of three volumes each, scanner axes; their length is their amplitude",
            ),
        );
        files.push(map("peak_amplitude.nii.gz".into(), "Amplitude of the largest peak".into()));
        if self.normalise {
            files.push(OutputFile::file("field.nii.gz", "The field that tissues were divided by"));
        }
        if self.mask.is_none() {
            files.push(mask::output_file(MASK));
        }
        self.format.of(files)
    }

    /// Returns the response files of the tissues that can be distinguished with the b-values of the series.
    fn told_apart<'a>(series: &Series, given: &'a [ResponseFile]) -> Vec<&'a ResponseFile> {
        let tissues: Vec<usize> = given.iter().map(|file| file.tissue).collect();
        let told_apart = told_apart(&series.gradients, &tissues);
        given.iter().filter(|file| told_apart.contains(&file.tissue)).collect()
    }

    /// Fits and writes the FODs. Returns the distributions, with white matter first.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Distributions> {
        let given = responses::files(&self.responses)?;
        let files: Vec<PathBuf> = given.iter().map(|file| file.path.clone()).collect();
        // Every response file that is given must be valid, even if its tissue is not fitted.
        let all = responses::read_all(&given, job)?;
        let series = self.series.read(Weighting::Needed, job)?;
        check_directions(&series.gradients)?;
        let told_apart = Self::told_apart(&series, &given);
        let tissues: Vec<usize> = told_apart.iter().map(|file| file.tissue).collect();
        let of_used = given.iter().zip(all).filter(|(file, _)| tissues.contains(&file.tissue));
        let used: Vec<Response> = of_used.map(|(_, response)| response).collect();
        self.check_normalisation(used.len())?;
        // If the responses are given as a folder, the folder itself is an input, too.
        let read: Vec<PathBuf> =
            self.inputs(&files).into_iter().chain(self.responses.iter().cloned()).collect();
        let output_files = self.output_files(&tissues);
        let folder = OutputFolder::create(&self.out, &output_files, &read, job)?.with_maps_as(self.format);
        let mask = job.step("mask", || series.mask(self.mask.as_deref()))?;
        let mut found = job.step("deconvolve", || {
            let (dwi, gradients) = (&series.dwi, &series.gradients);
            let responses: Vec<LabelledResponse<'_>> =
                tissues.iter().map(|&n| TissueKind::ALL[n]).zip(&used).collect();
            let problem =
                Deconvolution { dwi, gradients, mask: &mask, responses: &responses, order: self.order };
            deconvolve(&problem, job.device()?, &job.control())
        })?;
        let mut record = Record::new("Fibre orientation distributions", output_files, job);
        let field = self
            .normalise
            .then(|| self.normalise(&tissues, &mut found, &mask, &mut record, job))
            .transpose()?;
        let white = &found.coefficients[0];
        let peaks = job.step("find the peaks", || {
            PeakFinder::new(white.channels())?.peaks_of(white, &mask, PEAKS, &job.control())
        })?;
        let amplitude = first_amplitudes(&peaks)?;
        let fractions = first_coefficients(&tissues, &found.coefficients);
        let mut images = vec![("wm_fod", white), ("peaks", &peaks), ("peak_amplitude", &amplitude)];
        let others = tissues.iter().zip(&found.coefficients).skip(1);
        images.extend(others.map(|(&n, volume)| (TISSUES[n], volume)));
        if tissues.len() > 1 {
            images.push(("vf", &fractions));
        }
        images.extend(field.as_ref().map(|field| ("field", field)));
        job.write("write the maps", || {
            write_images(&folder, &images, job)?;
            if self.mask.is_none() {
                write_image(&folder.file(MASK), &mask.to_volume(), &job.image_options())?;
                record.cite(mask::REFERENCES);
            }
            Ok(())
        })?;
        record.add_inputs(&series.files, job)?;
        record.add_inputs(self.mask.as_slice(), job)?;
        record.add_inputs(&files, job)?;
        for ResponseFile { tissue, path } in told_apart {
            let tissue = TITLES[*tissue];
            record.show_input(
                path,
                format!("Response function of {tissue}"),
                Kind::Response { tissue: tissue.into() },
            );
        }
        series.note(&mut record);
        let names: Vec<&str> = tissues.iter().map(|&n| TITLES[n]).collect();
        record.choice("tissues", names.join(", "));
        record.choice("deconvolved on", &found.device);
        record.choice("harmonics", format!("{} coefficients", white.channels()));
        record.voxel_counts("", &found.counts);
        record.figure("voxels computed", found.counts.computed()).key();
        record.figure(NOT_CONVERGED, found.unconverged);
        record.done(format!(
            "In each of {} voxels signals were deconvolved by the responses of {}.",
            human::count(found.counts.computed() as u64),
            names.join(", ")
        ));
        record.cite(REFERENCES);
        record.write(folder.path(), job)?;
        if used.len() < given.len() {
            job.show_message(format!(
                "{} responses were given, and only those of {} are used: the {} b-values of the series can separate \
                 only this number of tissues",
                given.len(),
                names.join(" and "),
                largest_number_of_tissues(&series.gradients)
            ));
        }
        job.show_message(format!(
            "{} voxels deconvolved into {}, maps in {}",
            found.counts.computed(),
            names.join(", "),
            folder.path().display()
        ));
        Ok(found)
    }

    /// Returns an error if there is only one tissue to normalise.
    fn check_normalisation(&self, tissues: usize) -> Result<()> {
        if !self.normalise || tissues > 1 {
            return Ok(());
        }
        let problem = "there is one tissue, whose sum with others cannot be brought to one scale";
        let advice = "give responses of several tissues, or remove this option";
        Err(Error::usage("‘normalise’", problem, advice))
    }

    /// Normalises the coefficients of the tissues, and returns the intensity field. If the normalisation fails,
    /// the coefficients keep their values, and the field is 1.
    fn normalise(
        &self,
        tissues: &[usize],
        found: &mut Distributions,
        mask: &Mask,
        record: &mut Record,
        job: &Job,
    ) -> Result<Volume<f32>> {
        let normalised = job.step("normalise", || {
            let options = NormaliseOptions::default();
            normalise_tissues(&found.coefficients, mask, &options, &job.control())
        });
        match normalised {
            Ok(normalised) => {
                for (&n, factor) in tissues.iter().zip(&normalised.factors) {
                    record.figure(&format!("balance of {}", TITLES[n]), *factor);
                }
                found.coefficients = normalised.tissues;
                record.cite(OF_NORMALISING);
                Ok(normalised.field)
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            // The scaling of tissues does not change the directions of the FODs. The work therefore
            // continues without normalisation.
            Err(error) => {
                tracing::warn!(
                    "{}: {}: {}; the FODs and tissue fractions are not normalised",
                    self.series.path.display(),
                    error.subject(),
                    error.problem()
                );
                Ok(Volume::filled(*found.coefficients[0].grid(), 1, 1.0))
            }
        }
    }
}

/// Returns the numbers of those `tissues` that can be distinguished with the b-values of a series. White
/// matter has number 0, grey matter 1, and CSF 2.
///
/// The number of tissues is at most the number of b-values. If all three tissues are given and the series has
/// two b-values, white matter and CSF are used. The signal of CSF differs more from that of white matter than
/// the signal of grey matter does.
pub fn told_apart(gradients: &GradientTable, tissues: &[usize]) -> Vec<usize> {
    let maximum = largest_number_of_tissues(gradients);
    let grey = |tissue: usize| tissues.len() == 3 && maximum == 2 && tissue == 1;
    tissues.iter().copied().filter(|&tissue| !grey(tissue)).take(maximum).collect()
}

/// A diffusion series, and the response functions for its deconvolution.
#[derive(Debug, Clone, Copy)]
pub struct Deconvolution<'a> {
    /// The diffusion series.
    pub dwi: &'a Volume<f32>,
    /// Gradient table of the series.
    pub gradients: &'a GradientTable,
    /// Voxels to fit.
    pub mask: &'a Mask,
    /// Response function of each tissue, white matter first. If there is one response, only the shell with
    /// the largest b-value is deconvolved. If there are several responses, all shells are deconvolved into
    /// their tissues.
    pub responses: &'a [LabelledResponse<'a>],
    /// Highest degree of the spherical harmonics of the white matter FOD. Default: the degree of the response
    /// function, up to 8.
    pub order: Option<usize>,
}

/// Fits distributions with 300 constraint directions. Returns one volume for each response.
///
/// Warns if a response seems implausible.
///
/// # Errors
/// Returns an error if the series and the mask are on different voxel grids, or if the responses do not agree
/// with the series. Also returns an error if `control` cancels the computation.
pub fn deconvolve(problem: &Deconvolution<'_>, device: &Device, control: &Control) -> Result<Distributions> {
    let Deconvolution { dwi, gradients, mask, responses, order } = *problem;
    let doubts = check_responses_of_series(responses, dwi, gradients, mask)?;
    for doubt in &doubts {
        control.warn(doubt);
    }
    let directions = Orientations::half_sphere(CONSTRAINTS).directions().to_vec();
    if let [(_, response)] = responses {
        let options = SingleShellOptions { order, ..SingleShellOptions::default() };
        let fit = SingleShell::new(gradients, response, &directions, &options)?;
        return fit.fit_volume(dwi, mask, device, control);
    }
    let tissue = |(n, (_, response)): (usize, &LabelledResponse<'_>)| Tissue {
        order: order.filter(|_| n == 0),
        ..Tissue::new((*response).clone())
    };
    let tissues: Vec<Tissue> = responses.iter().enumerate().map(tissue).collect();
    MultiTissue::new(gradients, &tissues, &directions)?.fit_volume(dwi, mask, device, control)
}

/// Returns the amplitude (the length) of the first peak of each voxel.
fn first_amplitudes(peaks: &Volume<f32>) -> Result<Volume<f32>> {
    let length = |peak: &[f32]| peak[..3].iter().map(|c| c * c).sum::<f32>().sqrt();
    let values = (0..peaks.grid().len()).map(|voxel| length(peaks.voxel(voxel))).collect();
    Volume::new(*peaks.grid(), 1, values)
}

/// Returns an image of the first spherical harmonic coefficient (degree 0) of CSF, grey matter and white
/// matter, in this order. The coefficient of a tissue that was not fitted is 0.
fn first_coefficients(tissues: &[usize], coefficients: &[Volume<f32>]) -> Volume<f32> {
    let grid = *coefficients[0].grid();
    let mut fractions = Volume::filled(grid, TITLES.len(), 0.0);
    for (&n, of_tissue) in tissues.iter().zip(coefficients) {
        let channel = TITLES.len() - 1 - n;
        for (voxel, values) in fractions.values_mut().chunks_exact_mut(TITLES.len()).enumerate() {
            values[channel] = of_tissue.voxel(voxel)[0];
        }
    }
    fractions
}

impl Work for FitCsd {
    fn outputs(&self) -> Vec<PathBuf> {
        // The tissues that are fitted are known only when the series has been read. All possible output files
        // are returned here.
        record::outputs(&self.out, &self.output_files(&[0, 1, 2]))
    }

    fn check(&self, job: &Job) -> Result<()> {
        // If an earlier stage of a run writes the response files, they may not exist yet. Only existing files
        // are checked.
        let there: Vec<ResponseFile> =
            responses::files(&self.responses)?.into_iter().filter(|file| file.path.exists()).collect();
        responses::read_all(&there, job)?;
        let series = self.series.read(Weighting::Needed, job)?;
        check_directions(&series.gradients)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
