#!/usr/bin/env python3
"""Compares posterior samples of `arcuate fit --method mcmc` for ball and sticks with NUTS (numpyro, JAX).

    pip install numpyro 'jax[cpu]' nibabel numpy
    ARCUATE=target/release/arcuate oracles/sample_nuts.py [--density-only] [--only NAME ...] [--snr 30] [--jumps 100000]

Signals of 24 voxels come from the model's equations at 5 measurements with b = 0 and 50 directions each at b 1000 and 2000
s/mm². The parameter s0 is 1000, diffusivities are from 1.0 to 1.7 · 10⁻³ mm²/s, and fibres have random orientations. The density is
rewritten here in double precision. s0 is uniform above 0, and d is uniform up to 5 · 10⁻³ mm²/s. Fractions are uniform if their sum is at
most 1, and orientations are uniform on the sphere. Variants add:

    one-stick     ball-1-stick, single fibres; Gaussian noise whose σ is integrated out under 1/σ
    crossings     ball-2-sticks, crossings at 60° and 90° with unequal fractions; the same noise, 1/f2 (ARD)
    equal         ball-2-sticks, crossings of 0.3 and 0.3; the same noise, f2 uniform
    single        ball-2-sticks, single fibres; the same noise, f2 normal about 0, truncated there
    priors        as crossings, with normal s0 and gamma-distributed d
    sigma         as crossings, with σ sampled under a gamma density that does not agree with the noise
    rician        the same with Rician noise and likelihood

NUTS (four chains per voxel, each adapted separately) must converge (split R-hat below 1.01) and find the truth. With --density-only the
script stops there. Otherwise Arcuate samples the same signals, and both samples are compared in each voxel. Differences of means are in
units of their Monte-Carlo error, from the effective sample sizes of both. Standard deviations are compared, too. Orientations are compared
by their mean dyadic tensors ⟨n nᵀ⟩ and by √dispersion, with dispersion 1 − the largest eigenvalue. Arcuate's maps are recomputed from its
samples.

Populations are sorted by their mean fraction in each voxel. If f2 has another density than f1, exchanged populations
are another mode, with other moments, and no sampler of this kind passes from one to the other. NUTS then starts with the larger f1,
as Arcuate does. If both densities are uniform, exchanged populations have the same density. `equal` therefore compares quantities that do
not depend on the order, f1 + f2 and ⟨f1 n1 n1ᵀ + f2 n2 n2ᵀ⟩. `single` cannot have 1/f2, which has no finite integral if measurements do
not exclude f2 = 0. With uniform f2, a single fibre may also be two parallel ones with any fractions. Even NUTS rarely enters or leaves
this region (R-hat up to 1.09). n2 covers the whole sphere there if f2 is near 0.

Results: root mean square differences of means in each of 40 quantities are 0.69 to 1.42 Monte-Carlo errors, and at most 3.4 in one voxel.
Ratios of standard deviations to NUTS's are 0.995 to 1.005 on average, and 0.94 to 1.05 in a voxel.

NUTS of numpyro 0.22 and JAX 0.10.2, with the defaults, has an R-hat of at most 1.006, at least 900 effective samples (`single`; 2,100
elsewhere) and no divergences. It takes 5.6 minutes of one core for all. If the densities do not disagree with the truth, s0, d and
fractions are 0.5 to 1.3 standard deviations from it (root mean square).
"""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import tempfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import nibabel as nib
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import i0e
from numpyro.diagnostics import effective_sample_size, split_gelman_rubin
from numpyro.infer.hmc import hmc
from numpyro.infer.util import initialize_model, unconstrain_fn

from noddi_watson import arcuate, uk_biobank

jax.config.update("jax_enable_x64", True)

VOXELS, S0, D_LARGEST = 24, 1000.0, 5e-3
CHAINS = 4
B, G = uk_biobank()
PAIRS = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]

