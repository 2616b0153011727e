// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// drover-testhost is a host without an agent. It loads one driver, and the driver's own tests send
// it requests.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/conformance/kit_child.h"
#include "host/conformance/scratch.h"
#include "sdk/testhost/answers.h"
#include "sdk/testhost/end_signals.h"
#include "sdk/testhost/server.h"

namespace drover {
namespace {

Co<void> Run(RealLoop* loop, TestedDriver* driver, Context end, int* code) {
  const Status loaded = co_await driver->Load();
  if (loaded.ok()) {
    Server server(loop, driver, end);
    co_await server.Serve();
    *code = 0;
  } else {
    const nlohmann::json answer = {{"error", ErrorJson(loaded.error())}};
    std::printf("%s\n",
                answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
  co_await driver->Close();
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Loads a driver as the agent does and carries out the requests on standard input, one JSON "
      "object per line: {\"call\": \"start\", \"task\": \"a\", \"config\": {...}}. Each is "
      "answered "
      "by a line with \"result\" or \"error\". docs/testhost.md lists the calls.",
      "drover-testhost");
  TestedDriverOptions options;
  app.add_option("FILE", options.file, "The driver's library")->required();
  app.add_option("--config", options.config, "The plugin's configuration (JSON)");
  app.add_option("--isolation", options.isolation,
                 "in-process (the default), or process: in a process of its own");
  app.add_flag("!--no-probe", options.probe,
               "Loads the file without a probe in a child, which a sanitizer's runtime would not "
               "reach");
  CLI11_PARSE(app, argc, argv);
  std::error_code ignored;
  options.file = std::filesystem::absolute(options.file, ignored).string();
  signal(SIGPIPE, SIG_IGN);
  const Scratch scratch;
  options.directory = scratch.path();
  // These objects are never destroyed, since threads of the driver may still run. The process exits
  // right after this function.
  auto* loop = new RealLoop;
  const Context end(loop);
  new EndSignals(loop, end);
  auto* workers = new WorkerPool(2);
  ProcessServiceOptions service;
  service.run_dir = scratch.path() + "/run";
  service.cgroup_root = "none";
  auto processes = NewProcessService(loop, service);
  if (scratch.path().empty() || !processes.ok()) {
    std::fprintf(stderr, "drover-testhost: %s\n",
                 processes.ok() ? "no directory can be made in TMPDIR, or in /tmp"
                                : processes.error().message().c_str());
    return 1;
  }
  auto* driver = new TestedDriver(loop, workers, processes->release(), std::move(options));
  int code = 1;
  (void)loop->RunToEnd(Run(loop, driver, end, &code), std::chrono::hours(24));
  return code;
}

}  // namespace
}  // namespace drover

int main(int argc, char** argv) {
  // To probe the driver, and to remove its directory at the end, this program starts itself as a
  // child.
  if (const std::optional<int> code = drover::MaybeRunKitChild(argc, argv)) return *code;
  const int code = drover::Main(argc, argv);
  std::fflush(nullptr);
  std::_Exit(code);
}
