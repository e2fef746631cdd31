#!/usr/bin/env python3
"""Draws the figures of the book into docs/src/images.

    python3 docs/figures/draw.py            # writes them
    python3 docs/figures/draw.py --check    # fails if a file differs from the figure

The script needs only Python. A figure is a function below; its name is that of the file.
"""
import math
import sys
from pathlib import Path

from pen import Figure

IMAGES = Path(__file__).resolve().parent.parent / "src" / "images"


def way_of_data():
    f = Figure("way-of-data", 860, 250, "The way of data: from k-space to a connectome, with the command for each step")
    steps = [
        ("k-space", "recon"), ("diffusion\nseries", "fit"), ("tensors,\nfibres", "track"),
        ("streamlines", "evaluate"), ("weighted\nstreamlines", "connectome"), ("matrix", None),
    ]
    for n, (noun, verb) in enumerate(steps):
        x = 22 + n * 140
        f.box(x, 70, 96, 56, noun)
        if verb:
            f.line((x + 98, 98), (x + 136, 98), arrow=True)
            f.text(x + 117, 58, verb, anchor="middle", size=12, colour="amber", bold=True)
            f.line((x + 117, 63), (x + 117, 92), stroke="faint", width=1.0)
    f.rect(22, 176, 796, 40, stroke="green", fill="green-wash", radius=5.0)
    f.text(420, 201, "report: one page from the records and results of all of them", anchor="middle")
    for n in range(6):
        f.line((70 + n * 140, 128), (70 + n * 140, 172), stroke="green", width=1.0, dashed=True)
    f.text(22, 30, "arcuate run does the steps from the series on, one after the other", size=13, colour="soft")
    return f


def axes_of_directions():
    f = Figure("axes-of-directions", 760, 330, "The same direction in scanner axes and in FSL's image axes, for images stored to the left and to the right")

    def brain(x, y, stored_to_left):
        f.ellipse(x, y, 74, 92, stroke="soft", fill=None)
        f.polygon([(x - 8, y - 91), (x, y - 104), (x + 8, y - 91)], stroke="soft", fill=None)
        f.text(x - 92, y + 5, "L", anchor="middle", size=14, colour="soft")
        f.text(x + 92, y + 5, "R", anchor="middle", size=14, colour="soft")
        s = -1 if stored_to_left else 1
        f.line((x - s * 62, y + 118), (x + s * 62, y + 118), arrow=True, stroke="blue")
        f.text(x, y + 138, "voxel number i grows", anchor="middle", size=12, colour="blue")
        f.line((x, y), (x + 48, y - 36), arrow=True, stroke="red", width=2.4)

    for x, left, name, bvec in (
        (180, True, "x runs from right to left (determinant < 0)", "as stored"),
        (570, False, "x runs from left to right (determinant > 0)", "x negated"),
    ):
        f.text(x, 26, name, anchor="middle", bold=True)
        brain(x, 160, left)
        f.text(x + 58, 116, "gradient", size=12, colour="red")
        f.text(x, 46, bvec, anchor="middle", size=12, colour="blue")
    f.text(375, 140, "scanner axes", anchor="middle", size=12, colour="soft")
    f.text(375, 160, "(0.8, 0.6, 0)", anchor="middle", colour="red")
    f.text(375, 196, "FSL's bvec", anchor="middle", size=12, colour="soft")
    f.text(375, 216, "−0.8 0.6 0", anchor="middle", colour="blue")
    f.text(375, 234, "in both images", anchor="middle", size=12, colour="soft")
    f.text(375, 322, "seen from above, the front at the top", anchor="middle", size=12, colour="soft")
    return f


def corner_and_centre():
    f = Figure("corner-and-centre", 700, 300, "The origin of coordinates in .trk files, and the origin of the affine")
    for x0, name in ((60, ".trk: 0 is the corner of the first voxel"), (400, "affine, .tck, .trx: 0 is its centre")):
        f.text(x0, 30, name, bold=True)
        f.grid(x0, 60, 4, 3, 56)
    f.circle(60, 228, 5, fill="red")
    f.text(70, 250, "(0, 0) mm of the file", size=12, colour="red")
    f.circle(428, 200, 5, fill="red")
    f.text(438, 250, "(0, 0) of voxel numbers", size=12, colour="red")
    f.line((428, 246), (428, 208), stroke="red", width=1.0)
    for x0 in (60, 400):
        f.circle(x0 + 56 * 2.5, 60 + 56 * 1.5, 5, fill="blue")
    f.text(216, 138, "2.5, 1.5 voxels", size=12, colour="blue")
    f.text(556, 138, "2, 1", size=12, colour="blue")
    f.text(60, 285, "the same point (blue) of the same image; who mixes the two is half a voxel off", size=12, colour="soft")
    return f


