// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/idle_cost.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <set>

#include "bench/proc_facts.h"
#include "host/base/gate.h"

namespace drover::bench {
namespace {

constexpr int kStarting = 8;  // at once
constexpr Duration kIdle = 5s;

using Allocs = std::vector<std::unique_ptr<LocalAlloc>>;

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Co<void> StartSome(Allocs* allocs, std::size_t* next) {
  while (*next < allocs->size()) {
    LocalAlloc* const alloc = (*allocs)[(*next)++].get();
    alloc->Start();
    const bool running = co_await alloc->WaitRunning();
    DROVER_CHECK(running);
  }
}

Co<void> StartAll(Loop* loop, Allocs* allocs) {
  std::size_t next = 0;
  std::vector<Co<void>> workers;
  for (int i = 0; i < kStarting; ++i) workers.push_back(StartSome(allocs, &next));
  co_await InParallel(loop, std::move(workers));
}

Co<void> EndOne(LocalAlloc* alloc) {
  alloc->Stop();
  const Status finished = co_await alloc->Finish();
  DROVER_CHECK(finished.ok());
}

Co<void> EndAll(Loop* loop, Allocs* allocs) {
  std::vector<Co<void>> ends;
  for (const auto& alloc : *allocs) ends.push_back(EndOne(alloc.get()));
  co_await InParallel(loop, std::move(ends));
}

Co<void> Rest(Loop* loop) {
  const Context context(loop);
  [[maybe_unused]] const Status slept = co_await Sleep(context, kIdle);
}

ProcFacts OwnFacts() {
  malloc_trim(0);
  return ReadProcFacts(getpid());
}

std::set<pid_t> LivingDescendants() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  std::set<pid_t> pids;
  for (const Descendant& d : Descendants()) pids.insert(d.pid);
  return pids;
}

}  // namespace

IdleCost MeasureIdle(LocalNode* node, std::shared_ptr<const Job> job, const std::string& name,
                     int tasks) {
  DROVER_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  RealLoop* const loop = node->loop();
  const std::set<pid_t> before = LivingDescendants();
  const ProcFacts empty = OwnFacts();
  Allocs allocs;
  for (int i = 0; i < tasks; ++i) allocs.push_back(std::make_unique<LocalAlloc>(node, job));
  DROVER_CHECK(loop->RunToEnd(StartAll(loop, &allocs), std::chrono::minutes(10)));

  IdleCost cost;
  const double cpu = CpuSeconds();
  DROVER_CHECK(loop->RunToEnd(Rest(loop)));
  cost.agent_cpu_percent =
      100 * (CpuSeconds() - cpu) / std::chrono::duration<double>(kIdle).count();

  const ProcFacts full = OwnFacts();
  long helpers = 0, running = 0, pss = 0;
  for (const Descendant& d : Descendants()) {
    if (d.zombie || before.count(d.pid) != 0) continue;
    if (d.name == name) {
      ++running;
      continue;
    }
    const ProcFacts facts = ReadProcFacts(d.pid);
    ++helpers;
    pss += facts.pss_kib;
    cost.helper_descriptors = std::max(cost.helper_descriptors, facts.descriptors);
  }
  DROVER_CHECK(running == tasks);
  cost.helpers = double(helpers) / tasks;
  cost.helper_pss_kib = double(pss) / tasks;
  cost.agent_pss_kib = double(full.pss_kib - empty.pss_kib) / tasks;
  cost.agent_descriptors = double(full.descriptors - empty.descriptors) / tasks;
  cost.agent_threads_growth = full.threads - empty.threads;

  DROVER_CHECK(loop->RunToEnd(EndAll(loop, &allocs), std::chrono::minutes(10)));
  allocs.clear();
  // Shims end a moment after their last message.
  for (int i = 0; i < 100 && LivingDescendants() != before; ++i) usleep(20'000);
  DROVER_CHECK(LivingDescendants() == before);
  return cost;
}

void PrintIdle(const std::string& driver, const IdleCost& cost, int tasks) {
  std::printf("an idle %s task, as the difference between 0 and %d of them:\n", driver.c_str(),
              tasks);
  std::printf("  memory       %7.0f KiB  (helpers %.0f, agent %.0f; proportional)\n",
              cost.helper_pss_kib + cost.agent_pss_kib, cost.helper_pss_kib, cost.agent_pss_kib);
  std::printf("  helpers      %7.2f processes\n", cost.helpers);
  std::printf("  descriptors  %7ld in a helper, %.2f in the agent\n", cost.helper_descriptors,
              cost.agent_descriptors);
  std::printf("  all together %7.2f %% of a core in the agent, %ld more threads\n",
              cost.agent_cpu_percent, cost.agent_threads_growth);
}

}  // namespace drover::bench
