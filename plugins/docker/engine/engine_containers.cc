// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/engine.h"
#include "engine/engine_request.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

// Returns whole seconds, rounded up, so that a task has at least its time.
std::int64_t SecondsUp(drover::Duration time) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(time, drover::Duration(0))).count();
}

}  // namespace

bool Engine::AskWhether(HttpRequest request, const std::string& action, const HttpLimits& limits,
                        int no, const CancelToken& cancel) {
  try {
    return Ask(std::move(request), action, limits, cancel).head.status != 304;
  } catch (const EngineError& error) {
    if (error.status() == no) return false;
    throw;
  }
}

Engine::Created Engine::CreateContainer(const std::string& name, const nlohmann::json& body,
                                        const CancelToken& cancel) {
  const std::string action = "create container " + name;
  const nlohmann::json answer = AskJson(
      PostJson(Target("/containers/create", {{"name", name}}), body), action, LongLimits(), cancel);
  Created out;
  out.id = TextAt(answer, {"Id"});
  if (out.id.empty()) {
    throw drover::Error(drover::Code::kUnavailable, action + ": the container engine reports no id",
                        true);
  }
  const nlohmann::json& warnings = At(answer, {"Warnings"});
  if (!warnings.is_array()) return out;
  for (const nlohmann::json& warning : warnings) {
    if (warning.is_string()) out.warnings.push_back(Printable(warning.get<std::string>()));
  }
  return out;
}

bool Engine::StartContainer(const std::string& id, const CancelToken& cancel) {
  return Ask(Request("POST", ContainerPath(id, "start")), "start container " + id, LongLimits(),
             cancel)
             .head.status != 304;
}

bool Engine::StopContainer(const std::string& id, drover::Duration timeout,
                           const std::string& signal, const CancelToken& cancel) {
  const std::string action = "stop container " + id;
  if (signal.empty()) {
    // The answer comes when the container has ended.
    HttpLimits limits = LongLimits();
    limits.first_byte = limits.silence = limits.total = options_.start_limit + timeout;
    const std::string target =
        Target(ContainerPath(id, "stop"), {{"t", std::to_string(SecondsUp(timeout))}});
    return AskWhether(Request("POST", target), action, limits, 0, cancel);
  }
  // Engines before version 1.42 of the API send their own signal, so the steps are made here.
  const ContainerInfo info = InspectContainer(id, cancel);
  if (info.ended()) return false;
  struct End {
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;
  };
  const auto end = std::make_shared<End>();
  const std::uint64_t number = watch().Await(info.id, [end](const auto&) {
    std::lock_guard<std::mutex> lock(end->mutex);
    end->ended = true;
    end->changed.notify_all();
  });
  struct Forgotten {
    ContainerWatch& watch;
    std::uint64_t number;
    ~Forgotten() { watch.Forget(number); }
  } const forgotten{watch(), number};
  const auto wait_until = [&](SteadyTime deadline) {
    constexpr std::chrono::milliseconds kTick(50);
    std::unique_lock<std::mutex> lock(end->mutex);
    while (!end->ended && std::chrono::steady_clock::now() < deadline) {
      cancel.Check();
      client_.closing().Check();
      end->changed.wait_for(lock, kTick);
    }
    return end->ended;
  };
  if (timeout > drover::Duration(0)) {
    if (!KillContainer(info.id, signal, cancel)) return false;
    if (wait_until(DeadlineAfter(timeout))) return true;
  }
  KillContainer(info.id, "SIGKILL", cancel);
  if (wait_until(DeadlineAfter(options_.start_limit))) return true;
  throw drover::Error(drover::Code::kTimeout, action + ": it does not end after SIGKILL", true);
}

bool Engine::KillContainer(const std::string& id, const std::string& signal,
                           const CancelToken& cancel) {
  const std::string target = Target(ContainerPath(id, "kill"), {{"signal", signal}});
  return AskWhether(Request("POST", target), "send " + signal + " to container " + id,
                    options_.limits, 409, cancel);
}

ContainerInfo Engine::InspectContainer(const std::string& id, const CancelToken& cancel) {
  return ReadContainer(AskJson(Request("GET", ContainerPath(id, "json")), "inspect container " + id,
                               options_.limits, cancel));
}

