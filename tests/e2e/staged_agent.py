# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent that says what a test wants, one answer after the other."""
import http.server
import json
import threading
import time

import harness

ID = "abcdef01-0000-4000-8000-000000000000"


class Broken(Exception):
    """Its connection ends without an answer."""


class StagedAgent:
    """ANSWERS: the answer to each request, by method and path, such as "GET /v1/jobs", or by the path alone. A function
    is called for each answer. A number is the status of an error. A tuple has a status and the text of a body."""

    def __init__(self, test, answers):
        agent = self
        self.answers = answers
        self.asked = []  # what was asked, in its order
        self.index = 0
        self.released = threading.Event()  # ends all requests that hang

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                key = self.command + " " + self.path.partition("?")[0]
                agent.asked.append(key)
                agent.index += 1
                try:
                    answer = agent.next_answer(key)
                except Broken:
                    self.close_connection = True
                    return
                if isinstance(answer, int):
                    answer = (answer, "no")
                status, text = answer if isinstance(answer, tuple) else (200, json.dumps(answer))
                body = text.encode()
                self.send_response(status)
                self.send_header("X-Nomad-Index", str(agent.index))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """The client has gone."""
        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.address = f"http://127.0.0.1:{server.server_port}"
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        test.addCleanup(self.released.set)

    def next_answer(self, key):
        answer = self.answers.get(key, self.answers.get(key.partition(" ")[2], 404))
        return answer() if callable(answer) else answer

    def hang(self):
        self.released.wait(120)
        raise Broken

    def wait_asked(self, key):
        harness.wait_until(lambda: key in self.asked, f"{key}: {self.asked}")


def broken():
    raise Broken


def stages(*answers, pause=0.0):
    """Returns a function that returns ANSWERS in their order, and the last one again and again."""
    left = list(answers)

    def answer():
        time.sleep(pause)
        one = left.pop(0) if len(left) > 1 else left[0]
        return one() if callable(one) else one
    return answer


def deployment(status, groups, why="Deployment is running", **fields):
    return {"ID": ID, "JobID": "web", "Namespace": "default", "JobVersion": 3, "Status": status,
            "StatusDescription": why, "CreateIndex": 1,
            "TaskGroups": {name: {"DesiredTotal": 1, **of} for name, of in groups.items()}, **fields}


def run_of(*deployments, pause=0.05):
    """The answers to a `job run` whose deployment has these states."""
    return {
        "PUT /v1/jobs": {"EvalID": ID, "JobModifyIndex": 1},
        f"GET /v1/evaluation/{ID}": {"ID": ID, "Status": "complete", "DeploymentID": ID},
        f"GET /v1/evaluation/{ID}/allocations": [],
        f"GET /v1/deployment/{ID}": stages(*deployments, pause=pause),
        f"GET /v1/deployment/allocations/{ID}": [],
        "GET /v1/deployments": [{"ID": ID}],
    }
