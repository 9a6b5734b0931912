"""Put the page together: one file, nothing from outside, nothing from the table run."""

import hashlib
import html
import json
import re
from base64 import b64encode
from importlib.resources import files
from typing import Any

STYLES = ("base.css", "plot.css", "panel.css")
SCRIPTS = (
    "data.js",
    "times.js",
    "neighbours.js",
    "decode.js",
    "colour.js",
    "view.js",
    "points.js",
    "overlay.js",
    "summary.js",
    "selection.js",
    "cells.js",
    "panel.js",
    "export.js",
    "walk.js",
    "pointer.js",
    "keys.js",
    "main.js",
)
PLACE = re.compile(r"\{\{(\w+)\}\}")


def build_page(payload: dict[str, Any]) -> str:
    """Return the HTML of the page that shows ``payload``."""
    style = "".join(_part(name) for name in STYLES)
    code = "".join(_part(name) for name in SCRIPTS)
    script = f"(function () {{\n'use strict';\n{code}}})();\n"
    title = html.escape(payload["title"])
    fill = {
        # Only this script and this style may run, whatever is in the table.
        "script_hash": _hash(script),
        "style_hash": _hash(style),
        "title": title.encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "style": style,
        "script": script,
        "data": escape_json(payload),
    }
    # One pass: what is filled in is not searched for places again.
    return PLACE.sub(lambda place: fill[place[1]], _part("page.html"))


def escape_json(value: Any) -> str:
    """JSON in plain ASCII that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return b64encode(digest).decode("ascii")


def _part(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")
