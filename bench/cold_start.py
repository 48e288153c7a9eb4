"""What a command costs from nothing, and what a server holds: seconds and resident memory.

    python bench/cold_start.py [--text TEXT] [--modes M...] [--repeats N] [--server] [--json]

Every mode runs `wenci segment TEXT` in a process of its own, `--repeats` times; medians count. With `--server` one
with the embedded PostgreSQL is started in each mode, asked to segment, and its own memory (not PostgreSQL's) read.
Keys: modes {MODE: {seconds, cpu_seconds, peak_mb, server_mb}}.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median
from typing import Any

WENCI = [sys.executable, "-m", "api.cli"]
ROOT = Path(__file__).resolve().parents[1]
TEXT = "他在京都的产品和服务中心试穿和服"
PATIENCE = 300


def command(mode: str, text: str) -> tuple[float, float, float]:
    """(wall seconds, CPU seconds, peak MB) of one `wenci segment TEXT`."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*WENCI, "segment", text], env=os.environ | {"WENCI_MODE": mode}, stdout=subprocess.DEVNULL, cwd=ROOT
    )
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"wenci segment failed in mode {mode}")
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def server_mb(mode: str, text: str) -> float:
    """Most MB that a server held until it had answered some requests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = {"WENCI_MODE": mode, "WENCI_DATA_DIR": folder, "WENCI_PORT": str(port)}
        server = subprocess.Popen([*WENCI, "serve"], env=os.environ | settings, stderr=subprocess.DEVNULL, cwd=ROOT)
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            for repeat in (1, 100, 1000):
                ask(f"http://127.0.0.1:{port}/v1/segment", {"text": f"{text}。" * repeat})
            status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
            return int(status.partition("VmHWM:")[2].split()[0]) / 1024
        finally:
            server.terminate()
            server.wait()


def wait_for(url: str) -> None:
    """Until the address answers."""
    patient_until = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            if time.monotonic() > patient_until:
                raise
            time.sleep(0.2)
        else:
            return


def ask(url: str, body: dict[str, Any]) -> None:
    """Post JSON and read the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        answer.read()


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """All modes."""
    found: dict[str, dict[str, float]] = {}
    for mode in options.modes:
        runs = [command(mode, options.text) for _ in range(options.repeats + 1)][1:]
        seconds, cpu, peak = (median(column) for column in zip(*runs, strict=True))
        found[mode] = {"seconds": round(seconds, 3), "cpu_seconds": round(cpu, 3), "peak_mb": round(peak, 1)}
        if options.server:
            found[mode]["server_mb"] = round(server_mb(mode, options.text), 1)
    return {"modes": found}


def main() -> int:
    """Print one JSON object, or a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--modes", nargs="+", default=["dictionary", "wide", "hybrid"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--server", action="store_true", help="the memory of a server too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options)
    if options.json:
        print(json.dumps(result))
        return 0
    for mode, row in result["modes"].items():
        print(f"{mode:12}" + "   ".join(f"{name} {value}" for name, value in row.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
