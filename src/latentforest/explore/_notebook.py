"""The page in a notebook: a path that shows itself in the cell."""

import html
import sys
from pathlib import Path

if sys.platform == "win32":
    from pathlib import WindowsPath as SystemPath
else:
    from pathlib import PosixPath as SystemPath

HEIGHT = 640  # pixels
# Jupyter passes at most a million bytes per second on, counted over three seconds.
MOST_BYTES = 3_000_000
# The page runs apart from the notebook: it may run its script, save and copy rows.
FRAME = (
    '<iframe srcdoc="{page}" title="{title}" '
    'sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
    'style="width: 100%; height: {height}px; border: 1px solid #d9dde2; '
    'border-radius: 8px"></iframe>'
)
TOO_LARGE = (
    "<p>{path} has {size:.1f} MB, too much for the cell of a notebook. Open it in a "
    "browser, or give <code>sample</code> or <code>columns</code>.</p>"
)


class ExplorerPage(SystemPath):
    """Where a page is; notebooks show the page itself."""

    title: str | None = None  # of paths made from this one, which are no pages

    @classmethod
    def at(cls, path: Path, title: str) -> "ExplorerPage":
        """Return the path of a page that was written."""
        page = cls(path)
        page.title = title
        return page

    def _repr_html_(self) -> str | None:
        """Return a frame with the page in it, or None if there is no page."""
        if self.title is None or not self.is_file():
            return None
        page = html.escape(self.read_text(encoding="utf-8"))
        if len(page) > MOST_BYTES:
            size = self.stat().st_size / 1e6
            return TOO_LARGE.format(path=html.escape(str(self)), size=size)
        title = html.escape(f"{self.title}, explorer page")
        return FRAME.format(page=page, title=title, height=HEIGHT)
