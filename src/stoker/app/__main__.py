"""The command ``python -m stoker.app``: the same as ``stoker``."""

from __future__ import annotations

from stoker.app.main import main

if __name__ == "__main__":
    main()
