// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/agent_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace drover::bench {
namespace {

constexpr char kServing[] = "serving http://";

std::string WriteConfiguration(const Scratch& scratch) {
  const std::string directory = scratch.NewDirectory("agent");
  const nlohmann::json config = {
      {"data_dir", directory},
      {"http", {{"port", 0}}},
      {"plugin_dirs", {DROVER_BENCH_PLUGINS}},
      {"plugins",
       {{"exec", nlohmann::json::object()}, {"raw_exec", {{"config", {{"enabled", true}}}}}}},
      {"client", {{"run_dir", scratch.run_dir()}, {"gc_max_allocs", 1'000'000}}},
  };
  const std::string path = directory + "/agent.json";
  std::ofstream(path) << config.dump(2);
  return path;
}

}  // namespace

AgentProcess::AgentProcess(const Scratch& scratch) {
  const std::string config = WriteConfiguration(scratch);
  int ends[2];
  DROVER_CHECK(pipe(ends) == 0);
  const pid_t self = getpid();
  pid_ = fork();
  DROVER_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(127);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(DROVER_BENCH_HOST, "drover", "agent", "--config", config.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
  std::string said;
  char c = 0;
  while (c != '\n' && read(output_, &c, 1) == 1) said += c;
  const std::size_t at = said.find(kServing);
  if (at == std::string::npos) {
    std::fprintf(stderr, "the agent does not answer: %s\n", said.c_str());
    std::abort();
  }
  address_ = "http://" + said.substr(at + sizeof kServing - 1);
  address_.pop_back();
}

AgentProcess::~AgentProcess() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  close(output_);
}

ApiClient AgentProcess::Connect() const {
  ClientOptions options;
  options.address = address_;
  Result<ApiClient> client = ApiClient::Create(options);
  DROVER_CHECK(client.ok());
  return std::move(*client);
}

double AgentProcess::CpuSeconds() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace drover::bench
