// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Input that a driver may receive but seldom does: odd configurations of tasks, and handles that
// the driver did not write.
#include <cstdint>
#include <functional>

#include "host/conformance/kit_case.h"
#include "host/conformance/verb_call.h"

namespace drover {
namespace {

using Change = void (*)(TaskConfig* config);

// Starts a task whose configuration CHANGE has made unusual. The driver must answer the start, and
// the destroyed task must leave nothing behind. If RUNS is true, the task must also run.
Co<void> OddTask(KitCase* kit, LoadedDriver* driver, const char* what, Change change, bool runs) {
  const auto lasting = kit->Prepare(driver, kit->Lasting());
  if (!lasting) co_return;
  auto odd = std::make_shared<TaskConfig>(*lasting);
  change(odd.get());
  const std::shared_ptr<const TaskConfig> config = odd;
  const std::string whose = std::string("start of a task ") + what;
  const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
  KIT_EXPECT(started.code() != Code::kTimeout, whose + " is not answered");
  KIT_EXPECT(started.ok() || !runs, whose + ": " + Describe(started));
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), config->run_id);
  if (runs) {
    KIT_EXPECT(status.ok() && status->state == TaskState::kRunning,
               "a task " + std::string(what) + " does not run: " + Describe(status));
  }
  const Status gone = co_await driver->Destroy(kit->context(), config->run_id, true);
  KIT_EXPECT(gone.ok() || (!started.ok() && gone.code() == Code::kNotFound),
             "destroy with force, after " + whose + ": " + Describe(gone));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), config->run_id);
  KIT_EXPECT(after.code() == Code::kNotFound, "inspect of what was destroyed after " + whose +
                                                  " must be E_NOT_FOUND, it was " +
                                                  Describe(after));
}

Co<void> TextsAtPageEnds(KitCase* kit, LoadedDriver* driver) {
  const auto config = kit->Prepare(driver, kit->Lasting());
  if (!config) co_return;
  const VerbRequest request{config->run_id, config};
  const auto answer = co_await CallVerb(driver, "start", request, Manner::kPageEnds);
  KIT_EXPECT(answer, "start is not completed within 3 s");
  KIT_EXPECT(answer->ok(), "start: " + Describe(*answer));
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), config->run_id);
  KIT_EXPECT(status.ok() && status->state == TaskState::kRunning,
             "a task whose texts have no byte behind them does not run: " + Describe(status));
}

std::string Of(std::size_t count, const std::string& what) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += what;
  return text;
}

