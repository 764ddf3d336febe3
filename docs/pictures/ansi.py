#!/usr/bin/env python3
"""A captured terminal screen (stdin, with colours) as a page (stdout) that a browser can take a picture of."""
import html
import re
import sys

COLOURS = {31: "#f38ba8", 32: "#a6e3a1", 33: "#f9e2af", 34: "#89b4fa", 36: "#89dceb"}
LINE = 19

lines = sys.stdin.read().rstrip("\n").split("\n")
while lines and not lines[-1].strip():
    lines.pop()

style = {}
shown = []
for line in lines:
    out = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        found = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not found:
            css = "".join(f"{name}:{value};" for name, value in style.items())
            out.append(f'<span style="{css}">{html.escape(piece)}</span>' if css and piece else html.escape(piece))
            continue
        for code in (int(code or 0) for code in found.group(1).split(";")):
            if code == 0:
                style = {}
            elif code == 1:
                style["font-weight"] = "bold"
            elif code == 2:
                style["opacity"] = "0.6"
            elif code in (22, 39):
                style.pop("opacity" if code == 22 else "color", None)
            elif code in COLOURS:
                style["color"] = COLOURS[code]
    shown.append("".join(out))

height = LINE * len(shown) + 64
body = "\n".join(shown)
print(f"""<!doctype html><meta charset="utf-8"><body data-height="{height}" style="margin:0;background:#1e1e2e">
<div style="padding:12px 20px 0"><i style="color:#f38ba8">●</i> <i style="color:#f9e2af">●</i> <i style="color:#a6e3a1">●</i></div>
<pre style="margin:8px 20px;color:#cdd6f4;font:14px/{LINE}px 'DejaVu Sans Mono',monospace">{body}</pre>""")
