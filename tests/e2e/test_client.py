# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The commands that ask an agent: job, alloc, node, eval and system."""
import contextlib
import fcntl
import http.server
import json
import os
import pty
import re
import shutil
import signal
import socketserver
import struct
import subprocess
import termios
import threading
import time

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import SLACK, DroverTest, binary, group, job, mock, task

LONG = "exec sleep 1000"


# A service is deployed as soon as its tasks run, and its deployment fails as soon as one fails.
QUICK_UPDATE = {"HealthCheck": "task_states", "MinHealthyTime": "10ms", "ProgressDeadline": "0s"}


def service(*tasks, id="web", **fields):
    fields.setdefault("Update", QUICK_UPDATE)
    return job(group(*tasks, **fields), id=id, type="service")


class Client:
    """Runs commands of the client; a part of a test class."""

    address = None

    def cli(self, *arguments, code=0, stdin=subprocess.DEVNULL, **env):
        done = self.sandbox.command(*arguments, stdin=stdin,
                                    env={"DROVER_ADDR": self.address, **env})
        self.assertEqual(done.code, code, done)
        self.assertNotRegex(done.err, harness.SANITIZER_REPORT)
        return done

    def json(self, *arguments, **how):
        return json.loads(self.cli(*arguments, "-json", **how).out)

    def fails(self, *arguments, code=1, **how):
        """Returns the message of a command that fails. It must print nothing else."""
        done = self.cli(*arguments, code=code, **how)
        self.assertEqual(done.out, "")
        return done.err


