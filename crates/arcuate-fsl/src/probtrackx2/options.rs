//! Options of `probtrackx2`, and the request that a parsed command line contains.

use crate::grammar::{Found, Rule, flag, valued};
use arcuate_core::{Error, MeshSpace, Result};
use arcuate_track::{InitialFibre, SampleIntegrator, SampleOptions, WaypointCondition};
use std::path::PathBuf;

pub(super) const RULES: &[Rule] = &[
    valued(&["V", "verbose"]),
    flag(&["h", "help"]),
    valued(&["x", "seed"]),
    valued(&["s", "samples"]),
    valued(&["m", "mask"]),
    valued(&["o", "out"]),
    valued(&["dir"]),
    flag(&["forcedir"]),
    flag(&["simple"]),
    flag(&["network"]),
    flag(&["opd"]),
    flag(&["pd"]),
    flag(&["ompl"]),
    valued(&["fopd"]),
    flag(&["os2t"]),
    flag(&["s2tastext"]),
    valued(&["targetmasks"]),
    valued(&["waypoints"]),
    valued(&["waycond"]),
    flag(&["wayorder"]),
    flag(&["onewaycondition"]),
    valued(&["avoid"]),
    valued(&["stop"]),
    valued(&["wtstop"]),
    flag(&["omatrix1"]),
    valued(&["distthresh1"]),
    flag(&["omatrix2"]),
    valued(&["target2"]),
    flag(&["omatrix3"]),
    valued(&["target3"]),
    valued(&["lrtarget3"]),
    valued(&["distthresh3"]),
    flag(&["omatrix4"]),
    valued(&["target4"]),
    valued(&["colmask4"]),
    valued(&["xfm"]),
    valued(&["invxfm"]),
    valued(&["seedref"]),
    valued(&["meshspace"]),
    valued(&["P", "nsamples"]),
    valued(&["S", "nsteps"]),
    valued(&["steplength"]),
    valued(&["distthresh"]),
    valued(&["c", "cthr"]),
    valued(&["fibthresh"]),
    flag(&["l", "loopcheck"]),
    flag(&["f", "usef"]),
    flag(&["modeuler"]),
    valued(&["sampvox"]),
    valued(&["randfib"]),
    valued(&["fibst"]),
    valued(&["rseed"]),
    flag(&["savepaths"]),
    flag(&["opathdir"]),
    flag(&["otargetpaths"]),
    flag(&["noprobinterpol"]),
    flag(&["forcefirststep"]),
    // Like FSL's program, this program accepts these flags, but they have no effect.
    flag(&["onewayonly"]),
    flag(&["osampfib"]),
    // These options exist in FSL. They are rejected with the reason in `REFUSED`.
    flag(&["closestvertex"]),
    valued(&["prefdir"]),
    valued(&["no_integrity"]),
    valued(&["locfibchoice"]),
    valued(&["loccurvthresh"]),
    valued(&["whim"]),
    valued(&["mask1"]),
];

/// Options that are refused, with the missing feature.
const REFUSED: [(&str, &str); 7] = [
    ("closestvertex", "all vertices of a triangle that a streamline crosses count"),
    ("prefdir", "a preferred direction is not supported"),
    ("no_integrity", "tracking without a check of direction is not supported"),
    ("locfibchoice", "the same rule chooses fibres in all voxels"),
    ("loccurvthresh", "all voxels have the same curvature threshold"),
    ("whim", "it belongs to a newer version, and its meaning is not documented"),
    ("mask1", "it belongs to a newer version, and its meaning is not documented"),
];

/// Options that have no effect unless one of the others is set.
const WITHOUT_EFFECT: [(&str, &[&str]); 12] = [
    ("waycond", &["waypoints"]),
    ("wayorder", &["waypoints"]),
    ("onewaycondition", &["waypoints"]),
    ("distthresh1", &["omatrix1"]),
    ("target2", &["omatrix2"]),
    ("target3", &["omatrix3"]),
    ("lrtarget3", &["omatrix3"]),
    ("distthresh3", &["omatrix3"]),
    ("target4", &["omatrix4"]),
    ("colmask4", &["omatrix4"]),
    ("invxfm", &["xfm"]),
    ("targetmasks", &["os2t", "s2tastext"]),
];

/// Mode of a run: where streamlines begin, and which seeds share results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Streamlines begin in all seed regions, and are counted together.
    Seeds,
    /// Streamlines begin in each of several regions, and must pass another of these regions.
    Network,
    /// Streamlines begin at points. Each point has its own results.
    Simple,
}

