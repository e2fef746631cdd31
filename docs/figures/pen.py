"""Draws shapes of the book's figures as SVG, with one set of colours for light pages and one for dark ones."""
import math
from html import escape

# name: (light, dark)
COLOURS = {
    "paper": ("#fcfcfb", "#1d2125"),
    "ink": ("#22272e", "#e3e6ea"),
    "soft": ("#6b7480", "#9aa4af"),
    "faint": ("#d5dae0", "#3a424a"),
    "blue": ("#1f6fb2", "#6fb3ea"),
    "red": ("#c0392b", "#f08a7e"),
    "green": ("#2e7d46", "#7fcf98"),
    "amber": ("#b26a00", "#f0b45a"),
    "blue-wash": ("#d6e8f7", "#20405a"),
    "red-wash": ("#f8dcd8", "#552a26"),
    "green-wash": ("#d9f0e0", "#24452f"),
    "amber-wash": ("#fbe9cd", "#4d3a1b"),
}


def number(x):
    return f"{x:.2f}".rstrip("0").rstrip(".")


class Figure:
    def __init__(self, name, width, height, description):
        self.name, self.width, self.height, self.description = name, width, height, description
        self.parts = []

    def add(self, tag, **attributes):
        words = " ".join(f'{key.replace("_", "-")}="{number(v) if isinstance(v, float) else v}"' for key, v in attributes.items())
        self.parts.append(f"  <{tag} {words}/>")

    @staticmethod
    def paint(stroke, fill, width, dashed):
        style = {"class": " ".join(([f"s-{stroke}"] if stroke else []) + [f"f-{fill}" if fill else "f-none"])}
        if stroke:
            style["stroke_width"] = number(width)
        if dashed:
            style["stroke_dasharray"] = "5 4"
        return style

    def line(self, *points, stroke="ink", width=1.4, arrow=False, dashed=False, fill=None):
        d = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.path(d, stroke=stroke, width=width, dashed=dashed, fill=fill)
        if arrow:
            (x0, y0), (x1, y1) = points[-2:]
            self.tip(x1, y1, math.atan2(y1 - y0, x1 - x0), stroke)

    def tip(self, x, y, angle, colour, size=8.0):
        corners = [(x, y)] + [(x - size * math.cos(angle + s), y - size * math.sin(angle + s)) for s in (0.42, -0.42)]
        self.polygon(corners, fill=colour, stroke=None)

    def path(self, d, stroke="ink", width=1.4, dashed=False, fill=None):
        self.add("path", d=d, **self.paint(stroke, fill, width, dashed))

    def polygon(self, points, stroke="ink", fill=None, width=1.2):
        d = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points) + " Z"
        self.path(d, stroke=stroke, width=width, fill=fill)

    def rect(self, x, y, w, h, stroke="ink", fill=None, width=1.2, radius=0.0, dashed=False):
        self.add("rect", x=float(x), y=float(y), width=float(w), height=float(h), rx=float(radius), **self.paint(stroke, fill, width, dashed))

    def circle(self, x, y, r, stroke=None, fill="ink", width=1.2, dashed=False):
        self.add("circle", cx=float(x), cy=float(y), r=float(r), **self.paint(stroke, fill, width, dashed))

    def ellipse(self, x, y, rx, ry, angle=0.0, stroke="ink", fill=None, width=1.2):
        turn = f"rotate({number(angle)} {number(x)} {number(y)})"
        self.add("ellipse", cx=float(x), cy=float(y), rx=float(rx), ry=float(ry), transform=turn, **self.paint(stroke, fill, width, False))

    def curve(self, points, **how):
        """A smooth curve through points (Catmull and Rom's)."""
        d = f"M{number(points[0][0])} {number(points[0][1])}"
        for n in range(len(points) - 1):
            p0, p1, p2, p3 = points[max(n - 1, 0)], points[n], points[n + 1], points[min(n + 2, len(points) - 1)]
            a = [p1[k] + (p2[k] - p0[k]) / 6 for k in (0, 1)]
            b = [p2[k] - (p3[k] - p1[k]) / 6 for k in (0, 1)]
            d += " C" + " ".join(number(v) for v in (*a, *b, *p2))
        self.path(d, **how)

    def text(self, x, y, words, anchor="start", size=13, colour="ink", bold=False):
        style = f' font-weight="600"' if bold else ""
        for n, line in enumerate(words.split("\n")):
            self.parts.append(
                f'  <text x="{number(x)}" y="{number(y + n * size * 1.3)}" text-anchor="{anchor}" font-size="{size}" '
                f'class="f-{colour}"{style}>{escape(line)}</text>'
            )

    def box(self, x, y, w, h, words, fill="blue-wash", stroke="blue", size=13):
        self.rect(x, y, w, h, stroke=stroke, fill=fill, radius=5.0)
        lines = words.split("\n")
        self.text(x + w / 2, y + h / 2 + size * 0.36 - (len(lines) - 1) * size * 0.65, words, anchor="middle", size=size)

    def grid(self, x, y, columns, rows, cell, stroke="faint"):
        for n in range(columns + 1):
            self.line((x + n * cell, y), (x + n * cell, y + rows * cell), stroke=stroke, width=1.0)
        for n in range(rows + 1):
            self.line((x, y + n * cell), (x + columns * cell, y + n * cell), stroke=stroke, width=1.0)

    def svg(self):
        def rules(which):
            return "".join(f".f-{n}{{fill:{c[which]}}}.s-{n}{{stroke:{c[which]}}}" for n, c in COLOURS.items())

        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'font-family="sans-serif" role="img" aria-label="{escape(self.description, quote=True)}">',
                f"  <style>.f-none{{fill:none}}{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>",
                f'  <rect width="{self.width}" height="{self.height}" rx="8" class="f-paper"/>',
                *self.parts,
                "</svg>",
                "",
            ]
        )
