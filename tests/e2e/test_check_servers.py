# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Health checks of real servers: good and bad ones, servers with TLS, nginx and HAProxy."""
import re
import shlex
import shutil
import socket
import subprocess
import sys
import unittest

import harness
from agent_harness import Agent
from harness import ROOT, group, job, task
from servers import server
from test_services import ServiceCase

SERVER = shlex.join([sys.executable, str(ROOT / "tests/e2e/check_server.py")])


NGINX, HAPROXY = server("nginx"), server("haproxy")


def check(name, path=None, **fields):
    return {"Name": name, "Type": "http", "Path": path or "/" + name, "Interval": "1s",
            "Timeout": "1s", **fields}


# The results of the checks of these paths of check_server.py: status, code, and a pattern of the output, in
# which URL is that of the check.
ERROR = 'nomad: Get "URL": '
RESULTS = {
    "plain": ("success", 200, "nomad: http ok"),
    "created": ("success", 201, "made"),
    "missing": ("failure", 404, "there is no /missing"),
    "moved": ("success", 200, "nomad: http ok"),
    "loop": ("failure", None, ERROR + "stopped after 10 redirects"),
    "file": ("failure", None, ERROR + 'unsupported protocol scheme "file"'),
    "short": ("failure", 500, "short"),
    "long": ("failure", 500, "no"),
    "nothing": ("failure", None, ERROR + "EOF"),
    "rubbish": ("failure", None, ERROR + "malformed HTTP response: .+"),
    "endless": ("failure", 500, "x{3072}"),
    "endless-ok": ("success", 200, "nomad: http ok"),
    "endless-head": ("failure", None, ERROR + "malformed HTTP response: the header of its answer is "
                                              "larger than 64 KiB"),
    "slow-head": ("failure", None, ERROR + "no answer within 1s"),
    "silent": ("failure", None, ERROR + "no answer within 1s"),
    "stalls": ("failure", 500, "begin"),
}
# A server that closes a connection with bytes that it has not read resets it.
SLAMMED = ("failure", None, ERROR + "(EOF|connection reset by peer|broken pipe)")


class CheckCase(ServiceCase):
    def start(self, *checks, script="exec " + SERVER, ports=("http",), id="site", **fields):
        """Runs a server with these checks, and returns the id of its allocation."""
        service = {"Name": id, "PortLabel": "http", "Provider": "nomad", "Checks": list(checks)}
        networks = [{"DynamicPorts": [{"Label": label} for label in ports]}]
        self.agent.submit(job(
            group(task("t", script), Services=[service], Networks=networks, **fields), id=id,
            type="service"))
        return self.agent.wait_allocs(id, 1, "running")[0]["ID"]

    def results(self, alloc):
        """Returns the results of the checks by their names."""
        checks = self.agent.get(f"/v1/client/allocation/{alloc}/checks").values()
        return {one["Check"]: one for one in checks}

    def wait_results(self, alloc, wanted, label="http", scheme="http", path=None):
        """Waits until the checks have the results WANTED, which have the form of RESULTS. The checks ask for
        PATH, or for the path of their name."""
        host, port = self.place(alloc, label)

        def is_right(found, name, status, code, pattern):
            url = re.escape(f"{scheme}://{host}:{port}{path or '/' + name}")
            return (found["Status"], found.get("StatusCode")) == (status, code) and re.fullmatch(
                pattern.replace("URL", url), found["Output"], re.S)

        def wrong():
            found = self.results(alloc)
            self.assertLessEqual(set(wanted), set(found))
            return {name: found[name] for name, one in wanted.items()
                    if not is_right(found[name], name, *one)}
        try:
            harness.wait_until(lambda: not wrong(), "the results", step=0.1)
        except AssertionError:
            self.assertEqual(wrong(), {})

    def wait_seconds_of(self, alloc, name, seconds):
        """Waits until a check has had runs for some SECONDS, all of them good ones."""
        first = self.results(alloc)[name]["Timestamp"]

        def is_later():
            found = self.results(alloc)[name]
            self.assertEqual(found["Status"], "success", found)
            return found["Timestamp"] >= first + seconds
        harness.wait_until(is_later, f"{seconds} seconds of the check {name}", step=0.1)


