# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Artifacts: what tasks get before they start, and what hostile servers, archives and tasks cannot do."""
import hashlib
import io
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import tarfile
import threading
import unittest
import zipfile

import git_server
import harness
from agent_harness import Agent, AgentTest, agent_config
from file_server import FileServer, endless, redirect, short, slow
from harness import IS_ROOT, group, job, plugin_file, task
from test_exec import IN_CHROOT

STAY = "exec sleep 1000"
SMALL = {"CPU": 20, "MemoryMB": 32}
MB = 1_000_000
TRY_TWICE = {"Attempts": 1, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}


def artifact(source, destination="local/", **fields):
    return {"GetterSource": source, "RelativeDest": destination, **fields}


def tar(*entries, form="gz"):
    """An archive of ENTRIES: a name with its content, or a TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{form}") as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
            else:
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                info.mode = entry[2] if len(entry) > 2 else 0o644
                archive.addfile(info, io.BytesIO(entry[1]))
    return out.getvalue()


def special(name, kind, target="", mode=0o777):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


def zipped(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def make_repository(root):
    """Makes a repository, and returns its directory, which any web server can serve."""
    top = root / "git"
    work = top / "work"
    (work / "sub").mkdir(parents=True)

    def git(*arguments, cwd=work):
        subprocess.run(["/usr/bin/git", "-c", "user.name=t", "-c", "user.email=t@example", "-c",
                        "init.defaultBranch=main", *arguments], cwd=cwd, check=True,
                       capture_output=True, env={"PATH": os.environ["PATH"], "HOME": str(top)})
    git("init")
    (work / "file").write_text("first")
    (work / "sub/below").write_text("below")
    git("add", ".")
    git("commit", "-m", "first")
    git("tag", "v1")
    (work / "file").write_text("second")
    git("commit", "-a", "-m", "second")
    git("clone", "--bare", str(work), str(top / "repository.git"), cwd=top)
    git("update-server-info", cwd=top / "repository.git")
    return top


class ArtifactCase(AgentTest):
    """The common part: an agent, and a server of files."""

    LIMITS = {}

    def start_agent(self):
        self.server = FileServer(self)
        (self.sandbox.root / "files").mkdir()
        return Agent(self.sandbox, config=agent_config(self.sandbox, client={"artifact": {
            "file_sources": [str(self.sandbox.root / "files")], **self.LIMITS}}))

    def start(self, *tasks, status="running", name="web", type="service", **fields):
        """Runs a job with the tasks. Returns the id of its allocation and its directory, when it has STATUS."""
        self.agent.submit(job(group(*tasks, **fields), id=name, type=type))
        alloc = self.agent.wait_allocs(name, 1, status)[0]["ID"]
        return alloc, self.sandbox.alloc_dirs[0] / alloc

    def events(self, alloc, name="t"):
        states = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"] or {}
        return states[name]["Events"] if name in states else []

    def fails(self, *artifacts, name="web"):
        """Runs a task with ARTIFACTS, which fail. Returns the text of the failure, and the directory of the
        allocation."""
        alloc, root = self.start(task("t", STAY, Artifacts=list(artifacts)), status="failed", name=name,
                                 type="batch")
        event = next(e for e in self.events(alloc) if e["Type"] == "Failed Artifact Download")
        self.assertEqual(event["DisplayMessage"], event["Details"]["download_error"])
        self.assertEqual(event["DisplayMessage"], event["DownloadError"])
        self.assertNoStaging(root)
        return event["DisplayMessage"], root

    def assertNoStaging(self, root):
        self.assertEqual([p.name for p in root.iterdir() if p.name.startswith(".fetch")], [])


class ArtifactTest(ArtifactCase):
    def test_files_and_archives_are_there_before_the_task_starts(self):
        files = self.server.answers
        files["/tool"] = b"#!/bin/sh\necho tool\n"
        files["/site.tar.gz"] = tar(("top/index.html", b"page"), ("top/bin/run", b"x", 0o4755))
        files["/site.zip"] = zipped("a/b.txt", b"text")
        script = "cat local/tool local/site/index.html local/zip/a/b.txt ../alloc/data/shared > local/all; " + STAY
        alloc, root = self.start(task("t", script, Artifacts=[
            artifact(f"{self.server.url}/tool"),
            artifact(f"{self.server.url}/site.tar.gz//top", "local/site"),
            artifact(f"{self.server.url}/site.zip", "local/zip"),
            artifact(f"{self.server.url}/tool", "../alloc/data/shared", GetterMode="file")]))
        out = root / "t/local/all"
        harness.wait_until(lambda: out.exists() and out.stat().st_size, out)
        self.assertEqual(out.read_bytes(), files["/tool"] + b"pagetext" + files["/tool"])
        self.assertEqual(stat.S_IMODE((root / "t/local/site/bin/run").stat().st_mode), 0o755)
        self.assertEqual([e["Type"] for e in self.events(alloc)],
                         ["Received", "Task Setup", "Downloading Artifacts", "Started"])
        self.assertEqual(self.events(alloc)[2]["DisplayMessage"], "Client is downloading artifacts")
        self.assertNoStaging(root)

    def test_a_restart_of_the_task_fetches_nothing_again(self):
        self.server.answers["/file"] = b"text"
        alloc, _ = self.start(task("t", STAY, Artifacts=[artifact(f"{self.server.url}/file")]))
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        self.agent.wait_restarts(alloc, t=1)
        self.assertEqual(self.server.asked("/file"), 1)

    def test_the_restart_policy_tries_again(self):
        self.server.answers["/file"] = [503, b"text"]
        self.server.answers["/other"] = b"other"
        alloc, root = self.start(
            task("t", STAY, Artifacts=[artifact(f"{self.server.url}/file"),
                                       artifact(f"{self.server.url}/other")]),
            RestartPolicy=TRY_TWICE)
        self.assertEqual((root / "t/local/file").read_bytes(), b"text")
        self.assertEqual(
            [e["Type"] for e in self.events(alloc)],
            ["Received", "Task Setup", "Downloading Artifacts", "Failed Artifact Download", "Restarting",
             "Downloading Artifacts", "Started"])

    def test_a_missing_file_fails_the_task_as_its_policy_says(self):
        alloc, _ = self.start(task("t", STAY, Artifacts=[artifact(f"{self.server.url}/none")]),
                              status="failed", type="batch", RestartPolicy=TRY_TWICE)
        self.assertEqual(
            [e["Type"] for e in self.events(alloc)],
            ["Received", "Task Setup", "Downloading Artifacts", "Failed Artifact Download", "Restarting",
             "Downloading Artifacts", "Failed Artifact Download", "Not Restarting"])
        self.assertEqual(self.events(alloc)[3]["DisplayMessage"],
                         f'failed to download artifact "{self.server.url}/none": {self.server.url}/none: '
                         "the server answers with status 404")

    def test_a_wrong_source_is_not_tried_again(self):
        alloc, _ = self.start(task("t", STAY, Artifacts=[artifact("ftp://x/${NOMAD_TASK_NAME}")]), status="failed",
                              type="batch", RestartPolicy=TRY_TWICE)
        self.assertEqual([e["Type"] for e in self.events(alloc)],
                         ["Received", "Task Setup", "Downloading Artifacts", "Failed Artifact Download",
                          "Not Restarting"])

    def test_headers_options_and_references_reach_the_server(self):
        self.server.answers["/web"] = b"text"
        self.start(task("t", STAY, Env={"KEY": "k1"}, Artifacts=[artifact(
            f"{self.server.url}/${{NOMAD_JOB_ID}}", GetterOptions={"q": "${KEY}"},
            GetterHeaders={"X-Key": "${KEY}"})]))
        path, headers = self.server.requests[0]
        self.assertEqual(path, "/web?q=k1")
        self.assertEqual(headers["X-Key"], "k1")

    def test_checksums_are_checked(self):
        self.server.answers["/file"] = b"text"
        good, bad = (hashlib.sha256(text).hexdigest() for text in (b"text", b"other"))
        self.server.answers["/SUMS"] = f"{bad}  another\n{good}  file\n".encode()
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact(f"{self.server.url}/file?checksum=sha256:{good}", "local/1"),
            artifact(f"{self.server.url}/file", "local/2",
                     GetterOptions={"checksum": f"file:{self.server.url}/SUMS"})]))
        self.assertEqual((root / "t/local/2/file").read_bytes(), b"text")
        message, root = self.fails(artifact(f"{self.server.url}/file?checksum={bad}"), name="bad")
        self.assertIn(f"the file has the sha256 {good}, but must have {bad}", message)
        self.assertEqual(list((root / "t/local").iterdir()), [])

    def test_files_of_the_machine_come_only_from_the_allowed_directories(self):
        files = self.sandbox.root / "files"
        (files / "a").mkdir()
        (files / "a/one").write_text("1")
        self.sandbox.write("secret", "hunter2")
        _, root = self.start(task("t", STAY, Artifacts=[artifact(str(files / "a"))]))
        self.assertEqual((root / "t/local/one").read_text(), "1")
        for number, path in enumerate((self.sandbox.root / "secret", "/etc/passwd", files / "../secret")):
            message, _ = self.fails(artifact(f"file://{path}"), name=f"f{number}")
            self.assertIn("file_sources", message)
        (files / "link").symlink_to(self.sandbox.root / "secret")
        message, root = self.fails(artifact(str(files / "link")), name="link")
        self.assertIn("symbolic link", message)
        self.assertFalse((root / "t/local/link").exists())

    @unittest.skipUnless(IS_ROOT, "only root gives files away")
    def test_the_user_of_the_task_gets_the_files_if_the_job_wants_that(self):
        self.server.answers["/file"] = b"text"
        source = f"{self.server.url}/file"
        _, root = self.start(task("t", STAY, User="nobody", Artifacts=[
            artifact(source, "local/own", Chown=True), artifact(source, "local/other")]))
        self.assertEqual((root / "t/local/own/file").stat().st_uid, (root / "t").stat().st_uid)
        self.assertEqual((root / "t/local/own").stat().st_uid, (root / "t").stat().st_uid)
        self.assertEqual((root / "t/local/other/file").stat().st_uid, 0)

    @unittest.skipUnless(shutil.which("git", path="/usr/bin"), "there is no /usr/bin/git")
    def test_a_repository_is_cloned(self):
        self.server.directory = make_repository(self.sandbox.root)
        source = f"git::{self.server.url}/repository.git"
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact(source, "local/main"), artifact(source + "?ref=v1", "local/v1"),
            artifact(source + "//sub", "local/sub"),
            artifact(source.replace("//127", "//me:hunter2@127"), "local/user")]))
        local = root / "t/local"
        self.assertEqual((local / "main/file").read_text(), "second")
        self.assertEqual((local / "v1/file").read_text(), "first")
        self.assertEqual((local / "sub/below").read_text(), "below")
        self.assertNotIn("hunter2", (local / "user/.git/config").read_text())
        message, _ = self.fails(artifact(source + "?ref=none"), name="bad")
        self.assertIn("the repository has no ref none", message)
        message, _ = self.fails(artifact(f"git::{self.server.url}/none.git"), name="none")
        self.assertIn("git fails", message)


class SlowArtifactTest(ArtifactCase):
    @unittest.skipIf(git_server.MISSING, git_server.MISSING)
    def test_a_clone_has_only_the_commits_that_are_wanted(self):
        repositories = git_server.GitServer(self, self.sandbox.root / "repositories")
        for tag in ("v1", "v2", "v3"):
            repositories.commit("site", tag, page=tag)
        source = f"git::{repositories.url}/site"
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact(source, "local/all"), artifact(source + "?depth=1", "local/newest"),
            artifact(source, "local/older", GetterOptions={"ref": "v2", "depth": "1"})]))

        def commits(name):
            clone = root / "t/local" / name
            done = subprocess.run([git_server.GIT, "-c", f"safe.directory={clone}", "-C", clone, "rev-list", "--count",
                                   "HEAD"], capture_output=True, text=True, check=True)
            return int(done.stdout), (clone / "public/page").read_text()
        self.assertEqual([commits(name) for name in ("all", "newest", "older")], [(3, "v3"), (1, "v3"), (1, "v2")])

    def test_a_long_download_is_reported_and_a_kill_ends_it(self):
        done = threading.Event()
        self.addCleanup(done.set)
        self.server.answers["/slow"] = slow(done, size=4000)
        self.agent.submit(job(group(task("t", STAY, Artifacts=[
            artifact(f"{self.server.url}/slow?token=hunter2")])), id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "pending")[0]["ID"]

        def reported():
            return [e for e in self.events(alloc)
                    if e["DisplayMessage"].startswith(f"Downloading {self.server.url}/slow: ")]
        event = harness.wait_until(reported, "a report")[0]
        self.assertRegex(event["DisplayMessage"], r"/slow: \d+ B of 4\.0 kB, \d+ B/s$")
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_allocs("web", 1, "complete", "stop")
        self.assertEqual([e["Type"] for e in self.events(alloc)][-1], "Killing")
        self.assertNoStaging(self.sandbox.alloc_dirs[0] / alloc)
        self.assertNotIn("hunter2", str(self.events(alloc)))

    def test_a_download_that_took_long_is_reported_at_its_end(self):
        done = threading.Event()
        self.addCleanup(done.set)
        self.server.answers["/slow"] = slow(done, size=4000)
        self.agent.submit(job(group(task("t", STAY, Artifacts=[artifact(f"{self.server.url}/slow")])),
                              id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "pending")[0]["ID"]
        harness.wait_until(lambda: len(self.events(alloc)) > 3, "a report")
        done.set()
        self.agent.wait_allocs("web", 1, "running")
        self.assertTrue(any(e["DisplayMessage"].startswith(f"Downloaded {self.server.url}/slow: 4.0 kB, ")
                            for e in self.events(alloc)), self.events(alloc))


class HostileArtifactTest(ArtifactCase):
    LIMITS = {"http_max_size": "1MB", "decompression_size_limit": "1MB",
              "decompression_file_count_limit": 20, "http_read_timeout": "3s"}

    def test_hostile_servers_end_in_time(self):
        answers, url = self.server.answers, self.server.url
        never = threading.Event()
        self.addCleanup(never.set)
        answers.update({
            "/endless": endless, "/short": short, "/slow": slow(never, size=100_000),
            "/loop": redirect("/loop?token=hunter2"), "/file": redirect("file:///etc/passwd"),
            "/large": b"x" * (2 * MB)})
        for name, why in (("endless", "more than the limit of 1000000 bytes"),
                          ("large", "more than the limit of 1000000 bytes"),
                          ("short", "before its answer was complete"),
                          ("slow", "not answered in time"),
                          ("loop", "redirects more than 10 times"),
                          ("file", 'redirects to the scheme "file"')):
            with self.subTest(name=name):
                message, root = self.fails(artifact(f"{url}/{name}"), name=name)
                self.assertIn(why, message)
                self.assertEqual(list((root / "t/local").iterdir()), [])

    def test_hostile_archives_change_nothing(self):
        outside = self.sandbox.root / "outside"
        for number, (archive, why) in enumerate((
                (tar(("good", b""), ("../../../../outside", b"x")), "leads out of the directory"),
                (tar((str(outside), b"x")), "is an absolute path"),
                (tar(special("link", tarfile.SYMTYPE, "/etc"), ("link/x", b"x")), "leads out"),
                (tar(special("link", tarfile.SYMTYPE, "../../x")), "leads out"),
                (tar(special("d", tarfile.DIRTYPE), special("l", tarfile.SYMTYPE, "d"), ("l/x", b"x")),
                 "l/x"),
                (tar(special("hard", tarfile.LNKTYPE, "/etc/passwd")), "is an absolute path"),
                (tar(special("device", tarfile.CHRTYPE)), "a device, a pipe or a socket"),
                (tar(special("pipe", tarfile.FIFOTYPE)), "a device, a pipe or a socket"),
                (tar(("bomb", bytes(8 * MB)), form="gz"), "more than the limit of 1000000 bytes"),
                (tar(("bomb", bytes(8 * MB)), form="bz2"), "more than the limit of 1000000 bytes"),
                (tar(("bomb", bytes(8 * MB)), form="xz"), "more than the limit of 1000000 bytes"),
                (tar(*((f"f{i}", b"") for i in range(30))), "more than the limit of 20 files"),
                (b"no archive", "cannot be read"))):
            form = "bz2" if archive[:2] == b"BZ" else "xz" if archive[1:5] == b"7zXZ" else "gz"
            self.server.answers[f"/{number}.tar.{form}"] = archive
            with self.subTest(number=number, why=why):
                message, root = self.fails(artifact(f"{self.server.url}/{number}.tar.{form}"), name=f"a{number}")
                self.assertIn(why, message)
                self.assertEqual(list((root / "t/local").iterdir()), [])
                self.assertFalse(outside.exists())

    @unittest.skipIf(shutil.which("tar") is None, "tar is not installed")
    def test_a_hole_of_a_sparse_file_counts(self):
        hole = self.sandbox.root / "hole"
        with open(hole, "wb") as file:
            file.truncate(8 * MB)
        archive = subprocess.run(["tar", "-C", self.sandbox.root, "-cSzf", "-", "hole"], capture_output=True,
                                 check=True).stdout
        self.assertLess(len(archive), 10_000)
        self.server.answers["/sparse.tar.gz"] = archive
        message, root = self.fails(artifact(f"{self.server.url}/sparse.tar.gz"), name="sparse")
        self.assertIn("more than the limit of 1000000 bytes", message)
        self.assertEqual(list((root / "t/local").iterdir()), [])

    def test_hostile_zip_files_change_nothing(self):
        outside = self.sandbox.root / "outside"
        for number, (archive, why) in enumerate((
                (zipped("../../../../outside", b"x"), "leads out of the directory"),
                (zipped("bomb", bytes(8 * MB)), "more than the limit of 1000000 bytes"))):
            self.server.answers[f"/{number}.zip"] = archive
            with self.subTest(number=number):
                message, root = self.fails(artifact(f"{self.server.url}/{number}.zip"), name=f"z{number}")
                self.assertIn(why, message)
                self.assertEqual(list((root / "t/local").iterdir()), [])
                self.assertFalse(outside.exists())

    def test_secrets_of_urls_and_headers_are_nowhere(self):
        self.server.answers["/loop"] = redirect("/loop?token=hunter2")
        secret = f"http://me:hunter2@{self.server.address}"
        for number, source in enumerate((
                f"{secret}/none?token=hunter2", f"{secret}/loop?X-Amz-Signature=hunter2",
                f"git::{secret}/none.git", "https://me:hunter2@x:port/${NOMAD_TASK_NAME}",
                "ftp://me:hunter2@x/${NOMAD_TASK_NAME}?b=hunter2",
                f"{secret}/a?checksum=file:{secret}/none?token=hunter2",
                "http://me:hunter2@127.0.0.1:1/a?token=hunter2")):
            with self.subTest(source=source):
                self.fails(artifact(source, GetterHeaders={"X-Key": "hunter2"}), name=f"s{number}")
        text = self.agent.run.err + "\n".join(self.agent.run.lines)
        for number in range(7):
            text += str([e for a in self.agent.allocs(f"s{number}") for e in self.events(a["ID"])])
        self.assertIn("Failed Artifact Download", text)
        self.assertNotIn("hunter2", text)

    def test_what_can_never_be_fetched_is_refused(self):
        for source, why in (("git@github.com:a/b.git", "SSH"), ("hg::https://x/a", "Mercurial"),
                            ("ftp://me:hunter2@x/a?b=hunter2", "the scheme"), ("https://x/a?checksum=md5:1", "md5"),
                            ("https://me:hunter2@x:port/a", "source")):
            with self.subTest(source=source):
                spec = job(group(task("t", STAY, Artifacts=[artifact(source)])), id="never")
                reply = self.agent.ask("PUT", "/v1/jobs", spec)
                said = reply.body.decode()
                self.assertEqual(reply.status, 500, said)
                self.assertIn("/Job/TaskGroups/0/Tasks/0/Artifacts/0/GetterSource: ", said)
                self.assertIn(why, said)
                self.assertNotIn("hunter2", said)
        self.assertEqual(self.agent.ask("GET", "/v1/job/never").status, 404)

    def test_links_of_a_running_task_lead_nowhere(self):
        outside = self.sandbox.root / "outside"
        outside.mkdir()
        outside.chmod(0o777)
        self.server.answers["/file.tar.gz"] = tar(("d/e/file", b"text"))
        swap = f"""
            cd "$NOMAD_ALLOC_DIR/data"
            while :; do
                rm -rf d; ln -s {outside} d; rm -f d; mkdir d
                ln -s {outside} d/e 2>/dev/null; rm -rf d
            done
        """
        victims = [task(f"v{i}", "exit 0", Artifacts=[artifact(
            f"{self.server.url}/file.tar.gz", "../alloc/data")], Resources=SMALL) for i in range(10)]
        self.agent.submit(job(group(
            task("swap", swap, Lifecycle={"Hook": "prestart", "Sidecar": True}, Resources=SMALL), *victims,
            RestartPolicy={**TRY_TWICE, "Attempts": 5}), id="race", type="batch"))

        def ended():
            allocs = self.agent.allocs("race")
            return allocs and allocs[0]["ClientStatus"] in ("complete", "failed")
        harness.wait_until(ended, "the end of the race")
        self.assertEqual(list(outside.iterdir()), [])


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl in PATH")
class TlsArtifactTest(ArtifactCase):
    """The agent trusts an authority of the test."""

    def start_agent(self):
        self.directory = self.sandbox.root / "certificates"
        self.directory.mkdir()
        self.issue("authority", "DNS:authority.example")
        self.issue("own", "IP:127.0.0.1", signer="authority")
        self.issue("stranger", "IP:127.0.0.1")
        self.server = FileServer(self, certificate=self.directory / "own")
        self.stranger = FileServer(self, certificate=self.directory / "stranger")
        return Agent(self.sandbox, config=agent_config(self.sandbox),
                     env={"SSL_CERT_FILE": str(self.directory / "authority.pem")})

    def issue(self, name, host, signer=None):
        """Makes a certificate for HOST. Without a SIGNER it signs itself."""
        path = str(self.directory / name)
        options = ["-CA", f"{self.directory / signer}.pem",
                   "-CAkey", f"{self.directory / signer}.key"] if signer else []
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + host,
                        *options, "-keyout", path + ".key", "-out", path + ".pem"],
                       check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def test_only_a_server_with_a_trusted_certificate_is_asked(self):
        self.server.answers["/file"] = self.stranger.answers["/file"] = b"text"
        self.server.answers["/site.tar.gz"] = tar(("page", b"text"))
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact(f"{self.server.url}/file", "local/1"),
            artifact(f"{self.server.url}/site.tar.gz", "local/2"),
            artifact(f"{self.stranger.url}/file", "local/3", GetterInsecure=True)]))
        for path in ("1/file", "2/page", "3/file"):
            self.assertEqual((root / "t/local" / path).read_bytes(), b"text")
        message, root = self.fails(artifact(f"{self.stranger.url}/file"), name="stranger")
        self.assertIn("certificate", message)
        self.assertEqual(self.stranger.asked("/file"), 1)
        self.assertEqual(list((root / "t/local").iterdir()), [])

    def test_no_redirect_leads_out_of_tls_or_takes_secrets_elsewhere(self):
        plain = FileServer(self)
        plain.answers["/file"] = b"text"
        self.server.answers["/plain"] = redirect(f"{plain.url}/file")
        message, _ = self.fails(artifact(f"{self.server.url}/plain", GetterHeaders={"X-Key": "k"}), name="plain")
        self.assertIn("from https to http", message)
        self.assertEqual(plain.requests, [])
        self.server.answers["/up"] = b"text"
        plain.answers["/up"] = redirect(f"{self.server.url}/up")
        self.start(task("t", STAY, Artifacts=[artifact(
            f"http://me:hunter2@{plain.address}/up", GetterHeaders={"X-Key": "k"})]))
        headers = next(headers for path, headers in self.server.requests if path == "/up")
        self.assertNotIn("X-Key", headers)
        self.assertNotIn("Authorization", headers)

    @unittest.skipUnless(shutil.which("git", path="/usr/bin"), "there is no /usr/bin/git")
    def test_git_trusts_the_same_authority(self):
        top = make_repository(self.sandbox.root)
        self.server.directory = self.stranger.directory = top
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact(f"git::{self.server.url}/repository.git", "local/1"),
            artifact(f"git::{self.stranger.url}/repository.git", "local/2", GetterInsecure=True)]))
        for name in ("1", "2"):
            self.assertEqual((root / "t/local" / name / "file").read_text(), "second")
        message, _ = self.fails(artifact(f"git::{self.stranger.url}/repository.git"), name="stranger")
        self.assertIn("git fails", message)
        plain = FileServer(self, top)
        self.server.answers["/moved.git/info/refs"] = redirect(f"{plain.url}/repository.git/info/refs")
        message, _ = self.fails(artifact(f"git::{self.server.url}/moved.git"), name="moved")
        self.assertIn("git fails", message)
        self.assertEqual(plain.requests, [])


class ProxiedArtifactTest(ArtifactCase):
    """The environment of the agent names a proxy, with a password."""

    def start_agent(self):
        self.server = FileServer(self)
        return Agent(self.sandbox, config=agent_config(self.sandbox),
                     env={"http_proxy": f"http://me:hunter2@{self.server.address}"})

    def test_a_download_goes_through_the_proxy(self):
        self.server.answers["http://files.example/tool"] = b"text"
        self.server.answers["/own"] = b"own"
        _, root = self.start(task("t", STAY, Artifacts=[
            artifact("http://files.example/tool?k=1"), artifact(f"{self.server.url}/own")]))
        self.assertEqual((root / "t/local/tool").read_bytes(), b"text")
        self.assertEqual((root / "t/local/own").read_bytes(), b"own")
        headers = {path: headers for path, headers in self.server.requests}
        self.assertEqual(headers["http://files.example/tool?k=1"]["Host"], "files.example")
        self.assertIn("Proxy-Authorization", headers["http://files.example/tool?k=1"])
        self.assertNotIn("Proxy-Authorization", headers["/own"])
        message, _ = self.fails(artifact("http://files.example/none"), name="none")
        self.assertIn("http://files.example/none: the server answers with status 404", message)
        self.assertNotIn("hunter2", message)


class CachedArtifactTest(ArtifactCase):
    def start_agent(self):
        self.server = FileServer(self)
        return Agent(self.sandbox, dev=False, config=agent_config(
            self.sandbox, client={"artifact": {"cache_size": "1MB"}}))

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(self.leftovers)
        super().tearDown()

    def test_a_download_with_a_checksum_is_fetched_once(self):
        self.server.answers["/site.tar.gz"] = archive = tar(("page", b"text"))
        checksum = hashlib.sha256(archive).hexdigest()
        source = artifact(f"{self.server.url}/site.tar.gz?checksum=sha256:{checksum}")
        roots = [self.start(task("t", STAY, Artifacts=[source]), name=name)[1] for name in ("a", "b")]
        for root in roots:
            self.assertEqual((root / "t/local/page").read_bytes(), b"text")
        self.assertEqual(self.server.asked("/site.tar.gz"), 1)
        kept = self.sandbox.root / "data/artifacts"
        self.assertEqual([p.name for p in kept.iterdir()], [f"sha256-{checksum}"])
        self.assertEqual(stat.S_IMODE(kept.stat().st_mode), 0o700)


@unittest.skipUnless(shutil.which("git", path="/usr/bin"), "there is no /usr/bin/git")
class KilledArtifactTest(ArtifactCase):
    def start_agent(self):
        self.server = FileServer(self)
        return self.start_next()

    def start_next(self):
        return Agent(self.sandbox, dev=False, config=agent_config(self.sandbox))

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(self.leftovers)
        super().tearDown()

    def programs(self):
        """The processes of git that have the address of the server among their arguments."""
        found = []
        for directory in pathlib.Path("/proc").iterdir():
            try:
                if directory.name.isdigit() and self.server.address.encode() in (directory / "cmdline").read_bytes():
                    found.append(int(directory.name))
            except OSError:  # it has ended
                pass
        return found

    def test_the_programs_of_git_end_with_the_agent(self):
        never = threading.Event()
        self.addCleanup(never.set)
        self.server.answers["/slow.git/info/refs"] = slow(never, size=100_000)
        self.agent.submit(job(group(task("t", STAY, Artifacts=[artifact(f"git::{self.server.url}/slow.git")])),
                              id="web", type="service"))
        harness.wait_until(lambda: self.server.asked("/slow.git/info/refs"), "the question of git")
        self.assertGreater(len(self.programs()), 1)  # git, and what it has started
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        harness.wait_until(lambda: not self.programs(), "the end of git")
        self.agent = self.start_next()


@unittest.skipUnless(IS_ROOT and not IN_CHROOT, "exec needs an agent that is root and not in a chroot")
class IsolatedArtifactTest(ArtifactCase):
    def start_agent(self):
        self.server = FileServer(self)
        plugins = {"exec": {"file": str(plugin_file("exec"))}}
        return Agent(self.sandbox, config=agent_config(self.sandbox, plugins=plugins))

    def test_a_task_with_its_own_root_has_its_artifacts(self):
        self.server.answers["/tool"] = b"#!/bin/sh\ncat /local/tool > /alloc/data/out\nexec sleep 1000\n"
        _, root = self.start(task("t", driver="exec", config={"command": "/local/tool"}, Artifacts=[
            artifact(f"{self.server.url}/tool", "${NOMAD_TASK_DIR}"),
            artifact(f"{self.server.url}/tool", "${NOMAD_ALLOC_DIR}/data/copy", GetterMode="file")]))
        out = root / "alloc/data/out"
        harness.wait_until(lambda: out.exists() and out.stat().st_size, out)
        self.assertEqual(out.read_bytes(), self.server.answers["/tool"])
        self.assertEqual((root / "alloc/data/copy").read_bytes(), self.server.answers["/tool"])


if __name__ == "__main__":
    harness.main()
