// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// run_driver FILE.so TASK_CONFIGURATION: runs one task of a driver to its end in the fake host and
// prints its output. The tests that build drivers out of tree use it.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_host.h"

namespace {

int Fail(const char* step, const drover_test::Result& result) {
  fprintf(stderr, "%s: %s\n", step, result.complete ? result.text().c_str() : "no completion");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: run_driver FILE.so TASK_CONFIGURATION\n");
    return 2;
  }
  drover_test::FakeHost host;
  if (host.Load(argv[1]) == nullptr) {
    fprintf(stderr, "cannot load %s: %s\n", argv[1], host.log().c_str());
    return 1;
  }
  drover_test::Result result = host.Create("{}");
  if (!result.ok()) return Fail("create", result);
  drover_test::StreamLog health = host.AwaitMessages(host.Fingerprint(), 1);
  if (health.messages.empty() || health.messages[0].health != DROVER_HEALTHY) {
    fprintf(stderr, "the driver is not healthy\n");
    return 1;
  }
  drover_test::Task task;
  task.run = drover_test::RunOf(1);
  task.task_dir = "/";
  task.config = argv[2];
  task.env = {{"PATH", "/usr/bin:/bin"}};
  host.HoldExits(true);  // the task may end at once
  result = host.Finish(host.Start(task));
  if (!result.ok()) return Fail("start", result);
  std::string handle = result.handle;
  drover_test::Result refused = host.Finish(host.Destroy(task.run, false));
  if (!refused.error || refused.error->code != DROVER_E_FAILED_PRECONDITION) {
    return Fail("destroy of a running task", refused);
  }
  host.HoldExits(false);
  if (result = host.Finish(host.Recover(task, &handle)); !result.ok())
    return Fail("recover", result);
  drover_test::Result exit = host.Finish(host.Wait(task.run));
  if (!exit.ok()) return Fail("wait", exit);
  result = host.Finish(host.Inspect(task.run));
  if (!result.ok() || result.state != DROVER_TASK_EXITED) return Fail("inspect", result);
  result = host.Finish(host.Destroy(task.run, false));
  if (!result.ok()) return Fail("destroy", result);
  result = host.Shutdown();
  if (!result.ok()) return Fail("shutdown", result);
  printf("%sexit code %d\n", host.output(task.run).c_str(), exit.exit->exit_code);
  return 0;
}