class HttpCheckTest(CheckCase):
    def test_what_servers_answer(self):
        """Each check has its own result, whatever the servers of the others do."""
        alloc = self.start(*map(check, RESULTS), check("slam", PortLabel="slam"),
                           ports=("http", "slam"))
        self.wait_results(alloc, RESULTS)
        self.wait_results(alloc, {"slam": SLAMMED}, label="slam")
        self.wait_seconds_of(alloc, "plain", 2)

    def test_a_request_is_as_the_check_says(self):
        alloc = self.start(check("echo", Method="PUT", Body="of ${NOMAD_JOB_NAME}",
                                 Header={"X-Colour": ["blue", "${NOMAD_ALLOC_NAME}"]}))
        self.wait_results(alloc, {"echo": (
            "success", 201, r"PUT /echo HTTP/1\.1\r\n.*\r\nX-Colour: blue\r\n"
                            r"X-Colour: site\.g\[0\]\r\nContent-Length: 7\n\nof site")})


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl in PATH")
class TlsCheckTest(CheckCase):
    """The agent trusts an authority of the test. The server of each port has another certificate."""

    def start_agent(self):
        self.directory = self.sandbox.root / "certificates"
        self.directory.mkdir()
        self.issue("authority", "DNS:authority.example")
        self.issue("own", "IP:127.0.0.1", signer="authority")
        self.issue("elsewhere", "DNS:elsewhere.example", signer="authority")
        self.issue("stranger", "IP:127.0.0.1")
        return Agent(self.sandbox, env={"SSL_CERT_FILE": str(self.directory / "authority.pem")})

    def issue(self, name, host, signer=None):
        """Makes a certificate for HOST. Without a SIGNER it signs itself."""
        path = str(self.directory / name)
        options = []
        if signer:
            options = ["-CA", f"{self.directory / signer}.pem",
                       "-CAkey", f"{self.directory / signer}.key"]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + name,
                        "-addext", "subjectAltName=" + host, *options, "-keyout", path + ".key",
                        "-out", path + ".pem"], check=True, capture_output=True,
                       stdin=subprocess.DEVNULL)

    def test_certificates_are_verified_unless_the_check_says_otherwise(self):
        labels = ("own", "elsewhere", "stranger", "http")
        checks = [check(label, "/plain", Protocol="https", PortLabel=label) for label in labels]
        checks += [check(label + " unverified", "/plain", Protocol="https", PortLabel=label,
                         TLSSkipVerify=True) for label in labels]
        checks.append(check("own in the clear", "/plain", PortLabel="own"))
        alloc = self.start(*checks, ports=labels, script=f"exec {SERVER} {self.directory}")
        good = ("success", 200, "nomad: http ok")
        mute = ("failure", None, ERROR + "no answer within 1s")  # waits for a request in the clear
        wanted = {
            "own": (good, good),
            "elsewhere": (("failure", None, ERROR + "tls: .+"), good),
            "stranger": (("failure", None, ERROR + "tls: .*certificate.*"), good),
            "http": (mute, mute)}
        for label, (verified, unverified) in wanted.items():
            self.wait_results(alloc, {label: verified, label + " unverified": unverified},
                              label=label, scheme="https", path="/plain")
        self.wait_results(alloc, {"own in the clear": ("failure", None, ERROR + ".+")}, label="own",
                          path="/plain")


# The file SERVERS has the servers to which nginx passes requests.
NGINX_CONFIG = """
daemon off;
user root;
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream back {
    server 127.0.0.1:1 down;
    include SERVERS;
  }
  server {
    listen ADDRESS;
    location = /health { return 200 "fine"; }
    location = /moved { return 302 /health; }
    location = /created { return 201 "made"; }
    location = /full { return 503 "full"; }
    location / { proxy_pass http://back; }
  }
}
"""

HAPROXY_CONFIG = """
global
  stats socket SOCKET mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 5s
  timeout server 5s
frontend front
  bind ADDRESS
  default_backend back
backend back
  server-template s 2 127.0.0.1:1 disabled
"""


class ProxyCheckTest(CheckCase):
    def configured(self, text, name, command):
        """Returns a script that runs COMMAND with the configuration local/NAME. It has the address of the
        task's port where TEXT has ADDRESS."""
        template = self.sandbox.write(name, text)
        return f'sed "s/ADDRESS/$NOMAD_ADDR_http/" {template} > local/{name} && exec {command}'

    @unittest.skipUnless(NGINX, "there is no nginx")
    def test_nginx_finds_a_service_and_loses_it(self):
        servers = self.sandbox.write("servers.conf", "")
        script = self.configured(
            NGINX_CONFIG.replace("SERVERS", str(servers)), "nginx.conf",
            f'{NGINX} -e stderr -p "$NOMAD_TASK_DIR/" -c "$NOMAD_TASK_DIR/nginx.conf"')
        front = self.start(*map(check, ("health", "moved", "created", "full", "plain")), script=script,
                           id="front")
        good, away = ("success", 200, "nomad: http ok"), ("failure", 502, ".*502 Bad Gateway.*")
        self.wait_results(front, {"health": good, "moved": good, "created": ("success", 201, "made"),
                                  "full": ("failure", 503, "full"), "plain": away})

        def pass_on():
            """Gives nginx the instances of the service."""
            servers.write_text("".join(f"server {one['Address']}:{one['Port']};\n" for one in self.instances()))
            self.agent.must("PUT", f"/v1/client/allocation/{front}/signal", {"Signal": "SIGHUP"})
        self.run_service(script="exec " + SERVER, count=2)
        pass_on()
        self.wait_results(front, {"plain": good})
        self.agent.must("DELETE", "/v1/job/web")
        self.wait_instances(0)
        pass_on()
        self.wait_results(front, {"plain": away})

    @unittest.skipUnless(HAPROXY, "there is no haproxy")
    def test_haproxy_finds_a_service_and_loses_it(self):
        control = self.sandbox.root / "haproxy"
        script = self.configured(HAPROXY_CONFIG.replace("SOCKET", str(control)), "haproxy.cfg",
                                 f"{HAPROXY} -db -f local/haproxy.cfg")
        front = self.start(check("plain"), script=script, id="front")
        away = ("failure", 503, ".*503 Service Unavailable.*")
        self.wait_results(front, {"plain": away})

        def tell(command):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(harness.LIMIT)
                connection.connect(str(control))
                connection.sendall(command.encode() + b"\n")
                with connection.makefile() as answer:
                    return answer.read()
        found, _ = self.run_service(script="exec " + SERVER, count=2)
        for number, one in enumerate(found, 1):
            server = f"set server back/s{number}"
            self.assertIn("port changed", tell(f"{server} addr {one['Address']} port {one['Port']}"))
            self.assertEqual(tell(f"{server} state ready").strip(), "")
        self.wait_results(front, {"plain": ("success", 200, "nomad: http ok")})
        self.agent.must("DELETE", "/v1/job/web")
        self.wait_instances(0)
        for number, _ in enumerate(found, 1):
            self.assertEqual(tell(f"set server back/s{number} state maint").strip(), "")
        self.wait_results(front, {"plain": away})


if __name__ == "__main__":
    harness.main()
