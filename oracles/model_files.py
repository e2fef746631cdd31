#!/usr/bin/env python3
"""Computes signals of the documentation's model files (docs/src/models) by other methods.

    pip install dipy numpy scipy
    oracles/model_files.py

- IVIM's bi-exponential and the kurtosis tensor: dipy.
- Restricted diffusion in spheres (Gaussian phase distribution): 60 roots found here, with powder averages by quadrature.
- Diffusion-weighted steady-state free precession: a simulation of the magnetisation of 128 isochromats across one cycle of the gradient
  pulse's winding. Pulse, winding, relaxation and diffusion (exact, in the wave numbers of the winding) repeat until nothing changes.

Prints the lines of crates/arcuate-model/tests/all/model_files.rs. With dipy 1.12.1 models agree within 1e-9. Spheres agree within 1e-8.
Steady states agree within 1e-7 with the continued fraction of fifth order.

Buxton's closed formula (1993, doi:10.1002/mrm.1910290212), which McNab and Miller used, approximates diffusion
(Freed et al. 2001). Remarks state its error in percent for the settings below.
"""
import numpy as np
from dipy.core.gradients import gradient_table
from dipy.reconst.dki import dki_prediction
from dipy.reconst.ivim import ivim_prediction
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import spherical_jn

GAMMA = 2.6751525e8


def show(name, values):
    for value in np.ravel(values):
        print(f"{value:.12g}")
    print(f"# {name}")


def ivim():
    b = np.array([0.0, 10, 20, 50, 100, 200, 400, 800])
    table = gradient_table(b, bvecs=np.tile([1.0, 0, 0], (len(b), 1)), b0_threshold=0)
    return ivim_prediction([1000.0, 0.12, 12e-3, 0.9e-3], table)


DIRECTIONS = np.array([[0.6, 0, 0.8], [0.0, 0.8, 0.6], [-0.48, 0.64, 0.6]])


def kurtosis():
    tensor = np.array([[1.4, 0.2, -0.1], [0.2, 0.7, 0.15], [-0.1, 0.15, 0.5]]) * 1e-3
    values, vectors = np.linalg.eigh(tensor)
    order = np.argsort(values)[::-1]
    w = [1.1, 0.9, 0.7, 0.1, -0.05, 0.08, 0.03, -0.02, 0.04, 0.31, 0.25, 0.28, 0.06, -0.03, 0.02]
    parameters = np.concatenate([values[order], vectors[:, order].ravel(), w])
    b = np.concatenate([[0], np.repeat([1000.0, 2500.0], 3)])
    directions = np.concatenate([[[1.0, 0, 0]], DIRECTIONS, DIRECTIONS])
    table = gradient_table(b, bvecs=directions, b0_threshold=0)
    return dki_prediction(parameters[None], table, S0=1000.0)[0]


def spheres():
    """A powder average with fractions of 0.5 neurites, 0.3 cell bodies, and the rest extracellular; µm and ms."""
    separation, duration = 30.0, 10.0

    def derivative(x):
        return spherical_jn(1, x, derivative=True)

    grid = np.linspace(0.5, 200, 4000)
    roots = [brentq(derivative, a, c) for a, c in zip(grid, grid[1:]) if derivative(a) * derivative(c) < 0][:60]
    d_soma, radius = 3.0, 6.0
    signals = []
    for b in (0.0, 1.0, 3.0, 6.0, 10.0):
        strength = b / (duration**2 * (separation - duration / 3))
        total = 0
        for m in np.array(roots) / radius:
            rate = m * m * d_soma
            past = 2 + np.exp(-rate * (separation - duration)) - 2 * np.exp(-rate * duration)
            past += -2 * np.exp(-rate * separation) + np.exp(-rate * (separation + duration))
            total += m**-4 / (m * m * radius**2 - 2) * (2 * duration - past / rate)
        soma = np.exp(-2 * strength / d_soma * total)
        neurite = quad(lambda c: np.exp(-b * 1.9 * c * c), 0, 1, epsabs=1e-13)[0]
        signals.append(1000 * (0.5 * neurite + 0.3 * soma + 0.2 * np.exp(-b * 0.9)))
    return signals


