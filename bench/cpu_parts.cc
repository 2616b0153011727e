// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/cpu_parts.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"

namespace drover::bench {
namespace {

double UsageOf(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto us = [](const timeval& time) { return double(time.tv_sec) * 1e6 + time.tv_usec; };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

double UsageOf(const std::string& cgroup) {
  std::ifstream file(cgroup + "/cpu.stat");
  std::string key;
  for (double value = 0; file >> key >> value;) {
    if (key == "usage_usec") return value;
  }
  return 0;
}

bool MoveTo(const std::string& cgroup) {
  std::ofstream file(cgroup + "/cgroup.procs");
  return static_cast<bool>(file << getpid() << std::flush);
}

// The path of this process in the version 2 hierarchy.
std::string OwnPath() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

}  // namespace

CpuParts& CpuParts::operator+=(const CpuParts& other) {
  control += other.control;
  threads += other.threads;
  children += other.children;
  programs += other.programs;
  return *this;
}

CpuParts CpuParts::operator-(const CpuParts& other) const {
  return {control - other.control, threads - other.threads, children - other.children,
          programs - other.programs};
}

CpuParts CpuParts::operator/(double count) const {
  return {control / count, threads / count, children / count, programs / count};
}

CpuMeter::CpuMeter(const Scratch& scratch) {
  if (scratch.cgroup().empty()) return;
  const auto mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts");
  const auto mount = CgroupTracker::FindMount(mounts.value_or(""));
  if (!mount) return;
  tasks_ = *mount + "/drover";
  before_ = *mount + OwnPath();
  if (MoveTo(scratch.cgroup())) own_ = scratch.cgroup();
}

CpuMeter::~CpuMeter() {
  if (works()) MoveTo(before_);
}

CpuParts CpuMeter::Now() const {
  CpuParts parts;
  if (!works()) return parts;
  const double self = UsageOf(RUSAGE_SELF);
  parts.control = UsageOf(RUSAGE_THREAD);
  parts.threads = self - parts.control;
  parts.children = UsageOf(own_) - self;
  parts.programs = UsageOf(tasks_);
  return parts;
}

}  // namespace drover::bench
