"""The figure: how far F is above the lowest, against the time that it took."""

from __future__ import annotations

import math

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 760, 420, 70, 20, 50, 190
COLOURS = ("#9ecae1", "#3182bd", "#08306b", "#e6550d", "#fd8d3c", "#31a354", "#756bb1", "#636363", "#bcbd22")
#: Nothing above the lowest is drawn at the floor, in per cent.
FLOOR, CEILING = 1e-3, 1e3


def scatter(points: dict[str, list[tuple[float, float]]]) -> str:
    """One dot for each row and method: CPU seconds, and per cent above the lowest F."""
    seconds = [at for dots in points.values() for at, _ in dots] or [1e-3, 1.0]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds) * 1.001))
    bottom, top = math.log10(FLOOR), math.log10(CEILING)

    def x(value: float) -> float:
        return LEFT + (math.log10(value) - low) / max(high - low, 1) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        inside = min(max(value, FLOOR), CEILING)
        return HEIGHT - BOTTOM - (math.log10(inside) - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        "<title>F above the lowest, in per cent, against CPU seconds</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(int(bottom), int(top) + 1):
        at = y(10.0**power)
        label = "0" if power == bottom else f"{10.0**power:g}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">CPU seconds</text>')
    upright = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text transform="rotate(-90 18 {upright})" x="18" y="{upright}" text-anchor="middle">'
        "% above the lowest F</text>"
    )
    for number, (method, dots) in enumerate(points.items()):
        colour = COLOURS[number % len(COLOURS)]
        for at, above in dots:
            parts.append(f'<circle cx="{x(at):.1f}" cy="{y(above):.1f}" r="4" fill="{colour}" fill-opacity="0.7"/>')
        line = TOP + 14 + 20 * number
        parts.append(f'<circle cx="{WIDTH - RIGHT + 20}" cy="{line - 4}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 32}" y="{line}">{method}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
