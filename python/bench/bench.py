"""Compares consumer tests and verifications with pact-python: `python bench.py [ours|theirs]`.

Both packages must be installed. Without an argument, each package runs three times in alternating processes, and the medians are
printed in milliseconds. Compare the ratios. Requests are sent with a bare socket, because HTTP clients take a
millisecond or more, which would hide the difference. `CLIENT=urllib` uses urllib instead.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TESTS = 1000
INTERACTIONS = 1000

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(url):
    with opener.open(url) as answer:
        return answer.read()


def ask(url):
    """Send a GET request with as little overhead as possible. Return head and body."""
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port))) as connection:
        connection.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(answer.decode())
    return answer


client = {"urllib": get, "socket": ask}[os.environ.get("CLIENT", "socket")]


def define(contract, match, number):
    return (
        contract.upon_receiving(f"a request for user {number}")
        .given("user exists", **({"parameters": {"id": number}} if "contract" in type(contract).__module__ else {"id": number}))
        .with_request("GET", f"/users/{number}")
        .will_respond_with(200)
        .with_body({"id": match.int(number), "name": match.str("Alice"), "tags": match.each_like("new", min=1)})
    )


def consumer(make, match, directory):
    """Define, start, request, stop, and write once per test, with a single contract file."""
    times = []
    for number in range(TESTS):
        start = time.perf_counter()
        contract = make("web", "users")
        define(contract, match, number)
        with contract.serve() as server:
            client(f"{server.url}/users/{number}")
        contract.write_file(directory)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[:20]), statistics.median(times[180:200]), statistics.median(times[-20:])


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Send head and body in one packet.
    wbufsize = -1

    def do_GET(self):
        body = json.dumps({"id": int(self.path.rpartition("/")[2]), "name": "Bob", "tags": ["a"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_):
        pass


def verification(make_contract, match, verify, directory):
    contract = make_contract("web", "users")
    for number in range(INTERACTIONS):
        define(contract, match, number)
    contract.write_file(directory)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    start = time.perf_counter()
    verify(directory, url)
    with_states = (time.perf_counter() - start) * 1000
    start = time.perf_counter()
    for number in range(INTERACTIONS):
        get(f"{url}/users/{number}")
    loop = (time.perf_counter() - start) * 1000
    server.shutdown()
    return with_states, loop


def ours():
    start = time.perf_counter()
    from contract import Contract, Verifier, match

    imported = (time.perf_counter() - start) * 1000

    def verify(directory, url):
        verifier = Verifier("users").add_source(directory).add_transport(url=url)
        verifier.state_handler({"user exists": lambda action, parameters: None}).verify()

    return imported, Contract, match, verify


def theirs():
    start = time.perf_counter()
    from pact import Pact, Verifier, match

    imported = (time.perf_counter() - start) * 1000

    def verify(directory, url):
        verifier = Verifier("users", host="127.0.0.1").add_source(directory).add_transport(url=url)
        verifier.state_handler({"user exists": lambda action, parameters: None}, teardown=False).verify()

    return imported, Pact, match, verify


def measure(side):
    imported, make, match, verify = {"ours": ours, "theirs": theirs}[side]()
    figures = {"import": imported}
    with tempfile.TemporaryDirectory() as directory:
        figures["consumer test, first 20"], figures["consumer test, 200th"], figures["consumer test, 1,000th"] = consumer(make, match, Path(directory))
    with tempfile.TemporaryDirectory() as directory:
        figures["1,000 interactions with states"], figures["a bare client loop"] = verification(
            make, match, verify, Path(directory)
        )
    print(json.dumps(figures))


def main():
    if len(sys.argv) > 1:
        measure(sys.argv[1])
        return
    found = {"ours": [], "theirs": []}
    for _ in range(3):
        for side, figures in found.items():
            command = [sys.executable, __file__, side]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
            figures.append(json.loads(result.stdout.splitlines()[-1]))
    print(f"{'ms':<34}{'contract':>10}{'pact-python':>13}{'ratio':>8}")
    for name in found["ours"][0]:
        ours, theirs = (statistics.median(one[name] for one in figures) for figures in found.values())
        print(f"{name:<34}{ours:>10.2f}{theirs:>13.2f}{theirs / ours:>8.1f}")


if __name__ == "__main__":
    main()
