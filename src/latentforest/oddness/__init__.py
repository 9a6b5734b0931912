"""Odd rows: how far they lie from usual ones, and which of their cells surprise."""

from latentforest.oddness._discoveries import Discoveries as Discoveries
from latentforest.oddness._judge import Question as Question
from latentforest.oddness._judge import RowJudge as RowJudge
from latentforest.oddness._judge import odd_cells as odd_cells
from latentforest.oddness._odd_cells import OddCells
from latentforest.oddness._odd_rows import OddRows
from latentforest.oddness._odd_rows import check_contamination as check_contamination
from latentforest.oddness._oddness import Oddness as Oddness
from latentforest.oddness._oddness import fit_oddness as fit_oddness

__all__ = ["OddCells", "OddRows"]
