// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "driver/docker_driver.h"

namespace drover_docker {
namespace {

constexpr std::chrono::milliseconds kSampleSlack{100};

// Returns the frequency of one core in MHz; 0 if it is not known.
double CoreMhz() {
  static const double kMhz = [] {
    std::ifstream largest("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    double khz = 0;
    if (largest >> khz && khz > 0) return khz / 1000;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.rfind("cpu MHz", 0) != 0) continue;
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) return std::strtod(line.c_str() + colon + 1, nullptr);
    }
    return 0.0;
  }();
  return kMhz;
}

}  // namespace

void StatsFollow::Set(Engine::Subscription subscription) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!stopped_) subscription_ = std::move(subscription);
}

void StatsFollow::Take(const nlohmann::json& sample) {
  const std::optional<drover::Stats> stats = reader_.Read(sample);
  if (!stats) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + interval_ - std::min<drover::Duration>(kSampleSlack, interval_);
  if (!stream_.Send(*stats)) Stop();
}

void StatsFollow::End(const std::optional<drover::Error>& error) {
  if (stopped()) return;
  if (error) return stream_.Fail(drover::Error::Recoverable(error->code(), error->message()));
  stream_.End();
}

void StatsFollow::Stop() {
  Engine::Subscription ended;
  std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  std::swap(ended, subscription_);
}

bool StatsFollow::stopped() {
  std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

void DockerDriver::TaskStats(const drover::RunId& run, const drover::StatsRequest& request,
                             drover::Stream<drover::Stats> stream) {
  auto task = tasks_.Need(run);
  std::string id;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited || task->container.empty()) {
      throw drover::Error(drover::Code::kFailedPrecondition, "the task is not running");
    }
    id = task->container;
  }
  auto follow = std::make_shared<StatsFollow>(stream, request.interval, CoreMhz());
  std::weak_ptr<StatsFollow> weak = follow;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(stats_, [](const std::weak_ptr<StatsFollow>& one) { return one.expired(); });
    stats_.push_back(weak);
  }
  stream.OnCancel([weak] {
    if (auto cancelled = weak.lock()) cancelled->Stop();
  });
  follow->Set(engine_->FollowStats(
      id, [follow](const nlohmann::json& sample) { follow->Take(sample); },
      [follow](std::optional<drover::Error> error) { follow->End(error); }));
}

}  // namespace drover_docker
