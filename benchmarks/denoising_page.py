"""The page of the study of cells, from its rows."""

from pathlib import Path

import pandas as pd

from cells_data import NAMES, PAIRS, TABLES

USUAL = ("harmony, 20 components", "harmony, 50 components")
PARTS = "RFAE, in equal parts, pass "
TITLES = {
    "brain": "Brain: interneurons of Zeisel and Tasic",
    "blood": "Blood: control and stimulated cells",
}

HEAD = """\
# Cells of two studies

Made by `benchmarks/denoising.py` for two pairs of studies.

- *Brain*: cortical interneurons of Zeisel et al. (2015; 290 cells, counts of molecules)
  and Tasic et al. (2016; 761 cells, RPKM), 3,157 genes. The paper has all 2,874 and
  1,590 cells, so that not its figure is repeated here, but its way. Types as published:
  16 fine ones of Zeisel, 7 coarse ones of Tasic.
- *Blood*: 1,000 control cells of Kang et al. (2018) and 1,000 stimulated with
  interferon, counts of molecules, the 5,000 most variable genes. No types came with
  them: a cell has the type, of six, whose marker genes stand out most within its study,
  and cells without any of these (82 and 66) are not judged. The markers are in
  `benchmarks/cells_data.py`.

Three tables of each: *log*, each cell scaled to 10,000 and log(1 + x); *scaled*, then
each gene to mean 0 and variance 1 over all cells, cut at 10; *standardised*, each gene
to mean 0 and variance 1 within its study, which by itself removes much of what the
studies differ by.

- **harmony**: harmonypy with its own settings (theta 2) on 20 and on 50 principal
  components; *stronger*: twice the penalty, wider and fewer clusters.
- **RFAE, grown on** a study, the paper's way: a completely random forest of 1,000
  trees of one study's genes, 64 coordinates, cells of both studies decoded by the cells
  of that one with k = 100.
- **RFAE, in equal parts**: one such forest of all cells, on the 20 principal components
  that harmonypy gets. Each cell is decoded twice, by the cells of one study and by
  those of the other, and the mean is taken: no study is drawn over to the other. A
  *pass* does this to what the last one made. k is the paper's share of a study's cells
  (100 of 2,874): 10, 26, 35 and 35.

All is judged on 20 principal components of what a method leaves. Means of {n_seeds}
seeds.

- iLISI: how many studies there are around a cell, 1 to 2; if cells were shuffled,
  about 1.67 in brain and 2 in blood. Higher is better.
- cLISI: how many types there are around a cell, among cells of its own study. Lower is
  better; in brackets the change against cells as they are.
- ARI: k-means on a study's cells against its types. Higher is better.

## Is it as good as harmonypy?

The goal: studies mix more than as they are and at least as with harmonypy (the better
of 20 and 50 components), and types, by cLISI, are no more than 5 % less apart. Each
pass mixes more and costs some of the types. So the two are compared where they mix
alike: the pass is the first that mixes at least as harmonypy does, or the last. Types
have no say in that, but it takes harmonypy to know where to stop."""


TAIL = """\
So compared, it is met on the brain cells on all three tables; on the blood cells on log
and standardised values, not where genes are scaled over all cells. Three things stand
against that.

- No one number of passes meets it on both pairs. After two, standardised blood cells
  mix a little less than with harmonypy; after three, standardised brain cells have lost
  more than 5 % of cLISI.
- k-means, unlike cLISI, finds the types of the blood cells much less well at that pass
  than before, and of standardised brain cells Tasic's somewhat less well. After
  harmonypy it finds them about as well as before.
- This way, the share of neighbours, the components and the rule for the pass were
  settled after seeing what they and others do to the types of these same cells (seed
  0). There was no third pair to try them on.

To bring two conditions of one experiment together, as here of blood, take harmonypy.
Where it leaves studies as they are (brain, log and scaled), decoding in equal parts
mixes them and keeps the types. Standardising genes within each study before harmonypy
mixes brain cells more, but Zeisel's types are then less apart than on log values.

The paper's way mixes studies on log values, less than decoding in equal parts, and at a
price: cells of the other study become means of 100 cells of this one. Decoded by
Tasic's cells, Zeisel's fine types are told apart much less; decoded by Zeisel's,
Tasic's are. Standardised blood cells mix less than before: cells of the forest's own
study stay where they were, and the others are drawn to the middle."""

CAPTIONS = {
    "brain": """\
Log values, seed 0: the first two principal components, and t-SNE of 20. Types are
Tasic's; Zeisel's, of which there are 16, are grey.""",
    "blood": """\
Log values, seed 0, as above. Genes of platelets turn up in cells of all kinds, so that
this type is scattered whatever is done.""",
}

