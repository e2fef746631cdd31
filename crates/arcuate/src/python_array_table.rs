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
    /// arrays. Options with a path as value are always excluded.
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

const DWI: Given =
    place("dwi", "ImageLike", "Diffusion series: a 4-D image with the axes (x, y, z, measurements).");
const GRADIENTS: Given = place(
    "gradients",
    "Gradients",
    "Gradient table: direction and b-value of each measurement of the series.",
);
const MASK: Given =
    Given { name: "mask", kind: "Optional[ImageLike]", default: Some("None"), positional: true, help: "" };
const TRACKS: Given = place(
    "tracks",
    "Any",
    "Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence \
     with one array (points, 3) per streamline, in RAS mm.",
);
const WEIGHTS: Given = keyword(
    "weights",
    "Optional[ArrayLike]",
    "None",
    "Array with one weight per streamline. If it is not given, each streamline has the weight 1.",
);

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
    "Parameters of the model that are not fitted. A mapping gives, for each name, a number in the unit of \
     the parameter, an image of its values, or None. With None, and in a list of names only, a parameter has \
     its start value.",
);
const START: Given = keyword(
    "start",
    "Optional[Mapping[str, Given]]",
    "None",
    "Start value of each named parameter: a number in the unit of the parameter, or an image with the value \
     in each voxel.",
);
const COLUMNS: Given = keyword(
    "columns",
    "Optional[Mapping[str, ArrayLike]]",
    "None",
    "Quantities that the model needs for each measurement, such as echo times: for each name, an array with \
     one number per measurement.",
);
const MAPS: Given = keyword(
    "maps",
    "Optional[Mapping[str, ImageLike]]",
    "None",
    "Quantities that the model needs in each voxel, such as T1: for each name, an image.",
);

