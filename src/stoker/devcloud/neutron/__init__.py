"""Neutron v2.0: networks, addresses, ports, security groups, routers.

The rule: what the real service refuses is refused here with the same status, type and text; a
noun is one module, and its calls come from one table (``collection``, ``routes``).
"""

from stoker.devcloud.neutron.service import seed

__all__ = ["seed"]
