//! Literature references of each command. The option `--cite` and the manual pages show them.

use arcuate_pipeline::connectomes;
use arcuate_pipeline::run::Stage;
use arcuate_pipeline::stages::{
    commit, csd, density, five_tissues, life, mask, response, tensor, track_fod, track_tensor,
};

/// References of `maps`.
pub(crate) const MAPS: &[&str] = &[
    "Basser PJ, Pierpaoli C (1996) Microstructural and physiological features of tissues elucidated by \
     quantitative-diffusion-tensor MRI. doi:10.1006/jmrb.1996.0086",
    "Westin CF et al. (1997) Geometrical diffusion measures for MRI from tensor basis analysis. Proc. ISMRM 5:1742",
    "Ennis DB, Kindlmann G (2006) Orthogonal tensor invariants and the analysis of diffusion tensor magnetic \
     resonance images. doi:10.1002/mrm.20741",
    "Pajevic S, Pierpaoli C (1999) Color schemes to represent the orientation of anisotropic tissues from diffusion \
     tensor data. doi:10.1002/(SICI)1522-2594(199909)42:3<526::AID-MRM15>3.0.CO;2-J",
];

/// References of `parcellate`.
pub(crate) const PARCELLATE: &[&str] = &[
    "Behrens TEJ et al. (2003) Non-invasive mapping of connections between human thalamus and cortex using diffusion \
     imaging (find the biggest). doi:10.1038/nn1075",
    "Johansen-Berg H et al. (2004) Changes in connectivity profiles define functionally distinct regions in human medial \
     frontal cortex. doi:10.1073/pnas.0403743101",
    "Arthur D and Vassilvitskii S (2007) k-means++: the advantages of careful seeding. SODA '07: 1027–1035",
];

/// References of `recon`.
pub(crate) const RECON: &[&str] = &[
    "Pruessmann KP et al. (2001) Advances in sensitivity encoding with arbitrary k-space trajectories. \
     doi:10.1002/mrm.1241",
    "Fessler JA et al. (2005) Toeplitz-based iterative image reconstruction for MRI with correction for magnetic field \
     inhomogeneity. doi:10.1109/TSP.2005.853152",
    "Stone SS et al. (2008) Accelerating advanced MRI reconstructions on GPUs. doi:10.1016/j.jpdc.2008.05.013",
];

/// References of `recon --regularise anatomy=IMAGE`.
pub(crate) const RECON_WITH_ANATOMY: &[&str] = &[
    "Haldar JP et al. (2008) Anatomically constrained reconstruction from noisy data. doi:10.1002/mrm.21536",
];

/// References of `recon --method gridding`.
pub(crate) const RECON_BY_GRIDDING: &[&str] = &[
    "Pipe JG, Menon P (1999) Sampling density compensation in MRI. \
     doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V",
    "Beatty PJ, Nishimura DG, Pauly JM (2005) Rapid gridding reconstruction with a minimal oversampling ratio. \
     doi:10.1109/TMI.2005.848376",
];

/// References of `recon --lambda auto`, which uses the L-curve.
pub(crate) const RECON_BY_L_CURVE: &[&str] = &[
    "Hansen PC (1992) Analysis of discrete ill-posed problems by means of the L-curve. doi:10.1137/1034115",
];

/// References of `simulate`.
pub(crate) const SIMULATE: &[&str] = &[
    "Gudbjartsson H, Patz S (1995) The Rician distribution of noisy MRI data. doi:10.1002/mrm.1910340618",
    "Côté MA et al. (2013) Tractometer: towards validation of tractography pipelines. \
     doi:10.1016/j.media.2013.03.009",
];

/// References of `simulate kspace`.
pub(crate) const SIMULATE_KSPACE: &[&str] = &[
    "Shepp LA, Logan BF (1974) The Fourier reconstruction of a head section. doi:10.1109/TNS.1974.6499235",
    "Koay CG, Sarlls JE, Özarslan E (2007) Three-dimensional analytical magnetic resonance imaging phantom in the Fourier \
     domain. doi:10.1002/mrm.21292",
    "Guerquin-Kern M et al. (2012) Realistic analytical phantoms for parallel magnetic resonance imaging. \
     doi:10.1109/TMI.2011.2174158",
];

