"""Running a trained parser: arrays in, labelled span arrays out, by onnxruntime or torch."""
