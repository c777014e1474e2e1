"""Whether anybody listens at the address of a Spark server: the client itself would go on trying for minutes."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from urllib.parse import urlsplit

from workbench.core.errors import UserProblem
from workbench.tabulation.engines.choice import TOKEN_VARIABLE
from workbench.tabulation.engines.spark_errors import no_tls, nobody_listens

PORT = 15002
WHOLE = 4.5  # seconds for everything: names that nobody answers for, several addresses, and TLS
EACH = 3.0  # seconds for one address


def probe(remote: str) -> None:
    """Raises where nobody answers within seconds, or where TLS will be asked for and is not spoken."""
    address = urlsplit(remote)
    host, port = str(address.hostname), address.port or PORT
    secure = "use_ssl=true" in remote.lower() or (bool(os.environ.get(TOKEN_VARIABLE)) and host != "localhost")
    found: list[UserProblem | None] = []
    asking = threading.Thread(target=lambda: found.append(_asked(host, port, secure=secure)), daemon=True)
    asking.start()
    asking.join(WHOLE)
    wrong = found[0] if found else nobody_listens(host, port)
    if wrong is not None:
        raise wrong


def _asked(host: str, port: int, *, secure: bool) -> UserProblem | None:
    try:
        connection = socket.create_connection((host, port), timeout=EACH)
    except (OSError, UnicodeError):
        return nobody_listens(host, port)
    with connection:
        if not secure:
            return None
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # only whether TLS is spoken at all
        try:
            context.wrap_socket(connection, server_hostname=host).close()
        except (OSError, UnicodeError):  # errors of TLS are among them
            return no_tls(host, port)
    return None
