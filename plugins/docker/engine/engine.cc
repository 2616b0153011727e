// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "engine/engine_request.h"
#include "engine/engine_sessions.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

// The newest version of the API that is known to have what this client uses.
constexpr int kNewestMinor = 60;

// Returns the minor number of a version such as 1.41; -1 for another text.
int MinorOf(const std::string& version) {
  constexpr std::string_view kMajor("1.");
  if (std::string_view(version).substr(0, kMajor.size()) != kMajor) return -1;
  int minor = -1;
  const char* end = version.data() + version.size();
  const auto parsed = std::from_chars(version.data() + kMajor.size(), end, minor);
  return parsed.ec == std::errc() && parsed.ptr == end && minor >= 0 && minor < 1000 ? minor : -1;
}

EngineVersion ReadVersion(const nlohmann::json& json) {
  EngineVersion out;
  out.name = "docker";
  const nlohmann::json& parts = At(json, {"Components"});
  if (parts.is_array()) {
    for (const nlohmann::json& part : parts) {
      if (TextAt(part, {"Name"}).find("Podman") != std::string::npos) out.name = "podman";
    }
  }
  out.version = Printable(TextAt(json, {"Version"}), 100);
  out.api = TextAt(json, {"ApiVersion"});
  out.min_api = TextAt(json, {"MinAPIVersion"});
  out.os = Printable(TextAt(json, {"Os"}), 100);
  out.arch = Printable(TextAt(json, {"Arch"}), 100);
  out.kernel = Printable(TextAt(json, {"KernelVersion"}), 200);
  return out;
}

}  // namespace

Engine::Engine(EngineAddress address, EngineOptions options)
    : options_(std::move(options)),
      client_(std::move(address)),
      streams_(std::make_unique<StreamLoop>(&client_)),
      sessions_(std::make_unique<Sessions>()) {}

Engine::~Engine() {
  Close();
  std::unique_ptr<ContainerWatch> watch;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    watch = std::move(watch_);
  }
  watch.reset();
  sessions_->JoinAll();
  streams_.reset();
}

void Engine::Close() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  client_.Close();
}

HttpLimits Engine::LongLimits() const {
  HttpLimits out = options_.limits;
  out.first_byte = out.silence = out.total = options_.start_limit;
  return out;
}

HttpResponse Engine::Ask(HttpRequest request, const std::string& action, const HttpLimits& limits,
                         const CancelToken& cancel) {
  request.target = Versioned(request.target, cancel);
  HttpResponse response;
  try {
    response = client_.Send(request, limits, cancel);
  } catch (const drover::Error& error) {
    throw drover::Error(error.code(), Printable(action) + ": " + error.message(),
                        error.recoverable());
  }
  // 304 says that nothing has changed. All else, such as a redirect, has not done what was asked.
  if (response.head.status / 100 == 2 || response.head.status == 304) return response;
  const EngineError error = ErrorOf(response, action);
  Heed(error);
  throw error;
}

void Engine::Heed(const drover::Error& error) {
  const bool refused = error.code() == drover::Code::kInvalidArgument &&
                       error.message().find("client version") != std::string::npos;
  if (!refused) return;
  std::lock_guard<std::mutex> lock(mutex_);
  api_version_.clear();  // another engine than before: the next request agrees again
}

Engine::OnEnd Engine::Heeding(OnEnd end) {
  return [this, end = std::move(end)](std::optional<drover::Error> error) {
    if (error) Heed(*error);
    if (end) end(std::move(error));
  };
}

nlohmann::json Engine::AskJson(HttpRequest request, const std::string& action,
                               const HttpLimits& limits, const CancelToken& cancel) {
  return ParseJson(Ask(std::move(request), action, limits, cancel).body, action);
}

std::string Engine::Versioned(const std::string& target, const CancelToken& cancel) {
  return "/v" + ApiVersion(cancel) + target;
}

std::string Engine::KnownVersioned(const std::string& target) {
  std::lock_guard<std::mutex> lock(mutex_);
  return api_version_.empty() ? target : "/v" + api_version_ + target;
}

std::string Engine::ApiVersion(const CancelToken& cancel) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!api_version_.empty()) return api_version_;
  }
  Version(cancel);
  std::lock_guard<std::mutex> lock(mutex_);
  return api_version_;
}

void Engine::Ping(const CancelToken& cancel) {
  const HttpRequest request = Request("GET", "/_ping");
  HttpLimits limits = options_.limits;
  limits.total = limits.first_byte =
      std::min<drover::Duration>(limits.first_byte, std::chrono::seconds(10));
  limits.max_body = 4096;
  const HttpResponse response = client_.Send(request, limits, cancel);
  if (response.head.status != 200) throw ErrorOf(response, "ping");
}

EngineVersion Engine::Version(const CancelToken& cancel) {
  const HttpRequest request = Request("GET", "/version");
  HttpLimits limits = options_.limits;
  limits.max_body = 1u << 20;
  const HttpResponse response = client_.Send(request, limits, cancel);
  if (response.head.status != 200) throw ErrorOf(response, "version");
  EngineVersion out = ReadVersion(ParseJson(response.body, "version"));
  const int most = MinorOf(out.api);
  const int least = MinorOf(out.min_api);
  if (most < 0) {
    throw drover::Error(drover::Code::kUnavailable,
                        "the container engine at " + Text() + " does not report its API's version",
                        true);
  }
  const int agreed = std::max(std::min(most, kMaxMinor), least);
  if (most < kMinMinor || agreed > kNewestMinor || agreed > most) {
    throw drover::Error(drover::Code::kFailedPrecondition,
                        "the container engine at " + Text() + " has version 1." +
                            std::to_string(most) + " of the API, and this driver needs 1." +
                            std::to_string(kMinMinor) + " or later");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  api_version_ = "1." + std::to_string(agreed);
  return out;
}

nlohmann::json Engine::Info(const CancelToken& cancel) {
  return AskJson(Request("GET", "/info"), "info", options_.limits, cancel);
}

ContainerWatch& Engine::watch() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) throw drover::Error(drover::Code::kCancelled, "the engine's client has ended");
  if (watch_ == nullptr) watch_ = std::make_unique<ContainerWatch>(this, options_.watch);
  return *watch_;
}

std::optional<nlohmann::json> Engine::InspectNetwork(const std::string& name,
                                                     const CancelToken& cancel) {
  HttpRequest request = Request("GET", "/networks/" + PathPart(name));
  try {
    return AskJson(std::move(request), "inspect network " + name, options_.limits, cancel);
  } catch (const EngineError& error) {
    if (error.not_found()) return std::nullopt;
    throw;
  }
}

void Engine::ConnectNetwork(const std::string& network, const std::string& id,
                            const nlohmann::json& endpoint, const CancelToken& cancel) {
  HttpRequest request = PostJson("/networks/" + PathPart(network) + "/connect",
                                 {{"Container", id}, {"EndpointConfig", endpoint}});
  Ask(std::move(request), "connect to network " + network, LongLimits(), cancel);
}

}  // namespace drover_docker
