"""The program of a worker process: `python -m index.worker`.

It reads a pickled analyzer and then pickled jobs from standard input, and writes the results to standard output. It
ends when its input does, so it never outlives the program that started it.
"""

import os
import pickle
import sys

from index.portion import analyse


def main() -> None:
    """Serve jobs until standard input ends."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints may get between the results
    analyzer = pickle.load(source)
    while True:
        try:
            job = pickle.load(source)
        except EOFError:
            return
        pickle.dump(analyse(analyzer, job), sink, protocol=pickle.HIGHEST_PROTOCOL)
        sink.flush()


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
