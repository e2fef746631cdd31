//! Table of the Python functions that take arrays where a command takes files. It contains the information
//! that the definition of the command line does not have.

/// A Python function that takes arrays.
pub(crate) struct Function {
    /// Name of the function.
    pub(crate) name: &'static str,
    /// Command whose options become the keywords.
    pub(crate) command: &'static str,
    /// First line of the docstring, with a verb in the third person.
    pub(crate) summary: &'static str,
    /// Further paragraphs of the documentation.
    pub(crate) notes: &'static str,
    /// Arguments of the Python function that replace files, and keywords to which no option corresponds.
    pub(crate) given: &'static [Given],
    /// Options of the command that the Python function does not have, because they have no meaning for
    /// arrays. Options with a path as value are always left out.
    pub(crate) without: &'static [&'static str],
    /// If not empty, the only options of the command that the Python function has.
    pub(crate) only: &'static [&'static str],
    /// True if the Python function reads and writes files. It then has all options of the command.
    pub(crate) of_files: bool,
    /// For a function that takes arrays: the keywords that control a call (such as `device`) which the
    /// function accepts.
    pub(crate) uses: Uses,
    /// Python module that implements the function, under the same name.
    pub(crate) module: &'static str,
    /// Type of the result.
    pub(crate) result: &'static str,
    /// Overloads of the function: possible types of the first argument, each with the type of the result.
    pub(crate) overloads: &'static [(&'static str, &'static str)],
    /// Documentation of the result.
    pub(crate) returns: &'static str,
    /// Examples, which are tested.
    pub(crate) examples: &'static str,
}

/// An argument of a Python function that is not an option of the command.
pub(crate) struct Given {
    pub(crate) name: &'static str,
    /// Type of the argument.
    pub(crate) kind: &'static str,
    /// Default of the argument; `None` if it is required.
    pub(crate) default: Option<&'static str>,
    /// True if the argument can be positional.
    pub(crate) positional: bool,
    /// Documentation of the argument. If it is empty, the help of the option with the same name is used.
    pub(crate) help: &'static str,
}

/// Keywords of calls that a function accepts. All functions accept `threads`.
pub(crate) struct Uses {
    pub(crate) gpu: bool,
    pub(crate) random: bool,
    pub(crate) progress: bool,
}

const fn place(name: &'static str, kind: &'static str, help: &'static str) -> Given {
    Given { name, kind, default: None, positional: true, help }
}

const fn keyword(name: &'static str, kind: &'static str, default: &'static str, help: &'static str) -> Given {
    Given { name, kind, default: Some(default), positional: false, help }
}

const CPU: Uses = Uses { gpu: false, random: false, progress: false };
const WATCHED: Uses = Uses { progress: true, ..CPU };
const GPU: Uses = Uses { gpu: true, ..WATCHED };
const GPU_AT_RANDOM: Uses = Uses { random: true, ..GPU };

const DWI: Given = place("dwi", "ImageLike", "Diffusion series (x, y, z, measurements).");
const GRADIENTS: Given =
    place("gradients", "Gradients", "Gradient directions and b-values of the measurements.");
const MASK: Given =
    Given { name: "mask", kind: "Optional[ImageLike]", default: Some("None"), positional: true, help: "" };
const TRACKS: Given = place(
    "tracks",
    "Any",
    "Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.",
);
const WEIGHTS: Given =
    keyword("weights", "Optional[ArrayLike]", "None", "Weight of each streamline (streamlines).");

/// Values that most functions share.
const PLAIN: Function = Function {
    name: "",
    command: "",
    summary: "",
    notes: "",
    given: &[],
    without: &[],
    only: &[],
    of_files: false,
    uses: GPU,
    module: "",
    result: "",
    overloads: &[],
    returns: "",
    examples: "",
};

