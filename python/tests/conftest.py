"""Fixtures, such as a provider with responses that a function returns."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest_plugins = ["pytester"]

@pytest.fixture(autouse=True)
def _no_output_directory(monkeypatch):
    """Unset the variable for the output directory, so that no test writes there."""
    monkeypatch.delenv("CONTRACT_OUTPUT_DIR", raising=False)


@pytest.fixture
def provider():
    """Start providers that respond with the results of a function of method, path, and body. They stop after the test."""
    servers = []

    def start(answer):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                status, value = answer(self.command, self.path, self.rfile.read(length), self.headers)
                body = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = _answer

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
