// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/scale_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "bench/agent_jobs.h"
#include "bench/scale_followers.h"

namespace drover::bench {
namespace {

// Counts WORD in a text that comes in pieces. WORD may begin in one piece and end in the next.
class Occurrences {
 public:
  explicit Occurrences(std::string word) : word_(std::move(word)) {}

  long Count(std::string_view piece) {
    const std::string text = rest_ + std::string(piece);
    long count = 0;
    for (std::size_t at = text.find(word_); at != text.npos; at = text.find(word_, at + 1)) ++count;
    rest_ = text.substr(text.size() - std::min(text.size(), word_.size() - 1));
    return count;
  }

 private:
  const std::string word_;
  std::string rest_;
};

// Waits until FOLLOWER has read all events: it is at most a moment behind the agent. A follower
// that the agent has closed has lost events.
void AwaitAllRead(const Followers& follower) {
  constexpr auto kQuiet = std::chrono::seconds(2);
  std::uint64_t before = 0;
  do {
    before = follower.bytes();
    std::this_thread::sleep_for(kQuiet);
  } while (follower.bytes() != before);
  if (follower.closed() == 0) return;
  std::fprintf(stderr, "the agent has closed the follower: not all events were counted\n");
  std::abort();
}

}  // namespace

QueueCost MeasureQueue(const AgentProcess& agent, int jobs) {
  ApiClient client = agent.Connect();
  const Json nodes = Must(client.Get("/v1/nodes"));
  const Json node = Must(client.Get("/v1/node/" + nodes[0].at("ID").get<std::string>()));
  const int half = node.at("NodeResources").at("Memory").at("MemoryMB").get<int>() / 2;

  Occurrences writes("\"Topic\":\"Evaluation\"");
  std::atomic<long> evaluations{0};
  const Followers follower(agent.address(), "?topic=Evaluation", 1,
                           [&](std::string_view piece) { evaluations += writes.Count(piece); });
  const auto start = Clock::now();
  for (int i = 0; i < jobs; ++i) {
    Json body = JobBody("queued-" + std::to_string(i), "batch", "raw_exec",
                        {{"command", DROVER_BENCH_NOOP}}, 1);
    body["Job"]["TaskGroups"][0]["Tasks"][0]["Resources"]["MemoryMB"] = half + 1;
    Must(client.Put("/v1/jobs", body));
  }
  for (int i = 0; i < jobs; ++i) Await(&client, "/v1/job/queued-" + std::to_string(i), IsDead);
  const double seconds = Since(start);
  AwaitAllRead(follower);
  return {static_cast<double>(evaluations) / jobs, seconds};
}

}  // namespace drover::bench