/// Overrides of model parameters.
const FIX: Given = keyword(
    "fix",
    "Union[Mapping[str, Optional[Given]], Sequence[str], None]",
    "None",
    "Parameters that are not fitted, at a number in their unit, at an image, or (None, or names only) at their start value.",
);
const START: Given = keyword(
    "start",
    "Optional[Mapping[str, Given]]",
    "None",
    "Start values in the units of the parameters: numbers or images.",
);
const COLUMNS: Given = keyword(
    "columns",
    "Optional[Mapping[str, ArrayLike]]",
    "None",
    "Values per measurement that the model needs.",
);
const MAPS: Given =
    keyword("maps", "Optional[Mapping[str, ImageLike]]", "None", "Values per voxel that the model needs.");

const TENSOR: Given =
    place("tensor", "ImageLike", "Tensors (x, y, z, 6) in mm²/s, as ``fit_tensor(...).tensor``.");
const SAMPLES: Given = place(
    "samples",
    "Union[Orientations, PathLike]",
    "Result of :func:`load_samples`, :func:`peaks_as_orientations` or :func:`refits_as_orientations`, or a folder of samples.",
);
const TRACKING_MASK: Given =
    keyword("mask", "Optional[ImageLike]", "None", "Mask of the voxels to process; streamlines end outside.");
const SEED_MASK: Given =
    keyword("seed_mask", "Optional[ImageLike]", "None", "Mask in whose voxels streamlines begin.");
const SEED_POINTS: Given =
    keyword("seed_points", "Optional[ArrayLike]", "None", "Points to begin at: (n, 3), RAS mm.");
const WAYPOINTS: Given = keyword("waypoints", "Regions", "()", "Reject streamlines that do not pass these.");
const AVOID: Given = keyword("avoid", "Regions", "()", "Reject streamlines that enter these.");
const STOP: Given = keyword("stop", "Regions", "()", "End streamlines at their first point in these.");
const STOP_ON_EXIT: Given =
    keyword("stop_on_exit", "Regions", "()", "End streamlines where they leave these.");
const TARGETS: Given = keyword("targets", "Regions", "()", "Count the streamlines that pass these.");
const FIVE_TISSUES: Given = keyword(
    "five_tissues",
    "Optional[ImageLike]",
    "None",
    "Five-tissue-type (5TT) image for anatomically constrained tracking, as of :func:`five_tissues`.",
);

/// `track samples` without the options whose outputs are files, and without seeds on surfaces.
const ALL_OF_SAMPLES: Function = Function {
    command: "track samples",
    given: &[SAMPLES, SEED_MASK, SEED_POINTS, WAYPOINTS, AVOID, STOP, STOP_ON_EXIT, TARGETS, FIVE_TISSUES],
    without: &[
        "fibres",
        "part",
        "seed_surfaces",
        "seed_depth",
        "products",
        "threshold",
        "matrix",
        "target_columns",
        "measure",
        "matrix_format",
        "resume",
        "assignment",
        "assignment_radius",
        "tracts",
        "tract_maps",
        "blueprint",
    ],
    uses: GPU_AT_RANDOM,
    module: "_sampled",
    ..PLAIN
};

/// All Python functions that take arrays, in the order in which the module defines them.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function {
        name: "fit_tensor",
        command: "fit tensor",
        summary: "Fits a diffusion tensor in every voxel",
        given: &[DWI, GRADIENTS, MASK],
        uses: WATCHED,
        module: "_fitting",
        result: "TensorMaps",
        returns: "The tensor (mm²/s, scanner axes) and its maps.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000)
