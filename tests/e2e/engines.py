# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Container engines of Debian for tests: dockerd and podman's service, each on a socket and a storage of its
own below a temporary directory, with images that the tests make themselves. Nothing comes from outside."""
import base64
import hashlib
import http.client
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

import harness
from harness import IS_ROOT, ROOT

UNPACKED = ROOT / "build/engines"  # by ./dev, so that Debian does not start them
IMAGE = "drover-test:1"
APPLETS = ("sh", "cat", "echo", "env", "false", "httpd", "id", "kill", "ls", "mkdir", "nc", "printf", "ps",
           "sleep", "stty", "date", "test", "touch", "true", "wget", "yes", "head", "dd", "hostname", "readlink", "tail")


def search_path():
    folders = [UNPACKED / name for name in ("usr/bin", "usr/sbin", "bin", "sbin", "usr/libexec/podman",
                                            "usr/lib/podman", "usr/lib/cni")]
    return os.pathsep.join([*map(str, folders), os.environ["PATH"], "/usr/sbin", "/usr/lib/podman"])


def program(name):
    """The path of a program, unpacked or installed, or None without it."""
    return shutil.which(name, path=search_path())


def environment(**more):
    env = {**os.environ, "PATH": search_path(), **more}
    libraries = [str(path) for path in UNPACKED.glob("usr/lib/*-linux-gnu")]
    if libraries:
        env["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
    return env


def lacks(*programs):
    """Why tests with these programs cannot run; an empty text if they can."""
    if not IS_ROOT:
        return "container engines need root"
    if not os.path.exists(harness.plugin_file("docker")):
        return "this build has no driver docker"
    missing = [name for name in programs if program(name) is None]
    return f"not there: {', '.join(missing)} (./dev test unpacks them)" if missing else ""


MISSING_DOCKERD = lacks("dockerd", "containerd", "runc", "busybox")
MISSING_PODMAN = lacks("podman", "conmon", "runc", "busybox")
MISSING_REGISTRY = lacks("docker-registry")


def tar_of(files):
    """The bytes of a tar. FILES: name -> bytes, or the target of a link as a text, or None for a directory."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.mode = 0o755
            if content is None:
                info.type = tarfile.DIRTYPE
                info.mode = 0o1777 if name == "tmp" else 0o755
                tar.addfile(info)
            elif isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def busybox_layer(**more):
    busybox = pathlib.Path(program("busybox")).resolve().read_bytes()
    files = {"bin": None, "etc": None, "tmp": None, "srv": None, "bin/busybox": busybox,
             "etc/passwd": b"root:x:0:0:root:/:/bin/sh\napp:x:1000:1000:app:/:/bin/sh\n",
             "etc/group": b"root:x:0:\napp:x:1000:\n"}
    files.update({f"bin/{name}": "busybox" for name in APPLETS})
    files.update(more)
    return tar_of(files)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def config_of(layers, **config):
    config.setdefault("Env", ["PATH=/bin"])
    return json.dumps({
        "architecture": "arm64" if os.uname().machine == "aarch64" else "amd64", "os": "linux",
        "created": "2026-01-01T00:00:00Z", "config": config,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest(layer) for layer in layers]}}).encode()


def archive(name=IMAGE, layers=None, **config):
    """The archive of an image, as `docker load` reads it."""
    layers = layers or [busybox_layer()]
    text = config_of(layers, **config)
    files = {f"{digest(text)}.json": text}
    for number, layer in enumerate(layers):
        files[f"layer{number}.tar"] = layer
    files["manifest.json"] = json.dumps([{
        "Config": f"{digest(text)}.json", "RepoTags": [name],
        "Layers": [f"layer{number}.tar" for number in range(len(layers))]}]).encode()
    return tar_of(files)


