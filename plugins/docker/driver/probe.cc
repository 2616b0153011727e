// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <utility>

#include "container/names.h"
#include "driver/docker_driver.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

// An engine that does not answer within this time counts as one that hangs.
constexpr std::chrono::seconds kAnswerLimit{5};
// What it says besides is asked for within this time. Both fit into ProbeLimit.
constexpr std::chrono::seconds kMoreLimit{2};
constexpr std::size_t kMostRuntimes = 16;

}  // namespace

drover::Fingerprint DockerDriver::Probe() {
  const auto settings = this->settings();
  drover::Fingerprint out;
  const CancelToken cancel;
  drover::Timer late = host().After(kAnswerLimit, [cancel] { cancel.Cancel(); });
  try {
    engine_->Ping(cancel);
    const EngineVersion version = engine_->Version(cancel);
    podman_ = version.name == "podman";
    kind_known_ = true;
    out.attributes = Attributes(version, *settings);
    late.Cancel();
    std::lock_guard<std::mutex> lock(mutex_);
    was_healthy_ = true;
    // The engine may have been away. The watch asks for a probe as soon as it is there again.
    if (!given_up_.empty()) host().Post([this] { RemoveGivenUp(); });
    return out;
  } catch (const drover::Error& error) {
    late.Cancel();
    out.description = cancel.cancelled() ? "the engine " + engine_->Text() +
                                               " does not answer: it has been silent "
                                               "for " +
                                               std::to_string(kAnswerLimit.count()) + " s"
                                         : error.message();
  }
  const std::string& path = engine_->address().path;
  const bool absent = !path.empty() && ::access(path.c_str(), F_OK) != 0;
  std::lock_guard<std::mutex> lock(mutex_);
  out.health = absent && !was_healthy_ ? drover::Health::kUndetected : drover::Health::kUnhealthy;
  attributes_of_.clear();  // another engine may come back
  return out;
}

StringMap DockerDriver::Attributes(const EngineVersion& version, const Settings& settings) {
  const std::string about = version.name + " " + version.version + " " + version.api;
  StringMap out;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (attributes_of_ == about) out = attributes_;
  }
  if (out.empty()) {
    out["driver.docker"] = "true";
    out["driver.docker.engine"] = version.name;
    out["driver.docker.version"] = version.version;
    out["driver.docker.api_version"] = version.api;
    out["driver.docker.os_type"] = version.os.empty() ? "linux" : version.os;
    bool complete = false;
    const CancelToken cancel;
    drover::Timer late = host().After(kMoreLimit, [cancel] { cancel.Cancel(); });
    try {
      std::string runtimes;
      std::size_t count = 0;
      const nlohmann::json info = engine_->Info(cancel);
      const nlohmann::json& known = At(info, {"Runtimes"});
      if (known.is_object()) {
        for (const auto& item : known.items()) {
          if (++count > kMostRuntimes) break;
          runtimes += (runtimes.empty() ? "" : ",") + Printable(item.key(), 64);
        }
      }
      out["driver.docker.runtimes"] = runtimes;
      makes_cgroups_ = !podman_ && !engine_->address().path.empty() &&
                       TextAt(info, {"CgroupDriver"}) == "cgroupfs";
      out["driver.docker.cgroup_version"] = Printable(TextAt(info, {"CgroupVersion"}, "1"), 8);
      if (const auto bridge = engine_->InspectNetwork("bridge", cancel)) {
        for (const auto& one : At(*bridge, {"IPAM", "Config"})) {
          const std::string gateway = TextAt(one, {"Gateway"});
          if (IsAddress(gateway)) out.emplace("driver.docker.bridge_ip", gateway);
        }
      }
      complete = true;
    } catch (const drover::Error& error) {
      host().Log(drover::LogLevel::kDebug, "the engine says less about itself: " + error.message());
    }
    late.Cancel();
    std::lock_guard<std::mutex> lock(mutex_);
    attributes_of_ = complete ? about : std::string();  // or the next probe asks again
    attributes_ = out;
  }
  if (settings.allow_privileged) out["driver.docker.privileged.enabled"] = "true";
  if (settings.volumes_enabled) out["driver.docker.volumes.enabled"] = "true";
  return out;
}

// Reports what the engine says about a task between its start and its end.
void DockerDriver::HearEvent(const EngineEvent& event) {
  if (closing_.cancelled() || event.type != "container") return;
  std::string text;
  const bool is_health = event.action.rfind("health_status", 0) == 0;
  if (event.action == "oom") {
    text = "A process of the container was killed: the container is out of memory";
  } else if (is_health) {
    const std::size_t colon = event.action.find(": ");
    text = "Health check of the image: " + (colon == std::string::npos
                                                ? std::string("changed")
                                                : Printable(event.action.substr(colon + 2), 64));
  } else {
    return;
  }
  tasks_.ForAll([&](DockerTask& task) {
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      if (task.container != event.id || task.exited) return;
      // Podman sends an event for each check, not for each change.
      if (is_health && std::exchange(task.last_health, text) == text) return;
    }
    Emit(drover::Event{task.run, text, {}});
  });
}

}  // namespace drover_docker
