"""Messages between processes.

Rule: they are taken up by threads. oslo.messaging decides how at its first import, and would take
what is installed for another reason; so this is said before.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # These import eventlet wherever it is installed, and it warns of being used; it is not.
    warnings.simplefilter("ignore")
    from oslo_service import backend  # type: ignore[import-untyped]  # it has no types

    backend.init_backend(backend.BackendType.THREADING)
    import oslo_messaging as oslo_messaging  # type: ignore[import-untyped]  # nor has it
