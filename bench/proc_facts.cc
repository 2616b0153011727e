// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/proc_facts.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace drover::bench {
namespace {

long CountEntries(const std::string& directory) {
  std::error_code error;
  long count = 0;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

ProcFacts ReadProcFacts(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  ProcFacts facts;
  facts.descriptors = CountEntries(proc + "/fd");
  // The walk itself has a descriptor.
  if (pid == getpid() && facts.descriptors > 0) --facts.descriptors;
  facts.threads = CountEntries(proc + "/task");
  std::ifstream rollup(proc + "/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Pss:")) facts.pss_kib = std::atol(line.c_str() + 4);
  }
  return facts;
}

std::vector<Descendant> Descendants() {
  std::map<pid_t, std::pair<pid_t, Descendant>> all;  // with their parents
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const pid_t pid = static_cast<pid_t>(std::atol(it->path().filename().c_str()));
    if (pid <= 0) continue;
    std::ifstream file(it->path() / "stat");
    std::string text;
    std::getline(file, text);
    // The name is in brackets, and may contain brackets.
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (close == std::string::npos || close + 4 >= text.size()) continue;
    Descendant found{pid, text.substr(open + 1, close - open - 1), text[close + 2] == 'Z'};
    all[pid] = {static_cast<pid_t>(std::atol(text.c_str() + close + 4)), std::move(found)};
  }
  std::vector<Descendant> result;
  for (const auto& [pid, entry] : all) {
    pid_t ancestor = entry.first;
    for (int depth = 0; ancestor > 1 && ancestor != getpid() && depth < 100; ++depth) {
      const auto parent = all.find(ancestor);
      ancestor = parent == all.end() ? 0 : parent->second.first;
    }
    if (ancestor == getpid()) result.push_back(entry.second);
  }
  return result;
}

}  // namespace drover::bench
