"""Running a trained parser: arrays in, labelled span arrays out, by onnxruntime or torch."""

import os

# From its import on, onnxruntime 1.31 keeps an identity of the machine in the user's cache, and reports for its makers.
# A parser's users did not ask for that. To have it all the same, set the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
