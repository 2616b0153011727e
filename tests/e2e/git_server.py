# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A git repository, and `git daemon` that serves it."""
import os
import pathlib
import shutil
import socket
import subprocess
import threading

GIT = shutil.which("git", path="/usr/bin")


def missing():
    """Why there is no git daemon here; empty if there is one."""
    if GIT is None:
        return "there is no /usr/bin/git"
    folder = subprocess.run([GIT, "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    return "" if (pathlib.Path(folder) / "git-daemon").exists() else "git has no daemon here"


MISSING = missing()


class GitServer:
    """Serves the repositories in a directory of a test. Each connection has a `git daemon` of its own, so that the
    port is a free one."""

    def __init__(self, test, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(exist_ok=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.daemons = []
        thread = threading.Thread(target=self._serve, daemon=True)
        thread.start()

        def stop():
            self.socket.shutdown(socket.SHUT_RDWR)
            thread.join()
            self.socket.close()
            for daemon in self.daemons:
                daemon.kill()
                daemon.wait()
        test.addCleanup(stop)

    @property
    def url(self):
        return "git://127.0.0.1:{}".format(self.socket.getsockname()[1])

    def _environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.directory)}

    def _serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:  # the end of the test
                return
            with connection:
                self.daemons.append(subprocess.Popen(
                    [GIT, "daemon", "--inetd", "--export-all", f"--base-path={self.directory}"], stdin=connection,
                    stdout=connection, stderr=subprocess.DEVNULL, env=self._environment()))

    def commit(self, name, tag, **files):
        """Makes a commit with these files in the directory public of the repository NAME, and gives it a TAG."""
        work = self.directory / name

        def git(*arguments):
            subprocess.run([GIT, "-c", "user.name=t", "-c", "user.email=t@example", "-c", "init.defaultBranch=main",
                            *arguments], cwd=work, check=True, capture_output=True, env=self._environment())
        if not work.exists():
            (work / "public").mkdir(parents=True)
            git("init")
            (work / "README").write_text("not for the public\n")
        for path, text in files.items():
            (work / "public" / path).write_text(text)
        git("add", ".")
        git("commit", "-m", tag)
        git("tag", tag)