# If both densities are the same, the root mean square z is 1 ± 0.15 with 24 voxels. Effective sample sizes of a few hundred have
# an uncertainty of some tens of percent, and z of a voxel's parameters are correlated; neither makes it 2. A Metropolis sampler of
# the same densities, written with numpy and angles to test this script, had 0.8 to 1.3 with 20,000 to 40,000 jumps.
# With 50,000 jumps and errors added on purpose it had:
# - 2.2 (f2 of `crossings`) without the factor 1/f2;
# - 8.7 (n2 of `single`; nothing elsewhere) without the sine of an angle's density;
# - 7.9 (d of `rician`) with a Gaussian likelihood;
# - 2.6 for standard deviations with M − 10 instead of M where σ is integrated out. M − 1 would change them by half a percent, which
#   is not detected.
LARGEST_RMS_Z = 2.0
# Geometric mean of the voxels' ratios of standard deviations. A single ratio has the uncertainty 1/√(2 · effective samples), 7 %
# with the smallest allowed number, so one of 24 may well be outside. The mean has a fifth of this uncertainty. It limits √dispersion,
# which has no z here, and the other quantities if few effective samples would let any z pass.
RATIOS = 0.9, 1.1
# With fewer effective samples, neither their number nor the error computed from it is reliable.
FEWEST_EFFECTIVE = 100


@dataclasses.dataclass
class Variant:
    name: str
    sticks: int = 2
    rician: bool = False
    # Shape and scale of the gamma density of σ in the unit of the signal; without them σ is integrated out.
    sigma: tuple | None = None
    # The second fraction's density: "ard", "uniform", or mean and standard deviation of a normal one.
    f2: str | tuple = "ard"
    # Mean and standard deviation of s0, shape and scale of d in mm²/s.
    s0: tuple | None = None
    d: tuple | None = None
    # Quantities for which a density or a bound disagrees with the truth.
    biased: tuple = ()

    @property
    def symmetric(self):
        """True if exchanged populations have the same density."""
        return self.f2 == "uniform"

    @property
    def marks(self):
        """The suffixes of f and n in names of each population."""
        return ["1", "2"] if self.sticks == 2 else [""]

    def words(self):
        """Options of the command."""
        words = ["--noise", "rician" if self.rician else "gaussian"]
        if self.sigma:
            # A Rician likelihood always samples σ; for a Gaussian one it is integrated out unless this option is given.
            words += [] if self.rician else ["--sigma", "sampled"]
            words += ["--sigma-prior", "gamma({:g}, {:g})".format(*self.sigma)]
        if self.sticks == 2:
            words += ["--prior", "f2=" + (self.f2 if isinstance(self.f2, str) else "normal({:g},{:g})".format(*self.f2))]
        if self.s0:
            words += ["--prior", "s0=normal({:g},{:g})".format(*self.s0)]
        if self.d:
            words += ["--prior", "d=gamma({:g},{:g})".format(*self.d)]
        return words


# The parameters of the densities have a visible effect: without them, means would move by several Monte-Carlo errors.
VARIANTS = [
    Variant("one-stick", sticks=1),
    Variant("crossings"),
    Variant("equal", f2="uniform"),
    Variant("single", f2=(0, 0.02), biased=("f1", "f2")),
    Variant("priors", s0=(1020, 10), d=(100, 1.2e-5), biased=("s0", "d", "f1", "f2")),
    Variant("sigma", sigma=(400, 0.1), biased=("sigma",)),
    Variant("rician", sigma=(400, 0.1), rician=True, biased=("sigma",)),
]


def rotations(draw, count):
    turned, _ = np.linalg.qr(draw.normal(size=(count, 3, 3)))
    return turned