class ClientJobTest(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def file(self, spec, name="job.json"):
        return self.sandbox.write(name, spec)

    def test_a_job_from_its_plan_to_its_end(self):
        path = self.file(service(task("t", LONG), Count=2))
        self.assertIn("2 create", self.cli("job", "plan", path, code=1).out)
        shown = self.cli("job", "run", path).out
        self.assertRegex(shown, r"evaluation [0-9a-f]{8}: complete")
        running = re.findall(r"allocation [0-9a-f]{8} web\.g\[[01]\]( placed on \S+)?: running", shown)
        self.assertEqual(len(running), 2)
        same = self.cli("job", "plan", path).out
        self.assertIn("2 unchanged", same)
        self.assertRegex(same, r'(?m)^  job "web"$')
        other = service(task("t", LONG, Env={"A": "1"}), Count=3)
        shown = self.cli("job", "plan", self.file(other, "other.json"), code=1).out
        for line in ('~ job "web"', '  ~ task group "g" (1 create, 2 ignore)',
                     '    ~ Count: "2" -> "3" (forces create)',
                     '    ~ task "t" (forces create/destroy update)', '      + Env[A]: "1"'):
            self.assertIn(line, shown.splitlines())
        self.assertRegex(self.cli("job", "status").out, r"(?m)^web +default +service +50 +running")
        status = self.cli("job", "status", "web").out
        self.assertRegex(status, r"(?m)^Status += running")
        self.assertRegex(status, r"(?m)^g +0 +0 +2 +0 ")
        listed = self.json("job", "allocs", "web")
        self.assertEqual({a["ID"] for a in listed}, {a["ID"] for a in self.agent.allocs("web")})
        for alloc in listed:
            self.assertIn(alloc["ID"][:8], status)
            self.assertIn(alloc["ID"], self.cli("job", "allocs", "-verbose", "web").out)

        self.cli("job", "run", "-detach", self.file(service(task("t", LONG), Count=1)))
        self.assertEqual(self.json("job", "inspect", "web")["TaskGroups"][0]["Count"], 1)
        old = json.loads(self.cli("job", "inspect", "-version", "0", "web").out)
        self.assertEqual(old["Job"]["TaskGroups"][0]["Count"], 2)
        self.assertIn("no version 7", self.fails("job", "inspect", "--version", "7", "web"))
        self.assertEqual([v["Version"] for v in self.json("job", "history", "web")], [1, 0])
        self.assertRegex(self.cli("job", "history", "web").out, r"(?m)^1 +yes +no +20", "one allocation less is as stable")

        self.cli("job", "stop", "web")
        self.agent.wait_allocs("web", 2, "complete", "stop")
        self.assertIn("dead (stopped)", self.cli("job", "status").out)
        self.cli("system", "gc")
        self.assertIn("There are no jobs", self.cli("job", "status").out)

    def test_a_version_is_named_and_its_name_taken_away(self):
        for attempts in (1, 2):  # without allocations, which would need its evaluation
            self.cli("job", "run", "-detach", self.file(service(
                mock("t", run_for="1h"), Count=0, RestartPolicy={"Attempts": attempts})))

        def tags():
            return [(v["VersionTag"] or {}).get("Name") for v in self.json("job", "history", "web")]
        self.assertIn('version 0 of the job "web" is tagged "old one"',
                      self.cli("job", "tag", "apply", "-name", "old one", "-version", "0",
                               "-description", "it ran", "we").out)
        self.assertEqual(self.json("job", "tag", "apply", "-name", "new", "web")["Name"], "new")
        self.assertEqual(tags(), ["new", "old one"])
        self.assertRegex(self.cli("job", "history", "web").out, r"(?m)^0 +no .* old one +json$")
        self.cli("job", "tag", "unset", "-name", "old one", "web")
        self.assertEqual(tags(), ["new", None])
        self.assertIn('tag "gone" not found',
                      self.fails("job", "tag", "unset", "-name", "gone", "web"))
        self.assertIn("--name is required", self.fails("job", "tag", "unset", "web", code=2))

        # A needed evaluation stays.
        old, new = sorted(self.json("eval", "list"), key=lambda e: e["CreateIndex"])
        self.assertEqual(self.cli("eval", "delete", "-yes", "-filter", 'JobID == "other"').out,
                         "0 evaluations are deleted\n")
        self.assertIn("--yes", self.fails("eval", "delete", "-filter", 'JobID == "web"'))
        self.fails("eval", "delete", new["ID"][:8])
        self.fails("eval", "delete", code=2)
        self.assertEqual(self.json("eval", "delete", old["ID"][:8])["Count"], 1)
        self.assertEqual([e["ID"] for e in self.json("eval", "list")], [new["ID"]])

    def test_metadata_of_the_node_are_shown_and_changed(self):
        self.assertIn("The node has no metadata", self.cli("node", "meta", "read").out)
        node = self.json("node", "status")[0]["ID"]
        shown = self.cli("node", "meta", "apply", "-node-id", node[:6], "rack=7", "a=b=c").out
        self.assertRegex(shown, r"(?m)^rack +7 +a client$")
        self.assertEqual(self.json("node", "meta", "read")["Meta"], {"a": "b=c", "rack": "7"})
        answer = self.json("node", "meta", "apply", "-unset", "a", "rack=8")
        self.assertEqual(answer["Meta"], {"rack": "8"})
        self.assertIn("KEY=VALUE", self.fails("node", "meta", "apply", code=2))
        self.assertIn("x: write it as KEY=VALUE", self.fails("node", "meta", "apply", "x", code=2))

    def test_a_job_is_purged_at_once(self):
        self.cli("job", "run", self.file(service(task("t", LONG))))
        self.cli("job", "stop", "-purge", "-detach", "web")
        self.assertEqual(self.agent.ask("GET", "/v1/job/web").status, 404)

    def test_allocations_without_a_place_are_reported(self):
        node = self.json("node", "status")[0]["ID"]
        self.cli("node", "eligibility", "-disable", node[:4])
        self.assertIn("ineligible", self.cli("node", "status").out)
        path = self.file(service(mock("t", run_for="1h"), Count=3))
        shown = self.cli("job", "run", path, code=2).out
        self.assertIn('task group "g": 3 allocations could not be placed', shown)
        self.assertIn("waits until there is room", shown)
        self.assertIn("Waiting for room", self.cli("job", "status", "web").out)
        evals = self.json("eval", "list", "-job", "web", "-status", "complete")
        shown = self.cli("eval", "status", evals[0]["ID"][:13]).out
        self.assertIn("no node was eligible", shown)
        self.assertIn("queued-allocs", shown)
        self.cli("node", "eligibility", "-enable", node)
        self.agent.wait_allocs("web", 3, "running")
        shown = self.cli("node", "status", node).out
        self.assertRegex(shown, r"raw_exec +yes +yes")
        self.assertEqual(len(re.findall(r" web +g +0 +run +running ", shown)), 3)

    def test_a_node_is_drained_and_filled_again(self):
        node = self.json("node", "status")[0]["ID"]
        self.cli("job", "run", self.file(service(task("t", LONG), Count=2)))
        self.agent.submit(job(group(task("t", LONG)), id="sum"))
        self.agent.wait_allocs("sum", 1, "running")
        self.assertIn("--yes", self.fails("node", "drain", "-enable", node[:8]))
        self.assertIn("is being drained",
                      self.cli("node", "drain", "-enable", "-yes", "-detach", "-m", "a disk", node).out)
        self.agent.wait_allocs("web", 2, "complete", "stop")
        shown = self.json("node", "status", node)
        self.assertTrue(shown["Drain"])
        self.assertEqual(shown["DrainStrategy"]["Deadline"], 3600 * 10**9)
        self.assertEqual(shown["LastDrain"]["Meta"], {"message": "a disk"})
        self.assertEqual(self.agent.allocs("sum")[0]["DesiredStatus"], "run")
        self.assertIn("while it is draining", self.fails("node", "eligibility", "-enable", node))
        alloc = self.agent.allocs("sum")[0]["ID"][:8]
        shown = self.cli("node", "drain", "-enable", "-yes", "-force", node).out
        self.assertIn(f"Drain complete for node {node}", shown)
        self.assertIn(f'Alloc "{alloc}" marked for migration\nAlloc "{alloc}" draining\n', shown)
        self.assertIn(f'Alloc "{alloc}" status running -> complete', shown)
        self.assertIn(f'All allocations on node "{node}" have stopped', shown)
        self.agent.wait_allocs("sum", 1, "complete", "stop")
        shown = self.json("node", "status", node)
        self.assertEqual((shown["DrainStrategy"], shown["SchedulingEligibility"],
                          shown["LastDrain"]["Status"]), (None, "ineligible", "complete"))
        self.assertRegex(self.cli("node", "status", node).out, r"(?m)^Drained += complete since")
        self.cli("node", "drain", "-disable", node)
        self.agent.wait_allocs("web", 2, "running")
        self.assertEqual(self.agent.ask("PUT", f"/v1/node/{node}/drain", "").status, 400)
        self.assertEqual(self.agent.ask("PUT", f"/v1/node/{node}/drain", {"DrainSpec": 3}).status, 400)
        self.assertEqual(self.agent.ask("PUT", "/v1/node/x/drain", {"DrainSpec": None}).status, 404)

    def test_the_deadline_of_a_drain_is_not_that_of_a_heartbeat(self):
        """A heartbeat, which also looks at drains, comes every ten seconds."""
        node = self.json("node", "status")[0]["ID"]
        self.agent.submit(job(group(task("t", LONG)), id="sum"))
        self.agent.wait_allocs("sum", 1, "running")
        begin = time.monotonic()
        self.cli("node", "drain", "-enable", "-yes", "-detach", "-deadline", "1s", node)
        self.agent.wait_allocs("sum", 1, "complete", "stop")
        self.assertLess(time.monotonic() - begin, 5 * SLACK)
        self.cli("node", "drain", "-disable", node)

    def test_whoever_watches_a_drain_sees_that_it_is_canceled(self):
        node = self.json("node", "status")[0]["ID"]
        self.agent.submit(job(group(task("t", LONG)), id="sum"))
        self.agent.wait_allocs("sum", 1, "running")
        watcher = subprocess.Popen(
            [binary(), "node", "drain", "-enable", "-yes", node], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, env=self.sandbox.environment({"DROVER_ADDR": self.address}))
        self.addCleanup(watcher.kill)
        harness.wait_until(lambda: self.json("node", "status", node)["Drain"], "the drain")
        self.cli("node", "drain", "-disable", node)
        shown, _ = watcher.communicate(timeout=harness.LIMIT)
        self.assertEqual(watcher.returncode, 0)
        self.assertIn(f"Drain canceled for node {node}\n", shown)
        self.assertNotIn("have stopped", shown)

    def test_the_own_node(self):
        node = self.json("node", "status")[0]["ID"]
        self.assertEqual(self.json("node", "status", "-self")["ID"], node)
        self.cli("job", "run", self.file(service(task("t", LONG))))
        self.assertIn("has an id", self.fails("node", "drain", "-monitor", "0" * 36))
        shown = self.cli("node", "drain", "-enable", "-self", "-yes", "-meta", "why=a disk",
                        "-meta", "who=me", "-m", "soon").out
        self.assertIn("Drain complete for node", shown)
        drain = self.json("node", "status", "-self")["LastDrain"]
        self.assertEqual(drain["Meta"], {"why": "a disk", "who": "me", "message": "soon"})
        self.assertIn("No drain strategy set for node",
                      self.cli("node", "drain", "-self", "-monitor").out)
        self.assertIn("KEY=VALUE", self.fails("node", "drain", "-self", "-disable", "-meta", "x"))
        self.cli("node", "eligibility", "-enable", "-self")
        for wrong in (("node", "drain", "-disable"), ("node", "eligibility", "-enable"),
                      ("node", "status", "-self", node), ("node", "drain", "-self")):
            self.fails(*wrong, code=2)

    def test_the_drivers_of_the_agent(self):
        self.assertRegex(self.cli("plugin", "list").out, r"(?m)^raw_exec +healthy +Healthy$")
        listed = {driver["Name"]: driver for driver in self.json("plugin", "list")}
        self.assertEqual(listed["raw_exec"]["Attributes"]["driver.raw_exec"], "true")
        self.address = "http://127.0.0.1:1"
        self.assertIn("127.0.0.1:1", self.fails("plugin", "list"))
        # The command asks the agent, or loads a configuration.
        for source in (("--config", "x.json"), ("--plugin-dir", "x")):
            self.assertIn("excludes", self.fails(
                "plugin", "list", *source, "--address", "http://127.0.0.1:1", code=2))
        self.fails("plugin", "list", "--namespace", "x", code=2)

    def test_answers_by_a_template(self):
        self.cli("job", "run", self.file(service(task("t", LONG), Count=2)))
        allocs = self.agent.allocs("web")
        self.assertEqual(self.cli("job", "status", "-t", "{{range .}}{{.ID}} {{.Status}}{{end}}").out,
                         "web running\n")
        self.assertEqual(
            set(self.cli("job", "allocs", "-t", "{{range .}}{{.ID}}\n{{end}}", "web").out.split()),
            {a["ID"] for a in allocs})
        one = allocs[0]["ID"]
        form = '{{.Job.ID}} {{range $name, $task := .TaskStates}}{{$name}} {{$task.State}}{{end}}'
        self.assertEqual(self.cli("alloc", "status", "-t", form, one).out, "web t running\n")
        self.assertIn("not defined", self.fails("job", "stop", "-t", "{{ID}}", "web", code=2))
        self.assertFalse(self.agent.get("/v1/job/web")["Stop"], "nothing was done")
        self.fails("job", "status", "-t", "{{.}}", "-json", code=2)

    def completed(self, *words):
        """The words that bash offers for the last of WORDS."""
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  '_drover; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, binary(), binary(), *words], check=True,
                              capture_output=True, text=True, timeout=harness.LIMIT,
                              env=self.sandbox.environment({"DROVER_ADDR": self.address}))
        return done.stdout.split()

    def test_a_shell_completes(self):
        self.cli("job", "run", self.file(service(task("t", LONG))))
        alloc = self.agent.allocs("web")[0]["ID"]
        self.assertEqual(self.completed("pl"), ["plugin"])
        self.assertEqual(self.completed("job", "st"), ["start", "status", "stop"])
        self.assertEqual(self.completed("job", "status", "w"), ["web"])
        self.assertEqual(self.completed("alloc", "status", alloc[:5]), [alloc])
        self.assertEqual(self.completed("alloc", "logs", "-job", ""), ["web"])
        self.assertEqual(self.completed("job", "run", "--che"), ["--check-index"])
        self.assertEqual(self.completed("job", "action", "--job", "w"), ["web"])
        self.assertEqual(self.completed("job", "action", "-alloc", alloc[:3]), [alloc])
        web = str(harness.ROOT / "examples/jobs/web")
        self.assertEqual(self.completed("job", "run", web), [web + ".json", web + ".nomad.hcl"])
        self.address = "http://127.0.0.1:1"
        self.assertEqual(self.completed("job", "status", ""), [])
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("__complete", self.cli("completion", shell).out)

    def test_the_first_five_minutes_of_the_readme(self):
        text = (harness.ROOT / "README.md").read_text().partition("## The first five minutes")[2]
        blocks = re.findall(r"```sh\n(.*?)```", text.partition("\n## ")[0], re.S)
        lines = [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]
        self.assertGreater(len(lines), 10)
        directory = self.sandbox.root / "newcomer"
        directory.mkdir()
        (directory / "examples").symlink_to(harness.ROOT / "examples")
        (directory / "hello.nomad.hcl").write_text(re.search(r"```hcl\n(.*?)```", text, re.S)[1])
        env = self.sandbox.environment({"DROVER_ADDR": self.address})
        env["PATH"] = f"{binary().parent}:{env['PATH']}"
        for line in lines:
            if " ID" in line:
                line = line.replace(" ID", " " + self.agent.allocs("web")[0]["ID"][:8])
            line = line.replace("http://127.0.0.1:4646", self.agent.url)
            if line.startswith("curl") and shutil.which("curl") is None:
                print("there is no curl in PATH", flush=True)
                continue
            endless = line == "drover events"
            done = subprocess.run(
                ["bash", "-c", f"timeout 1 {line}" if endless else line], cwd=directory, env=env,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * harness.LIMIT)
            self.assertEqual(done.returncode, 124 if endless else 0, (line, done.stdout, done.stderr))
            if "logs" not in line and "source" not in line:  # it may not have written yet
                self.assertNotEqual(done.stdout, "", line)

    def test_an_allocation_that_fails_makes_the_command_fail(self):
        path = self.file(service(mock("t", start_error="it is broken")))
        shown = self.cli("job", "run", path, code=1).out
        self.assertIn("failed", shown)
        path = self.file(service(mock("t", start_error="it is broken"), id="other"))
        answer = self.json("job", "run", path, code=1)
        self.assertEqual(answer["Evaluation"]["ID"], answer["Answer"]["EvalID"])
        self.assertEqual([a["ClientStatus"] for a in answer["Allocations"]], ["failed"])

    def test_jobs_that_are_refused(self):
        bad = service(mock("t", run_for="1h"))
        bad["Job"]["TaskGroups"][0]["Tasks"][0]["Driver"] = ""
        said = self.fails("job", "run", self.file(bad))
        self.assertIn("the job was not taken: 1 error", said)
        self.assertIn("/TaskGroups/0/Tasks/0/Driver", said)
        self.fails("job", "plan", self.file(bad), code=255)
        self.assertIn("no such file", self.fails("job", "run", "missing.json"))
        self.assertIn("no job with an ID", self.fails("job", "run", self.file({"Job": {}})))
        self.assertIn("line", self.fails("job", "run", self.file("{")))
        good = self.file(service(mock("t", run_for="1h")))
        self.cli("job", "run", "-check-index", "0", good)
        self.assertIn("job already exists", self.fails("job", "run", "-check-index", "0", good))
        with open(good, "rb") as stdin:  # "-": standard input
            self.assertIn("unchanged", self.cli("job", "plan", "-", stdin=stdin).out)

    def test_names_are_found_by_their_beginning(self):
        for name in ("web", "web/ab", "other"):
            self.agent.submit(service(mock("t", run_for="1h"), id=name))
        self.assertRegex(self.cli("job", "status", "web").out, r"(?m)^ID += web$")
        self.assertRegex(self.cli("job", "status", "web/").out, r"(?m)^ID += web/ab$")
        self.assertRegex(self.cli("job", "status", "o").out, r"(?m)^ID += other$")
        said = self.fails("job", "status", "we")
        self.assertIn('"we" is the beginning of 2 jobs', said)
        self.assertIn("web/ab  in namespace default", said)
        self.assertIn("no job has an id that begins", self.fails("job", "status", "x"))
        # Nobody can confirm here that it is the right one.
        self.assertIn("--yes", self.fails("job", "stop", "oth"))
        self.assertFalse(self.agent.get("/v1/job/other")["Stop"])
        self.cli("job", "stop", "-yes", "oth")
        self.assertTrue(self.agent.get("/v1/job/other")["Stop"])
        self.assertIn("no job", self.fails("job", "status", "web", "-namespace", "elsewhere"))
        self.assertIn("no job", self.fails("job", "status", "web", NOMAD_NAMESPACE="elsewhere"))

    def test_allocations_are_steered(self):
        self.cli("job", "run", self.file(service(task("t", LONG), task("u", LONG))))
        alloc = self.agent.allocs("web")[0]["ID"]
        short = alloc[:13].replace("-", "")
        self.agent.wait_tasks(alloc, lambda t: {s["State"] for s in t.values()} == {"running"},
                              "both run")
        self.assertIn(alloc, self.cli("alloc", "restart", short, "t").out)
        self.agent.wait_restarts(alloc, t=1, u=0)
        shown = self.cli("alloc", "status", alloc[:9]).out
        self.assertRegex(shown, r"(?m)^Status += running")
        self.assertRegex(shown, r'(?s)Task "t".*Restarts = 1.*Restart Signaled.*Task "u".*Restarts = 0')
        self.assertRegex(shown, r"(?m)^Usage += [\d.]+ % of a core, [\d.]+ \w+ resident")
        self.cli("alloc", "restart", "-all-tasks", alloc)
        self.agent.wait_restarts(alloc, t=2, u=1)
        self.assertIn("nope", self.fails("alloc", "restart", alloc, "nope"))
        self.cli("alloc", "signal", "-s", "SIGWINCH", alloc, "u")
        self.agent.wait_tasks(alloc, lambda t: "Signaling" in [e["Type"] for e in t["u"]["Events"]],
                              "the signal")
        self.assertIn("no checks", self.cli("alloc", "checks", alloc).out)
        self.assertEqual(self.json("alloc", "checks", alloc), {})
        shown = self.cli("alloc", "stop", alloc).out
        self.assertRegex(shown, r"allocation [0-9a-f]{8} web\.g\[0\]( placed on \S+)?: running")
        self.assertRegex(self.cli("alloc", "status", alloc).out, r"(?m)^Replaced by += [0-9a-f]{8}$")
        self.assertIn("too short", self.fails("alloc", "status", "a"))
        self.assertIn("no allocation has an id", self.fails("alloc", "status", "zzzz"))