def two_halves():
    f = Figure("two-halves", 760, 290, "A probabilistic streamline: two halves from one seed, waypoints, a region to avoid and a region to stop in")
    seed = (370, 170)
    first = [seed, (440, 150), (510, 128), (590, 122), (660, 140)]
    second = [seed, (300, 188), (230, 196), (160, 176), (96, 130)]
    f.ellipse(560, 124, 44, 30, 0, stroke="green", fill="green-wash")
    f.text(560, 84, "waypoint", anchor="middle", size=12, colour="green")
    f.rect(640, 112, 70, 66, stroke="blue", fill="blue-wash", radius=4.0)
    f.text(675, 102, "stop", anchor="middle", size=12, colour="blue")
    f.ellipse(250, 110, 42, 26, 0, stroke="red", fill="red-wash")
    f.text(250, 114, "avoid", anchor="middle", size=12, colour="red")
    f.curve(first, stroke="ink", width=2.4)
    f.curve(second, stroke="amber", width=2.4)
    for points, colour in ((first, "ink"), (second, "amber")):
        for x, y in points[1:]:
            f.circle(x, y, 3.2, fill=colour)
    f.circle(*seed, 7, fill="red")
    f.text(seed[0] + 14, seed[1] + 28, "seed, with a draw of the fibres there", size=12, colour="red")
    f.text(610, 222, "first half: begins along the fibre drawn", anchor="middle", size=12)
    f.text(150, 236, "second half: begins the other way", anchor="middle", size=12, colour="amber")
    f.text(20, 272, "A waypoint may be on either half. A half that enters a region to avoid is discarded with its waypoints.", size=12, colour="soft")
    return f


def encoding_of_life():
    f = Figure("encoding-of-life", 800, 330, "LiFE's model of one voxel: segments of streamlines pick columns of a dictionary, weighted by the streamline")
    f.text(30, 30, "one voxel", bold=True)
    f.rect(30, 50, 170, 170, stroke="soft", fill=None)
    f.curve([(20, 180), (80, 150), (140, 120), (212, 96)], stroke="blue", width=2.6)
    f.curve([(20, 90), (90, 110), (150, 150), (212, 206)], stroke="red", width=2.6)
    f.text(206, 92, "f₁", colour="blue", bold=True)
    f.text(206, 220, "f₂", colour="red", bold=True)
    f.text(30, 246, "each segment has a direction", size=12, colour="soft")
    f.text(300, 30, "dictionary: a column for each direction", bold=True)
    for n in range(14):
        fill = {4: "blue-wash", 10: "red-wash"}.get(n)
        f.rect(300 + n * 16, 50, 16, 170, stroke="faint", fill=fill, width=1.0)
        for r in range(10):
            v = math.cos(0.8 * r + 0.45 * n) ** 2
            f.line((308 + n * 16 - 5 * v, 60 + r * 17), (308 + n * 16 + 5 * v, 60 + r * 17), stroke={4: "blue", 10: "red"}.get(n, "faint"), width=2.0)
    f.text(300, 246, "rows: measurements, without their mean", size=12, colour="soft")
    f.line((220, 100), (296, 76), stroke="soft", arrow=True, dashed=True)
    f.line((560, 134), (596, 134), arrow=True)
    f.text(610, 72, "signal of the voxel =", size=13)
    f.text(610, 104, "w₁ · length · column 5", colour="blue")
    f.text(610, 130, "+ w₂ · length · column 11", colour="red")
    f.text(610, 170, "The stored data are not\nthe matrix but (voxel,\ncolumn, streamline, length):\na few bytes a segment.", size=12, colour="soft")
    f.text(30, 306, "A weight belongs to a streamline, not to a voxel: the same w₁ must serve in every voxel that f₁ passes.", size=12, colour="soft")
    return f


