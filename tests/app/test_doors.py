"""The API over TLS, and under another WSGI server."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.app.cloudformation import check_life, client
from tests.app.operating import Program, Site
from tests.app.serving import SECONDS, answers, created, eventually
from tools import daemons

SERVER = """
import sys
from wsgiref.simple_server import make_server
from stoker.app.{module} import application
make_server("127.0.0.1", int(sys.argv[1]), application).serve_forever()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with closing(Site(tmp_path_factory.mktemp("doors"))) as found:
        assert found.manage("db", "sync").returncode == 0
        yield found


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stoker")])
    now = datetime.now(UTC)
    own = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(own, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    return cert, secret


def is_trusted(url: str, cert: Path) -> bool:
    """Tell whether something with the certificate answers."""
    trusting = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=cert))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), trusting)
    try:
        with opener.open(url, timeout=SECONDS) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_the_api_speaks_tls_where_it_has_a_certificate(site: Site, tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    more = {"OS_HEAT_API__CERT_FILE": str(cert), "OS_HEAT_API__KEY_FILE": str(key)}
    with closing(site.program("api_service", more)) as api:
        url = f"//127.0.0.1:{site.port}/healthcheck"
        eventually(lambda: is_trusted(f"https:{url}", cert))
        assert not answers(f"http:{url}")
        assert api.stop() == 0


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"CERT_FILE": "/no/such.pem"}, b"[heat_api] cert_file: /no/such.pem cannot be read"),
        ({"KEY_FILE": __file__}, b"[heat_api] key_file is set, and cert_file is not"),
        ({"CERT_FILE": __file__}, b"do not make a pair"),
    ],
)
def test_a_certificate_that_is_none_is_told_at_the_start(
    site: Site, files: dict[str, str], why: bytes
) -> None:
    more = {f"OS_HEAT_API__{name}": file for name, file in files.items()}
    with closing(Program("api_service", "--config-file", str(site.conf), environment=more)) as api:
        _, error = api.process.communicate(timeout=SECONDS)
        assert api.process.returncode in (1, 2)
        assert why in error


@contextmanager
def served_otherwise(site: Site, module: str, port: int) -> Iterator[None]:
    """Serve an API by the WSGI server of Python itself."""
    command = (sys.executable, "-c", SERVER.format(module=module), str(port))
    more = {**os.environ, "STOKER_CONFIG_FILES": str(site.conf)}
    with subprocess.Popen(command, env=more, stderr=subprocess.DEVNULL) as server:
        eventually(lambda: daemons.listens(port))
        yield
        server.terminate()


def test_the_api_works_under_another_server(site: Site) -> None:
    site.engine()
    with served_otherwise(site, "wsgi", site.port):
        id = created(site.endpoint, "web")
        site.endpoint.delete("web", id)
        assert site.ended("web", id) == "DELETE_COMPLETE"


@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning")
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning")
def test_the_cloudformation_api_works_under_another_server(site: Site) -> None:
    site.engine()
    with served_otherwise(site, "wsgi_cfn", site.cfn_port):
        check_life(client(site))