/// Parsed options of a command line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) mode: Mode,
    /// Beginning of the names of the sample files, for example `X.bedpostX/merged`.
    pub(super) samples: PathBuf,
    pub(super) mask: PathBuf,
    pub(super) seed: PathBuf,
    pub(super) seed_reference: Option<PathBuf>,
    pub(super) mesh_space: MeshSpace,
    pub(super) transform: Option<PathBuf>,
    pub(super) inverse: Option<PathBuf>,
    pub(super) folder: PathBuf,
    pub(super) is_folder_forced: bool,
    /// Name of the visit map.
    pub(super) out: String,
    pub(super) requested: RequestedOutputs,
    pub(super) rules: Rules,
    /// Number of streamlines per seed.
    pub(super) each: u32,
    /// Radius in mm of the ball around a seed in which streamlines begin.
    pub(super) radius_mm: f64,
    pub(super) options: SampleOptions,
    pub(super) verbose: u8,
}

/// Constraints on the streamlines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rules {
    pub(super) waypoints: Option<PathBuf>,
    pub(super) condition: WaypointCondition,
    pub(super) in_order: bool,
    pub(super) one_way: bool,
    pub(super) avoid: Option<PathBuf>,
    pub(super) stop: Option<PathBuf>,
    pub(super) stop_on_exit: Option<PathBuf>,
}

/// Requested outputs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestedOutputs {
    pub(super) density: bool,
    pub(super) measures: LengthMeasures,
    /// Regions for which an additional visit map is written.
    pub(super) alternative: Option<PathBuf>,
    pub(super) directions: bool,
    pub(super) paths: bool,
    pub(super) targets: Option<Targets>,
    /// Matrix of seeds by seeds, with the minimum length of its streamlines in mm.
    pub(super) matrix1: Option<f64>,
    /// Matrix of seeds by the voxels of this image.
    pub(super) matrix2: Option<PathBuf>,
    pub(super) matrix3: Option<Matrix3>,
    pub(super) matrix4: Option<Matrix4>,
}

/// Options for path lengths. `corrected`: sums of lengths replace counts. `means`: mean lengths are also
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LengthMeasures {
    pub(super) corrected: bool,
    pub(super) means: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Targets {
    pub(super) file: PathBuf,
    pub(super) as_images: bool,
    pub(super) as_text: bool,
    /// True if a visit map is written for the streamlines of each target.
    pub(super) paths: bool,
}

/// Matrix of elements by elements, with the minimum length of its streamlines in mm.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix3 {
    pub(super) rows: PathBuf,
    pub(super) columns: Option<PathBuf>,
    pub(super) least_mm: f64,
}

/// Matrix of voxels of the samples by seeds or other elements.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix4 {
    pub(super) rows: PathBuf,
    pub(super) columns: Option<PathBuf>,
}

impl Request {
    /// Reads the request from the options. A missing option or an invalid number is an error of the command
    /// line.
    pub(super) fn read(found: &Found) -> Result<Self> {
        let required = |name: &str, letter: &str| {
            found.text(name).map(PathBuf::from).ok_or_else(|| {
                let advice = "-s (--samples), -m (--mask) and -x (--seed) are needed; -h lists all options";
                Error::usage(format_args!("-{letter}, --{name}"), "it is missing", advice)
            })
        };
        let (samples, mask) = (required("samples", "s")?, required("mask", "m")?);
        let seed = required("seed", "x")?;
        let file = |name: &str| found.text(name).map(PathBuf::from);
        let length = |name: &str| -> Result<f64> {
            let value: f64 = found.number(name, 0.0)?;
            if value >= 0.0 && value.is_finite() {
                return Ok(value);
            }
            let problem = format!("the length {value} mm is not at least 0");
            Err(Error::usage(format_args!("--{name}"), problem, "give a length in mm"))
        };
        let measures = LengthMeasures { corrected: found.is_set("pd"), means: found.is_set("ompl") };
        let targets = file("targetmasks").filter(|_| found.is_set("os2t") || found.is_set("s2tastext"));
        let targets = targets.map(|file| Targets {
            file,
            as_images: found.is_set("os2t"),
            as_text: found.is_set("s2tastext"),
            paths: found.is_set("otargetpaths"),
        });
        let matrix3 = file("target3").filter(|_| found.is_set("omatrix3"));
        let least_mm = length("distthresh3")?;
        let matrix3 = matrix3.map(|rows| Matrix3 { rows, columns: file("lrtarget3"), least_mm });
        let matrix4 = file("target4").filter(|_| found.is_set("omatrix4"));
        let matrix4 = matrix4.map(|rows| Matrix4 { rows, columns: file("colmask4") });
        let least_mm = length("distthresh1")?;
        let requested = RequestedOutputs {
            density: found.is_set("opd"),
            measures,
            alternative: file("fopd"),
            directions: found.is_set("opathdir"),
            paths: found.is_set("savepaths"),
            targets,
            matrix1: found.is_set("omatrix1").then_some(least_mm),
            matrix2: file("target2").filter(|_| found.is_set("omatrix2")),
            matrix3,
            matrix4,
        };
        let all = condition(found)? == WaypointCondition::All;
        let rules = Rules {
            waypoints: file("waypoints"),
            condition: condition(found)?,
            // An order of the waypoints has no meaning if a streamline needs to pass only one of them.
            in_order: found.is_set("wayorder") && all,
            one_way: found.is_set("onewaycondition"),
            avoid: file("avoid"),
            stop: file("stop"),
            stop_on_exit: file("wtstop"),
        };
        let mode = match (found.is_set("network"), found.is_set("simple")) {
            (_, true) => Mode::Simple,
            (true, false) => Mode::Network,
            (false, false) => Mode::Seeds,
        };
        Ok(Self {
            mode,
            samples,
            mask,
            seed,
            seed_reference: file("seedref"),
            mesh_space: mesh_space(found)?,
            transform: file("xfm"),
            inverse: file("invxfm"),
            folder: file("dir").unwrap_or_else(|| PathBuf::from("logdir")),
            is_folder_forced: found.is_set("forcedir"),
            out: found.text("out").unwrap_or("fdt_paths").to_owned(),
            requested,
            rules,
            each: found.number("nsamples", 5000)?,
            radius_mm: length("sampvox")?,
            options: propagation(found)?,
            verbose: found.number("verbose", 0)?,
        })
    }

