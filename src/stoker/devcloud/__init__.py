"""An OpenStack in one process on one loopback port: a path per service, as DevStack lays them out.

It is good enough that openstacksdk, python-openstackclient and keystonemiddleware work against it
unchanged, and it refuses what the real services refuse. Rule: it shares no code with the rest of
the product, lest faults be shared.

Run it: ``python -m stoker.devcloud --port 5000 --state cloud.sqlite``; embed it:
``with Server(Options(port=0)) as server: ...server.url`` (module ``server``).

Controls (module ``admin``; no token): ``POST /devcloud/faults`` (fields: ``faults.Fault``),
``GET`` and ``DELETE /devcloud/faults[/id]``; ``PUT /devcloud/latency`` and ``/devcloud/log``
(``{"bodies": true}``: keep what is asked); ``GET`` of ``/devcloud/log?since=``,
``/devcloud/counts`` and ``/devcloud/objects?project=&kind=``.

How to add a call
=================
A service is a package in this folder (found by itself); importing it must import its modules, and
it may define ``seed(cloud)``, run once on a fresh state, and ``resume(cloud)``, run at each start.
A call is a function::

    from stoker.devcloud.exchange import Request
    from stoker.devcloud.refusal import Refusal
    from stoker.devcloud.router import route
    from stoker.devcloud.state import Doc, index

    index("network.port", "network_id")                 # look-ups by this field use an index
    index("network.port", "address", lambda port: [f["ip_address"] for f in port["fixed_ips"]])
    index("network.port", "mac_address", unique=True)   # a second one raises state.Taken

    @route("POST", "/networking/v2.0/ports", status=201)
    def create_port(request: Request) -> Doc:
        wanted = request.wrapped("port")                # body["port"], a 400 when it is not there
        if request.state.get("network.network", wanted["network_id"]) is None:
            raise Refusal(404, f"Network {wanted['network_id']} could not be found.",
                          type="NetworkNotFound")       # rendered in the service's own JSON shape
        port = {"id": new_id(), "project_id": request.caller.project_id, **wanted}
        request.state.insert("network.port", port)      # doc: id, name, project_id are columns
        return {"port": port}                           # a dict: JSON with the route's status

    @route("GET", "/networking/v2.0/ports/{port_id}")
    def show_port(request: Request) -> Doc:
        return {"port": request.state.get("network.port", request.params["port_id"])}

* A handler returns a dict (JSON, the route's ``status``), ``None`` (204) or a ``Reply`` (status,
  headers, bytes). It runs alone, in one transaction: raising rolls back everything it did.
* ``request.caller`` is who asks (user, project, roles, ``is_admin``); without a valid token the
  answer is Keystone's 401 before the handler runs. ``public=True`` lets everybody in.
* The function's name is the operation's name in faults, in the log and in ``/devcloud/counts``.
* Time: ``request.cloud.now()`` (epoch seconds), ``clock.iso(seconds)``; how long something takes:
  ``request.cloud.latency.seconds("compute", "boot")``, computed lazily from stored timestamps:
  there are no timers.
* A service that versions its bodies reads ``request.header("OpenStack-API-Version")`` and adds
  answer headers with ``request.answer_headers["..."] = ...``.
* Lists: ``listing.filtered``, ``listing.ordered``, ``listing.paged``. Quotas: ``quota``.
* Anything else indexed: ``state.schema("CREATE TABLE IF NOT EXISTS ...")`` at import, then
  ``request.state.rows(sql, args)`` and ``request.state.execute(sql, args)``.
"""