struct OddTaskCase {
  const char* suffix;
  const char* what;
  bool runs;
  Change change;
};
const OddTaskCase kOddTasks[] = {
    {"no-env", "without a variable", true, [](TaskConfig* c) { c->env.clear(); }},
    {"many-env", "with 1000 variables", true,
     [](TaskConfig* c) {
       for (int i = 0; i < 1000; ++i) c->env["KIT_" + std::to_string(i)] = "value";
     }},
    {"long-env", "with a variable of 100 KiB", true,
     [](TaskConfig* c) { c->env["KIT_LONG"] = std::string(100 << 10, 'v'); }},
    {"empty-env", "with a variable that is empty", true,
     [](TaskConfig* c) { c->env["KIT_EMPTY"] = ""; }},
    {"utf8-env", "with a variable in several scripts", true,
     [](TaskConfig* c) { c->env["KIT_TEXT"] = "gr\u00fc\u00df \u4f60\u597d \U0001f40e"; }},
    {"lines-env", "with a variable of several lines", true,
     [](TaskConfig* c) { c->env["KIT_LINES"] = "a\nb\n\n=\"'$(\\"; }},
    {"utf8-names", "whose job has a name in several scripts", true,
     [](TaskConfig* c) {
       c->job_name = c->job_id = "gr\u00fc\u00df \u4f60\u597d";
       c->node_name = c->group_name = "\U0001f40e";
     }},
    {"empty-names", "whose job, group and node have empty names", true,
     [](TaskConfig* c) {
       c->job_name = c->job_id = c->job_namespace = c->group_name = c->node_name = "";
       c->node_id = c->alloc_name = "";
     }},
    {"long-names", "whose job has a name of 64 KiB", true,
     [](TaskConfig* c) { c->job_name = c->job_id = Of(1 << 12, "0123456789abcdef"); }},
    {"device-env", "with variables of devices", true,
     [](TaskConfig* c) { c->env["KIT_GPU"] = c->device_env["KIT_GPU"] = "0"; }},
    {"many-ports", "with 200 ports", true,
     [](TaskConfig* c) {
       for (int i = 0; i < 200; ++i)
         c->ports.push_back({"port" + std::to_string(i), 20000 + i, 0, "127.0.0.1"});
     }},
    {"no-kill-signal", "without a kill signal", true, [](TaskConfig* c) { c->kill_signal = ""; }},
    {"no-kill-timeout", "with a kill timeout of 0", true,
     [](TaskConfig* c) { c->kill_timeout = 0s; }},
    {"unknown-kill-signal", "whose kill signal is none", false,
     [](TaskConfig* c) { c->kill_signal = "SIGNONSENSE"; }},
    {"unknown-user", "of a user that does not exist", false,
     [](TaskConfig* c) { c->user = "drover-kit-nobody"; }},
    {"unknown-network", "of a network mode that does not exist", false,
     [](TaskConfig* c) { c->network_mode = "drover-kit"; }},
    {"missing-namespace", "of a network namespace that is not there", false,
     [](TaskConfig* c) { c->network_namespace_path = "/nonexistent/drover-kit"; }},
    {"missing-directory", "whose directories are not there", false,
     [](TaskConfig* c) {
       c->alloc_dir = c->task_dir = c->local_dir = "/nonexistent/drover-kit";
       c->secrets_dir = c->log_dir = "/nonexistent/drover-kit";
     }},
    {"missing-mount", "with a mount that is not there", false,
     [](TaskConfig* c) { c->mounts = {{"/kit", "/nonexistent/drover-kit", true, "private"}}; }},
    {"missing-device", "with a device that is not there", false,
     [](TaskConfig* c) { c->devices = {{"/dev/kit", "/dev/drover-kit", "rwm"}}; }},
    {"unknown-cores", "with cores that do not exist", false,
     [](TaskConfig* c) { c->cpu_cores = "100000-100007"; }},
    {"no-resources", "without memory or processor time", false,
     [](TaskConfig* c) {
       c->resources.memory_mb = c->resources.cpu_mhz = 0;
       c->memory_limit_bytes = c->cpu_shares = 0;
       c->cpu_quota = 0s;
     }},
    {"huge-resources", "with more memory and processor time than there can be", false,
     [](TaskConfig* c) {
       c->resources.memory_mb = c->resources.cpu_mhz = INT64_MAX >> 24;
       c->memory_limit_bytes = c->cpu_shares = INT64_MAX;
     }},
};

using MakeState = std::string (*)(KitCase* kit);

// Calls recover with a handle that the driver never wrote. The result must be an error.
Co<void> OddHandle(KitCase* kit, LoadedDriver* driver, const char* what, MakeState make, int tries,
                   std::uint32_t version) {
  for (int i = 0; i < tries; ++i) {
    const auto config = kit->Prepare(driver, kit->Lasting());
    if (!config) co_return;
    TaskHandle handle;
    handle.driver = driver->info().name;
    handle.driver_version = "0.0.0";
    handle.format_version = version;
    handle.state = make(kit);
    const Context soon = kit->Within(5s);
    const Result<RecoveredTask> result = co_await driver->Recover(soon, config, handle);
    KIT_EXPECT(!result.ok() && result.code() != Code::kTimeout,
               "recover with a handle that it never wrote, " + std::string(what) +
                   ", must be an error (--seed " + std::to_string(kit->seed()) + "), it was " +
                   Describe(result));
  }
}