def compartments():
    f = Figure("compartments", 760, 250, "COMMIT's compartments: stick or cylinder, zeppelin, ball, and how their signals fall with direction")
    for n, (name, text, colour) in enumerate(
        (
            ("inside axons", "stick or cylinder\na weight for each streamline", "blue"),
            ("around axons", "zeppelin along a peak\na weight for each peak of a voxel", "green"),
            ("elsewhere", "ball, free or hindered\na weight for each voxel", "amber"),
        )
    ):
        x = 130 + n * 250
        f.text(x, 28, name, anchor="middle", bold=True)
        if n == 0:
            for k in (-18, 0, 18):
                f.line((x - 70, 104 + k - 14), (x + 70, 104 + k + 14), stroke=colour, width=4.0)
        elif n == 1:
            f.ellipse(x, 104, 72, 30, 12, stroke=colour, fill=f"{colour}-wash")
            f.line((x - 70, 90), (x + 70, 118), stroke=colour, dashed=True)
        else:
            f.circle(x, 104, 46, stroke=colour, fill=f"{colour}-wash")
        f.text(x, 184, text, anchor="middle", size=12, colour="soft")
        if n < 2:
            f.text(x + 125, 110, "+", anchor="middle", size=20)
    f.text(380, 234, "All weights are 0 or more; together they explain the signal of every voxel at once.", anchor="middle", size=12, colour="soft")
    return f


def step_and_angle():
    f = Figure("step-and-angle", 720, 360, "The largest angle and the length of a step are a smallest radius of curvature")
    for x0, step, angle, note in ((60, 66.0, 45, "45° at 0.5 mm: r = 0.65 mm"), (400, 66.0, 15, "15° at 0.5 mm: r = 1.92 mm")):
        f.text(x0, 28, note, bold=True)
        turn = math.radians(angle)
        points, a = [(x0 + 10.0, 230.0)], -math.pi / 2
        for _ in range(3 if angle > 30 else 2):
            x, y = points[-1]
            points.append((x + step * math.cos(a), y + step * math.sin(a)))
            a += turn
        r = step / (2 * math.sin(turn / 2))
        for p, q in zip(points, points[1:]):
            f.line(p, q, width=2.2, arrow=True)
        for p in points:
            f.circle(*p, 3.5, fill="red")
        if angle > 30:
            # The circle through the corners of the polygon.
            (ax, ay), (bx, by) = points[0], points[1]
            mx, my = (ax + bx) / 2, (ay + by) / 2
            h = math.sqrt(r * r - step * step / 4)
            f.circle(mx + h, my, r, stroke="blue", fill=None, dashed=True)
            f.line((mx + h, my), (mx + h + r * math.cos(0.5), my + r * math.sin(0.5)), stroke="blue")
            f.text(mx + h + 18, my + 4, "r", colour="blue", bold=True)
    f.text(400, 290, "r = step / (2 sin(angle / 2))", size=14, colour="blue")
    f.text(400, 312, "the tightest circle that a streamline may follow", size=12, colour="soft")
    return f


