// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/load/census.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/proc_facts.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/plugin/stream_table.h"
#include "host/process/supervised_run.h"
#include "host/task/task_runner.h"

namespace drover::load {
namespace {

long Entries(const std::string& path) {
  std::error_code error;
  long count = 0;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

long MountsBelow(const std::string& path) {
  long count = 0;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" " + path + "/") != std::string::npos) ++count;
  }
  return count;
}

// Counts the agent's cgroups in all hierarchies of this machine, below PATH from their top.
long CgroupsOf(const RunNames& own, const std::filesystem::path& path = "/sys/fs/cgroup") {
  std::error_code error;
  long count = 0;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (it->symlink_status(gone).type() != std::filesystem::file_type::directory) continue;
    const Result<RunId> run = RunId::Parse(it->path().filename().string());
    if (run.ok() && own.count(run->Short()) != 0) ++count;
    count += CgroupsOf(own, it->path());
  }
  return count;
}

Co<void> Pause(Loop* loop) {
  const Context context(loop);
  [[maybe_unused]] const Status slept = co_await Sleep(context, 50ms);
}

}  // namespace

void PrintTo(const Census& c, std::ostream* out) {
  *out << "contexts " << c.contexts << ", task runners " << c.task_runners
       << ", allocation runners " << c.alloc_runners << ", runs " << c.supervised_runs
       << ", streams " << c.streams << ", threads " << c.threads << ", descriptors "
       << c.descriptors << ", descendants " << c.descendants << ", mounts " << c.mounts
       << ", run entries " << c.run_entries << ", allocation entries " << c.alloc_entries
       << ", cgroups " << c.cgroups;
}

void NoteRuns(const bench::Scratch& scratch, RunNames* names) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(scratch.run_dir(), error), end; !error && it != end;
       it.increment(error)) {
    names->insert(it->path().stem().string());
  }
}

Census TakeCensus(bench::LocalNode* node, const bench::Scratch& scratch, const RunNames& own) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  const bench::ProcFacts facts = bench::ReadProcFacts(getpid());
  Census census;
  census.contexts = Context::live();
  census.task_runners = LiveCount<TaskRunner>::live();
  census.alloc_runners = LiveCount<LocalAllocRunner>::live();
  census.streams = StreamTable::live();
  census.supervised_runs = LiveCount<SupervisedRun>::live();
  census.threads = facts.threads;
  census.descriptors = facts.descriptors;
  census.descendants = static_cast<long>(bench::Descendants().size());
  census.mounts = MountsBelow(scratch.path());
  census.run_entries = Entries(scratch.run_dir());
  census.alloc_entries = Entries(node->alloc_dir());
  census.cgroups = CgroupsOf(own);
  return census;
}

Census SettledCensus(bench::LocalNode* node, const bench::Scratch& scratch, const RunNames& own,
                     const std::function<bool(const Census&)>& settled, Duration patience) {
  const TimePoint end = node->loop()->Now() + patience;
  for (;;) {
    const Census census = TakeCensus(node, scratch, own);
    if (settled(census) || node->loop()->Now() > end) return census;
    node->loop()->RunToEnd(Pause(node->loop()));
  }
}

long ResidentKib() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  file >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace drover::load
