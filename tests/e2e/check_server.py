# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Servers for health checks, good ones and bad ones. A task runs this program, and each of its ports gets a
server. The one of the port "slam" closes each connection at once. All others speak HTTP, and the path of a
request decides what they do.

Usage: check_server.py [DIRECTORY]
A port LABEL for which there are DIRECTORY/LABEL.pem and DIRECTORY/LABEL.key speaks TLS.
"""
import contextlib
import os
import re
import select
import signal
import socketserver
import ssl
import sys
import threading


def reply(status, body=b"", *fields):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


# The connection ends after these bytes.
WHOLE = {
    "/plain": reply("200 OK", b"ok"),
    "/created": reply("201 Created", b"made"),
    "/moved": reply("302 Found", b"", "Location: plain"),
    "/loop": reply("301 Moved Permanently", b"", "Location: /loop"),
    "/file": reply("302 Found", b"", "Location: file:///etc/passwd"),
    "/short": b"HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\nshort",
    "/long": b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno more",
    "/nothing": b"",
    "/rubbish": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
}
# More of the same follows without an end.
ENDLESS = {
    "/endless": b"HTTP/1.1 500 No\r\n\r\n",
    "/endless-ok": b"HTTP/1.1 200 OK\r\n\r\n",
    "/endless-head": b"HTTP/1.1 200 OK\r\nX: ",
}
# One byte follows after the other, each after a while.
SLOW = {"/slow-head": b"HTTP/1.1 200 OK\r\nX: "}
# Nothing follows, and the connection stays.
HANGING = {"/silent": b"", "/stalls": b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nbegin"}


class Slam(socketserver.BaseRequestHandler):
    pass


class Http(socketserver.BaseRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):  # the client has gone
            if isinstance(self.request, ssl.SSLSocket):
                self.request.do_handshake()
            self.answer(*self.read_request())

    def read_request(self):
        """Returns the head and the body of the request."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self.receive()
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\nContent-Length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += self.receive()
        return head, body

    def receive(self):
        some = self.request.recv(4096)
        if not some:
            raise ConnectionError("the client has closed the connection")
        return some

    def answer(self, head, body):
        path = head.split(b" ")[1].decode()
        send = self.request.sendall
        for kind in (WHOLE, ENDLESS, SLOW, HANGING):
            send(kind.get(path, b""))
        while path in ENDLESS:
            send(b"x" * 4096)
        while path in SLOW and not select.select([self.request], [], [], 0.1)[0]:
            send(b"x")
        while path in HANGING:
            self.receive()
        if path == "/echo":
            send(reply("201 Created", head + b"\n\n" + body))
        elif path == "/well":
            send(reply("200 OK") if os.path.exists("local/well") else reply("503 No", b"not well"))
        elif path not in (*WHOLE, *SLOW):
            send(reply("404 Not Found", f"there is no {path}".encode()))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128
    tls = None  # the context, if the server speaks TLS

    def get_request(self):
        connection, client = super().get_request()
        if self.tls:
            # The thread of the connection shakes hands.
            connection = self.tls.wrap_socket(connection, server_side=True,
                                              do_handshake_on_connect=False)
        return connection, client


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name, port in list(os.environ.items()):
        label = name.removeprefix("NOMAD_PORT_")
        if label == name:
            continue
        server = Server((os.environ["NOMAD_IP_" + label], int(port)),
                        Slam if label == "slam" else Http)
        certificate = os.path.join(*sys.argv[1:], label)
        if os.path.exists(certificate + ".pem"):
            server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            server.tls.load_cert_chain(certificate + ".pem", certificate + ".key")
        threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.pause()


if __name__ == "__main__":
    main()