def steady_state(t1, t2, tr, flip, gradient, pulse, diffusivity, count=128):
    """Signal right before the next pulse, relative to equilibrium; units s, T/m, m²/s."""
    q = GAMMA * gradient * pulse
    n = np.fft.fftfreq(count, 1 / count)
    place = 2 * np.pi * np.arange(count) / count
    wound = np.exp(-diffusivity * q * q * pulse * (n * n + n + 1 / 3))
    spread = np.exp(-diffusivity * q * q * n * n * (tr - pulse))
    longitudinal = np.exp(-diffusivity * q * q * n * n * tr)
    across, along = np.zeros(count, complex), np.ones(count)
    cosine, sine = np.cos(flip), np.sin(flip)
    before = np.inf
    for _ in range(100_000):
        y, along = across.imag * cosine - along * sine, across.imag * sine + along * cosine
        across = across.real + 1j * y
        across = np.fft.ifft(np.fft.fft(across) * wound) * np.exp(1j * place)
        across = np.fft.ifft(np.fft.fft(across) * spread) * np.exp(-tr / t2)
        along = 1 + (np.fft.ifft(np.fft.fft(along) * longitudinal).real - 1) * np.exp(-tr / t1)
        signal = abs(across.mean())
        if abs(signal - before) < 1e-16:
            break
        before = signal
    return signal


def buxton(t1, t2, tr, flip, gradient, pulse, diffusivity):
    e1, e2, c = np.exp(-tr / t1), np.exp(-tr / t2), np.cos(flip)
    q = GAMMA * gradient * pulse
    a1, a2 = np.exp(-q * q * tr * diffusivity), np.exp(-q * q * pulse * diffusivity)
    r = 1 - e1 * c + e2**2 * a1 * a2 ** (1 / 3) * (c - e1)
    s = e2 * a1 * a2 ** (-4 / 3) * (1 - e1 * c) + e2 * a2 ** (-1 / 3) * (c - e1)
    k = 1 - e1 * a1 * c - e2**2 * a1**2 * a2 ** (-2 / 3) * (e1 * a1 - c)
    k /= e2 * a1 * a2 ** (-4 / 3) * (1 + c) * (1 - e1 * a1)
    f = k - np.sqrt(k * k - a2 * a2)
    return -(1 - e1) * e2 * a2 ** (-2 / 3) * (f - e2 * a1 * a2 ** (2 / 3)) * np.sin(flip) / (r - f * s)


def steady_states():
    """A ball and a stick of equal fractions, 0.3e-3 mm²/s: gradient (mT/m), pulse (ms), TR (ms), flip angle (deg), with a B1 of 0.9."""
    direction, axis = DIRECTIONS[2], np.array([0.0, 0.6, 0.8])
    signals = []
    for gradient, pulse, tr, flip in [(0, 10, 40, 30), (38, 18, 40, 30), (50, 5, 30, 70), (100, 8, 30, 90), (20, 10, 60, 15)]:
        setting = (0.6, 0.04, tr * 1e-3, np.radians(0.9 * flip), gradient * 1e-3, pulse * 1e-3)
        rates = 0.3e-9, 0.3e-9 * (direction @ axis) ** 2
        signals.append(1000 * np.mean([steady_state(*setting, rate) for rate in rates]))
        closed = 1000 * np.mean([buxton(*setting, rate) for rate in rates])
        print(f"# Buxton's formula: {100 * (closed / signals[-1] - 1):+.2f} %")
    return signals


show("IVIM", ivim())
show("kurtosis tensor", kurtosis())
show("spheres, powder average", spheres())
show("steady states", steady_states())
