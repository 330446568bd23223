"""Agents: there are none, and so none that could serve a network or a router.

Rule: who may ask is checked first, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.router import ROUTERS
from stoker.devcloud.neutron.routes import network_route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc


def declare() -> None:
    """Say that this module's calls are in the table: they are, once it is imported."""


@network_route("GET", "agents", "list_agents")
def list_agents(_request: Request, _call: Call) -> Doc:
    """Give no agents."""
    return {"agents": []}


@network_route("GET", "networks/{id}/dhcp-agents", "list_dhcp_agents")
def list_dhcp_agents(_request: Request, call: Call) -> Doc:
    """Give the agents that serve a network, even one that is not there: none."""
    _check_admin(call, "get_dhcp-agents")
    return {"agents": []}


@network_route("GET", "routers/{id}/l3-agents", "list_l3_agents")
def list_l3_agents(request: Request, call: Call) -> Doc:
    """Give the agents that host a router: none."""
    _check_admin(call, "get_l3-agents")
    ROUTERS.get(call, request.params["id"])
    return {"agents": []}


@network_route("POST", "agents/{agent}/dhcp-networks", "add_network_to_agent")
def add_network(request: Request, call: Call) -> Doc:
    """Refuse: there is no such agent."""
    raise _absent(request, call, "create_dhcp-network")


@network_route("DELETE", "agents/{agent}/dhcp-networks/{id}", "remove_network_from_agent")
def remove_network(request: Request, call: Call) -> Doc:
    """Refuse: there is no such agent."""
    raise _absent(request, call, "delete_dhcp-network")


@network_route("POST", "agents/{agent}/l3-routers", "add_router_to_agent")
def add_router(request: Request, call: Call) -> Doc:
    """Refuse: there is no such agent."""
    raise _absent(request, call, "create_l3-router")


@network_route("DELETE", "agents/{agent}/l3-routers/{id}", "remove_router_from_agent")
def remove_router(request: Request, call: Call) -> Doc:
    """Refuse: there is no such agent."""
    raise _absent(request, call, "delete_l3-router")


def _absent(request: Request, call: Call, rule: str) -> Exception:
    _check_admin(call, rule)
    agent = request.params["agent"]
    return problem.missing("AgentNotFound", f"Agent {agent} could not be found.")


def _check_admin(call: Call, rule: str) -> None:
    if not call.is_admin:
        raise problem.not_authorized(f"rule:{rule}")
