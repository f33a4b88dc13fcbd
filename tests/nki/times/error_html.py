# SPDX-License-Identifier: Apache-2.0
"""The page of expected times as one HTML file: the first line, a plot of model over reference, the groups, and all cases."""
import html
import math

SIZE, MARGIN = 460, 60  # of the plot, in pixels
BANDS = ((1.25, "#eee"), (1.10, "#ddd"))  # factors between model and reference
COLOURS = ("#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910")

STYLE = """body { font: 14px/1.4 sans-serif; margin: 2em; max-width: 110em }
table { border-collapse: collapse; margin: 1em 0 } th, td { padding: 2px 8px; border-bottom: 1px solid #ddd; vertical-align: top }
th { text-align: left; background: #f4f4f4; position: sticky; top: 0 } td.number { text-align: right; white-space: nowrap }
td.far { background: #fbe3e0 }"""


def scale(low, high):
    """Microseconds to pixels, logarithmic."""
    return lambda us: (math.log(us) - math.log(low)) / (math.log(high) - math.log(low)) * SIZE


def plot(points):
    """`points`: (family, reference, model, name). Empty without any."""
    if not points:
        return ""
    times = [time for _, reference, model, _ in points for time in (reference, model)]
    low, high = min(times) / 1.5, max(times) * 1.5
    x = scale(low, high)
    shapes = [f'<clipPath id="area"><rect width="{SIZE}" height="{SIZE}"/></clipPath>']
    for factor, colour in BANDS:
        corners = ((low, low * factor), (high, high * factor), (high, high / factor), (low, low / factor))
        path = " ".join(f"{x(r):.1f},{SIZE - x(m):.1f}" for r, m in corners)
        shapes.append(f'<polygon clip-path="url(#area)" points="{path}" fill="{colour}"/>')
    shapes.append(f'<line x1="0" y1="{SIZE}" x2="{SIZE}" y2="0" stroke="#999"/><rect width="{SIZE}" height="{SIZE}" fill="none" stroke="#666"/>')
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        at, label = x(10.0**power), f"{10.0**power:g}"
        shapes.append(f'<text x="{at:.1f}" y="{SIZE + 16}" text-anchor="middle">{label}</text>')
        shapes.append(f'<text x="-6" y="{SIZE - at + 4:.1f}" text-anchor="end">{label}</text>')
    families = sorted({family for family, *_ in points})
    for family, reference, model, name in points:
        colour = COLOURS[families.index(family) % len(COLOURS)]
        shapes.append(f'<circle cx="{x(reference):.1f}" cy="{SIZE - x(model):.1f}" r="3.5" fill="{colour}" fill-opacity="0.7">'
                      f"<title>{html.escape(name)}: {model:.1f} us for {reference:.1f} us</title></circle>")
    for n, family in enumerate(families):
        shapes.append(f'<circle cx="14" cy="{16 + 18 * n}" r="4" fill="{COLOURS[n % len(COLOURS)]}"/><text x="24" y="{20 + 18 * n}">{html.escape(family)}</text>')
    shapes.append(f'<text x="{SIZE / 2}" y="{SIZE + 36}" text-anchor="middle">reference, us</text>'
                  f'<text transform="translate(-42 {SIZE / 2}) rotate(-90)" text-anchor="middle">model, us</text>')
    whole = SIZE + MARGIN + 20
    return (f'<svg width="{whole}" height="{whole}" viewBox="{-MARGIN} -10 {whole} {whole}" font-size="12" font-family="sans-serif">'
            + "".join(shapes) + "</svg><p>Grey: within 10 % and within 25 %.</p>")


def cell(value, far=False):
    if isinstance(value, (int, float)):
        return f'<td class="number{" far" if far else ""}">{value:g}</td>'
    return f"<td>{html.escape('' if value is None else str(value))}</td>"


def table(head, rows):
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in head) + "</tr>"]
    return "\n".join(lines + ["<tr>" + "".join(row) + "</tr>" for row in rows] + ["</table>"])


def page(first_line, launch_line, points, summary, cases, failed):
    """`summary` and `cases` are (head, rows); the error of a case is its eighth column. `failed`: (name, reason)."""
    ordered = sorted(cases[1], key=lambda row: -abs(row[7] or 0))
    parts = [f"<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Expected times of kernels</title><style>{STYLE}</style>",
             f"<h1>{html.escape(first_line)}</h1><p>{html.escape(launch_line)}</p>", plot(points),
             table(summary[0], ([cell(value) for value in row] for row in summary[1])), "<h2>Cases, the largest errors first</h2>",
             table(cases[0], ([cell(value, n == 7 and abs(value or 0) > 25) for n, value in enumerate(row)] for row in ordered))]
    if failed:
        parts += ["<h2>Cases without a time</h2>", table(("case", "reason"), ([cell(name), cell(reason)] for name, reason in failed))]
    return "\n".join(parts) + "\n</html>\n"