ASIDE = """\
## Other ways that were tried

- *All as if new*: as the paper, but cells of the study that the forest was grown on are
  placed like new ones, each without itself. Blood cells mix much more, brain cells do
  not.
- *Coordinates*: the 64 of a forest of one study, instead of decoded cells.
- *In equal parts, of genes*: the forest is grown on genes instead of components. On log
  values of blood cells it does in one pass what components do in two. Where genes are
  standardised within studies it fails, probably because a gene that is not expressed
  then has another value in each study, and trees tell studies by that.
- *Moved*: a cell moves by half of the difference between what it is decoded to by the
  one study and by the other, and so keeps what is its own. Best for standardised blood
  cells (pass 2: mixed as with harmonypy, types nearly as they were, by k-means too),
  but brain cells lose types; some of Tasic's may have no like among Zeisel's cells.

Looked at with seed 0 only, and not in the rows; standardised genes where not said:

- In equal parts with k = 100: types are kept, but after three passes studies mix 1.30
  (brain) and 1.79 (blood), less than with harmonypy.
- In equal parts on 50 components: after one and two passes 1.34 and 1.46 (brain, where
  the second costs Tasic's types 9.8 %), 1.81 and 1.86 (blood, types within 2 %).
- In equal parts, all cells placed as if new: 1.27 (brain), 1.70 (blood), one pass.
- Moved, the smaller study by more: brain 1.33 and 1.44, the second pass at 7.7 % of
  Zeisel's types.
- A forest of all cells, its coordinates: of components 1.23 (brain) and 1.66 (blood),
  of genes 1.00 and 1.00, on log values 1.00 and 1.12. Decoded by one study alone, of
  components: at most 1.31 and 1.67.
- A forest of one study grown on components: at most 1.33 (brain) and 1.69 (blood).
- Two models, one of each study, side by side: 1.09 (brain), on log values 1.06.
- Studies centred after decoding: brain 1.08, less than before.
- harmonypy on the coordinates of a forest of Tasic's cells: 1.59, but Zeisel's types
  19 % less apart."""


def write_page(rows: pd.DataFrame, path: Path) -> None:
    """Turn rows into the page."""
    mean = rows.groupby(["pair", "table", "method"]).mean(numeric_only=True)
    lines = [
        *HEAD.format(n_seeds=rows["seed"].nunique()).splitlines(),
        "",
        *verdicts(mean),
        "",
        *TAIL.splitlines(),
    ]
    for pair, title in TITLES.items():
        own = rows[rows["pair"] == pair]
        methods = list(dict.fromkeys(own.sort_values("seed", kind="stable")["method"]))
        shown = [name for name in methods if not is_aside(name)]
        lines += ["", f"## {title}", "", *table_of(mean.loc[pair], pair, shown), ""]
        lines += [f"![Before and after, {pair} cells](denoising-{pair}.png)", ""]
        lines += [*CAPTIONS[pair].splitlines()]
    lines += ["", *ASIDE.splitlines()]
    for pair, title in TITLES.items():
        own = rows[rows["pair"] == pair]
        methods = [name for name in dict.fromkeys(own["method"]) if is_aside(name)]
        lines += ["", f"{title}.", "", *table_of(mean.loc[pair], pair, methods)]
    path.write_text("\n".join(lines) + "\n")


def is_aside(method: str) -> bool:
    """Whether a method was tried beside those that are compared."""
    words = ("as if new", "coordinates", "of genes", "moved")
    return any(method.endswith(word) or f", {word}," in method for word in words)


def chosen_pass(mean: pd.DataFrame) -> tuple[str, str]:
    """Harmonypy's better setting, and the first pass that mixes as well or the last."""
    best = max(USUAL, key=lambda name: mean.loc[name, "ilisi"])
    passes = sorted(name for name in mean.index if name.startswith(PARTS))
    reached = (
        name for name in passes if mean.loc[name, "ilisi"] >= mean.loc[best, "ilisi"]
    )
    return best, next(reached, passes[-1])


def verdicts(mean: pd.DataFrame) -> list[str]:
    """Say for each pair and table whether the goal is met."""
    lines = [
        "| pair | table | as they are | harmonypy | RFAE | pass | cLISI of the two | "
        "ARI as they are | ARI, harmonypy | ARI, RFAE | met |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for pair in PAIRS:
        for table in TABLES:
            here = mean.loc[pair, table]
            best, own = chosen_pass(here)
            plain, theirs, ours = (
                here.loc[name] for name in ("as they are", best, own)
            )
            change = [ours[name] / plain[name] - 1 for name in ("clisi_1", "clisi_2")]
            mixes = ours["ilisi"] >= max(theirs["ilisi"], plain["ilisi"])
            met = mixes and max(change) <= 0.05
            cells = [pair, table]
            cells += [f"{one['ilisi']:.3f}" for one in (plain, theirs, ours)]
            cells += [own.removeprefix(PARTS), " ".join(f"{x:+.1%}" for x in change)]
            cells += [
                f"{one['ari_1']:.2f} {one['ari_2']:.2f}"
                for one in (plain, theirs, ours)
            ]
            lines.append(f"| {' | '.join(cells)} | {'yes' if met else '**no**'} |")
    return lines


def table_of(mean: pd.DataFrame, pair: str, methods: list[str]) -> list[str]:
    """Figures of some methods on all tables."""
    first, other = (NAMES[study] for study in PAIRS[pair])
    lines = [
        f"| table | method | iLISI | cLISI, {first} | cLISI, {other} | ARI, {first} | "
        f"ARI, {other} | processor seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for table in TABLES:
        plain = mean.loc[table, "as they are"]
        for method in methods:
            found = mean.loc[table, method]
            cells = [table, method, f"{found['ilisi']:.3f}"]
            for name in ("clisi_1", "clisi_2"):
                change = f" ({found[name] / plain[name] - 1:+.1%})"
                same = method == "as they are"
                cells.append(f"{found[name]:.3f}{'' if same else change}")
            cells += [f"{found[name]:.3f}" for name in ("ari_1", "ari_2")]
            cells.append(f"{found['processor_seconds']:.1f}")
            lines.append(f"| {' | '.join(cells)} |")
    return lines
