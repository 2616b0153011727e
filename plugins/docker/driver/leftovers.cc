// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <set>
#include <utility>

#include "container/names.h"
#include "driver/docker_driver.h"

namespace drover_docker {
namespace {

// The first search runs before the host starts tasks, so a slow engine must not delay it for long.
constexpr std::chrono::seconds kFirstSweepLimit{10};
constexpr std::chrono::minutes kBrokenOffLimit{5};
constexpr std::size_t kMostBrokenOff = 64;  // each is a connection to the engine

// Returns the run of a label, or nothing for a text that is none.
std::optional<drover::RunId> ParseRun(const std::string& text) {
  drover::RunId out;
  if (text.size() != 2 * out.bytes.size()) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < out.bytes.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return out;
}

std::string LabelOf(const ContainerInfo& info, const std::string& name) {
  const auto found = info.labels.find(name);
  return found == info.labels.end() ? std::string() : found->second;
}

}  // namespace

bool DockerDriver::IsKnown(const std::string& run) {
  const auto id = ParseRun(run);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (id && given_up_.count(*id) != 0) return false;
    if (restored_.count(run) != 0) return true;
  }
  return id && tasks_.Find(*id) != nullptr;
}

// The host begins with RUN again.
void DockerDriver::WantAgain(const drover::RunId& run) {
  std::lock_guard<std::mutex> lock(mutex_);
  given_up_.erase(run);
}

// Removes the container of RUN as soon as the engine has made it. The create was given up without
// an answer, so the removal that belongs to the start may come too early. SINCE is a time before
// the create. What is not found here is a leftover.
void DockerDriver::AwaitBrokenOff(const drover::RunId& run, std::int64_t since) {
  const std::string text = run.Text();
  std::lock_guard<std::mutex> lock(mutex_);
  if (closing_.cancelled() || broken_off_.size() >= kMostBrokenOff) return;
  nlohmann::json filters = nlohmann::json::object();
  filters["type"] = nlohmann::json::array({"container"});
  filters["event"] = nlohmann::json::array({"create"});
  filters["label"] = nlohmann::json::array({std::string(kRunLabel) + "=" + text});
  broken_off_[text] = engine_->FollowEvents(
      filters, since, nullptr,
      [this, text](const EngineEvent& event) {
        const auto label = event.attributes.find(kRunLabel);
        if (label == event.attributes.end() || label->second != text) return;
        const auto name = event.attributes.find("name");
        if (name != event.attributes.end() && !IsNamedAsOurs(name->second, event.attributes))
          return;
        host().Post([this, text, id = event.id] { RemoveBrokenOff(text, id); });
      },
      [this, text](const std::optional<drover::Error>&) {
        if (!closing_.cancelled()) host().Post([this, text] { ForgetBrokenOff(text); });
      });
  host().After(kBrokenOffLimit, [this, text] { ForgetBrokenOff(text); });
}

void DockerDriver::RemoveBrokenOff(const std::string& run, const std::string& container) {
  try {
    const bool removed =
        engine_->RemoveContainer(container, /*force=*/true, /*volumes=*/true, closing_);
    if (removed) ForgetBrokenOff(run);
  } catch (const drover::Error& error) {
    host().Log(drover::LogLevel::kWarn,
               "the container of a start that was given up stays for now: " + error.message());
  }
}

void DockerDriver::ForgetBrokenOff(const std::string& run) {
  std::lock_guard<std::mutex> lock(mutex_);
  broken_off_.erase(run);
}

void DockerDriver::RestoreComplete(const std::vector<drover::RunId>& runs) {
  bool begin = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const drover::RunId& run : runs) restored_.insert(run.Text());
    begin = !std::exchange(sweeping_, true);
  }
  // The host knows all its runs now, and has started no other one. So nothing else is wanted.
  Sweep(/*all_that_are_unknown=*/true);
  if (begin) SweepLater();
}

void DockerDriver::SweepLater() {
  host().After(settings()->dangling.period, [this] {
    host().Post([this] {
      Sweep(/*all_that_are_unknown=*/false);
      SweepLater();
    });
  });
}

// Removes the containers of this node, and of no other one, that belong to no task. Those that are
// younger than the grace may be in the middle of their start, unless ALL_THAT_ARE_UNKNOWN.
void DockerDriver::Sweep(bool all_that_are_unknown) {
  RemoveGivenUp();
  const auto settings = this->settings();
  const std::string node = NodeId();
  if (!settings->dangling.enabled || node.empty() || closing_.cancelled()) return;
  const CancelToken cancel;
  drover::Timer late = host().After(kFirstSweepLimit, [cancel] { cancel.Cancel(); });
  try {
    const std::vector<ContainerInfo> all =
        engine_->ListContainers({std::string(kNodeLabel) + "=" + node}, cancel);
    const std::int64_t youngest = drover::WallNow() - settings->dangling.creation_grace.count();
    std::set<std::string> in_use;  // allocations with a container that is known
    for (const ContainerInfo& info : all) {
      if (IsKnown(LabelOf(info, kRunLabel))) {
        in_use.insert(LabelOf(info, kAllocLabel));
      }
    }
    for (const ContainerInfo& info : all) {
      if (LabelOf(info, kNodeLabel) != node) continue;  // the engine has not understood the filter
      if (!IsNamedAsOurs(info.name, info.labels)) continue;  // of an image that has our labels
      const std::string alloc = LabelOf(info, kAllocLabel);
      const bool pause = LabelOf(info, kKindLabel) == kPauseKind;
      if (pause ? in_use.count(alloc) != 0 || pauses_->IsUsed(alloc)
                : IsKnown(LabelOf(info, kRunLabel))) {
        continue;
      }
      if (!all_that_are_unknown && (info.created_at == 0 || info.created_at > youngest)) continue;
      if (!settings->gc_container && !info.running) continue;  // kept to be looked at
      const std::string what = "the container " + Quoted(info.name) + " (" + info.id.substr(0, 12) +
                               "), which belongs to no task";
      if (settings->dangling.dry_run) {
        host().Log(drover::LogLevel::kInfo, "would remove " + what);
        continue;
      }
      host().Log(drover::LogLevel::kInfo, "removing " + what);
      engine_->RemoveContainer(info.id, /*force=*/true, /*volumes=*/true, cancel);
    }
  } catch (const drover::Error& error) {
    host().Log(drover::LogLevel::kWarn,
               "the search for containers without a task has ended early: " + error.message());
  }
  late.Cancel();
}

}  // namespace drover_docker