// Calls recover with a part of a handle that the driver has written. This part may be enough for
// the driver, so the result may be success or an error. But the driver must answer.
Co<void> CutHandle(KitCase* kit, LoadedDriver* driver) {
  const auto config = kit->Prepare(driver, kit->Lasting());
  if (!config) co_return;
  const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
  KIT_EXPECT(started.ok(), "start: " + Describe(started));
  const Status gone = co_await driver->Destroy(kit->context(), config->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy with force: " + Describe(gone));
  const std::string& whole = started->handle.state;
  for (const std::size_t size : {whole.size() / 2, whole.size() > 0 ? whole.size() - 1 : 0}) {
    TaskHandle handle = started->handle;
    handle.state = whole.substr(0, size);
    const Context soon = kit->Within(5s);
    const Result<RecoveredTask> result = co_await driver->Recover(soon, config, handle);
    KIT_EXPECT(result.code() != Code::kTimeout,
               "recover with the first " + std::to_string(size) + " bytes of its own handle of " +
                   std::to_string(whole.size()) + " is not answered");
    (void)co_await driver->Destroy(soon, config->run_id, true);
  }
}

struct OddHandleCase {
  const char* suffix;
  const char* what;
  int tries;
  std::uint32_t version;
  MakeState make;
};
const OddHandleCase kOddHandles[] = {
    {"empty", "an empty one", 1, 4711, [](KitCase*) { return std::string(); }},
    {"byte", "one byte", 1, 4711, [](KitCase*) { return std::string("x"); }},
    {"zero", "a byte of zero", 1, 4711, [](KitCase*) { return std::string(1, '\0'); }},
    {"zeros", "4 KiB of zeros", 1, 4711, [](KitCase*) { return std::string(4096, '\0'); }},
    {"object", "a JSON object of somebody else's", 1, 1,
     [](KitCase*) { return std::string(R"({"pid":-1})"); }},
    {"null", "the JSON null", 1, 1, [](KitCase*) { return std::string("null"); }},
    {"list", "a JSON list", 1, 1, [](KitCase*) { return std::string("[1,[2,[3]]]"); }},
    {"deep", "50000 JSON lists in each other", 1, 1,
     [](KitCase*) { return std::string(50'000, '['); }},
    {"braces", "100 KB of braces", 1, 4711, [](KitCase*) { return std::string(100'000, '{'); }},
    {"numbers", "numbers without end", 1, 1,
     [](KitCase*) { return Of(100, "18446744073709551616e999 "); }},
    {"text", "bytes that are no text", 1, 1,
     [](KitCase*) { return std::string("\"\xff\xc0\x80\xed\xa0\x80"); }},
    {"version", "of a version to come", 1, UINT32_MAX,
     [](KitCase*) { return std::string(R"({"version":4294967295})"); }},
    {"huge", "of 1 MiB", 1, 1, [](KitCase*) { return std::string(1 << 20, 'h'); }},
    {"garbage", "of random bytes", 8, 4711, [](KitCase* kit) { return kit->RandomBytes(300); }},
};

std::vector<KitEntry> MakeOddCases() {
  std::vector<KitEntry> cases;
  for (const OddTaskCase& one : kOddTasks) {
    const auto run = [&one](KitCase* kit, LoadedDriver* driver) {
      return OddTask(kit, driver, one.what, one.change, one.runs);
    };
    cases.push_back({"task-" + std::string(one.suffix),
                     "A task " + std::string(one.what) +
                         (one.runs ? " runs" : " runs or is refused, and leaves nothing"),
                     run, "task"});
  }
  cases.push_back({"task-page-ends", "A text is read no further than it goes", TextsAtPageEnds});
  for (const OddHandleCase& one : kOddHandles) {
    const auto run = [&one](KitCase* kit, LoadedDriver* driver) {
      return OddHandle(kit, driver, one.what, one.make, one.tries, one.version);
    };
    cases.push_back(
        {"recover-" + std::string(one.suffix),
         "recover refuses a handle that the driver never wrote: " + std::string(one.what), run,
         "recover"});
  }
  cases.push_back(
      {"recover-cut", "recover answers to a part of the driver's own handle", CutHandle});
  return cases;
}

}  // namespace

const std::vector<KitEntry>& OddCases() {
  static const std::vector<KitEntry> cases = MakeOddCases();
  return cases;
}

}  // namespace drover
