#!/usr/bin/env python3
"""Measures PyTorch and torchkbnufft on a GPU for the problem of `cargo xtask bench recon-kirk`.

    pip install torch numpy torchkbnufft
    oracles/recon_torch.py [--turns 9] [--chunk 8192] [--sparse]
    oracles/recon_torch.py --device cpu --voxels 16 --spokes 40     # the script's logic on a processor; its times mean nothing

The problem has 128³ voxels from 2,904 half spokes × 98 samples by golden means, in single precision. Errors are relative to sums in
double precision at 200 voxels, as in the benchmark. Data are analytic data of ellipsoids, as in the benchmark, and random data. Random
data are much harder for interpolation, because an image of a smooth object hides errors far from the centre of k-space.

For torchkbnufft, it measures the adjoint, the Toeplitz kernel, the product with FᴴF, and an image of Fᴴd and 30 iterations of conjugate
gradients. The defaults of torchkbnufft are a grid of twice the size and six points along an axis. `--sparse` adds its adjoint by sparse
matrices, which need some GB and at least a minute to make.

For PyTorch, it measures the exact sum Fᴴd as a matrix product without TF32, in three forms: complex numbers, real numbers, and real
numbers for mirrored rows. Rows are mirrored at the middle of the image, which takes half of the operations, as in Arcuate. The last
measurement is the FFT of the doubled grid.

Times are medians by the GPU's own events after a warm-up. Data are in GPU memory before.
"""

import argparse
import statistics
import sys
import time

import numpy as np
import torch
import torchkbnufft

CHECKED = 200
ITERATIONS = 30
LAMBDA = 1e-3
GOLDEN_MEANS = 0.465571231876768, 0.6823278038280193
# Value, semi-axes and centre in units of half the field of view: skull, brain, ventricles and a lesion.
ELLIPSOIDS = [
    (1.0, (0.69, 0.92, 0.81), (0.0, 0.0, 0.0)),
    (-0.8, (0.66, 0.87, 0.78), (0.0, -0.02, 0.0)),
    (-0.2, (0.11, 0.31, 0.22), (0.22, 0.0, 0.0)),
    (-0.2, (0.16, 0.41, 0.28), (-0.22, 0.0, 0.0)),
    (0.1, (0.21, 0.25, 0.41), (0.0, 0.35, -0.15)),
]


def trajectory(voxels, spokes, samples):
    """Wave numbers in cycles per field of view, samples × 3."""
    spoke = np.arange(spokes)[:, None]
    height = 2 * (spoke * GOLDEN_MEANS[0] % 1) - 1
    angle = 2 * np.pi * (spoke * GOLDEN_MEANS[1] % 1)
    radius = voxels / 2 * np.arange(samples) / samples
    across = radius * np.sqrt(1 - height**2)
    return np.stack([across * np.cos(angle), across * np.sin(angle), radius * height], axis=-1).reshape(-1, 3)


def measured(places, voxels):
    """Samples of the ellipsoids for a unitary scan: the transform of the unit ball, scaled and shifted."""
    data = np.zeros(len(places), complex)
    for value, half, middle in ELLIPSOIDS:
        half, middle = np.array(half) / 2, np.array(middle) / 2
        q = np.maximum(2 * np.pi * np.linalg.norm(places * half, axis=1), 1e-3)  # At 0 the formula is 0 / 0.
        ball = 4 * np.pi * (np.sin(q) - q * np.cos(q)) / q**3
        data += value * np.prod(half) * ball * np.exp(-2j * np.pi * places @ middle)
    return np.sqrt(voxels**3) * data


def waves(places, positions, dtype):
    """e^(2πi k x), samples × positions. Phases are reduced to one turn in double precision; in single they would have an error of 1e-5."""
    turns = places.double()[:, None] * positions.double()[None, :]
    return torch.polar(torch.ones_like(turns), 2 * torch.pi * (turns - turns.round())).to(dtype)


