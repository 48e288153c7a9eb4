"""Derive `data/traditional.tsv` from OpenCC: `python -m segmenter.build_traditional`, with the package `opencc` 1.4.2.

Each Han character is converted alone. OpenCC is needed here only; the table is what is shipped.
"""

import importlib
import sys
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).parent / "data" / "traditional.tsv"
REGIONAL_VARIANTS: Final = "痺簷敍粧糭衞枱"
"""Characters that OpenCC replaces only for Taiwan or Hong Kong, and that mean nothing else."""

_HEADER = (
    "# Traditional and variant characters and their simplified forms, one to one.\n"
    "# Derived from the character dictionaries of OpenCC 1.4.2 (Apache License 2.0); see NOTICE.\n"
)


def pairs() -> dict[str, str]:
    """Character and simplified character, for all that differ."""
    opencc = importlib.import_module("opencc")
    general, *regional = (opencc.OpenCC(name) for name in ("t2s", "tw2s", "hk2s"))
    found: dict[str, str] = {}
    for code in (*range(0x3400, 0xA000), *range(0x20000, 0x323B0)):
        character = chr(code)
        forms = [general.convert(character)]
        if character in REGIONAL_VARIANTS:
            forms += [converter.convert(character) for converter in regional]
        form = next((form for form in forms if form != character), character)
        if len(form) == 1 and form != character:
            found[character] = form
    return {character: found.get(form, form) for character, form in found.items()}


def main() -> int:
    """Write the table."""
    lines = [f"{character}\t{form}\n" for character, form in sorted(pairs().items())]
    TABLE.write_text(_HEADER + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} characters: {TABLE}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