def has_ended(pid):
    """Whether the process is gone, or waits only for its parent."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path, limit=60):
        super().__init__("localhost", timeout=limit)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Engine:
    """A running engine. It ends with all its containers at the end of the test class."""

    name = None

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="engine-", dir=harness.open_tmp()))
        self.socket = self.root / "engine.sock"
        self.log = open(self.root / "engine.log", "ab")
        self.process = None
        self.prepare()
        try:
            self.start()
            self.load(archive())
        except BaseException:
            self.remove()
            raise

    @property
    def endpoint(self):
        return f"unix://{self.socket}"

    def prepare(self):
        """Writes the files that the engine needs."""

    def command(self):
        raise NotImplementedError

    def env(self):
        return environment()

    @property
    def alive(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        self.socket.unlink(missing_ok=True)
        self.process = subprocess.Popen(self.command(), env=self.env(), stdout=self.log, stderr=self.log,
                                        stdin=subprocess.DEVNULL, start_new_session=True,
                                        cwd=self.root)  # conmon leaves a file "oom" there

        def answers():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} has ended: {self.tail()}")
            try:
                return self.ask("GET", "/_ping")[0] == 200
            except OSError:
                return False
        harness.wait_until(answers, f"an answer of {self.name}", limit=60)

    def tail(self):
        return (self.root / "engine.log").read_text(errors="replace")[-3000:]

    def ask(self, method, path, body=None, kind="application/json", limit=60):
        """One request; returns the status and the JSON of the answer, or its text."""
        connection = SocketConnection(self.socket, limit)
        try:
            data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
            connection.request(method, path, body=data, headers={"Content-Type": kind})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text.decode(errors="replace")

    def load(self, data):
        status, answer = self.ask("POST", "/images/load", data, kind="application/x-tar")
        assert status == 200, f"load: {status} {answer}"

    def has_image(self, name):
        return self.ask("GET", f"/images/{name}/json")[0] == 200

    def containers(self, **labels):
        """All containers of tasks that have LABELS, with what an inspection says."""
        status, found = self.ask("GET", "/containers/json?all=true")
        assert status == 200, found
        all_of_them = [self.ask("GET", f"/containers/{one['Id']}/json")[1] for one in found]
        wanted = {name.replace("_", ".", 1): value for name, value in labels.items()}
        return [one for one in all_of_them if isinstance(one, dict) and "Config" in one and
                all((one["Config"]["Labels"] or {}).get(key) == value for key, value in wanted.items())]

    def tasks(self):
        return self.containers(drover_kind="task")

    def kill(self):
        """Ends the service at once, but not its containers."""
        self.process.kill()
        self.process.wait()

    def pause(self):
        """The engine hangs: it takes connections and says nothing."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def remove_containers(self):
        for one in self.containers():
            self.ask("DELETE", f"/containers/{one['Id']}?force=true&v=true")

    def remove(self):
        """Ends the engine with its containers, and removes its files."""
        if self.alive:
            try:
                self.resume()
                self.remove_containers()
            except OSError:
                pass
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
        self.log.close()
        for pid in harness.marked_processes(self.root):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for mount in sorted(harness.mounts_below(self.root), reverse=True):
            subprocess.run(["umount", "-l", mount], check=False, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)


class Dockerd(Engine):
    name = "dockerd"

    def prepare(self):
        number = os.getpid() % 250
        self.bridge = f"drtest{number}"
        (self.root / "daemon.json").write_text("{}")
        subprocess.run(["ip", "link", "del", self.bridge], check=False, capture_output=True)
        made = subprocess.run(["ip", "link", "add", self.bridge, "type", "bridge"], check=False,
                              capture_output=True).returncode == 0
        if made:
            subprocess.run(["ip", "addr", "add", f"10.213.{number}.1/24", "dev", self.bridge], check=True)
            subprocess.run(["ip", "link", "set", self.bridge, "up"], check=True)
        else:
            self.bridge = "none"

    def command(self):
        return [program("dockerd"), "--config-file", self.root / "daemon.json", "--data-root", self.root / "data",
                "--exec-root", self.root / "exec", "--pidfile", self.root / "pid", "--host", self.endpoint,
                "--storage-driver", "vfs", "--bridge", self.bridge, "--iptables=false", "--ip-masq=false",
                "--ip-forward=false", "--insecure-registry", "127.0.0.0/8", "--live-restore"]

    def kill(self):
        super().kill()
        (self.root / "pid").unlink(missing_ok=True)
        # Its containerd dies with it. The next dockerd takes one that nobody has reaped for a living one.
        theirs = self.root / "exec/containerd/containerd.pid"
        if theirs.exists():
            pid = theirs.read_text().strip()
            harness.wait_until(lambda: has_ended(pid), "the end of containerd")
            theirs.unlink()

    def remove(self):
        super().remove()
        if self.bridge != "none":
            subprocess.run(["ip", "link", "del", self.bridge], check=False, capture_output=True)