def fractions_and_angles(variant):
    """The fractions of the populations of each voxel, and the angle between them."""
    crossings = [(60, 0.4, 0.2), (90, 0.4, 0.2), (60, 0.45, 0.25), (90, 0.45, 0.25),
                 (60, 0.5, 0.2), (90, 0.5, 0.2), (60, 0.55, 0.3), (90, 0.55, 0.3)]
    if variant.sticks == 1:
        rows = [(0, f) for f in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)]
    elif variant.name == "equal":
        rows = [(60, 0.3, 0.3), (90, 0.3, 0.3)]
    elif variant.name == "single":
        rows = [(90, f, 0.0) for f in (0.4, 0.5, 0.6, 0.7)]
    else:
        rows = crossings
    table = np.array(rows * (VOXELS // len(rows)))
    return table[:, 1:], np.radians(table[:, 0])


def predict(s0, d, f, n, b=B, g=G, xp=np):
    """Signals of a voxel: f of each stick, n with one row per stick."""
    sticks = f @ xp.exp(-b * d * (n @ g.T) ** 2)
    return s0 * ((1 - f.sum()) * xp.exp(-b * d) + sticks)


def simulate(variant, snr, seed):
    draw = np.random.default_rng(seed)
    f, angle = fractions_and_angles(variant)
    frame = rotations(draw, VOXELS)
    second = np.cos(angle)[:, None] * frame[:, 0] + np.sin(angle)[:, None] * frame[:, 1]
    n = np.stack([frame[:, 0], second], 1)[:, :variant.sticks]
    truth = {"s0": np.full(VOXELS, S0), "d": draw.uniform(1e-3, 1.7e-3, VOXELS), "f": f, "n": n}
    if variant.sigma:
        truth["sigma"] = np.full(VOXELS, S0 / snr)
    signal = np.stack([predict(S0, truth["d"][v], f[v], n[v]) for v in range(VOXELS)])
    noise = draw.normal(0, S0 / snr, (2, *signal.shape))
    signal = np.hypot(signal + noise[0], noise[1]) if variant.rician else signal + noise[0]
    # The precision of the image.
    return truth, signal.astype("f4").astype(float)


def density(variant):
    """The model in numpyro.

    If the density of a vector depends on its length only, the vector divided by its length is uniform on the sphere. Lengths are near 1.
    With normal numbers, some are short; a step there rotates far, and the sampler diverges.
    """
    def model(signal):
        s0 = numpyro.sample("s0", dist.ImproperUniform(dist.constraints.positive, (), ()))
        d = numpyro.sample("d", dist.Uniform(0, D_LARGEST))
        # The ball's fraction first; uniform on the simplex.
        f = numpyro.sample("fractions", dist.Dirichlet(jnp.ones(1 + variant.sticks)))[1:]
        vector = numpyro.sample("vector", dist.ImproperUniform(dist.constraints.real_matrix, (), (variant.sticks, 3)))
        length = jnp.linalg.norm(vector, axis=-1, keepdims=True)
        numpyro.factor("length", dist.Normal(1, 0.15).log_prob(length).sum())
        n = vector / length
        if variant.sticks == 2 and variant.f2 == "ard":
            numpyro.factor("density of f2", -jnp.log(f[1]))
        elif variant.sticks == 2 and variant.f2 != "uniform":
            numpyro.factor("density of f2", dist.Normal(*variant.f2).log_prob(f[1]))
        if variant.s0:
            numpyro.factor("density of s0", dist.Normal(*variant.s0).log_prob(s0))
        if variant.d:
            shape, scale = variant.d
            numpyro.factor("density of d", dist.Gamma(shape, 1 / scale).log_prob(d))
        predicted = predict(s0, d, f, n, xp=jnp)
        squares = ((signal - predicted) ** 2).sum()
        if variant.sigma is None:
            # ∫ σ^(−M) exp(−squares / 2σ²) dσ/σ
            numpyro.factor("signal", -len(B) / 2 * jnp.log(squares / 2))
            return
        shape, scale = variant.sigma
        sigma = numpyro.sample("sigma", dist.Gamma(shape, 1 / scale))
        log_likelihood = -squares / (2 * sigma**2) - len(B) * jnp.log(sigma)
        if variant.rician:
            # s/σ² exp(−(s² + S²) / 2σ²) I₀(s S / σ²), with I₀ scaled by exp(−s S / σ²).
            bessel = jnp.log(i0e(signal * predicted / sigma**2)).sum()
            log_likelihood += bessel + jnp.log(signal).sum() - len(B) * jnp.log(sigma)
        numpyro.factor("signal", log_likelihood)

    return model


def begin(truth, draw):
    """Starts of a voxel's chains: around the truth, usually farther from it than the width of the density."""
    spread = lambda value, part: value * np.exp(draw.normal(0, part, (VOXELS, CHAINS)))
    each = lambda value: np.repeat(value[:, None], CHAINS, 1)
    f = np.maximum(each(truth["f"]) + draw.normal(0, 0.03, (VOXELS, CHAINS, truth["f"].shape[1])), 0.03)
    f *= np.minimum(1, 0.97 / f.sum(-1, keepdims=True))
    vector = each(truth["n"]) + draw.normal(0, 0.1, (VOXELS, CHAINS, *truth["n"].shape[1:]))
    start = {
        "s0": spread(truth["s0"][:, None], 0.03),
        "d": spread(truth["d"][:, None], 0.1),
        "fractions": np.concatenate([1 - f.sum(-1, keepdims=True), f], -1),
        "vector": vector,
    }
    if "sigma" in truth:
        start["sigma"] = spread(truth["sigma"][:, None], 0.1)
    return start


def nuts(variant, truth, signal, warmup, draws, seed):
    """Samples of NUTS: voxels × chains × draws for each parameter. Each chain has its own step and its own masses."""
    model = density(variant)
    info = initialize_model(jax.random.PRNGKey(0), model, model_args=(signal[0],), dynamic_args=True)
    depth = 10
    init_kernel, sample_kernel = hmc(potential_fn_gen=info.potential_fn, algo="NUTS")

    def chain(key, start, signal):
        start = unconstrain_fn(model, (signal,), {}, start)
        state = init_kernel(start, warmup, dense_mass=True, target_accept_prob=0.9, max_tree_depth=depth, rng_key=key,
                            model_args=(signal,))
        step = lambda state, _: (sample_kernel(state, model_args=(signal,)), None)
        state, _ = jax.lax.scan(step, state, None, length=warmup)
        constrain = info.postprocess_fn(signal)

        def keep(state, _):
            state = sample_kernel(state, model_args=(signal,))
            return state, (constrain(state.z), state.diverging, state.num_steps)

        return jax.lax.scan(keep, state, None, length=draws)[1]

    keys = jax.random.split(jax.random.PRNGKey(seed), (VOXELS, CHAINS))
    every = jax.jit(jax.vmap(jax.vmap(chain, (0, 0, None)), (0, 0, 0)))
    samples, diverging, steps = jax.device_get(every(keys, begin(truth, np.random.default_rng(seed)), signal))
    vector = samples.pop("vector")
    samples["f"] = samples.pop("fractions")[..., 1:]
    samples["n"] = vector / np.linalg.norm(vector, axis=-1, keepdims=True)
    print(f"    NUTS: {CHAINS} chains of {draws} in each voxel, {diverging.sum()} divergent, {steps.mean():.0f} steps each")
    return samples


def by_fraction(samples):
    """Populations sorted by their mean fractions, the largest first."""
    order = np.argsort(-samples["f"].mean((1, 2)), axis=1)
    of = lambda values, extra: np.take_along_axis(values, order.reshape(VOXELS, 1, 1, -1, *extra), 3)
    return {**samples, "f": of(samples["f"], ()), "n": of(samples["n"], (1,))}


def dyads(n):
    return n[..., :, None] * n[..., None, :]


def six(tensors):
    return np.stack([tensors[..., i, j] for i, j in PAIRS], -1)


def quantities(variant, samples):
    """The compared quantities by name: voxels × chains × draws × numbers."""
    found = {name: samples[name][..., None] for name in ("s0", "d", "sigma") if name in samples}
    if variant.symmetric:
        found["f1 + f2"] = samples["f"].sum(-1, keepdims=True)
        found["Σ f n nᵀ"] = six((samples["f"][..., None, None] * dyads(samples["n"])).sum(-3))
        return found
    for k, mark in enumerate(variant.marks):
        found[f"f{mark}"] = samples["f"][..., k:k + 1]
        found[f"n{mark} n{mark}ᵀ"] = six(dyads(samples["n"][..., k, :]))
    return found


def is_orientation(name):
    return name.startswith("n")


def spread_of(six_numbers):
    """√dispersion of each voxel from samples of the six numbers of n nᵀ."""
    mean = six_numbers.mean((1, 2))
    tensor = np.empty((VOXELS, 3, 3))
    for place, (i, j) in enumerate(PAIRS):
        tensor[:, i, j] = tensor[:, j, i] = mean[:, place]
    return np.sqrt(np.maximum(1 - np.linalg.eigvalsh(tensor)[:, -1], 0))


def effective(values):
    """Effective samples of the mean of voxels × chains × draws × numbers."""
    return effective_sample_size(np.moveaxis(values, 0, 2))


def moments(values):
    """Mean and standard deviation, their Monte-Carlo errors, and effective sample sizes: voxels × numbers each."""
    mean, std = values.mean((1, 2)), values.std((1, 2))
    count = effective(values)
    squares = (values - mean[:, None, None]) ** 2
    return mean, std, std / np.sqrt(count), squares.std((1, 2)) / (2 * std * np.sqrt(effective(squares))), count


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


def check_density(variant, truth, samples):
    """Checks that the chains have converged and found the truth."""
    failures = []
    found = quantities(variant, samples)
    true = quantities(variant, {key: value[:, None, None] for key, value in truth.items()})
    print("    quantity   R-hat, largest   effective samples, fewest   (mean − truth)/std: rms   std, median")
    for name, values in found.items():
        r_hat = split_gelman_rubin(np.moveaxis(values, 0, 2)).max()
        mean, std, _, _, count = moments(values)
        pull = rms((mean - true[name][:, 0, 0]) / std)
        print(f"    {name:10} {r_hat:14.4f} {count.min():27.0f} {pull:26.2f} {np.median(std):13.3g}")
        if not r_hat < 1.01:
            failures.append(f"{variant.name}: NUTS has not converged ({name})")
        # The expected value of a right density is 1 ± 0.15. Squares of n nᵀ and quantities near a bound are not symmetric, and a
        # voxel's numbers are correlated.
        if name not in variant.biased and not is_orientation(name) and pull > 1.6:
            failures.append(f"{variant.name}: NUTS does not find the truth ({name})")
    if not variant.symmetric:
        for k, mark in enumerate(variant.marks):
            mean = dyads(samples["n"][..., k, :]).mean((1, 2))
            axis = np.linalg.eigh(mean)[1][:, :, -1]
            angle = np.degrees(np.arccos(np.minimum(np.abs((axis * truth["n"][:, k]).sum(-1)), 1)))
            angle = angle[truth["f"][:, k] > 0]
            if not len(angle):
                continue
            print(f"    n{mark} {angle.max():.1f}° from the truth at most")
            if angle.max() > 15:
                failures.append(f"{variant.name}: NUTS is at another mode")
        # Each chain separately: none may have changed to exchanged populations.
        if variant.sticks == 2 and (samples["f"].mean(2)[..., 0] <= samples["f"].mean(2)[..., 1]).any():
            failures.append(f"{variant.name}: NUTS has exchanged populations")
    return failures


def write(folder, signal):
    # No rotation: the axes of the image, of its table and of the scanner are the same.
    nib.save(nib.Nifti1Image(signal.astype("f4").reshape(VOXELS, 1, 1, -1), np.eye(4)), folder / "dwi.nii")
    nib.save(nib.Nifti1Image(np.ones((VOXELS, 1, 1), "u1"), np.eye(4)), folder / "mask.nii")
    np.savetxt(folder / "dwi.b", np.column_stack([G, B]))


def sample(variant, folder, signal, options):
    """Runs the command, and returns a function that reads one of its maps: voxels × volumes."""
    write(folder, signal)
    stem = "ball-1-stick" if variant.sticks == 1 else "ball-2-sticks"
    command = [arcuate(), "fit", stem, folder / "dwi.nii", "--gradients", folder / "dwi.b", "--mask", folder / "mask.nii"]
    command += ["--method", "mcmc", "--burn-in", options.burn_in, "--jumps", options.jumps, "--interval", options.interval]
    command += [*variant.words(), "--random-seed", options.seed, "--out", folder / "ours", "--force", "--quiet"]
    command += options.words.split()
    started = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True)
    print(f"    Arcuate took {time.perf_counter() - started:.1f} s")
    return lambda name: nib.load(folder / "ours" / f"{name}.nii.gz").get_fdata().reshape(VOXELS, -1)


def read_samples(variant, read):
    """Arcuate's samples in their order, cut into as many equal parts as NUTS has chains. Between parts of one chain and between
    chains, effective_sample_size detects what the autocorrelation within a part does not cover."""
    def parts(name, numbers):
        values = read(f"{name}_samples")
        values = values.reshape(VOXELS, -1, numbers)
        values = values[:, :values.shape[1] // CHAINS * CHAINS]
        return values.reshape(VOXELS, CHAINS, -1, numbers)

    samples = {name: parts(name, 1)[..., 0] for name in ("s0", "d")}
    if variant.sigma:
        try:
            samples["sigma"] = parts("sigma", 1)[..., 0]
        except FileNotFoundError:
            print("    no samples of σ are written: not compared")
    samples["f"] = np.concatenate([parts(f"f{mark}", 1) for mark in variant.marks], -1)
    samples["n"] = np.stack([parts(f"n{mark}", 3) for mark in variant.marks], -2)
    return samples


def check_maps(variant, samples, read):
    """Checks that Arcuate's means, standard deviations, dispersions and axes are those of its samples."""
    scalars = {name: samples[name] for name in ("s0", "d", "sigma") if name in samples}
    scalars |= {f"f{mark}": samples["f"][..., k] for k, mark in enumerate(variant.marks)}
    wrong = set()
    ratios = []
    for name, values in scalars.items():
        mean, std = values.mean((1, 2)), values.std((1, 2))
        # Single precision. The standard deviation may be that with one sample less. The last few samples may be missing if their
        # number is not divisible by the number of parts.
        wrong |= {name} if (np.abs(read(name)[:, 0] - mean) > 5e-3 * std).any() else set()
        wrong |= {f"{name}_deviation"} if (np.abs(read(f"{name}_deviation")[:, 0] / std - 1) > 5e-3).any() else set()
        ratios += list(read(f"{name}_ess")[:, 0] / effective(values[..., None])[:, 0])
    for k, mark in enumerate(variant.marks):
        tensor = dyads(samples["n"][..., k, :]).mean((1, 2))
        largest = np.linalg.eigvalsh(tensor)[:, -1]
        dispersion = read(f"n{mark}_dispersion")[:, 0]
        wrong |= {f"n{mark}_dispersion"} if (np.abs(dispersion - (1 - largest)) > 1e-3).any() else set()
        # If two axes are nearly equivalent, both are accepted.
        axis = read(f"n{mark}")
        along = np.einsum("vi,vij,vj->v", axis, tensor, axis)
        wrong |= {f"n{mark}"} if (np.abs(along - largest) > 1e-3).any() else set()
    if variant.sticks == 2 and (read("f1") < read("f2")).any():
        wrong |= {"order of f1 and f2"}
    print(f"    effective samples by Arcuate over those found here: {np.min(ratios):.2f} to {np.max(ratios):.2f},"
          f" median {np.median(ratios):.2f}")
    return [f"{variant.name}: map is not that of the samples: {name}" for name in sorted(wrong)]


def compare(variant, ours, theirs):
    failures = []
    print("    quantity   z of means: rms  largest   std/NUTS's: mean   least   most   z: rms   effective samples, fewest")
    for name, values in quantities(variant, ours).items():
        other = quantities(variant, theirs)[name]
        (mean, std, error, std_error, count), (mean2, std2, error2, std_error2, _) = moments(values), moments(other)
        z = (mean - mean2) / np.hypot(error, error2)
        if is_orientation(name):
            ratio, z_deviation = spread_of(values) / spread_of(other), None
        else:
            ratio, z_deviation = std / std2, (std - std2) / np.hypot(std_error, std_error2)
        typical = np.exp(np.log(ratio).mean())
        said = f"{rms(z_deviation):8.2f}" if z_deviation is not None else " " * 8
        print(f"    {name:10} {rms(z):15.2f} {np.abs(z).max():8.1f} {typical:18.3f} {ratio.min():7.2f} {ratio.max():6.2f}"
              f" {said} {count.min():27.0f}")
        if not rms(z) <= LARGEST_RMS_Z:
            failures.append(f"{variant.name}: means of {name}")
        if not RATIOS[0] <= typical <= RATIOS[1] or z_deviation is not None and not rms(z_deviation) <= LARGEST_RMS_Z:
            failures.append(f"{variant.name}: standard deviations of {name}")
        if count.min() < FEWEST_EFFECTIVE:
            failures.append(f"{variant.name}: too few effective samples of {name}, --jumps makes more")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--density-only", action="store_true", help="NUTS alone: convergence and truth")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[variant.name for variant in VARIANTS])
    parser.add_argument("--snr", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warmup", type=int, default=700)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--burn-in", type=int, default=5000)
    parser.add_argument("--jumps", type=int, default=100000)
    parser.add_argument("--interval", type=int, default=20)
    parser.add_argument("--words", default="--device cpu", help="further options of the command, such as its precision")
    options = parser.parse_args()
    failures = []
    for variant in VARIANTS:
        if options.only and variant.name not in options.only:
            continue
        print(f"{variant.name}: {' '.join(variant.words())}", flush=True)
        truth, signal = simulate(variant, options.snr, options.seed)
        started = time.perf_counter()
        theirs = nuts(variant, truth, signal, options.warmup, options.draws, options.seed)
        print(f"    NUTS took {time.perf_counter() - started:.0f} s")
        failures += check_density(variant, truth, theirs)
        if options.density_only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            read = sample(variant, pathlib.Path(folder), signal, options)
            ours = read_samples(variant, read)
            failures += check_maps(variant, ours, read)
            failures += compare(variant, by_fraction(ours), by_fraction(theirs))
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
