"""Text to tokens: normalise, split into runs, cut into stable words."""