class ClientFilesTest(Client, AgentTest):
    """alloc logs, fs and exec."""

    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def start(self, *tasks):
        self.agent.submit(service(*tasks))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.agent.wait_tasks(alloc, lambda t: all(s["State"] == "running" for s in t.values()),
                              "running")
        return alloc

    def test_a_task_without_logs_says_so(self):
        alloc = self.start(task("t", f"echo x; echo y >&2; {LONG}", LogConfig={"Disabled": True}))
        for options in [], ["-stderr"], ["-f"], ["-tail", "-n", "1"]:
            self.assertIn('task "t" keeps no logs: its LogConfig is Disabled',
                          self.fails("alloc", "logs", *options, alloc))
        self.assertEqual(list((self.sandbox.alloc_dirs[0] / alloc / "alloc/logs").iterdir()), [])

    def test_logs_whole_from_their_end_and_followed(self):
        alloc = self.start(task("t", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done;"
                                     f"printf 'a\\033b' >&2; {LONG}"))
        whole = "".join(f"line {i}\n" for i in range(1, 3001))

        def prints(text, *arguments):  # there is no log before the task has written
            env = {"DROVER_ADDR": self.address}
            harness.wait_until(
                lambda: self.sandbox.command("alloc", "logs", *arguments, env=env).out == text, text)
        prints(whole, alloc[:8])
        prints("a\033b", "-stderr", alloc)
        self.assertEqual(self.cli("alloc", "logs", "-tail", alloc, "t").out, whole[-100:])
        self.assertEqual(self.cli("alloc", "logs", "-n", "2", alloc).out, "line 2999\nline 3000\n")
        self.assertEqual(self.cli("alloc", "logs", "-n", "9999", alloc).out, whole)
        self.assertEqual(self.cli("alloc", "logs", "-c", "7", "-task", "t", alloc).out, "e 3000\n")
        self.assertIn('unknown task name "x"', self.fails("alloc", "logs", alloc, "x"))
        self.assertIn("too short", self.fails("alloc", "logs", "1"))
        both = self.cli("alloc", "logs", "-stdout", "-stderr", "-n", "1", alloc)
        self.assertEqual((both.out, both.err), ("line 3000\n", "a\033b"))

    def test_logs_followed(self):
        alloc = self.start(task("t", f"echo 1; echo 2; {LONG}"))
        logs = self.sandbox.alloc_dirs[0] / alloc / "alloc" / "logs"
        log = logs / "t.stdout.0"
        harness.wait_until(lambda: log.exists() and log.read_text() == "1\n2\n", "there is a log")

        def write(stream, text):
            with (logs / f"t.{stream}.0").open("a") as file:
                file.write(text)

        def follow(*options):
            follower = subprocess.Popen(
                [binary(), "alloc", "logs", "-f", *options, alloc], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=self.sandbox.environment({"DROVER_ADDR": self.address}))
            self.addCleanup(follower.communicate)
            self.addCleanup(follower.terminate)
            return follower
        both, output, errors = follow("-n", "1"), follow("-stdout"), follow("-stderr")
        self.assertEqual(both.stdout.readline(), b"2\n")
        # There was no file of standard error yet.
        write("stderr", "oops\n")
        self.assertEqual(both.stderr.readline(), b"oops\n")
        self.assertEqual(errors.stdout.readline(), b"oops\n")
        write("stdout", "more\n")
        self.assertEqual(both.stdout.readline(), b"more\n")
        self.assertEqual([output.stdout.readline() for _ in range(3)], [b"1\n", b"2\n", b"more\n"])
        for follower, rest in ((output, (b"", b"")), (errors, (b"", b"")), (both, (b"", b""))):
            follower.terminate()
            self.assertEqual(follower.communicate(timeout=harness.LIMIT), rest)

    def test_the_allocation_of_a_job(self):
        self.agent.submit(job(group(task("t", "echo old"), name="a"),
                              group(task("t", f"echo runs; {LONG}"), name="b"), id="two"))
        self.agent.wait_allocs("two", 1, "complete")
        runs = self.agent.wait_allocs("two", 1, "running")[0]["ID"]
        harness.wait_until(lambda: self.sandbox.command(
            "alloc", "logs", "-job", "two", env={"DROVER_ADDR": self.address}).out == "runs\n",
            "the log of the one that runs")
        self.assertEqual(self.cli("alloc", "logs", "-job", "-group", "a", "tw").out, "old\n")
        self.assertEqual(self.cli("alloc", "exec", "-job", "two", "sh", "-c",
                                  "echo $NOMAD_ALLOC_ID").out, runs + "\n")
        self.assertIn("alloc", self.cli("alloc", "fs", "-job", "two").out)
        self.assertIn('no allocation of the group "x"',
                      self.fails("alloc", "logs", "-job", "-group", "x", "two"))
        self.assertIn("no job", self.fails("alloc", "exec", "-job", "none", "true"))

    def test_files(self):
        alloc = self.start(task("t", LONG))
        (self.sandbox.alloc_dirs[0] / alloc / "t" / "local" / "f").write_text("text")
        self.assertRegex(self.cli("alloc", "fs", alloc).out, r"(?m)^d\S+ .* t/$")
        listed = self.cli("alloc", "fs", alloc[:8], "t/local").out
        self.assertRegex(listed, r"(?m)^-rw-r--r-- +4 B +20\S+Z +f$")
        self.assertEqual(self.cli("alloc", "fs", alloc, "t/local/f").out, "text")
        self.assertEqual(self.json("alloc", "fs", "-stat", alloc, "t/local/f")[0]["Size"], 4)
        self.assertIn("No such file", self.fails("alloc", "fs", alloc, "t/none"))
        self.assertIn("escapes", self.fails("alloc", "fs", alloc, "../.."))

    def test_a_command_beside_a_task(self):
        alloc = self.start(task("t", LONG), task("u", LONG))
        done = self.cli("alloc", "exec", "-task", "t", alloc, "sh", "-c", "echo $NOMAD_TASK_NAME; "
                        "ls -la / >/dev/null; echo err >&2; exit 43", code=43)
        self.assertEqual((done.out, done.err), ("t\n", "err\n"))
        self.assertEqual(self.cli("alloc", "exec", "-task=t", alloc, "--", "echo", "-n", "-json",
                                  "stop").out, "-json stop")
        text = self.sandbox.write("input", "x" * 3_000_000)
        with open(text) as file:
            self.assertEqual(len(self.cli("alloc", "exec", "-i", "--task", "u", alloc[:8], "cat",
                                          stdin=file).out), 3_000_000)
        with open(text) as file:
            self.assertEqual(self.cli("alloc", "exec", "--no-interactive", "-task", "u", alloc,
                                      "wc", "-c", stdin=file).out.strip(), "0")
        self.assertIn("name one of its tasks with --task: t, u",
                      self.fails("alloc", "exec", alloc, "true"))
        self.assertIn("failed to exec into task: task not found",
                      self.fails("alloc", "exec", "-task", "x", alloc, "true"))
        self.assertIn("-t needs a terminal",
                      self.fails("alloc", "exec", "-t", "-task", "t", alloc, "true"))
        done = self.cli("alloc", "exec", "-task", "t", alloc, "no-such-program", code=127)
        self.assertIn("no-such-program", done.err)

    def test_actions_of_a_job(self):
        where = {"Name": "where", "Command": "sh",
                 "Args": ["-c", "wc -c; echo $NOMAD_ALLOC_ID $NOMAD_TASK_NAME; exit 4"]}
        only = {"Name": "only", "Command": "echo", "Args": ["-n", "x"]}
        self.agent.submit(job(group(task("t", LONG, Actions=[where, only]),
                                    task("u", LONG, Actions=[where])), id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.agent.wait_tasks(alloc, lambda t: all(s["State"] == "running" for s in t.values()),
                              "running")
        self.assertEqual(self.cli("job", "action", "-job", "we", "only").out, "x")
        self.assertEqual(self.cli("job", "action", "--alloc", alloc[:8], "only").out, "x")
        done = self.cli("job", "action", "-job=web", "-task", "u", "where", code=4)
        self.assertEqual(done.out, f"0\n{alloc} u\n")
        with open(self.sandbox.write("input", "12345")) as file:
            done = self.cli("job", "action", "-i", "-job", "web", "-alloc", alloc, "-task", "t",
                            "-group", "g", "where", stdin=file, code=4)
        self.assertEqual(done.out, f"5\n{alloc} t\n")
        self.assertIn("name one with --group and --task",
                      self.fails("job", "action", "-job", "web", "where"))
        said = self.fails("job", "action", "-job", "web", "none")
        self.assertIn("only of the task t in the group g", said)
        self.assertIn("no job", self.fails("job", "action", "-job", "none", "only"))
        self.assertIn("-t needs a terminal", self.fails("job", "action", "-t", "-job", "web", "only"))
        # An action that is new restarts nothing.
        self.agent.submit(job(group(task("t", LONG, Actions=[{"Name": "new", "Command": "true"}]),
                                    task("u", LONG)), id="web", type="service"))
        self.cli("job", "action", "-alloc", alloc, "new")

    def test_a_command_with_a_terminal(self):
        alloc = self.start(task("t", LONG))
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 91, 0, 0))
        before = termios.tcgetattr(theirs)
        script = ("read x; stty size; trap 'stty size; exit 7' WINCH; echo rea''dy; "
                  "while :; do sleep 0.01; done")
        command = subprocess.Popen(
            [binary(), "alloc", "exec", alloc, "sh", "-c", script], stdin=theirs, stdout=theirs,
            start_new_session=True,
            env=self.sandbox.environment({"DROVER_ADDR": self.address}))
        shown = b""

        def until(text):
            nonlocal shown
            while text not in shown:
                shown += os.read(ours, 4096)
        # The kernel keeps input from before the terminal is raw.
        os.write(ours, b"go\n")
        until(b"ready")
        self.assertIn(b"31 91", shown)
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 66, 0, 0))
        command.send_signal(signal.SIGWINCH)
        until(b"20 66")
        self.assertEqual(command.wait(harness.LIMIT), 7)
        self.assertEqual(termios.tcgetattr(theirs), before, "the terminal is as it was")
        os.close(ours)
        os.close(theirs)