# podman gives a container high limits for what its options leave open. A machine that does not let root raise a
# limit refuses them. This runtime lowers what the file of a container or command asks for to what can be had.
LOWERING_RUNTIME = """\
#!{python} -SE
import json, os, resource, sys
for flag, name in (("--bundle", "config.json"), ("--process", "")):
    if flag not in sys.argv:
        continue
    path = os.path.join(sys.argv[sys.argv.index(flag) + 1], name).rstrip("/")
    with open(path) as file:
        spec = json.load(file)
    for limit in spec.get("process", spec).get("rlimits") or []:
        most = resource.getrlimit(getattr(resource, limit["type"]))[1]
        if most != resource.RLIM_INFINITY:
            limit["hard"] = min(limit["hard"], most)
            limit["soft"] = min(limit["soft"], most)
    with open(path, "w") as file:
        json.dump(spec, file)
os.execv({runc!r}, [{runc!r}, *sys.argv[1:]])
"""


def raises_limits():
    """Whether root may raise the hard limits of a process here."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard == resource.RLIM_INFINITY:
        return True
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard + 1))
    except (OSError, ValueError):
        return False
    resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    return True


class Podman(Engine):
    name = "podman"

    def prepare(self):
        self.runtime = program("runc")
        if not raises_limits():
            lowering = self.root / "runc"
            lowering.write_text(LOWERING_RUNTIME.format(python=sys.executable, runc=self.runtime))
            lowering.chmod(0o755)
            self.runtime = str(lowering)
        home = self.root / "home/.config/containers"
        home.mkdir(parents=True)
        (home / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        helpers = [program(name) for name in ("conmon", "runc")]
        folders = sorted({os.path.dirname(path) for path in helpers} | {"/usr/lib/podman"})
        cni = [str(path) for path in (UNPACKED / "usr/lib/cni", pathlib.Path("/usr/lib/cni")) if path.is_dir()]
        # Debian's crun refuses the cgroups of some machines.
        (self.root / "containers.conf").write_text(f"""\
[containers]
apparmor_profile = ""
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
conmon_path = ["{helpers[0]}"]
helper_binaries_dir = {json.dumps(folders)}
[engine.runtimes]
runc = ["{self.runtime}"]
[network]
network_backend = "cni"
cni_plugin_dirs = {json.dumps(cni)}
network_config_dir = "{self.root / 'net'}"
""")
        (self.root / "registries.conf").write_text("""\
unqualified-search-registries = ["docker.io"]
short-name-mode = "permissive"
[[registry]]
location = "127.0.0.1"
insecure = true
""")

    def command(self):
        return [program("podman"), "--root", self.root / "data", "--runroot", self.root / "run",
                "--tmpdir", self.root / "tmp", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
                "--runtime", self.runtime, "--log-level", "info", "system", "service", "--time=0", self.endpoint]

    def env(self):
        return environment(HOME=str(self.root / "home"), CONTAINERS_CONF=str(self.root / "containers.conf"),
                           CONTAINERS_REGISTRIES_CONF=str(self.root / "registries.conf"),
                           XDG_RUNTIME_DIR=str(self.root / "home"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Registry:
    """A registry on a port of its own, with images that are put there without an engine. LOGIN: the name and
    the password of its only user, and that password by bcrypt; without it, the registry is open to all."""

    def __init__(self, test, login=None):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="registry-", dir=harness.open_tmp()))
        self.address = f"127.0.0.1:{free_port()}"
        config, auth, self.headers = self.root / "config.yml", "", {}
        if login:
            name, password, by_bcrypt = login
            (self.root / "users").write_text(f"{name}:{by_bcrypt}\n")
            auth = f"auth: {{htpasswd: {{realm: test, path: {self.root / 'users'}}}}}\n"
            both = base64.b64encode(f"{name}:{password}".encode()).decode()
            self.headers["Authorization"] = f"Basic {both}"
        config.write_text(f"""\
