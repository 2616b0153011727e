# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A web server with files for artifacts, good ones and hostile ones, in the process of a test."""
import http.server
import ssl
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # the test's output is for the test
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        server = self.server.files
        with server.lock:
            server.requests.append((self.path, dict(self.headers)))
            answer = server.answers.get(path)
            if isinstance(answer, list):  # one after the other; the last one stays
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if answer is None and server.directory is not None:
            file = server.directory / path.lstrip("/")
            answer = file.read_bytes() if file.is_file() else None
        try:
            if callable(answer):
                answer(self)
            elif isinstance(answer, int) or answer is None:
                self.whole(answer or 404, b"there is nothing here")
            else:
                self.whole(200, answer)
        except OSError:  # the client has gone
            self.close_connection = True

    def whole(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def head(self, **headers):
        """The head of an answer whose body ends with the connection, unless HEADERS say more."""
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True


def redirect(to):
    return lambda handler: handler.whole(302, b"elsewhere", Location=to)


def endless(handler):
    handler.head()
    while True:
        handler.wfile.write(b"x" * 65536)


def short(handler):
    """Announces more than it sends."""
    handler.head(**{"Content-Length": "1000"})
    handler.wfile.write(b"too little")


def slow(event, size=1000):
    """Sends a byte now and then, until EVENT is set; then the rest."""
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(size))
        handler.end_headers()
        for _ in range(size - 1):
            handler.wfile.write(b"x")
            event.wait(0.05)
        handler.wfile.write(b"x")
    return answer


class FileServer:
    """ANSWERS: what each path gets: bytes, a status, a function of the handler, or a list of these, one for each
    request. Any other path is a file of DIRECTORY. CERTIFICATE: a path to which .pem and .key are appended; with
    it, the server speaks TLS."""

    def __init__(self, test, directory=None, certificate=None):
        self.answers, self.requests, self.directory = {}, [], directory
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.scheme = "https" if certificate else "http"
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
            # The handshake is made by the thread of the connection, at its first read.
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # clients that go are part of these tests
        self.server.files = self
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        thread.start()

        def stop():
            self.server.shutdown()
            thread.join()
            self.server.server_close()
        test.addCleanup(stop)

    @property
    def address(self):
        return f"127.0.0.1:{self.server.server_address[1]}"

    @property
    def url(self):
        return f"{self.scheme}://{self.address}"

    def asked(self, path):
        """How often clients have asked for PATH."""
        with self.lock:
            return sum(one.split("?")[0] == path for one, _ in self.requests)
