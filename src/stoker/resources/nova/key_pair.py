"""OS::Nova::KeyPair: an SSH key under a name.

Rule: the name is the id, so nothing is made before the name was seen to be free, and only
then may a key of that name be ours. A generated key shows its secret once: where that
answer was lost, and the secret is wanted, the key is deleted and made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

from stoker.errors import CloudError, CloudNotFound, Invalid, Kind, Problem
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Attr, Props, Support, attrs, prop

_TAKEN: Final = 409
_FREE: Final = {"absent": True}
_LOST: Final = {"absent": True, "lost": True}
_AGAIN: Final = {"absent": True, "again": True}
_IN_EVERY_ANSWER: Final = ("name", "type", "fingerprint", "public_key", "user_id")
"""What Nova tells of a key both when it is made and later: a lost answer shows in no attribute."""


class KeyPairProps(Props):
    name: str = prop("Name of the key pair.", shortest=1, longest=255)
    save_private_key: bool = prop(
        "Whether to keep the secret of a generated key, for get_attr.", default=False
    )
    public_key: str | None = prop("Public key; without it Nova generates a pair.", default=None)
    type: str | None = prop(
        "Type of the key.", default=None, one_of=("ssh", "x509"), support=Support(since="8.0.0")
    )
    user: str | None = prop(
        "User to whom it belongs, by name or id; for administrators.",
        default=None,
        is_a="keystone.user",
        support=Support(since="9.0.0"),
    )


class KeyPair(Resource[KeyPairProps]):
    type_name = "OS::Nova::KeyPair"
    since = "2014.1"
    doc = "An SSH key that servers are made with."
    Props = KeyPairProps
    service = "compute"
    ids_of_users = True
    attributes = attrs(
        public_key=Attr("The public key."),
        private_key=Attr("The secret of a generated key, if it was to be kept."),
    )

    def exclusive(self, props: KeyPairProps) -> frozenset[object]:
        return frozenset({("key pair", props.user, props.name)})

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        if name == "show":
            return {k: v for k, v in view.attributes.items() if k != "private_key"}
        return view.attributes.get(name)

    def find(self, at: At[KeyPairProps], cloud: Cloud) -> Next | None:
        if not at.data.get("absent"):
            return None
        shown = _shown(at, cloud)
        if shown is None:
            return None
        wanted = at.props.public_key
        if wanted is not None:
            ours = wanted.split()[:2] == str(shown["public_key"]).split()[:2]
            return Next(id=at.props.name, data=_FREE) if ours else None
        return Next(id=at.props.name, data=_LOST if at.props.save_private_key else _FREE)

    def create(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        if at.data.get("lost"):
            _remove(at, cloud)
            return Next(data=_AGAIN)
        if at.data.get("again"):
            return self._made_again(at, cloud)
        shown = None if at.data.get("absent") and at.id is None else _shown(at, cloud)
        if at.id is not None and shown is not None:
            return _done(at, shown)
        if shown is not None:
            raise _conflict(at.props.name)
        return self._made(at, cloud) if at.data.get("absent") else Next(data=_FREE)

    def delete(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        if at.id is not None:
            _remove(at, cloud)
        return Done()

    def check(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        cloud.compute.get(_path(at.props, cloud))
        return Done()

    def adopt(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        shown = cloud.compute.get(_path(at.props, cloud))["keypair"]
        return _done(at, {**shown, "private_key": at.stored.get("private_key", "")})

    def told_of(self, view: View) -> Mapping[str, Any]:
        kept = view.attributes.get("private_key")
        return {**view.data, "private_key": kept} if kept else view.data

    def _made(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        try:
            return _done(at, _post(at, cloud))
        except CloudError as e:
            if e.status == _TAKEN:
                raise _conflict(at.props.name) from e
            raise

    def _made_again(self, at: At[KeyPairProps], cloud: Cloud) -> Step:
        try:
            return _done(at, _post(at, cloud))
        except CloudError as e:
            if e.status != _TAKEN:
                raise
            return Next(data=_LOST)  # ours: its answer was lost once more


def _post(at: At[KeyPairProps], cloud: Cloud) -> Mapping[str, Any]:
    props = at.props
    body = {"name": props.name, "public_key": props.public_key, "type": props.type}
    body["user_id"] = _user_id(props, cloud)
    given = {key: value for key, value in body.items() if value is not None}
    made: Mapping[str, Any] = cloud.compute.post("/os-keypairs", {"keypair": given})["keypair"]
    return made


def _shown(at: At[KeyPairProps], cloud: Cloud) -> Mapping[str, Any] | None:
    try:
        shown: Mapping[str, Any] = cloud.compute.get(_path(at.props, cloud))["keypair"]
    except CloudNotFound:
        return None
    return shown


def _remove(at: At[KeyPairProps], cloud: Cloud) -> None:
    with suppress(CloudNotFound):
        cloud.compute.remove(_path(at.props, cloud))


def _path(props: KeyPairProps, cloud: Cloud) -> str:
    user_id = _user_id(props, cloud)
    return f"/os-keypairs/{quote(props.name, safe='')}" + (f"?user_id={user_id}" if user_id else "")


def _user_id(props: KeyPairProps, cloud: Cloud) -> str | None:
    return None if props.user is None else cloud.identity.find("user", props.user)


def _done(at: At[KeyPairProps], shown: Mapping[str, Any]) -> Done:
    kept = shown.get("private_key", "") if at.props.save_private_key else ""
    attributes = {name: shown.get(name) for name in _IN_EVERY_ANSWER}
    return Done({**attributes, "private_key": kept}, id=at.props.name)


def _conflict(name: str) -> Invalid:
    text = f"a key pair called {name} exists already, and is not this stack's: choose another name"
    return Invalid([Problem(text, ("name",), None, Kind.PROPERTY)])