>>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
>>> maps.fa.shape
(15, 18, 14)",
        ..PLAIN
    },
    Function {
        name: "fit",
        command: "fit",
        summary: "Fits a model of the signal in every voxel",
        given: &[
            place(
                "model",
                "Union[PathLike, Sequence[str]]",
                "Name of a model (:func:`models`), path of a .toml file with one, or several of them.",
            ),
            DWI,
            GRADIENTS,
            MASK,
            keyword(
                "method",
                "Literal[\"lm\", \"grid\"]",
                "\"lm\"",
                "Levenberg–Marquardt after the searches of the model, or the searches alone. :func:`sample` runs Markov chains.",
            ),
            FIX,
            START,
            COLUMNS,
            MAPS,
        ],
        without: &[
            "list", "graph", "burn_in", "jumps", "interval", "adapt_every", "chains", "noise", "sigma", "sigma_prior",
            "begin_at", "prior", "quantiles", "save_state", "trace_voxel", "compare", "criteria", "predicted", "column",
            "map",
        ],
        module: "_fitting",
        result: "Any",
        overloads: &[("PathLike", "Fit"), ("Union[List[str], Tuple[str, ...]]", "List[Fit]")],
        returns: "Or a list of them, if several models are given.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=10, directions=20, b_value=1000)
>>> fit = ar.fit(\"ball-1-stick\", brain.dwi, brain.gradients, brain.mask, device=\"cpu\")
>>> sorted(fit.units.items())[:2]
[('d', 'mm²/s'), ('f', '1')]",
        ..PLAIN
    },
    Function {
        name: "sample",
        command: "fit",
        summary: "Samples the posterior of a model by Markov chains in every voxel",
        notes: "These are the chains of ``--method mcmc``. The same seed gives the same samples at any number of threads and on any \
                device.",
        given: &[
            place("model", "PathLike", "Name of a model (:func:`models`), or path of a .toml file with one."),
            DWI,
            GRADIENTS,
            MASK,
            FIX,
            START,
            COLUMNS,
            MAPS,
            keyword(
                "prior",
                "Optional[Mapping[str, str]]",
                "None",
                "Priors of parameters in the model language: ``{\"d\": \"normal(1.7e-3, 0.3e-3)\"}``.",
            ),
        ],
        without: &[
            "list", "graph", "method", "quantiles", "save_state", "trace_voxel", "compare", "criteria", "predicted",
            "column", "map", "standard_errors",
        ],
        uses: GPU_AT_RANDOM,
        module: "_fitting",
        result: "Samples",
        returns: "The fit at the mean of the samples, and the samples of each parameter.",
        ..PLAIN
    },
    Function {
        name: "estimate_responses",
        command: "response",
        summary: "Estimates response functions from a series",
        given: &[DWI, GRADIENTS, MASK],
        uses: WATCHED,
        module: "_fod",
        result: "Responses",
        returns: "Rows of zonal coefficients for each tissue, and the voxels that they come from.",
        ..PLAIN
    },
    Function {
        name: "fit_csd",
        command: "fit csd",
        summary: "Finds fibre orientation distributions by constrained spherical deconvolution",
        given: &[
            DWI,
            GRADIENTS,
            MASK,
            Given {
                name: "responses",
                kind: "Union[Responses, Mapping[str, ArrayLike], ArrayLike, PathLike]",
                default: None,
                positional: false,
                help: "Result of :func:`estimate_responses`, a folder with responses, or rows of zonal coefficients by tissue. If the \
                       series cannot separate all tissues, CSF takes precedence over grey matter.",
            },
            keyword("peaks", "int", "3", "Number of peaks per voxel."),
        ],
        module: "_fod",
        result: "Distributions",
        returns: "Coefficients of each tissue, and the peaks of white matter.",
        ..PLAIN
    },
    Function {
        name: "evaluate_life",
        command: "evaluate life",
        summary: "Weights streamlines by Linear Fascicle Evaluation",
        given: &[
            TRACKS,
            DWI,
            GRADIENTS,
            MASK,
            keyword("eigenvalues", "Optional[Sequence[float]]", "None", ""),
            keyword(
                "orientations",
                "Optional[int]",
                "None",
                "Number of directions for which responses are tabulated. [default: 1057]",
            ),
            keyword(
                "lesion",
                "Union[Mapping[str, ArrayLike], Sequence[str], str, None]",
                "None",
                "Groups of streamlines that are removed virtually: numbers of streamlines (or a boolean for each streamline) by name, or \
                 names of groups of the tractogram.",
            ),
        ],
        // The option `--regularise` is left out. A value of λ already implies the penalty, because there is
        // only one.
        without: &["regularise"],
        module: "_evaluation",
        result: "Life",
        returns: "Weights of the streamlines, maps of errors, and figures.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=6)
>>> life = ar.evaluate_life(brain.truth, brain.dwi, brain.gradients, brain.mask, lesion=[brain.bundles[0]], device=\"cpu\")
>>> life.lesions[brain.bundles[0]][\"strength_of_evidence\"] > 1
True",
        ..PLAIN
    },
    Function {
        name: "evaluate_commit",
        command: "evaluate commit",
        summary: "Weights streamlines by COMMIT, with the tissue around them and free water",
        given: &[
            TRACKS,
            DWI,
            GRADIENTS,
            MASK,
            keyword(
                "peaks",
                "Optional[ImageLike]",
                "None",
                "Directions of the extra-axonal compartments: x, y, z of 1 to 5 peaks per voxel along the last axis. [default: no \
                 extra-axonal compartments]",
            ),
            keyword("confidence", "Optional[ImageLike]", "None", ""),
            keyword(
                "orientations",
                "Union[int, Literal[\"auto\", \"exact\"], None]",
                "None",
                "Number of directions for which responses are tabulated. ``exact`` uses spherical harmonics. ``auto`` is exact unless that \
                 takes three times the arithmetic; otherwise 4096. [default: auto]",
            ),
        ],
        // Penalties on groups of streamlines are only in the Python module `arcuate.commit`. The curve of λ
        // and the predicted signals are only written to files.
        without: &[
            "predicted", "compat", "regularise", "groups", "group_weights", "lambda_curve",

        ],
        module: "_evaluation",
        result: "Commit",
        returns: "Weights of the streamlines (signal per mm), maps of the compartments, and figures.",
        ..PLAIN
    },
    Function {
        name: "density",
        command: "density",
        summary: "Maps track density, mean length or direction per voxel",
        given: &[TRACKS, place("like", "ImageLike", ""), WEIGHTS],
        uses: CPU,
        module: "_connect",
        result: "Image",
        returns: "On the grid of ``like``.",
        ..PLAIN
    },
    Function {
        name: "sample_along",
        command: "sample",
        summary: "Samples the values of an image along streamlines",
        given: &[TRACKS, place("given", "ImageLike", "Image of one volume.")],
        without: &["name"],
        uses: CPU,
        module: "_connect",
        result: "NDArray[np.float32]",
        returns: "One value per point, or with ``statistic`` one per streamline.",
        ..PLAIN
    },
    Function {
        name: "connectome",
        command: "connectome",
        summary: "Counts and measures the streamlines between regions",
        given: &[
            TRACKS,
            place("labels", "ImageLike", "Numbers of regions, 0 for none."),
            keyword("label_names", "Optional[Mapping[int, str]]", "None", "Names of the regions by their numbers."),
            WEIGHTS,
        ],
        without: &["measure", "mesh_space"],
        uses: CPU,
        module: "_connect",
        result: "Connectome",
        returns: "Symmetric matrices, and the two regions of each streamline.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=5, directions=6, b_value=1000)
>>> ar.connectome(brain.truth, brain.labels)
<arcuate.Connectome of 30 regions, 2,987 of 3,000 streamlines>",
        ..PLAIN
    },
    Function {
        name: "simulate",
        command: "simulate",
        summary: "Simulates a small brain with known connections",
        given: &[Given {
            name: "gradients",
            kind: "Optional[Gradients]",
            default: Some("None"),
            positional: true,
            help: "Measurements. Replaces ``directions``, ``b_value`` and ``b0s``.",
        }],
        without: &["meshes", "tract_protocols"],
        uses: Uses { random: true, ..WATCHED },
        module: "_simulate",
        result: "Brain",
        returns: "The measurement and the truth.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=8, directions=6, b_value=1000)
>>> len(brain.bundles), brain.gradients
(15, <arcuate.Gradients of 12 measurements: 6 × b 0, 6 × b 1000>)",
        ..PLAIN
    },
    Function {
        name: "reconstruct",
        command: "recon",
        summary: "Reconstructs an image from k-space, along any trajectory",
        notes: "Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums.",
        given: &[
            place("kspace", "ArrayLike", "Complex samples: (samples) or (coils, samples)."),
            place(
                "trajectory",
                "ArrayLike",
                "Coordinates of the samples: (samples, 2 or 3), in cycles per field of view unless ``trajectory_unit`` is given.",
            ),
            place("size", "Sequence[int]", "Number of voxels along x, y and, for a volume, z."),
            keyword(
                "sensitivities",
                "Optional[ArrayLike]",
                "None",
                "Complex coil sensitivities: (coils, x, y[, z]). Without them, coils are reconstructed separately and combined by the root \
                 of the sum of squares.",
            ),
            keyword(
                "sample_weights",
                "Optional[ArrayLike]",
                "None",
                "Complex weights by which the k-space samples were multiplied: (samples).",
            ),
            keyword(
                "regularise",
                "Union[Literal[\"tikhonov\", \"differences\"], ArrayLike, None]",
                "None",
                "Penalty. ``tikhonov`` penalises the size of the image. ``differences`` penalises differences of neighbours. An image of the \
                 anatomy (x, y[, z]) penalises differences of neighbours that have no edge between them in this image. [default: tikhonov]",
            ),
            keyword(
                "density",
                "Union[Literal[\"pipe-menon\", \"voronoi\", \"none\"], ArrayLike, None]",
                "None",
                "Density weights of gridding, or one number per sample. [default: pipe-menon]",
            ),
            keyword(
                "fov",
                "Union[float, Sequence[float], None]",
                "None",
                "Field of view in mm, of trajectories in 1/m: one length, or one per axis.",
            ),
        ],
        without: &["complex"],
        module: "_recon",
        result: "Reconstruction",
        returns: "The complex image and figures.",
        examples: ">>> import numpy as np, arcuate as ar
>>> places = np.stack(np.meshgrid(np.arange(-4, 4), np.arange(-4, 4)), -1).reshape(-1, 2)
>>> truth = np.zeros((8, 8)); truth[2:5, 3:6] = 1
>>> samples = ar.operators.FourierSums((8, 8), places) @ truth.ravel(order=\"F\")
>>> image = ar.reconstruct(samples, places, (8, 8), lambda_=1e-6, device=\"cpu\")
>>> bool(abs(image.magnitude - truth).max() < 1e-4)
True",
        ..PLAIN
    },
    Function {
        name: "refits_as_orientations",
        command: "track bootstrap",
        summary: "Refits tensors to resampled residuals, as orientations to follow",
        notes: "The tensor of each voxel is fitted. Its predictions with resampled residuals are then fitted again. Principal directions are \
                the orientations, FA is the fraction.",
        given: &[DWI, GRADIENTS, place("mask", "ImageLike", "Mask of voxels to process.")],
        only: &["replicates", "resampling"],
        uses: Uses { random: true, ..WATCHED },
        module: "_sampled",
        result: "Orientations",
        returns: "One fibre per voxel.",
        ..PLAIN
    },
    Function {
        name: "track_tensor",
        command: "track tensor",
        summary: "Follows diffusion tensors",
        given: &[
            TENSOR,
            TRACKING_MASK,
            SEED_MASK,
            keyword("seed_weights", "Optional[ImageLike]", "None", "Image that seeds are drawn in proportion to."),
            SEED_POINTS,
            WAYPOINTS,
            AVOID,
            STOP,
            STOP_ON_EXIT,
            TARGETS,
            FIVE_TISSUES,
        ],
        uses: Uses { random: true, ..WATCHED },
        module: "_tracking",
        result: "Tracks",
        returns: "The accepted streamlines.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
>>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
>>> tracks = ar.track_tensor(maps.tensor, seed_mask=brain.white_matter, select=100)
>>> len(tracks)
100",
        ..PLAIN
    },
    Function {
        name: "track_fod",
        command: "track fod",
        summary: "Follows fibre orientation distributions",
        given: &[
            place(
                "fod",
                "ImageLike",
                "Coefficients (x, y, z, coefficients) of MRtrix's spherical harmonics, as ``fit_csd(...).fod``.",
            ),
            TRACKING_MASK,
            SEED_MASK,
            SEED_POINTS,
            WAYPOINTS,
            AVOID,
            STOP,
            STOP_ON_EXIT,
            TARGETS,
            FIVE_TISSUES,
        ],
        uses: GPU_AT_RANDOM,
        module: "_tracking",
        result: "Tracks",
        returns: "The accepted streamlines.",
        ..PLAIN
    },
    Function {
        name: "track_samples",
        summary: "Follows samples of fibre orientations",
        result: "Tracks",
        returns: "The accepted streamlines.",
        ..ALL_OF_SAMPLES
    },
    Function {
        name: "map_visits",
        summary: "Maps where streamlines through samples of fibre orientations pass",
        notes: "No streamline is kept. The same seeds and options give the same streamlines as :func:`track_samples`.",
        given: &[
            SAMPLES,
            SEED_MASK,
            SEED_POINTS,
            WAYPOINTS,
            AVOID,
            STOP,
            STOP_ON_EXIT,
            TARGETS,
            FIVE_TISSUES,
            keyword("lengths", "bool", "False", "Also map the mean length from the seeds in mm."),
        ],
        without: &[
            "fibres", "part", "seed_surfaces", "seed_depth", "products", "matrix", "target_columns", "measure",
            "matrix_format", "resume", "assignment", "assignment_radius", "tracts", "tract_maps", "blueprint",
        ],
        result: "Visits",
        returns: "On the grid of ``seed_mask``, or else of the samples.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=6, directions=15, b_value=1000)
>>> peaks = ar.peaks_as_orientations(brain.peaks, brain.mask)
>>> visits = ar.map_visits(peaks, seed_points=[[20, 0, 20]], seed_radius=6, per_seed=1000, preset=\"probtrackx\", device=\"cpu\")
>>> bool(visits.visits.data.max() > 300)
True",
        ..ALL_OF_SAMPLES
    },
    Function {
        name: "track_geodesic",
        command: "track geodesic",
        summary: "Follows shortest paths through diffusion tensors",
        given: &[
            TENSOR,
            keyword(
                "targets",
                "Optional[Mapping[str, ImageLike]]",
                "None",
                "Regions to find the connections to, by name; they must not overlap. [default: none, and every ray is kept]",
            ),
            keyword("mask", "Optional[ImageLike]", "None", "Mask of the voxels to process; rays end outside."),
            keyword(
                "seed_mask",
                "Optional[ImageLike]",
                "None",
                "Mask in whose voxels rays begin. [default: every voxel with an FA of 0.2 to 1, if all rays are kept]",
            ),
            keyword("seed_weights", "Optional[ImageLike]", "None", "Image that seeds are drawn in proportion to."),
            SEED_POINTS,
            WAYPOINTS,
            AVOID,
            STOP,
            STOP_ON_EXIT,
        ],
        without: &["all"],
        uses: GPU_AT_RANDOM,
        module: "_geodesic",
        result: "Tracks",
        returns: "With ``cm`` (the connectivity measure) at each point and of each streamline, ``length`` in mm and ``drift`` of each \
                  streamline, and a group for each target. ``summary[\"targets\"]`` states how each target was reached.",
        examples: ">>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
>>> tensor = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask).tensor
>>> rays = ar.track_geodesic(tensor, mask=brain.mask, seeds=50, device=\"cpu\")
>>> len(rays), sorted(rays.data_per_streamline)
(50, ['cm', 'drift', 'length'])",
        ..PLAIN
    },
    Function {
        name: "run",
        command: "run",
        summary: "Runs all stages from a series in a file to an evaluated tractogram and a report in a folder",
        given: &[
            place("dwi", "PathLike", ""),
            place("out", "PathLike", "Folder of the results."),
        ],
        without: &["show_recipe", "dry_run", "share"],
        of_files: true,
        module: "_runs",
        result: "Results",
        returns: "The folder with its record.",
        ..PLAIN
    },
];