/// References of each command. The commands `run`, `bids` and `demo` also have the references of the commands
/// that they run as stages.
const OF: &[(&str, &[&[&str]])] = &[
    ("recon", &[RECON, RECON_WITH_ANATOMY, RECON_BY_GRIDDING, RECON_BY_L_CURVE]),
    ("mask", &[mask::REFERENCES]),
    ("5tt", &[five_tissues::REFERENCES]),
    ("response", &[response::REFERENCES]),
    #[cfg(feature = "models")]
    ("fit", &[arcuate_pipeline::stages::fit::REFERENCES]),
    ("fit tensor", &[tensor::REFERENCES]),
    ("fit csd", &[csd::REFERENCES]),
    ("maps", &[MAPS]),
    ("track tensor", &[track_tensor::REFERENCES]),
    ("track fod", &[track_fod::REFERENCES]),
    #[cfg(feature = "geodesic")]
    ("track geodesic", &[arcuate_pipeline::stages::geodesic::REFERENCES]),
    #[cfg(feature = "samples")]
    (
        "track samples",
        &[arcuate_pipeline::stages::sampled::REFERENCES, arcuate_pipeline::stages::sampled::OF_PROTOCOLS],
    ),
    #[cfg(feature = "samples")]
    ("track peaks", &[arcuate_pipeline::stages::sampled::REFERENCES]),
    #[cfg(feature = "samples")]
    ("track bootstrap", &[arcuate_pipeline::stages::sampled::OF_BOOTSTRAP]),
    ("evaluate life", &[life::REFERENCES]),
    ("evaluate commit", &[commit::REFERENCES]),
    ("density", &[density::REFERENCES]),
    ("connectome", &[connectomes::REFERENCES]),
    ("parcellate", &[PARCELLATE]),
    ("simulate", &[SIMULATE]),
    ("simulate kspace", &[SIMULATE_KSPACE]),
    ("demo", &[SIMULATE]),
];

/// Commands that run other commands as stages of a pipeline.
const RUNS: [&str; 3] = ["run", "bids", "demo"];

/// Returns the references of a command. `command` is its name without `arcuate`.
pub(crate) fn of(command: &str) -> Vec<&'static str> {
    let mut names = vec![command];
    if RUNS.contains(&command) {
        names.extend(Stage::ALL.map(Stage::name));
    }
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        let own = OF.iter().filter(|(known, _)| *known == name).flat_map(|(_, lists)| *lists);
        for reference in own.copied().flatten() {
            if !all.contains(reference) {
                all.push(reference);
            }
        }
    }
    all
}

/// Returns the text that `--cite` prints: each reference as text, then all references in BibTeX format.
pub(crate) fn citation(command: &str) -> String {
    let references = of(command);
    let mut text = format!("Please cite these papers for `arcuate {command}`:\n\n");
    for reference in &references {
        text.push_str(reference);
        text.push('\n');
    }
    let mut keys: Vec<String> = Vec::new();
    for reference in references {
        let Some(entry) = Entry::of(reference) else { continue };
        let key = entry.key(&keys);
        text.push('\n');
        text.push_str(&entry.bibtex(&key));
        keys.push(key);
    }
    text
}

/// Parts of a reference: `AUTHORS (YEAR) TITLE (NOTE). SOURCE doi:DOI`.
struct Entry<'a> {
    authors: Vec<&'a str>,
    is_shortened: bool,
    year: &'a str,
    title: &'a str,
    note: Option<&'a str>,
    source: &'a str,
    doi: Option<&'a str>,
}

impl<'a> Entry<'a> {
    fn of(reference: &'a str) -> Option<Self> {
        let (authors, rest) = reference.split_once(" (")?;
        let (year, rest) = rest.split_once(") ")?;
        let (rest, doi) = match rest.split_once("doi:") {
            Some((rest, doi)) => (rest.trim_end(), Some(doi)),
            None => (rest, None),
        };
        // If a reference has no DOI, its last part is the source, such as a journal or a publisher.
        let end = if doi.is_some() { None } else { rest.find(". ") };
        let end = end.unwrap_or(rest.len());
        let (title, source) = (rest[..end].trim_end_matches('.'), rest[end..].trim_start_matches(['.', ' ']));
        let (title, note) = match title.strip_suffix(')').and_then(|title| title.rsplit_once(" (")) {
            Some((title, note)) => (title, Some(note)),
            None => (title, None),
        };
        let listed = authors.strip_suffix(" et al.");
        Some(Self {
            authors: listed.unwrap_or(authors).split(", ").flat_map(|name| name.split(" and ")).collect(),
            is_shortened: listed.is_some(),
            year,
            title,
            note,
            source,
            doi,
        })
    }

