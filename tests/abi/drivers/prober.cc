// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that reports how often it was asked for its health. With "wait_for", the path of a FIFO,
// a probe waits until somebody opens that for writing.
#include <fcntl.h>

#include <mutex>

#include "drover/entry.hpp"

namespace {

class Prober : public drover::Driver {
 public:
  static drover::Info Describe() { return {}; }
  Prober(drover::Host host, const drover::Json&) : Driver(std::move(host)) {}

  void Configure(const drover::Json& config) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!config["wait_for"].is_null()) wait_for_ = config.String("wait_for");
  }
  drover::Fingerprint Probe() override {
    std::unique_lock<std::mutex> lock(mutex_);
    std::string fifo = std::move(wait_for_);
    wait_for_.clear();
    std::string count = std::to_string(++probes_);
    lock.unlock();
    if (!fifo.empty()) drover::Fd(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
    drover::Fingerprint out;
    out.attributes["probes"] = count;
    return out;
  }

  void Wait(drover::Call<drover::ExitResult> call) override { call.Complete({}); }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  drover::TaskStatus Inspect(const drover::RunId&) override { return {}; }

 private:
  std::mutex mutex_;
  std::string wait_for_;
  int probes_ = 0;
};

}  // namespace

DROVER_DRIVER(Prober, "prober", "0.1.0", "Apache-2.0")
