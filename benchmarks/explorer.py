"""How quickly the explorer page answers: milliseconds per frame, longest task.

    python benchmarks/explorer.py [n_points ...]

Pages of 100,000 and 200,000 points are panned and zoomed in headless Chromium with
real events; needs Chromium with its driver. The page promises frames below 50 ms and
no task above 250 ms on a machine that does nothing else.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from explorer_page import Page, find_browser, many_rows, start_browser
from latentforest import RFAE, CompletelyRandomForest, KNNDecoder
from latentforest.explore import write_page

SIZES = (100_000, 200_000)
REPEATS = 3

WATCH = """
window.watched = { frames: [], tasks: [] };
let last = performance.now();
(function next() {
  const now = performance.now();
  window.watched.frames.push(now - last);
  last = now;
  window.watchedFrame = requestAnimationFrame(next);
})();
window.watcher = new PerformanceObserver((list) => {
  list.getEntries().forEach((task) => window.watched.tasks.push(task.duration));
});
window.watcher.observe({ entryTypes: ['longtask'] });
"""
STOP = """
cancelAnimationFrame(window.watchedFrame);
window.watcher.disconnect();
return window.watched;
"""


def measure(page):
    """Pan and zoom with real events, and return frames and long tasks."""
    page.run(WATCH)
    for k in range(3):
        page.drag([[500 + 7 * j, 350 + 4 * j * (-1) ** k] for j in range(15)])
        for j in range(10):
            place, turn = [400 + 10 * j, 300], {"deltaX": 0}
            page.mouse("mouseWheel", place, deltaY=-120 * (-1) ** (j > 6), **turn)
        for j in range(10):
            page.mouse("mouseMoved", [300 + 20 * j, 200 + 10 * j])
    return page.run(STOP)


def main():
    """Measure pages of some sizes."""
    if None in find_browser():
        sys.exit("Install Chromium with its driver (Debian: chromium chromium-driver).")
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    decoder = KNNDecoder(10, prototypes="rows")
    forest = CompletelyRandomForest(20)
    model = RFAE(3, forest=forest, decoder=decoder, random_state=0).fit(many_rows(400))
    print(f"{'points':>8}  {'median frame':>12}  {'longest task':>12}  frames")
    with tempfile.TemporaryDirectory() as folder:
        driver = start_browser(Path(folder) / "profile")
        try:
            for size in sizes:
                path = Path(folder) / "page.html"
                page = Page(
                    driver, write_page(model, many_rows(size), path, color_by="kind")
                )
                for _ in range(REPEATS):
                    seen = measure(page)
                    frame = statistics.median(seen["frames"])
                    task = max(seen["tasks"], default=0)
                    n_frames = len(seen["frames"])
                    print(f"{size:>8,}  {frame:>9.1f} ms  {task:>9.1f} ms  {n_frames}")
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