    /// Returns an error for options that are not available, and for options that do not fit together. Warns
    /// of options without effect.
    pub(super) fn check(&self, found: &Found) -> Result<()> {
        let refuse = |name: &str, problem: &str, advice: &str| {
            Err(Error::usage(format_args!("--{name}"), problem, advice))
        };
        if self.each == 0 {
            return refuse("nsamples", "0 streamlines per seed give no result", "give 1 or more");
        }
        for (name, what) in REFUSED {
            if found.is_set(name) {
                return refuse(
                    name,
                    &format!("this option is not available: {what}"),
                    "remove it, or use FSL's program",
                );
            }
        }
        let missing = [
            ("omatrix2", "target2", self.requested.matrix2.is_none()),
            ("omatrix3", "target3", self.requested.matrix3.is_none()),
            ("omatrix4", "target4", self.requested.matrix4.is_none()),
            ("os2t", "targetmasks", self.requested.targets.is_none()),
            ("s2tastext", "targetmasks", self.requested.targets.is_none()),
            ("otargetpaths", "targetmasks and --os2t", self.requested.targets.is_none()),
        ];
        for (name, what, is_missing) in missing {
            if found.is_set(name) && is_missing {
                return refuse(name, "it needs another option", &format!("also give --{what}"));
            }
        }
        match self.mode {
            Mode::Network if self.rules.waypoints.is_some() => {
                let problem = "with --network the regions of --seed are the only waypoints";
                return refuse("waypoints", problem, "remove one of the two options");
            }
            Mode::Simple => {
                if found.is_set("network") {
                    return refuse(
                        "simple",
                        "single seed points do not form a network",
                        "remove one of the two",
                    );
                }
                let others = ["omatrix1", "omatrix3", "omatrix4", "otargetpaths", "fopd"];
                if let Some(name) = others.into_iter().find(|name| found.is_set(name)) {
                    return refuse(
                        name,
                        "this result needs seed regions, but --simple uses single points",
                        "remove one of the two options",
                    );
                }
            }
            Mode::Seeds | Mode::Network => {}
        }
        if !self.out.is_empty() && self.out.contains(['/', '\\']) {
            let problem =
                format!("`{}` is a path, but this option takes a file name without a folder", self.out);
            return refuse("out", &problem, "give the output folder as --dir");
        }
        for (name, needs) in WITHOUT_EFFECT {
            if found.is_set(name) && !needs.iter().any(|needed| found.is_set(needed)) {
                tracing::warn!("--{name} has no effect without --{}", needs[0]);
            }
        }
        if found.is_set("wayorder") && !self.rules.in_order && self.rules.waypoints.is_some() {
            tracing::warn!("--wayorder has no effect with --waycond=OR");
        }
        Ok(())
    }
}

fn condition(found: &Found) -> Result<WaypointCondition> {
    match found.text("waycond").unwrap_or("AND") {
        "AND" => Ok(WaypointCondition::All),
        "OR" => Ok(WaypointCondition::Any),
        other => {
            let problem = format!("`{other}` is not a condition");
            Err(Error::usage("--waycond", problem, "give AND or OR"))
        }
    }
}

fn mesh_space(found: &Found) -> Result<MeshSpace> {
    let word = found.text("meshspace").unwrap_or("caret");
    // FreeSurfer's coordinates (tkras) are not a value of FSL's option `--meshspace`.
    MeshSpace::of_word(word).filter(|space| *space != MeshSpace::Tkras).ok_or_else(|| {
        let problem = format!("`{word}` is not a coordinate space of surfaces");
        Error::usage("--meshspace", problem, "give caret, freesurfer, first or vox")
    })
}