def length_in_voxels():
    f = Figure("length-in-voxels", 700, 260, "Track density by length: what a streamline leaves in each voxel is the length of its way through it")
    f.grid(60, 40, 6, 3, 62, stroke="soft")
    a, b = (70.0, 206.0), (425.0, 62.0)
    cuts = {0.0, 1.0}
    for n in range(1, 6):
        cuts.add((60 + 62 * n - a[0]) / (b[0] - a[0]))
    for n in range(1, 3):
        cuts.add((40 + 62 * n - a[1]) / (b[1] - a[1]))
    cuts = sorted(c for c in cuts if 0 <= c <= 1)
    at = lambda t: (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
    for n, (s, t) in enumerate(zip(cuts, cuts[1:])):
        f.line(at(s), at(t), stroke=("blue", "red")[n % 2], width=3.4)
    for c in cuts[1:-1]:
        f.circle(*at(c), 3.2, fill="ink")
    for p in (a, b):
        f.circle(*p, 5, fill="amber")
    f.text(460, 70, "points of the file", size=12, colour="amber")
    f.text(460, 96, "crossings of voxel faces", size=12)
    f.text(460, 122, "one length for each voxel passed,", size=12, colour="soft")
    f.text(460, 140, "exact at any distance of points;", size=12, colour="soft")
    f.text(460, 158, "a count is 1 for each of them", size=12, colour="soft")
    return f


def nearest_region():
    f = Figure("nearest-region", 700, 290, "Ends of streamlines go to the nearest region within a radius; one that finds none joins nothing")
    f.rect(60, 60, 110, 110, stroke="blue", fill="blue-wash", radius=6.0)
    f.text(115, 120, "region 3", anchor="middle", size=12, colour="blue")
    f.rect(520, 90, 110, 110, stroke="green", fill="green-wash", radius=6.0)
    f.text(575, 150, "region 8", anchor="middle", size=12, colour="green")
    f.curve([(196, 110), (300, 80), (400, 110), (494, 140)], width=2.4)
    f.curve([(210, 210), (280, 190), (340, 210), (380, 236)], stroke="soft", width=2.4)
    for x, y, ok in ((196, 110, 1), (494, 140, 1), (210, 210, 0), (380, 236, 0)):
        f.circle(x, y, 34, stroke="red" if not ok else "ink", fill=None, dashed=True)
        f.circle(x, y, 4, fill="ink" if ok else "red")
    f.text(345, 70, "joins 3 and 8", anchor="middle", size=12)
    f.text(420, 214, "finds no region: joins nothing", size=12, colour="red")
    f.text(60, 36, "radius of the search: 4 mm by default", size=13)
    return f


def shells_and_levels():
    f = Figure("shells-and-levels", 720, 290, "LiFE on several shells: what varies with direction within a shell is for fibres, the level of each shell is not")
    f.line((60, 240), (690, 240), arrow=True, stroke="soft")
    f.line((60, 240), (60, 36), arrow=True, stroke="soft")
    f.text(690, 260, "measurements, by shell", anchor="end", size=12, colour="soft")
    f.text(68, 42, "signal", size=12, colour="soft")
    for shell, (x0, level, amplitude, colour) in enumerate(((90, 104, 26, "blue"), (290, 160, 30, "green"), (490, 192, 22, "amber"))):
        f.line((x0, level), (x0 + 170, level), stroke=colour, dashed=True)
        previous = None
        for n in range(16):
            x, y = x0 + 5 + n * 10.6, level - amplitude * math.sin(2.1 * n + shell) * (0.6 + 0.4 * math.cos(n))
            f.line((x, level), (x, y), stroke=colour, width=1.6)
            f.circle(x, y, 3, fill=colour)
        f.text(x0 + 85, 228, f"b {1000 * (shell + 1)}", anchor="middle", size=12, colour=colour)
    f.line((60, 147), (690, 147), stroke="red", width=1.2)
    f.text(688, 52, "one mean over all: fibres would have to explain the decay from shell to shell", anchor="end", size=12, colour="red")
    f.text(60, 282, "Each shell loses its own mean: what is left has nothing isotropic in it.", size=12, colour="soft")
    return f


def shortest_path():
    f = Figure("shortest-path", 720, 280, "Geodesic tracking: rays leave a seed in all directions and bend towards where diffusion is large")
    for n in range(9):
        for m in range(4):
            x, y = 80 + n * 72, 60 + m * 52
            angle = -18 * math.sin((x - 80) / 200)
            strong = m in (1, 2)
            f.ellipse(x, y, 24 if strong else 14, 7 if strong else 12, angle if strong else 0, stroke="faint", fill=None)
    seed = (100, 140)
    for k, end in enumerate(((640, 66), (640, 130), (640, 176), (600, 206), (400, 222), (380, 44))):
        bend = 24 if end[0] > 500 else 0
        mid = ((seed[0] + end[0]) / 2, (seed[1] + end[1]) / 2 + bend * (-1) ** k)
        best = k == 1
        f.curve([seed, mid, end], stroke="blue" if best else "soft", width=2.8 if best else 1.2)
    f.rect(636, 108, 52, 44, stroke="green", fill="green-wash", radius=4.0)
    f.text(662, 100, "target", anchor="middle", size=12, colour="green")
    f.circle(*seed, 6, fill="red")
    f.text(100, 168, "seed", anchor="middle", size=12, colour="red")
    f.text(60, 254, "The metric is the inverse of the tensor: a way along large diffusion is short.\nThe shortest ray that reaches the target counts.", size=12, colour="soft")
    return f


def trajectory_units():
    f = Figure("trajectory-units", 720, 220, "The same trajectory in three units: cycles per field of view, radians per voxel, and normalised")
    rows = (
        ("cycles per field of view", "−64", "64", "blue", "BART: N = 128 voxels reach ± N / 2"),
        ("radians per voxel", "−π", "π", "green", "FINUFFT: × N / 2π"),
        ("cycles per voxel", "−0.5", "0.5", "amber", "Gadgetron: × N"),
    )
    for n, (name, low, high, colour, note) in enumerate(rows):
        y = 50 + n * 60
        f.text(24, y + 4, name, bold=True)
        f.line((250, y), (450, y), stroke=colour, width=2.4)
        for x in (250, 350, 450):
            f.line((x, y - 6), (x, y + 6), stroke=colour, width=1.6)
        f.text(250, y + 24, low, anchor="middle", size=12, colour=colour)
        f.text(350, y + 24, "0", anchor="middle", size=12, colour=colour)
        f.text(450, y + 24, high, anchor="middle", size=12, colour=colour)
        f.text(480, y + 4, note, size=12, colour="soft")
    return f


def streamline_to_matrix():
    f = Figure(
        "streamline-to-matrix", 860, 456,
        "From a streamline to a row of a matrix: triangles of the white surface that its segments cross, voxels of its points, and the "
        "pial surface",
    )
    seed = (150, 190)
    there = [(183, 183), (216, 177), (248, 174), (282, 192), (318, 198), (356, 196), (392, 190), (425, 184), (459, 177), (494, 173), (530, 176)]
    back = [(116, 200), (80, 212), (46, 222)]

    def band(x, y, rows):
        """A strip of a mesh: two columns of vertices, and the triangles between them."""
        left = [(x, y + 44 * n) for n in range(rows)]
        right = [(x + 42, y - 22 + 44 * n) for n in range(rows + 1)]
        for n in range(rows):
            f.line(right[n], left[n], right[n + 1], stroke="blue", width=1.0)
            f.line(right[n], right[n + 1], stroke="blue", width=1.0)
            if n:
                f.line(left[n - 1], left[n], stroke="blue", width=1.0)
        return left, right

    # The voxels: those that hold a point count, one that is passed between two points does not.
    x0, y0, cell = 230, 142, 40
    for column, row in ((0, 0), (1, 1), (2, 1)):
        f.rect(x0 + column * cell, y0 + row * cell, cell, cell, stroke=None, fill="amber-wash")
    f.grid(x0, y0, 3, 2, cell, stroke="soft")

    f.polygon([(432, 162), (432, 206), (474, 184)], stroke=None, fill="green-wash")
    ours, seeds = band(108, 124, 4)
    theirs, far = band(432, 118, 4)
    for at in ours + seeds + theirs + far:
        f.circle(*at, 2.6, fill="blue")
    f.curve([(60, 84), (56, 160), (60, 230), (74, 296)], stroke="soft", width=2.6)
    f.curve([(520, 84), (512, 160), (514, 230), (524, 296)], stroke="soft", width=2.6)

    # The streamline passes through the triangle, and then leaves the mesh.
    through, out = (445, 180), (474, 175.4)
    f.line(seed, *there[:8], through, width=2.2)
    f.line(through, there[8], out, width=2.2, dashed=True)
    f.line(out, *there[9:], width=2.2)
    f.line(seed, *back, width=2.2)
    for x, y in there + back:
        f.circle(x, y, 3.2, fill="ink")
    for at in (theirs[1], theirs[2], far[2]):
        f.circle(*at, 5.5, fill="green")
    f.circle(*seed, 7, fill="red")
    beside = {1: (0, -9), 2: (0, -9), 3: (-1, -8), 4: (0, 17), 5: (0, 17), 8: (-4, 17), 9: (3, -10), 10: (0, -9), 11: (2, -9)}
    for number, (dx, dy) in beside.items():
        x, y = there[number - 1]
        f.text(x + dx, y + dy, str(number), anchor="middle", size=11, colour="soft")

    f.text(129, 54, "white surface", anchor="middle", size=12, colour="blue")
    f.text(453, 54, "white surface", anchor="middle", size=12, colour="blue")
    f.text(58, 76, "pial surface", anchor="middle", size=12, colour="soft")
    f.text(534, 76, "pial surface", anchor="middle", size=12, colour="soft")
    f.text(x0 + 1.5 * cell, 130, "voxels of a nucleus", anchor="middle", size=12, colour="amber")
    f.text(158, 214, "seed", size=12, colour="red")
    f.text(x0 + 1.5 * cell, 244, "with a point in them: they count", anchor="middle", size=12, colour="amber")
    f.text(434, 330, "a segment meets a triangle:\nits three vertices count", anchor="middle", size=12, colour="green")
    f.line((434, 316), (438, 212), stroke="green", width=1.0)
    f.text(540, 206, "first point\nafter pial:\nthe end", size=12)

    # The row as part of the matrix, and enlarged.
    x1, small = 650, 18
    f.box(x1, 26, 180, 32, "file", fill="green-wash", stroke="green")
    f.line((x1 + 90, 92), (x1 + 90, 62), stroke="green", arrow=True)
    f.rect(x1, 94, 180, 38, stroke="green", fill="green-wash")
    f.text(x1 + 90, 117, "rows whose seeds are done", anchor="middle", size=12)
    entries = {1: 9, 2: 9, 3: 9, 6: 3, 8: 4, 9: 5}
    for column in entries:
        f.rect(x1 + column * small, 138, small, small, stroke=None, fill="green-wash" if column < 6 else "amber-wash")
    f.grid(x1, 138, 10, 1, small, stroke="red")
    f.text(x1 - 8, 152, "seed", anchor="end", size=12, colour="red")
    f.rect(x1 + 12, 164, 156, 44, stroke="soft", fill=None, dashed=True, width=1.0)
    f.text(x1 + 90, 190, "rows of seeds to come", anchor="middle", size=12, colour="soft")

    large, x2 = 24, 602
    for end, at in ((x2, x1), (x2 + 10 * large, x1 + 180)):
        f.line((at, 156), (at, 210), (end, 268), stroke="soft", width=1.0)
    f.text(x2 + 3 * large, 262, "vertices", anchor="middle", size=12, colour="green")
    f.text(x2 + 8 * large, 262, "voxels", anchor="middle", size=12, colour="amber")
    for y, name, value in ((270, "count", lambda steps: 1), (318, "length, in steps", lambda steps: steps)):
        for column, steps in entries.items():
            f.rect(x2 + column * large, y, large, large, stroke=None, fill="green-wash" if column < 6 else "amber-wash")
            f.text(x2 + (column + 0.5) * large, y + 17, str(value(steps)), anchor="middle", size=12)
        f.grid(x2, y, 10, 1, large, stroke="soft")
        f.text(x2, y + 39, name, size=12)
    f.text(20, 392, "Of --matrix seeds. A streamline counts once for each element that it meets, but not for the seed itself or for a triangle that has it.", size=12, colour="soft")
    f.text(20, 413, "A voxel that is passed between two points does not count, nor does a vertex near which a segment passes without meeting its triangle.", size=12, colour="soft")
    f.text(20, 434, "Each further streamline of the seed adds its elements to the row. After the last one, the row is written to the file.", size=12, colour="soft")
    return f


FIGURES = (
    way_of_data, axes_of_directions, corner_and_centre, two_halves, encoding_of_life, shells_and_levels, compartments,
    step_and_angle, length_in_voxels, nearest_region, shortest_path, trajectory_units, streamline_to_matrix,
)


def main():
    stale = []
    for draw in FIGURES:
        figure = draw()
        path, text = IMAGES / f"{figure.name}.svg", figure.svg()
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(path.name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.exit(f"not what docs/figures/draw.py draws: {', '.join(stale)}; run it and commit what changes")
    print(f"{len(FIGURES)} figures {'are up to date' if '--check' in sys.argv[1:] else 'drawn'}")


if __name__ == "__main__":
    main()
