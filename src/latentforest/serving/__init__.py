"""The encoder for other runtimes: ``transform`` as an ONNX graph."""

from latentforest.serving._export import onnx_inputs, to_onnx

__all__ = ["onnx_inputs", "to_onnx"]