class Exact:
    """Fᴴd as matrix products: a row per x, a column per (y, z), in blocks of samples."""

    def __init__(self, places, voxels, chunk):
        self.places, self.voxels, self.chunk = places, voxels, chunk
        self.positions = (torch.arange(voxels, device=places.device) - voxels // 2).double() / voxels

    def columns(self, at, data):
        """d e^(2πi k_y y) e^(2πi k_z z)."""
        y, z = (waves(self.places[at, axis], self.positions, torch.complex64) for axis in [1, 2])
        return ((data[:, None] * y)[:, :, None] * z[:, None, :]).flatten(1)

    def chunks(self):
        return (slice(start, start + self.chunk) for start in range(0, len(self.places), self.chunk))

    def zeros(self, rows, dtype):
        return torch.zeros(rows, self.voxels**2 * (1 if dtype.is_complex else 2), dtype=dtype, device=self.places.device)

    def finished(self, image):
        return (image / self.voxels**1.5).reshape([self.voxels] * 3)

    def complex_product(self, data):
        image = self.zeros(self.voxels, torch.complex64)
        for at in self.chunks():
            rows = waves(self.places[at, 0], self.positions, torch.complex64)
            image.addmm_(rows.T, self.columns(at, data[at]))
        return self.finished(image)

    def real_products(self, data):
        """Concatenates rows' real and imaginary parts vertically and columns' horizontally: one product computes all four."""
        both = self.zeros(2 * self.voxels, torch.float32)
        for at in self.chunks():
            rows = waves(self.places[at, 0], self.positions, torch.complex64)
            columns = torch.view_as_real(self.columns(at, data[at])).flatten(1)
            both.addmm_(torch.cat([rows.real, rows.imag], dim=1).T, columns)
        of_real, of_imaginary = torch.view_as_complex(both.reshape(2, self.voxels, -1, 2))
        return self.finished(of_real + 1j * of_imaginary)

    def mirrored_products(self, data):
        """Half of the rows: cosines of x and −x are equal, and sines have opposite signs."""
        half = self.voxels // 2
        # For an even number of voxels, the middle is half a voxel before voxel n / 2. The samples include this shift.
        positions = self.positions[half:] + 0.5 / self.voxels
        cosines, sines = self.zeros(half, torch.float32), self.zeros(half, torch.float32)
        for at in self.chunks():
            shift = waves(self.places[at, 0], -0.5 / self.voxels * torch.ones_like(positions[:1]), torch.complex64)
            rows = waves(self.places[at, 0], positions, torch.complex64)
            columns = torch.view_as_real(self.columns(at, data[at] * shift[:, 0])).flatten(1)
            cosines.addmm_(rows.real.T, columns)
            sines.addmm_(rows.imag.T, columns)
        even, odd = (torch.view_as_complex(sums.reshape(half, -1, 2)) for sums in [cosines, sines])
        return self.finished(torch.cat([(even - 1j * odd).flip(0), even + 1j * odd]))


class Nufft:
    """torchkbnufft's F with a factor of N^(−½), and FᴴF as a convolution."""

    def __init__(self, places, voxels):
        self.size = (voxels,) * 3
        self.scale = voxels**-1.5
        self.radians = (2 * torch.pi / voxels * places.T).float().contiguous()
        self.transposed = torchkbnufft.KbNufftAdjoint(self.size, device=places.device)
        self.product = torchkbnufft.ToepNufft()
        self.kernel = self.made_kernel()

    def adjoint(self, data, matrices=None):
        return self.scale * self.transposed(data[None, None], self.radians, matrices)

    def made_kernel(self):
        return self.scale**2 * torchkbnufft.calc_toeplitz_kernel(self.radians, self.size)

    def normal(self, image):
        return self.product(image, self.kernel)

    def conjugate_gradients(self, data):
        """Fᴴd, then (FᴴF + λ) ρ = Fᴴd. No number leaves the GPU, so that the host can queue work in advance."""
        residual = self.adjoint(data)
        image, direction = torch.zeros_like(residual), residual.clone()
        size = torch.vdot(residual.flatten(), residual.flatten())
        for _ in range(ITERATIONS):
            found = self.normal(direction) + LAMBDA * direction
            step = size / torch.vdot(direction.flatten(), found.flatten())
            image += step * direction
            residual -= step * found
            before, size = size, torch.vdot(residual.flatten(), residual.flatten())
            direction = residual + size / before * direction
        return image


def chosen_voxels(voxels):
    """The voxels that the benchmark checks, x fastest, as indices along x, y and z."""
    n = np.arange(CHECKED) * 1_000_003 % voxels**3
    return torch.tensor(np.stack([n % voxels, n // voxels % voxels, n // voxels**2]))


def in_double_precision(places, data, voxels):
    """Fᴴd at the chosen voxels, term by term."""
    at = (chosen_voxels(voxels).to(places.device) - voxels // 2).double() / voxels
    sums = [
        (torch.polar(torch.ones_like(turns), 2 * torch.pi * turns) * data.to(torch.complex128)).sum()
        for turns in (places.double() @ at[:, n] for n in range(CHECKED))
    ]
    return torch.stack(sums) * voxels**-1.5


def error(image, expected):
    x, y, z = chosen_voxels(image.shape[-1]).to(image.device)
    found = image.reshape(image.shape[-3:])[x, y, z].to(torch.complex128)
    return (torch.linalg.norm(found - expected) / torch.linalg.norm(expected)).item()


def median_ms(action, device, turns):
    action()
    times = []
    for _ in range(turns):
        if device.type == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            action()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        else:
            started = time.perf_counter()
            action()
            times.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times)


def options_given():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--voxels", type=int, default=128)
    parser.add_argument("--spokes", type=int, default=2904)
    parser.add_argument("--samples", type=int, default=98)
    parser.add_argument("--chunk", type=int, default=8192, help="samples at a time in products of matrices")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--sparse", action="store_true", help="torchkbnufft's adjoint by sparse matrices too")
    options = parser.parse_args()
    if options.voxels % 2:
        parser.error("--voxels: rows are mirrored between voxels; give an even number")
    return options


@torch.inference_mode()
def main():
    options = options_given()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU; run this on a machine with a GPU, or test the script with --device cpu")
    torch.set_float32_matmul_precision("highest")
    voxels = options.voxels
    path = trajectory(voxels, options.spokes, options.samples)
    places = torch.tensor(path, device=device)
    data = torch.tensor(measured(path, voxels), device=device).to(torch.complex64)
    random = torch.randn(len(path), dtype=torch.complex64, generator=torch.Generator().manual_seed(1)).to(device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "processor"
    print(f"{voxels}³ voxels, {len(path)} samples on {name}; torch {torch.__version__}, torchkbnufft {torchkbnufft.__version__}")
    expected = [(of, in_double_precision(places, of, voxels)) for of in [data, random]]

    def line(what, action, note=""):
        print(f"  {what:<46} {median_ms(action, device, options.turns):>10.3f} ms  {note}".rstrip(), flush=True)

    def adjoint(what, action):
        of_ellipsoids, of_random = (error(action(of), sums) for of, sums in expected)
        line(what, lambda: action(data), f"error {of_ellipsoids:.1e}, of random data {of_random:.1e}")

    nufft = Nufft(places, voxels)
    adjoint("torchkbnufft: adjoint", nufft.adjoint)
    line("torchkbnufft: Toeplitz kernel", nufft.made_kernel)
    image = nufft.adjoint(data)
    forward = torchkbnufft.KbNufft(nufft.size, device=device)
    back = nufft.scale * nufft.adjoint(forward(image, nufft.radians)[0, 0])
    apart = torch.linalg.norm(nufft.normal(image) - back) / torch.linalg.norm(back)
    note = f"{apart.item():.1e} from its forward and adjoint"
    line("torchkbnufft: Toeplitz product", lambda: nufft.normal(image), note)
    solved = nufft.conjugate_gradients(data)
    missed = image - nufft.normal(solved) - LAMBDA * solved
    note = f"residual {(torch.linalg.norm(missed) / torch.linalg.norm(image)).item():.1e}"
    line(f"torchkbnufft: adjoint, {ITERATIONS} iterations", lambda: nufft.conjugate_gradients(data), note)
    exact = Exact(places, voxels, options.chunk)
    for what in ["complex_product", "real_products", "mirrored_products"]:
        adjoint(f"torch: exact adjoint, {what.replace('_', ' ')}", getattr(exact, what))
    grid = torch.randn([2 * voxels] * 3, dtype=torch.complex64, device=device)
    line(f"torch: FFT of {2 * voxels}³", lambda: torch.fft.fftn(grid))
    # Last, because it needs the most memory.
    if options.sparse:
        matrices = torchkbnufft.calc_tensor_spmatrix(nufft.radians, nufft.size)
        adjoint("torchkbnufft: adjoint by sparse matrices", lambda of: nufft.adjoint(of, matrices))


main()
