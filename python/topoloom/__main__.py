"""The program `topoloom`: the same code as the module, so that the two never differ."""

from __future__ import annotations

import sys

from topoloom import _native


def main() -> int:
    """Runs the program with the arguments of this process."""
    return _native.main(["topoloom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