const TENSOR: Given = place(
    "tensor",
    "ImageLike",
    "Diffusion tensors with the axes (x, y, z, 6), in mm²/s, such as ``fit_tensor(...).tensor``.",
);
const SAMPLES: Given = place(
    "samples",
    "Union[Orientations, PathLike]",
    "Fibre orientations to follow: a result of :func:`load_samples`, :func:`peaks_as_orientations` or \
     :func:`refits_as_orientations`, or the path of a folder of samples.",
);
const TRACKING_MASK: Given = keyword(
    "mask",
    "Optional[ImageLike]",
    "None",
    "Mask image of the voxels to process. Streamlines terminate where they leave this mask.",
);
const SEED_MASK: Given = keyword(
    "seed_mask",
    "Optional[ImageLike]",
    "None",
    "Mask image of the voxels in which streamlines begin.",
);
const SEED_POINTS: Given = keyword(
    "seed_points",
    "Optional[ArrayLike]",
    "None",
    "Array (n, 3) of points in RAS mm at which streamlines begin.",
);
const WAYPOINTS: Given = keyword(
    "waypoints",
    "Regions",
    "()",
    "Regions (mask images) that each streamline must pass. Other streamlines are rejected.",
);
const AVOID: Given = keyword(
    "avoid",
    "Regions",
    "()",
    "Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.",
);
const STOP: Given = keyword(
    "stop",
    "Regions",
    "()",
    "Regions (mask images) in which streamlines terminate, at their first point inside.",
);
const STOP_ON_EXIT: Given = keyword(
    "stop_on_exit",
    "Regions",
    "()",
    "Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of \
     them.",
);
const TARGETS: Given = keyword(
    "targets",
    "Regions",
    "()",
    "Target regions (mask images). The streamlines that pass each target region are counted.",
);
const FIVE_TISSUES: Given = keyword(
    "five_tissues",
    "Optional[ImageLike]",
    "None",
    "Five-tissue-type (5TT) image for anatomically constrained tracking, such as a result of \
     :func:`five_tissues`.",
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
        returns: "The diffusion tensor of each voxel (mm²/s, scanner axes) and the maps that are computed \
                  from it.",
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
                "Name of a built-in model (see :func:`models`), path of a .toml model file, or a list of \
                 such names and paths.",
            ),
            DWI,
            GRADIENTS,
            MASK,
            keyword(
                "method",
                "Literal[\"lm\", \"grid\"]",
                "\"lm\"",
                "Algorithm that finds the parameters. ``lm`` runs the grid searches of the model, and then \
                 the Levenberg–Marquardt method. ``grid`` runs only the grid searches. (:func:`sample` runs \
                 Markov chains.)",
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
        returns: "Result of the fit. If a list of models is given, a list with one result per model.",
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
        notes: "The Markov chains are those of ``arcuate fit --method mcmc``. The same random seed gives the \
                same samples at any number of threads and on any device.",
        given: &[
            place("model", "PathLike", "Name of a built-in model (see :func:`models`), or path of a .toml \
                                        model file."),
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
                "Prior distributions of parameters in the syntax of the model language, such as ``{\"d\": \
                 \"normal(1.7e-3, 0.3e-3)\"}``.",
            ),
        ],
        without: &[
            "list", "graph", "method", "quantiles", "save_state", "trace_voxel", "compare", "criteria", "predicted",
            "column", "map", "standard_errors",
        ],
        uses: GPU_AT_RANDOM,
        module: "_fitting",
        result: "Samples",
        returns: "The posterior samples of each parameter, and the maps of the model at the posterior mean.",
        ..PLAIN
    },
    Function {
        name: "estimate_responses",
        command: "response",
        summary: "Estimates the response functions of tissues from a diffusion series",
        given: &[DWI, GRADIENTS, MASK],
        uses: WATCHED,
        module: "_fod",
        result: "Responses",
        returns: "For each tissue, the zonal coefficients of its response (one row per shell) and the voxels \
                  from which the response was estimated.",
        ..PLAIN
    },
    Function {
        name: "fit_csd",
        command: "fit csd",
        summary: "Estimates fibre orientation distributions by constrained spherical deconvolution",
        given: &[
            DWI,
            GRADIENTS,
            MASK,
            Given {
                name: "responses",
                kind: "Union[Responses, Mapping[str, ArrayLike], ArrayLike, PathLike]",
                default: None,
                positional: false,
                help: "Response functions: a result of :func:`estimate_responses`, a folder with response \
                       files, or for each tissue an array of zonal coefficients with one row per shell. If \
                       the series cannot separate all tissues, cerebrospinal fluid (CSF) is fitted and grey \
                       matter is not.",
            },
            keyword("peaks", "int", "3", "Largest number of peaks to find in each voxel."),
        ],
        module: "_fod",
        result: "Distributions",
        returns: "Spherical-harmonic coefficients of each tissue, and the peaks of the distributions of \
                  white matter.",
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
                "Number of fibre orientations for which the table of responses is computed. The direction of \
                 each streamline point is rounded to the nearest of them. [default: 1057]",
            ),
            keyword(
                "lesion",
                "Union[Mapping[str, ArrayLike], Sequence[str], str, None]",
                "None",
                "Groups of streamlines that are removed virtually (virtual lesions). A mapping gives, for \
                 each name, the numbers of the streamlines, or one boolean per streamline. A list gives the \
                 names of groups of the tractogram.",
            ),
        ],
        // The option `--regularise` is excluded. A value of λ already implies the penalty, because there is
        // only one.
        without: &["regularise"],
        module: "_evaluation",
        result: "Life",
        returns: "The weight of each streamline, maps of the errors of the fit, and the key figures of the \
                  fit.",
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
                "Image of peaks, the directions of the extra-axonal compartments: along the last axis, x, y, \
                 z of 1 to 5 peaks per voxel. [default: no extra-axonal compartments]",
            ),
            keyword("confidence", "Optional[ImageLike]", "None", ""),
            keyword(
                "orientations",
                "Union[int, Literal[\"auto\", \"exact\"], None]",
                "None",
                "Number of fibre orientations for which the table of responses is computed. ``exact`` \
                 computes the response for the exact direction of each segment by spherical harmonics, \
                 without a table. If ``exact`` takes more than three times the arithmetic of a table, \
                 ``auto`` uses a table of 4096 orientations. If not, ``auto`` uses ``exact``. [default: \
                 auto]",
            ),
        ],
        // Penalties on groups of streamlines are only in the Python module `arcuate.commit`. The curve of λ
        // and the predicted signals are only written to files.
        without: &[
            "predicted", "compat", "regularise", "groups", "group_weights", "lambda_curve",

        ],
        module: "_evaluation",
        result: "Commit",
        returns: "The weight of each streamline (signal per mm), maps of the compartments, and the key \
                  figures of the fit.",
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
        returns: "Map on the voxel grid of ``like``.",
        ..PLAIN
    },
    Function {
        name: "sample_along",
        command: "sample",
        summary: "Samples the values of an image along streamlines",
        given: &[TRACKS, place("given", "ImageLike", "Image with one volume, whose values are sampled.")],
        without: &["name"],
        uses: CPU,
        module: "_connect",
        result: "NDArray[np.float32]",
        returns: "Array with one value per point of the streamlines. With ``statistic``, the array has one \
                  value per streamline.",
        ..PLAIN
    },
    Function {
        name: "connectome",
        command: "connectome",
        summary: "Counts and measures the streamlines between regions",
        given: &[
            TRACKS,
            place("labels", "ImageLike", "Label image: the number of the region in each voxel, 0 for no \
                                          region."),
            keyword("label_names", "Optional[Mapping[int, str]]", "None", "Name of each region, by its \
                                                                           number."),
            WEIGHTS,
        ],
        without: &["measure", "mesh_space"],
        uses: CPU,
        module: "_connect",
        result: "Connectome",
        returns: "Symmetric matrices of the connections between regions, and the two regions that each \
                  streamline connects.",
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
            help: "Gradient table of the simulated measurements. Use it instead of ``directions``, \
                   ``b_value`` and ``b0s``.",
        }],
        without: &["meshes", "tract_protocols"],
        uses: Uses { random: true, ..WATCHED },
        module: "_simulate",
        result: "Brain",
        returns: "The simulated measurement of the brain, and the ground truth.",
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
        notes: "Solves (FᴴF + λ WᴴW) ρ = Fᴴd for the image ρ by conjugate gradients, with exact Fourier \
                sums. F is the Fourier transform at the samples, d are the data, and λ WᴴW is the penalty.",
        given: &[
            place("kspace", "ArrayLike", "Complex k-space samples: an array (samples), or (coils, samples) \
                                          for several coils."),
            place(
                "trajectory",
                "ArrayLike",
                "k-space coordinates of the samples: an array (samples, 2 or 3). The unit is cycles per \
                 field of view, unless ``trajectory_unit`` is given.",
            ),
            place("size", "Sequence[int]", "Number of voxels of the image along x and y, and for a volume \
                                            also along z."),
            keyword(
                "sensitivities",
                "Optional[ArrayLike]",
                "None",
                "Complex coil sensitivities: an array (coils, x, y[, z]). Without this array, each coil is \
                 reconstructed separately, and the coil images are combined by the root of the sum of \
                 squares.",
            ),
            keyword(
                "sample_weights",
                "Optional[ArrayLike]",
                "None",
                "Complex weights by which the k-space samples were multiplied: an array (samples).",
            ),
            keyword(
                "regularise",
                "Union[Literal[\"tikhonov\", \"differences\"], ArrayLike, None]",
                "None",
                "Penalty that is added to the misfit. ``tikhonov`` penalises the sum of squared voxel \
                 values. ``differences`` penalises the squared differences between neighbouring voxels. An \
                 array (x, y[, z]) is an anatomical image: differences are penalised less between voxels \
                 that have an edge (a large difference) between them in this image. [default: tikhonov]",
            ),
            keyword(
                "density",
                "Union[Literal[\"pipe-menon\", \"voronoi\", \"none\"], ArrayLike, None]",
                "None",
                "Density compensation of the k-space samples, for ``method=\"gridding\"``: the name of an \
                 algorithm, or an array with one weight per sample. [default: pipe-menon]",
            ),
            keyword(
                "fov",
                "Union[float, Sequence[float], None]",
                "None",
                "Field of view in mm, which a trajectory in 1/m needs: one length for all axes, or one \
                 length per axis.",
            ),
        ],
        without: &["complex"],
        module: "_recon",
        result: "Reconstruction",
        returns: "The reconstructed complex image and the key figures of the reconstruction.",
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
        summary: "Refits tensors to resampled residuals, and returns their directions for tracking",
        notes: "First, the tensor of each voxel is fitted. Then tensors are fitted to the predicted signals \
                of this fit plus resampled residuals. The principal direction of each refitted tensor is a \
                sample of the fibre orientation, and its fractional anisotropy (FA) is the fibre fraction.",
        given: &[DWI, GRADIENTS, place("mask", "ImageLike", "Mask image of the voxels to process.")],
        only: &["replicates", "resampling"],
        uses: Uses { random: true, ..WATCHED },
        module: "_sampled",
        result: "Orientations",
        returns: "Samples of the orientation of one fibre per voxel.",
        ..PLAIN
    },
    Function {
        name: "track_tensor",
        command: "track tensor",
        summary: "Follows streamlines through diffusion tensors",
        given: &[
            TENSOR,
            TRACKING_MASK,
            SEED_MASK,
            keyword("seed_weights", "Optional[ImageLike]", "None", "Image of the relative density of random \
                                                                    seeds: a seed is drawn in a voxel with \
                                                                    a probability proportional to the value \
                                                                    of this image."),
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
        returns: "The streamlines that were accepted.",
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
        summary: "Follows streamlines through fibre orientation distributions",
        given: &[
            place(
                "fod",
                "ImageLike",
                "Fibre orientation distributions (FODs) with the axes (x, y, z, coefficients), as \
                 coefficients of MRtrix's spherical harmonics, such as ``fit_csd(...).fod``.",
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
        returns: "The streamlines that were accepted.",
        ..PLAIN
    },
    Function {
        name: "track_samples",
        summary: "Follows streamlines through samples of fibre orientations",
        result: "Tracks",
        returns: "The streamlines that were accepted.",
        ..ALL_OF_SAMPLES
    },
    Function {
        name: "map_visits",
        summary: "Counts the streamlines that pass each voxel, in tracking through samples of fibre \
                  orientations",
        notes: "The streamlines are counted but not stored. They are the same as those of \
                :func:`track_samples` with the same seeds and options.",
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
            keyword("lengths", "bool", "False", "True to also map the mean path length from the seeds to \
                                                 each voxel, in mm."),
        ],
        without: &[
            "fibres", "part", "seed_surfaces", "seed_depth", "products", "matrix", "target_columns", "measure",
            "matrix_format", "resume", "assignment", "assignment_radius", "tracts", "tract_maps", "blueprint",
        ],
        result: "Visits",
        returns: "Maps on the voxel grid of ``seed_mask``. If there is no seed mask, on the grid of the \
                  samples.",
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
        summary: "Follows rays (shortest paths) through diffusion tensors",
        given: &[
            TENSOR,
            keyword(
                "targets",
                "Optional[Mapping[str, ImageLike]]",
                "None",
                "Target regions to which connections are found: a mask image for each name. The regions must \
                 not overlap. Without targets, every ray is kept. [default: none]",
            ),
            keyword("mask", "Optional[ImageLike]", "None", "Mask image of the voxels to process. Rays \
                                                            terminate where they leave this mask."),
            keyword(
                "seed_mask",
                "Optional[ImageLike]",
                "None",
                "Mask image of the voxels in which rays begin. [default: if all rays are kept, every voxel \
                 with a fractional anisotropy (FA) from 0.2 to 1]",
            ),
            keyword("seed_weights", "Optional[ImageLike]", "None", "Image of the relative density of random \
                                                                    seeds: a seed is drawn in a voxel with \
                                                                    a probability proportional to the value \
                                                                    of this image."),
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
        returns: "The rays as streamlines. Each point and each streamline has its connectivity measure \
                  ``cm``. Each streamline also has its ``length`` in mm and its ``drift`` (relative change \
                  of the ray's energy). There is a group of streamlines for each target. \
                  ``summary[\"targets\"]`` states how each target was reached.",
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
        summary: "Runs all stages, from a diffusion series in a file to an evaluated tractogram and a report \
                  in a folder",
        given: &[
            place("dwi", "PathLike", ""),
            place("out", "PathLike", "Output: folder for the results."),
        ],
        without: &["show_recipe", "dry_run", "share"],
        of_files: true,
        module: "_runs",
        result: "Results",
        returns: "The folder of results, with its record.",
        ..PLAIN
    },
];
