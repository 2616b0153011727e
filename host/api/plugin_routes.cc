// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for the plugins of the agent. They report the plugins and how the process of a plugin has
// ended, and they reload a plugin.
#include "host/abi/abi_text.h"
#include "host/api/router.h"
#include "host/plugin/plugin_registry.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestOutput = 64u << 10;

const char* HealthName(Health health) {
  switch (health) {
    case Health::kHealthy:
      return "healthy";
    case Health::kUnhealthy:
      return "unhealthy";
    case Health::kUndetected:
      break;
  }
  return "undetected";
}

json EncodePlugin(PluginRegistry* plugins, const PluginReport& report) {
  const Driver* driver = plugins->Find(report.name);
  const Fingerprint fingerprint = driver == nullptr ? Fingerprint() : driver->fingerprint();
  const ContainerStatus process = plugins->Inspect(report.name).value_or(ContainerStatus());
  return {{"Name", report.name},
          {"File", SafeText(report.file, report.file.size())},
          {"SHA256", report.sha256},
          {"Version", report.info ? report.info->version : ""},
          {"Enabled", report.enabled},
          {"Loaded", report.loaded},
          {"Isolation", IsolationName(report.isolation)},
          {"Health", report.enabled ? HealthName(fingerprint.health) : "disabled"},
          {"HealthDescription", fingerprint.description},
          {"PID", process.pid},
          {"Launches", process.launches},
          {"LastEnd", process.last_end}};
}

Result<PluginReport> FindReport(PluginRegistry* plugins, const std::string& name) {
  const std::optional<PluginReport> report = plugins->Report(name);
  if (!report) return Error(Code::kNotFound, "the agent has no enabled plugin \"" + name + "\"");
  return *report;
}

using PluginLook = std::function<Result<json>(PluginRegistry* plugins)>;

// [control]
Co<Result<json>> LookNow(PluginRegistry* plugins, PluginLook look) { co_return look(plugins); }

// Calls LOOK, and answers with its result. LOOK changes nothing, so nothing needs to become
// durable.
Co<Answer> AnswerLook(ApiRequest* request, PluginLook look) {
  const Result<json> found = co_await request->Control(
      [plugins = request->agent().plugins, &look](Context) { return LookNow(plugins, look); });
  if (!found.ok()) co_return found.error();
  co_return JsonAnswer(*found);
}

Co<Answer> ListPlugins(ApiRequest* request) {
  return AnswerLook(request, [](PluginRegistry* plugins) -> Result<json> {
    json list = json::array();
    for (const PluginReport& report : plugins->reports()) {
      list.push_back(EncodePlugin(plugins, report));
    }
    return list;
  });
}

Co<Answer> ReadPlugin(ApiRequest* request) {
  return AnswerLook(request,
                    [name = request->parameter(0)](PluginRegistry* plugins) -> Result<json> {
                      DROVER_ASSIGN(const PluginReport report, FindReport(plugins, name));
                      return EncodePlugin(plugins, report);
                    });
}

Co<Answer> ReadLastCrash(ApiRequest* request) {
  return AnswerLook(
      request, [name = request->parameter(0)](PluginRegistry* plugins) -> Result<json> {
        DROVER_ASSIGN(const PluginReport report, FindReport(plugins, name));
        const ContainerStatus process = plugins->Inspect(name).value_or(ContainerStatus());
        if (!process.death) {
          return Error(Code::kNotFound, "no process of plugin \"" + name + "\" has ended");
        }
        const ContainerDeath& death = *process.death;
        // A crashed process wrote all of the texts below, so SafeText cuts them and makes them
        // valid UTF-8.
        json backtrace = json::array();
        for (const std::string& frame : death.backtrace) backtrace.push_back(SafeText(frame, 1000));
        return json{{"Plugin", report.name},
                    {"Version", report.info ? report.info->version : ""},
                    {"Time", process.died_at},
                    {"Message", SafeText(process.last_end, 8u << 10)},
                    {"Reason", SafeText(death.why, 8u << 10)},
                    {"Signal", death.signal},
                    {"ExitCode", death.exit_code},
                    {"Function", SafeText(death.function, 100)},
                    {"Backtrace", std::move(backtrace)},
                    {"Output", SafeText(death.output, kLongestOutput)}};
      });
}

Co<Result<json>> Reload(Context context, PluginRegistry* plugins, std::string name) {
  DROVER_CO_TRY(FindReport(plugins, name));
  PluginConfig same = *plugins->FindConfig(name);
  DROVER_CO_ASSIGN(const PluginReport now, co_await plugins->Reload(context, std::move(same)));
  co_return EncodePlugin(plugins, now);
}

Co<Answer> ReloadPlugin(ApiRequest* request) {
  const Result<json> done = co_await request->Control(
      [plugins = request->agent().plugins, name = request->parameter(0)](const Context& context) {
        return Reload(context, plugins, name);
      });
  if (!done.ok()) co_return done.error();
  co_return JsonAnswer(*done);
}

}  // namespace

std::vector<Route> PluginRoutes() {
  return {
      {"GET", "/v1/agent/plugins", ListPlugins},
      {"GET", "/v1/agent/plugins/*", ReadPlugin},
      {"GET", "/v1/agent/plugins/*/last_crash", ReadLastCrash},
      {"PUT POST", "/v1/agent/plugins/*/reload", ReloadPlugin},
  };
}

}  // namespace drover