class ClientReachTest(Client, DroverTest):
    """How the client finds an agent, and its errors when it does not."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def test_nobody_is_there(self):
        self.address = "http://127.0.0.1:1"
        said = self.fails("job", "status")
        self.assertEqual(said, "drover job status: cannot reach http://127.0.0.1:1: Connection "
                               "refused: is an agent running? drover agent --dev starts one\n")
        # Variables and options lead to different agents.
        self.assertIn("127.0.0.1:2", self.fails("node", "status", "-address=http://127.0.0.1:2"))
        self.assertIn("127.0.0.1:3", self.fails("node", "status", DROVER_ADDR=None,
                                                NOMAD_ADDR="http://127.0.0.1:3"))
        self.assertIn("http://", self.fails("eval", "list", "--address", "127.0.0.1:4", code=2))
        self.assertIn("drover.sock", self.fails("system", "gc", DROVER_ADDR="unix:///drover.sock"))
        # The agent of this machine is not behind a proxy.
        self.assertIn("Connection refused", self.fails("job", "status", http_proxy="http://[::1]:5"))

    def test_proxies_are_refused_by_name(self):
        self.address = "http://127.0.0.2:1"
        self.assertEqual(self.fails("job", "status", http_proxy="http://me:secret@127.0.0.1:5"),
                         "drover job status: the variable http_proxy names a proxy for 127.0.0.2, but "
                         "drover connects without proxies: unset http_proxy, or add 127.0.0.2 to "
                         "no_proxy\n")
        self.assertIn("the variable ALL_PROXY", self.fails("job", "status", ALL_PROXY="socks5://x"))
        self.assertIn("Connection refused", self.fails("job", "status", http_proxy="http://x",
                                                       no_proxy="127.0.0.0/8"))

    def test_commands_that_make_no_sense(self):
        for arguments in (("job",), ("job", "fly"), ("alloc", "status"), ("node", "eligibility", "ab"),
                          ("job", "run", "-check-index", "x", "f"), ("job", "status", "a", "b")):
            self.fails(*arguments, code=2, DROVER_ADDR="http://127.0.0.1:1")

    def test_a_token(self):
        token = self.sandbox.write("token", "correct-horse-battery\n")
        token.chmod(0o600)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, token_file=str(token)))
        self.address = agent.url
        self.assertIn("Permission denied: see --token", self.fails("job", "status"))
        self.assertIn("ACL token not found", self.fails("job", "status", "-token", "other"))
        self.cli("job", "status", "-token", "correct-horse-battery")
        self.cli("job", "status", NOMAD_TOKEN="correct-horse-battery")
        agent.stop()

    def test_tls(self):
        root = self.sandbox.root
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=drover", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                        str(root / "key.pem"), "-out", str(root / "cert.pem")], check=True,
                       capture_output=True, stdin=subprocess.DEVNULL)
        files = {"cert_file": str(root / "cert.pem"), "key_file": str(root / "key.pem"),
                 "ca_file": str(root / "cert.pem"), "verify_client": True}
        run = harness.Run(self.sandbox, [
            "agent", "--port", "0", "--config",
            agent_config(self.sandbox, http={"tls": files})], json_lines=False)
        self.sandbox.runs.append(run)
        line = run.wait_for(lambda r: next((l for l in r.lines if "serving" in l), None), "the API")
        self.address = re.search(r"https://\S+", line).group(0)
        own = ("--client-cert", root / "cert.pem", "--client-key", root / "key.pem")
        self.assertIn("certificate", self.fails("job", "status", *own))
        self.cli("job", "status", *own, "--ca-cert", root / "cert.pem")
        self.cli("job", "status", *own, "--tls-skip-verify")
        node = self.json("node", "status", *own, "--tls-skip-verify")[0]["ID"]
        self.assertTrue(self.json("node", "status", *own, "--tls-skip-verify", node)["TLSEnabled"],
                        "clients that ask the node itself must not send a token in the clear")
        self.cli("job", "status", NOMAD_CACERT=str(root / "cert.pem"),
                 NOMAD_CLIENT_CERT=str(root / "cert.pem"), NOMAD_CLIENT_KEY=str(root / "key.pem"))
        self.fails("job", "status", "--ca-cert", root / "cert.pem")  # without the certificate of a client
        run.interrupt()
        self.assertEqual(run.wait(), 0, run.story())


class Canned(http.server.BaseHTTPRequestHandler):
    """Sends the answer that the test has prepared for the path."""

    def do_GET(self):
        body = self.server.answers.get(self.path.partition("?")[0])
        self.send_response(404 if body is None else 200)
        self.end_headers()
        if body is not None:
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


@contextlib.contextmanager
def canned(answers, path=None):
    """Starts a server with ANSWERS and returns its address. PATH: of a socket in the file system."""
    server = (UnixServer(path, Canned) if path else
              http.server.ThreadingHTTPServer(("127.0.0.1", 0), Canned))
    server.answers = answers
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield "unix://" + path if path else "http://127.0.0.1:%d" % server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def stub(number, **fields):
    return {"ID": f"abcdef{number:02x}-0000-4000-8000-000000000000", "Name": f"j.g[{number}]",
            "JobID": "j", "ClientStatus": "running", **fields}


class ClientAnswerTest(Client, DroverTest):
    """The client's reactions to answers of a fake agent."""

    def on_terminal(self, *arguments, columns, **env):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [str(binary()), *arguments], stdin=slave, stdout=slave, stderr=slave,
            env=self.sandbox.environment({"TERM": "xterm", "NO_COLOR": None,
                                          "DROVER_ADDR": self.address, **env}))
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal's input
            while data := os.read(master, 65536):
                shown += data
        os.close(master)
        self.assertEqual(process.wait(harness.LIMIT), 0, shown)
        return shown.decode().replace("\r\n", "\n")

    def test_an_id_with_several_meanings(self):
        with canned({"/v1/allocations": [stub(1), stub(2), stub(0x21)]}) as self.address:
            said = self.fails("alloc", "status", "abc")
            self.assertIn('"abc" is the beginning of 3 allocations: write more of it', said)
            self.assertIn("abcdef02-0000-4000-8000-000000000000  j.g[2]  j  running", said)
            # An odd number of characters: the server was asked for one less.
            self.assertIn("of 2 allocations", self.fails("alloc", "stop", "abcdef0"))
            self.assertIn("no allocation", self.fails("alloc", "signal", "abcdef3"))

    def test_texts_do_not_steer_the_terminal(self):
        evil = "\x1b[2Jx\x9b31m\u009b"
        one = stub(1, NodeName=evil, ClientDescription=evil, ClientStatus=evil,
                   TaskStates={evil: {"State": evil, "Events": [{"DisplayMessage": evil}]}})
        answers = {"/v1/allocations": [one], "/v1/allocation/" + one["ID"]: one,
                   "/v1/jobs": [{"ID": evil, "Namespace": evil, "Status": evil}]}
        with canned(answers) as self.address:
            for arguments in (("alloc", "status", "abcdef"), ("job", "status"),
                              ("alloc", "status", "abcdef", "-json"), ("job", "status", "-json")):
                shown = self.cli(*arguments).out
                self.assertNotRegex(shown, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
            said = self.fails("job", "stop", "\x1b")
            self.assertNotIn("\x1b", said)

    def test_answers_that_make_no_sense(self):
        deep = b"[" * 1000000
        for body in (b"<html>", b"{", b"", b"null", b"7", b'"x"', b"[7, null, {}, [[]]]", deep,
                     b"[" * 100000 + b"]" * 100000,
                     b'[{"ID": 7, "SubmitTime": "x", "Priority": {}}]'):
            with canned({"/v1/jobs": body, "/v1/nodes": body}) as self.address:
                for arguments in (("job", "status"), ("node", "status", "-json")):
                    done = self.sandbox.command(*arguments, env={"DROVER_ADDR": self.address})
                    self.assertIn(done.code, (0, 1), (body[:40], str(done)[:2000]))
                    if body in (b"<html>", b"{", deep):
                        self.assertIn("is no JSON", done.err)
        with canned({}) as self.address:
            self.assertIn("HTTP status 404", self.fails("job", "status"))

    def test_narrow_terminals(self):
        jobs = [{"ID": "a-job-with-a-long-name-" * 2, "Namespace": "default", "Type": "service",
                 "Priority": 50, "Status": "running", "SubmitTime": 1_700_000_000_000_000_000}]
        with canned({"/v1/jobs": jobs}) as self.address:
            shown = self.on_terminal("job", "status", columns=70)
            self.assertIn("\x1b[32mrunning", shown)
            plain = re.sub(r"\x1b\[\d+m", "", shown)
            for line in plain.splitlines():
                self.assertLessEqual(len(line), 70, line)
            self.assertIn("a-job-with", plain)
            self.assertIn("…", plain)
            self.assertNotIn("\x1b", self.on_terminal("job", "status", columns=70, NO_COLOR="1"))
            # Outside of a terminal, nothing is cut or coloured.
            piped = self.cli("job", "status").out
            self.assertIn(jobs[0]["ID"], piped)
            self.assertNotIn("\x1b", piped)

    def test_a_socket_in_the_file_system(self):
        with canned({"/v1/jobs": []}, str(self.sandbox.root / "s")) as self.address:
            self.assertIn("There are no jobs", self.cli("job", "status").out)


if __name__ == "__main__":
    harness.main()
