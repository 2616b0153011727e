// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/process_service.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace drover {
namespace {
TEST(Smoke, EchoRuns) {
  RealLoop loop;
  char dir[] = "/tmp/drover-smoke-XXXXXX";
  ASSERT_TRUE(mkdtemp(dir));
  ProcessServiceOptions options;
  options.run_dir = std::string(dir) + "/run";
  auto service = NewProcessService(&loop, options);
  ASSERT_TRUE(service.ok()) << service.error().message();
  ProcessService* s = service->get();
  ProcessSpec spec;
  spec.run = RunId::Random();
  spec.argv = {"/bin/sh", "-c", "echo hello; exit 3"};
  spec.logs.directory = UniqueFd(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  spec.logs.task = "web";
  auto body = [](ProcessService* s, ProcessSpec spec, Loop* loop) -> Co<void> {
    Context context(loop);
    const RunId run = spec.run;
    auto info = co_await s->Start(context, std::move(spec));
    EXPECT_TRUE(info.ok()) << info.error().message();
    auto exit = co_await s->Wait(context, run);
    EXPECT_TRUE(exit.ok());
    EXPECT_EQ(exit->exit_code, 3) << exit->error;
    auto r = co_await s->Release(context, run);
    EXPECT_TRUE(r.ok()) << r.error().message();
  };
  EXPECT_TRUE(loop.RunToEnd(body(s, std::move(spec), &loop), 10s));
  std::ifstream in(std::string(dir) + "/web.stdout.0");
  std::stringstream t;
  t << in.rdbuf();
  EXPECT_EQ(t.str(), "hello\n");
  system(("ls -la " + std::string(dir) + "/run").c_str());
  std::filesystem::remove_all(dir);
}
}  // namespace
}  // namespace drover
