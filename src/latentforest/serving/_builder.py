"""Collect operators and constants, and make an ONNX model of them."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._optional import require
from latentforest.serving._ports import INSIDE, OUTPUT, Port

# As old as the operators allow, for runtimes that are not the newest.
OPSET, ML_OPSET, IR_VERSION = 17, 4, 8
ML = "ai.onnx.ml"
_ROWS = "n_rows"
_DOC = (
    "Latent coordinates of table rows: the transform of a fitted random forest "
    "autoencoder. Levels that it does not know count as missing."
)


class GraphBuilder:
    """The operators and constants of one graph; values inside have a prefix."""

    def __init__(self) -> None:
        self._onnx = require("onnx", extra="onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def tensor(self, values: NDArray[Any], name: str = "") -> Any:
        """Turn an array of numbers, or of text, into a tensor."""
        return self._onnx.numpy_helper.from_array(np.ascontiguousarray(values), name)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Put an array into the graph; return the name of its value."""
        self._constants.append(self.tensor(values, INSIDE + name))
        return INSIDE + name

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        output: str,
        *,
        arrays: dict[str, NDArray[Any]] | None = None,
        **attributes: Any,
    ) -> str:
        """Add an operator; return the name of its result.

        ``arrays`` are attributes too, too long for onnx to look at every entry.
        """
        name = output if output == OUTPUT else INSIDE + output
        node = self._onnx.helper.make_node(operator, inputs, [name], **attributes)
        node.attribute.extend(
            self._attribute(key, values) for key, values in (arrays or {}).items()
        )
        self._nodes.append(node)
        return name

    def _attribute(self, name: str, values: NDArray[Any]) -> Any:
        kind = self._onnx.AttributeProto
        if values.dtype == np.float64:
            return kind(name=name, type=kind.TENSOR, t=self.tensor(values))
        if values.dtype == object:
            return kind(name=name, type=kind.STRINGS, strings=values.tolist())
        whole = values.astype(np.int64).tolist()
        return kind(name=name, type=kind.INTS, ints=whole)

    def model(self, ports: Sequence[Port], n_components: int) -> Any:
        """Return the finished model."""
        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        value = helper.make_tensor_value_info
        inputs = [
            value(port.name, kinds.STRING if port.is_text else kinds.DOUBLE, [_ROWS, 1])
            for port in ports
        ]
        outputs = [value(OUTPUT, kinds.DOUBLE, [_ROWS, n_components])]
        graph = helper.make_graph(
            self._nodes, "latentforest", inputs, outputs, self._constants
        )
        model = helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid("", OPSET),
                helper.make_opsetid(ML, ML_OPSET),
            ],
            ir_version=IR_VERSION,
            producer_name="latentforest",
            producer_version=version("latentforest"),
            doc_string=_DOC,
        )
        columns = json.dumps([port.describe() for port in ports])
        helper.set_model_props(model, {"latentforest.columns": columns})
        return model
