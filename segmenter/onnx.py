"""Graphs read by ONNX Runtime: on one thread, and without its telemetry."""

import os
from typing import Any


def session(model: bytes) -> Any:
    """An inference session of a graph; usable from several threads, each call on the thread that makes it.

    ONNX Runtime collects usage events and may send them to its makers unless told not to before it is loaded: what
    is segmented and searched here is nobody else's business, and nothing is written into the user's home.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
