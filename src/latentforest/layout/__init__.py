"""Graphs of neighbours, laid out so that neighbours stay together."""

from latentforest.layout._graph import NeighbourGraph as NeighbourGraph
from latentforest.layout._graph import neighbour_graph as neighbour_graph
from latentforest.layout._layout import lay_out as lay_out

__all__: list[str] = []