version: 0.1
storage: {{filesystem: {{rootdirectory: {self.root / "data"}}}}}
http: {{addr: "{self.address}"}}
{auth}""")
        self.process = subprocess.Popen([program("docker-registry"), "serve", config], env=environment(),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        test.addCleanup(self.remove)
        harness.wait_until(lambda: self.ask("GET", "/v2/") == 200, "an answer of the registry")

    def ask(self, method, path, body=None, kind="application/octet-stream"):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, path, body=body, headers={"Content-Type": kind, **self.headers})
            answer = connection.getresponse()
            answer.read()
            self.location = answer.headers.get("Location", "")
            return answer.status
        except OSError:
            return 0
        finally:
            connection.close()

    def blob(self, name, data):
        status = self.ask("POST", f"/v2/{name}/blobs/uploads/")
        assert status == 202, status
        place = self.location.split(self.address, 1)[-1]
        joint = "&" if "?" in place else "?"
        status = self.ask("PUT", f"{place}{joint}digest=sha256:{digest(data)}", data)
        assert status == 201, status
        return {"size": len(data), "digest": "sha256:" + digest(data)}

    def push(self, name, tag="1", layers=None):
        """Puts an image there, and returns its whole name."""
        layers = layers or [busybox_layer()]
        text = config_of(layers)
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        manifest = {
            "schemaVersion": 2, "mediaType": kind,
            "config": {"mediaType": "application/vnd.docker.container.image.v1+json", **self.blob(name, text)},
            "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar", **self.blob(name, layer)}
                       for layer in layers]}
        status = self.ask("PUT", f"/v2/{name}/manifests/{tag}", json.dumps(manifest), kind)
        assert status == 201, status
        return f"{self.address}/{name}:{tag}"

    def remove(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)


class FakeEngine:
    """An engine that does what a test says, on a socket: answers are functions of the path."""

    def __init__(self, test, answer):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fake-", dir=harness.open_tmp()))
        self.socket = self.root / "engine.sock"
        self.answer, self.ended, self.open = answer, False, []
        self.bodies = {}  # the last body of a request by its path without the query
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.listener.listen(64)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        test.addCleanup(self.remove)

    @property
    def endpoint(self):
        return f"unix://{self.socket}"

    def serve(self):
        while not self.ended:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(one)
            threading.Thread(target=self.one, args=(one,), daemon=True).start()

    def one(self, connection):
        data = b""
        try:
            while not self.ended:
                while b"\r\n\r\n" not in data:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                path = head.split(b" ")[1].decode()
                size = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                while size and len(data) < int(size[1]):
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                if size:
                    self.bodies[path.split("?")[0]], data = data[:int(size[1])], data[int(size[1]):]
                said = self.answer(path)
                if said is None:  # hangs
                    while not self.ended:
                        time.sleep(0.05)
                    return
                connection.sendall(said)
        except OSError:
            pass
        finally:
            connection.close()

    def remove(self):
        self.ended = True
        self.listener.close()
        for one in self.open:
            one.close()
        shutil.rmtree(self.root, ignore_errors=True)


def reply(body, status=200, kind="application/json"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nApi-Version: 1.41\r\n"
            f"Content-Length: {len(data)}\r\n\r\n").encode() + data


class EngineCase(harness.DroverTest):
    """A test with an engine for the whole class. KIND: Dockerd or Podman."""

    KIND = None
    engine = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.KIND is None:
            raise unittest.SkipTest("a class that has tests for others")
        cls.engine = cls.KIND()

    def setUp(self):
        super().setUp()
        if not self.engine.alive:  # a test before has failed while it was killed
            self.engine.start()

    @classmethod
    def tearDownClass(cls):
        if cls.engine is not None:
            cls.engine.remove()
        super().tearDownClass()