    /// Returns the BibTeX key: surname of the first author and year. If another reference already has this
    /// key, a letter is appended.
    fn key(&self, others: &[String]) -> String {
        let surname = self.authors[0].rsplit_once(' ').map_or(self.authors[0], |(surname, _)| surname);
        let letters: String = surname.chars().filter(char::is_ascii_alphabetic).collect();
        let key = format!("{letters}{}", self.year);
        let taken = |key: &String| others.contains(key);
        if !taken(&key) {
            return key;
        }
        ('b'..='z').map(|letter| format!("{key}{letter}")).find(|key| !taken(key)).unwrap_or(key)
    }

    fn bibtex(&self, key: &str) -> String {
        let name = |name: &&str| match name.rsplit_once(' ') {
            Some((surname, initials)) => format!("{surname}, {initials}"),
            None => (*name).to_owned(),
        };
        let mut authors: Vec<String> = self.authors.iter().map(name).collect();
        authors.extend(self.is_shortened.then(|| "others".to_owned()));
        let kind = if self.doi.is_some() { "article" } else { "misc" };
        let mut lines = vec![
            format!("@{kind}{{{key}"),
            format!("  author = {{{}}}", authors.join(" and ")),
            format!("  title = {{{{{}}}}}", self.title),
            format!("  year = {{{}}}", self.year),
        ];
        lines.extend(self.doi.map(|doi| format!("  doi = {{{doi}}}")));
        lines.extend((!self.source.is_empty()).then(|| format!("  howpublished = {{{}}}", self.source)));
        lines.extend(self.note.map(|note| format!("  note = {{{note}}}")));
        lines.join(",\n") + "\n}\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_authors_a_year_and_a_title() {
        let all = OF.iter().flat_map(|(_, lists)| *lists).copied().flatten();
        for reference in all {
            let entry = Entry::of(reference).unwrap_or_else(|| panic!("{reference}"));
            assert!(entry.year.len() == 4 && entry.year.parse::<u16>().is_ok(), "{reference}");
            assert!(entry.title.len() > 15 && !entry.title.contains("doi"), "{reference}");
            assert!(entry.authors.iter().all(|author| author.contains(' ')), "{reference}");
            assert!(entry.doi.is_some() == entry.source.is_empty(), "{reference}");
            assert!(entry.doi.is_none_or(|doi| doi.starts_with("10.") && !doi.contains(' ')), "{reference}");
        }
    }

    #[test]
    fn references_become_bibtex_entries() {
        let entry = Entry::of(
            "de Groot M et al. (2013) What is it? A trial (the option --x). doi:10.1016/j.neuroimage.2013.03.015",
        )
        .unwrap();
        assert_eq!(entry.key(&["deGroot2013".to_owned()]), "deGroot2013b");
        assert_eq!(
            entry.bibtex("deGroot2013"),
            "@article{deGroot2013,\n  author = {de Groot, M and others},\n  title = {{What is it? A trial}},\n  \
             year = {2013},\n  doi = {10.1016/j.neuroimage.2013.03.015},\n  note = {the option --x}\n}\n"
        );
        let entry = Entry::of("Arthur D and Vassilvitskii S (2007) Seeding. SODA '07: 1027–1035").unwrap();
        assert_eq!(
            entry.bibtex("Arthur2007"),
            "@misc{Arthur2007,\n  author = {Arthur, D and Vassilvitskii, S},\n  title = {{Seeding}},\n  \
             year = {2007},\n  howpublished = {SODA '07: 1027–1035}\n}\n"
        );
    }

    #[test]
    fn runs_cite_their_stages() {
        let run = of("run");
        assert!(mask::REFERENCES.iter().all(|reference| run.contains(reference)));
        assert!(SIMULATE.iter().all(|reference| of("demo").contains(reference) && !run.contains(reference)));
        assert_eq!(of("info"), [""; 0]);
    }
}
