"""The PyTorch Encoder: tokenizers, model, masked language modelling, training, probes."""
