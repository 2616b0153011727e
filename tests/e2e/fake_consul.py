# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent of Consul in the process of a test. It has what tests with agents need of the HTTP API, outlives agents,
and goes away, hangs or forgets when a test says so. tests/interop/consul has the real one."""
import collections
import http.server
import json
import socket
import threading
import urllib.parse

REGISTER = "/v1/agent/service/register"
DEREGISTER = "/v1/agent/service/deregister/"
SERVICE = "/v1/agent/service/"
UPDATE = "/v1/agent/check/update/"


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """An agent that was killed leaves broken connections."""


class FakeConsul:
    """FakeConsul(test) listens until the end of TEST."""

    def __init__(self, test):
        self.lock = threading.Lock()  # protects all below
        self.services = {}  # by id, as Consul shows them
        self.checks = {}
        self.requests = collections.Counter()  # "register", "deregister", "look" or "update"
        self.connections = set()
        self.answers = threading.Event()  # while it is not set, requests wait
        self.answers.set()
        # Never listens, and keeps the port while nobody listens there.
        self.held = socket.socket()
        self.held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.held.bind(("127.0.0.1", 0))
        self.server = None
        self.come_back()
        test.addCleanup(self.end)

    @property
    def address(self):
        return "127.0.0.1:%d" % self.held.getsockname()[1]

    # What may happen to it.

    def come_back(self):
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer is one packet

            def setup(self):
                super().setup()
                with fake.lock:
                    fake.connections.add(self.connection)

            def finish(self):
                with fake.lock:
                    fake.connections.discard(self.connection)
                super().finish()

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.serve()

            def do_PUT(self):
                self.serve()

            def serve(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fake.answers.wait()
                status, answer = fake.answer(urllib.parse.urlsplit(self.path).path, body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.server = Server(self.held.getsockname(), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def go_away(self):
        """Nobody listens any more, and all connections end. What is registered stays."""
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()
        self.drop_connections()

    def drop_connections(self):
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it has ended meanwhile

    def hang(self):
        """Takes requests, and answers none of them."""
        self.answers.clear()

    def go_on(self):
        self.answers.set()

    def wipe(self):
        with self.lock:
            self.services.clear()
            self.checks.clear()

    def end(self):
        self.go_on()
        if self.server is not None:
            self.go_away()
        self.held.close()

    # What it has.

    def names(self):
        """The names of the registered services, each as often as it is registered."""
        with self.lock:
            return sorted(service["Service"] for service in self.services.values())

    def state(self):
        """All that is registered, and the statuses of the checks."""
        with self.lock:
            return json.loads(json.dumps([self.services, self.checks]))

    def count(self, kind):
        with self.lock:
            return self.requests[kind]

    def answer(self, path, body):
        """(status, body) of the answer."""
        with self.lock:
            if path == REGISTER:
                self.requests["register"] += 1
                return self.register(json.loads(body))
            if path.startswith(DEREGISTER):
                self.requests["deregister"] += 1
                return self.deregister(path[len(DEREGISTER):])
            if path.startswith(UPDATE):
                self.requests["update"] += 1
                return self.update(path[len(UPDATE):], json.loads(body))
            self.requests["look"] += 1
            if path == "/v1/agent/services":
                return 200, json.dumps(self.services).encode()
            if path == "/v1/agent/checks":
                return 200, json.dumps(self.checks).encode()
            if path.startswith(SERVICE):
                found = self.services.get(urllib.parse.unquote(path[len(SERVICE):]))
                return (200, json.dumps(found).encode()) if found else (404, b"unknown service ID")
            return 404, b"no such route"

    def register(self, body):
        service = {**body, "Service": body["Name"]}
        del service["Name"], service["Checks"]
        lan = {"lan_ipv4": {"Address": body["Address"], "Port": body["Port"]}}
        service["TaggedAddresses"] = {**lan, **(body.get("TaggedAddresses") or {})}
        self.services[body["ID"]] = service
        before = self.drop_checks(body["ID"])
        for check in body["Checks"]:
            status = before.get(check["CheckID"], {}).get("Status", check.get("Status", "critical"))
            self.checks[check["CheckID"]] = {
                "CheckID": check["CheckID"], "Name": check["Name"], "ServiceID": body["ID"], "Status": status,
                "Definition": check}
        return 200, b""

    def deregister(self, service):
        service = urllib.parse.unquote(service)
        if self.services.pop(service, None) is None:
            return 404, b"Unknown service ID"
        self.drop_checks(service)
        return 200, b""

    def drop_checks(self, service):
        dropped = {name: check for name, check in self.checks.items() if check["ServiceID"] == service}
        for name in dropped:
            del self.checks[name]
        return dropped

    def update(self, check, body):
        if check not in self.checks:
            return 404, b"Unknown check ID"
        self.checks[check]["Status"] = body["Status"]
        self.checks[check]["Output"] = body["Output"]
        return 200, b""
