// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/agent_jobs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace drover::bench {

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

Json JobBody(const std::string& id, const char* type, const char* driver, const Json& config,
             int count) {
  const Json task = {{"Name", "t"},
                     {"Driver", driver},
                     {"Config", config},
                     {"LogConfig", {{"MaxFiles", 5}, {"MaxFileSizeMB", 2}}},
                     {"Resources", {{"CPU", 1}, {"MemoryMB", 10}}}};
  const Json group = {{"Name", "g"},
                      {"Count", count},
                      {"EphemeralDisk", {{"SizeMB", 10}}},
                      {"RestartPolicy", {{"Attempts", 0}, {"Mode", "fail"}}},
                      {"Tasks", {task}}};
  return {{"Job", {{"ID", id}, {"Type", type}, {"Datacenters", {"dc1"}}, {"TaskGroups", {group}}}}};
}

Json Must(Result<Json> answer) {
  if (answer.ok()) return std::move(*answer);
  std::fprintf(stderr, "the agent says: %s\n", answer.error().message().c_str());
  std::abort();
}

void Await(ApiClient* client, const std::string& path,
           const std::function<bool(const Json&)>& done) {
  std::uint64_t index = 0;
  while (!done(Must(client->Get(path, {}, &index)))) {
  }
}

bool AllAre(const Json& allocs, const char* status) {
  return std::all_of(allocs.begin(), allocs.end(),
                     [&](const Json& alloc) { return alloc.at("ClientStatus") == status; });
}

bool IsDead(const Json& job) { return job.at("Status") == "dead"; }

void MustHold(ApiClient* client, int count) {
  const Json metrics = Must(client->Get("/v1/metrics"));
  for (const Json& gauge : metrics.at("Gauges")) {
    if (gauge.at("Name") != "drover.live.alloc_runners") continue;
    const int held = gauge.at("Value").get<int>();
    if (held >= count) return;
    std::fprintf(stderr, "the agent has collected some by itself: %d of %d are left\n", held,
                 count);
    std::abort();
  }
  std::fprintf(stderr, "the agent does not report how many allocations it holds\n");
  std::abort();
}

void Collect(ApiClient* client) { Must(client->Put("/v1/system/gc", Json())); }

double SubmitToRunning(ApiClient* client, const std::string& id, const Json& body) {
  const auto start = Clock::now();
  Must(client->Put("/v1/jobs", body));
  Await(client, "/v1/job/" + id + "/allocations",
        [](const Json& allocs) { return !allocs.empty() && AllAre(allocs, "running"); });
  return Since(start);
}

double StopToDead(ApiClient* client, const std::string& id) {
  const auto start = Clock::now();
  Must(client->Delete("/v1/job/" + id));
  Await(client, "/v1/job/" + id + "/allocations",
        [](const Json& allocs) { return AllAre(allocs, "complete"); });
  return Since(start);
}

double RunShortTasks(ApiClient* client, const std::string& id, int tasks) {
  const auto start = Clock::now();
  Must(client->Put("/v1/jobs",
                   JobBody(id, "batch", "raw_exec", {{"command", DROVER_BENCH_NOOP}}, tasks)));
  Await(client, "/v1/job/" + id, IsDead);
  const double seconds = Since(start);
  const Json summary = Must(client->Get("/v1/job/" + id + "/summary"));
  DROVER_CHECK(summary.at("Summary").at("g").at("Complete") == tasks);
  return seconds;
}

}  // namespace drover::bench
