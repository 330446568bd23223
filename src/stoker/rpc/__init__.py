"""Messages between processes.

Rule: they are taken up by threads. oslo.messaging decides how at its first import, and would take
what is installed for another reason; so this is said before.
"""

from __future__ import annotations

from oslo_service import backend  # type: ignore[import-untyped]  # it has no types

backend.init_backend(backend.BackendType.THREADING)
