"""The doors of this room: a fitted model to ONNX, a table to its inputs."""

from os import PathLike
from typing import Any

from numpy.typing import NDArray

from latentforest._base._complete import check_target, completed
from latentforest._base._optional import require
from latentforest._latent import LatentModel, check_model
from latentforest.refine import PackedMap, RefinedRows
from latentforest.serving._graph import build_graph
from latentforest.serving._limits import GROUP, check_limits
from latentforest.serving._packed_graph import build_packed
from latentforest.serving._ports import Port, ports_of
from latentforest.serving._questions import ask
from latentforest.serving._trees import lay_out
from latentforest.table import TableCodec


def to_onnx(model: LatentModel, path: str | PathLike[str] | None = None) -> Any:
    """Translate ``transform`` of a fitted model to an ONNX graph.

    The graph has one input of shape (n_rows, 1) per column, double or text, and one
    output, ``coordinates``, of shape (n_rows, n_components), in double precision. It
    holds the trees and the leaf table, no training row; of packed coordinates it holds
    the points of their curves, which are cells of training rows. It runs without this
    package, for example in onnxruntime 1.20 or later.

    Where ``transform`` refuses a table, a graph cannot: levels that it does not know
    count as missing (as with ``unseen="missing"``), and infinite numbers as very large
    ones.

    Parameters
    ----------
    model : RFAE
        A fitted model. Its map must not be refined, unless its coordinates are packed:
        the steps that place new rows of other refined maps cannot be said in ONNX.
    path : path or None, default=None
        Where to write the graph too, by custom with the suffix ``.onnx``; None only
        returns it. It is written under another name and renamed when complete.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ValueError
        If the map is refined and not packed, a column has levels that ONNX cannot
        hold, or the graph would be too large or too deep: 2 GB, 1,000 questions on a
        path.
    FileNotFoundError
        If the folder of ``path`` does not exist.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, CompletelyRandomForest
    >>> from latentforest.serving import to_onnx
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(forest=CompletelyRandomForest(10), random_state=0).fit(table)
    >>> [value.name for value in to_onnx(model).graph.input][:2]
    ['sepal length (cm)', 'sepal width (cm)']
    """
    check_model(model)
    refined = model.encoder_.refined
    packed = None if refined is None else _packed_of(refined)
    ports = ports_of(model.schema_)
    require("onnx", extra="onnx")
    if path is not None:
        check_target(path)
    if refined is None or packed is None:
        graph = _forest_graph(model, ports)
    else:
        graph = build_packed(ports, packed, refined.space.mean, refined.space.scale)
    if path is not None:
        with completed(path) as unfinished:
            unfinished.write_bytes(graph.SerializeToString())
    return graph


def onnx_inputs(model: LatentModel, table: Any) -> dict[str, NDArray[Any]]:
    """Make what the graph of a model takes out of a table of any library.

    ``session.run(None, onnx_inputs(model, table))`` then gives the coordinates.

    Parameters
    ----------
    model : RFAE
        The fitted model that the graph was made of.
    table : data frame or array of shape (n_rows, n_columns)
        A table with the columns of the fitted one. Levels that the model does not know
        are given as missing.

    Returns
    -------
    dict of str to ndarray of shape (n_rows, 1)
        Name of the input to its cells.

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest import RFAE, CompletelyRandomForest
    >>> from latentforest.serving import onnx_inputs
    >>> table = pd.DataFrame({"size": range(40), "colour": ["red", "blue"] * 20})
    >>> model = RFAE(1, forest=CompletelyRandomForest(5), random_state=0).fit(table)
    >>> feed = onnx_inputs(model, table[:2])
    >>> feed["size"].tolist(), feed["colour"].tolist()
    ([[0.0], [1.0]], [['red'], ['blue']])
    """
    check_model(model)
    ports = ports_of(model.schema_)
    codec = TableCodec.from_schema(model.schema_, unseen="nearest")
    codes = codec.encode(table, caller=type(model).__name__).values
    return {port.name: port.cells(codes[:, j]) for j, port in enumerate(ports)}


def _forest_graph(model: LatentModel, ports: tuple[Port, ...]) -> Any:
    forest, table = model.encoder_.forest, model.encoder_.plain.leaf_table
    questions = ask(forest, model.schema_.n_levels)
    check_limits(forest, questions, table)
    groups = lay_out(forest, questions).groups(GROUP)
    return build_graph(ports, questions.codes, groups, table)


def _packed_of(refined: RefinedRows) -> PackedMap:
    if not isinstance(refined.map, PackedMap):
        message = (
            "This model's map is refined: new rows are moved step by step among the "
            "training rows, which ONNX cannot express. Serve it with save() and "
            "latentforest.Scorer.load(), which gives the same bits without pandas and "
            "scikit-learn; or fit with refine=None or Refinement(start='packed')."
        )
        raise ValueError(message)
    return refined.map