fn propagation(found: &Found) -> Result<SampleOptions> {
    let first: usize = found.number("fibst", 1)?;
    if first == 0 {
        return Err(Error::usage("--fibst", "fibres are numbered from 1", "give 1 or more"));
    }
    let given = InitialFibre::Number(first - 1);
    let initial = match found.number("randfib", 0u32)? {
        0 => given,
        // If the option `--fibst` selects a fibre, it takes precedence over a random choice of the first
        // fibre.
        1 | 2 if found.is_set("fibst") => given,
        1 => InitialFibre::Random,
        2 => InitialFibre::InProportion,
        3 => InitialFibre::RandomOfAll,
        other => {
            let problem = format!("{other} is not a rule");
            return Err(Error::usage("--randfib", problem, "give one of the rules 0, 1, 2 or 3"));
        }
    };
    let defaults = SampleOptions::probtrackx2();
    Ok(SampleOptions {
        step_mm: found.number("steplength", defaults.step_mm)?,
        integrator: if found.is_set("modeuler") {
            SampleIntegrator::ModifiedEuler
        } else {
            SampleIntegrator::Euler
        },
        min_cosine: found.number("cthr", defaults.min_cosine)?,
        min_fraction: found.number("fibthresh", defaults.min_fraction)?,
        initial,
        fraction_stops: found.is_set("usef"),
        loop_check: found.is_set("loopcheck"),
        nearest: found.is_set("noprobinterpol"),
        spares_first_step: found.is_set("forcefirststep"),
        max_steps: found.number("nsteps", defaults.max_steps)?,
        min_half_length_mm: found.number("distthresh", defaults.min_half_length_mm)?,
        seed: found.number("rseed", 12_345i64)? as u64,
        ..defaults
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    const NEEDED: &str = "-s b.bedpostX/merged -m mask -x seed";

    fn found(line: &str) -> Found {
        let words: Vec<String> = format!("{NEEDED} {line}").split_whitespace().map(str::to_owned).collect();
        grammar::read(RULES, &words).unwrap()
    }

    fn request(line: &str) -> Request {
        Request::read(&found(line)).unwrap()
    }

    #[test]
    fn defaults_agree_with_fsl() {
        let usual = request("");
        assert_eq!((usual.each, usual.radius_mm, usual.mode), (5000, 0.0, Mode::Seeds));
        assert_eq!((usual.out.as_str(), usual.folder.to_str()), ("fdt_paths", Some("logdir")));
        let SampleOptions { step_mm, min_cosine, min_fraction, max_steps, seed, .. } = usual.options;
        assert_eq!((step_mm, min_cosine, min_fraction, max_steps, seed), (0.5, 0.2, 0.01, 2000, 12345));
        assert_eq!(usual.rules.condition, WaypointCondition::All);
        assert!(!usual.requested.density && !usual.options.loop_check);
    }

    #[test]
    fn the_initial_fibre_is_selected_or_random() {
        for (line, initial) in [
            ("", InitialFibre::Number(0)),
            ("--fibst=2", InitialFibre::Number(1)),
            ("--randfib=1", InitialFibre::Random),
            ("--randfib=2", InitialFibre::InProportion),
            ("--randfib=1 --fibst=3", InitialFibre::Number(2)),
            ("--randfib=3 --fibst=3", InitialFibre::RandomOfAll),
        ] {
            assert_eq!(request(line).options.initial, initial, "{line}");
        }
    }

    #[test]
    fn command_lines_of_other_programs_are_parsed() {
        let fdt = request(
            "-l --onewaycondition -c 0.3 -S 1000 --steplength=0.25 -P 100 --fibthresh=0.02 --distthresh=1.0 \
             --sampvox=2.0 --forcedir --opd --dir=out --waypoints=w.txt --waycond=OR --targetmasks=t.txt --os2t",
        );
        let SampleOptions { step_mm, min_cosine, min_half_length_mm, loop_check, .. } = fdt.options;
        assert_eq!((step_mm, min_cosine, min_half_length_mm, loop_check), (0.25, 0.3, 1.0, true));
        assert_eq!((fdt.each, fdt.options.max_steps, fdt.radius_mm), (100, 1000, 2.0));
        assert!(fdt.rules.one_way && fdt.rules.condition == WaypointCondition::Any && fdt.is_folder_forced);
        assert!(fdt.requested.targets.is_some_and(|targets| targets.as_images && !targets.as_text));
        let old =
            request("--usef=0.05 --omatrix3 --target3=ROIs -S 250 --steplength=1 --distthresh=4 --network");
        assert!(old.options.fraction_stops && old.requested.matrix3.is_some() && old.mode == Mode::Network);
    }
}