std::vector<ContainerInfo> Engine::ListContainers(const std::vector<std::string>& labels,
                                                  const CancelToken& cancel) {
  std::vector<std::pair<std::string, std::string>> query = {{"all", "true"}};
  if (!labels.empty()) {
    nlohmann::json filters = nlohmann::json::object();
    filters["label"] = labels;
    query.emplace_back("filters",
                       filters.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  HttpLimits limits = options_.limits;
  limits.max_body = std::max<std::size_t>(limits.max_body, 64u << 20);
  nlohmann::json list =
      AskJson(Request("GET", Target("/containers/json", query)), "list containers", limits, cancel);
  if (!list.is_array()) {
    throw drover::Error(drover::Code::kUnavailable,
                        "list containers: the container engine answers with something else", true);
  }
  std::vector<ContainerInfo> out;
  out.reserve(list.size());
  for (nlohmann::json& one : list) {
    ContainerInfo info = ReadListedContainer(std::move(one));
    // What is listed may be removed. So an engine, or a proxy, that does not know the filter must
    // not turn a removal of one container into that of all.
    const bool has_all = std::all_of(labels.begin(), labels.end(), [&](const std::string& label) {
      const std::size_t equals = label.find('=');
      const auto found = info.labels.find(label.substr(0, equals));
      return found != info.labels.end() &&
             (equals == std::string::npos || found->second == label.substr(equals + 1));
    });
    if (has_all) out.push_back(std::move(info));
  }
  return out;
}

bool Engine::RemoveContainer(const std::string& id, bool force, bool volumes,
                             const CancelToken& cancel) {
  const std::string target = Target(ContainerPath(id, ""), {{"force", force ? "true" : "false"},
                                                            {"v", volumes ? "true" : "false"}});
  try {
    return AskWhether(Request("DELETE", target), "remove container " + id, LongLimits(), 404,
                      cancel);
  } catch (const EngineError& error) {
    if (error.conflict() && error.reason().find("already in progress") != std::string::npos) {
      return true;
    }
    throw;
  }
}

void Engine::RenameContainer(const std::string& id, const std::string& name,
                             const CancelToken& cancel) {
  Ask(Request("POST", Target(ContainerPath(id, "rename"), {{"name", name}})),
      "rename container " + id + " to " + name, options_.limits, cancel);
}

// Engines answer with a conflict, or with 500, if the container is in the wanted state already.
bool Engine::PauseContainer(const std::string& id, const CancelToken& cancel) {
  try {
    return AskWhether(Request("POST", ContainerPath(id, "pause")), "pause container " + id,
                      options_.limits, 0, cancel);
  } catch (const EngineError& error) {
    if (!error.not_found() && InspectContainer(id, cancel).paused) return false;
    throw;
  }
}

bool Engine::UnpauseContainer(const std::string& id, const CancelToken& cancel) {
  try {
    return AskWhether(Request("POST", ContainerPath(id, "unpause")), "unpause container " + id,
                      options_.limits, 0, cancel);
  } catch (const EngineError& error) {
    if (!error.not_found()) {
      const ContainerInfo info = InspectContainer(id, cancel);
      if (info.running && !info.paused) return false;
    }
    throw;
  }
}

void Engine::UpdateContainer(const std::string& id, const nlohmann::json& update,
                             const CancelToken& cancel) {
  Ask(PostJson(ContainerPath(id, "update"), update), "update container " + id, options_.limits,
      cancel);
}

ContainerInfo Engine::WaitContainer(const std::string& id, const CancelToken& cancel) {
  const ContainerInfo info = InspectContainer(id, cancel);
  if (info.ended()) return info;
  struct End {
    CancelToken ended;
    std::mutex mutex;
    std::optional<drover::Outcome<ContainerInfo>> result;
  };
  const auto end = std::make_shared<End>();
  ContainerWatch& watching = watch();
  const std::uint64_t number =
      watching.Await(info.id, [end](drover::Outcome<ContainerInfo> result) {
        {
          std::lock_guard<std::mutex> lock(end->mutex);
          end->result.emplace(std::move(result));
        }
        end->ended.Cancel();
      });
  try {
    WaitFor(end->ended.fd(), POLLIN, SteadyTime::max(), cancel, &client_.closing());
  } catch (...) {
    watching.Forget(number);
    throw;
  }
  std::lock_guard<std::mutex> lock(end->mutex);
  return end->result->value();
}

}  // namespace drover_docker
