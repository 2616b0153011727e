// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_call.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/owned_path.h"
#include "host/base/printable.h"
#include "host/base/unique_fd.h"
#include "host/child/run_program.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostResultBytes = std::size_t{1} << 20;
constexpr std::size_t kMostSaid = 500;  // bytes of what a plugin says that a message has
constexpr OwnedKind kPlugins{"CNI plugins", "the plugin"};
// Plugins call iptables, sysctl and others.
constexpr char kProgramPath[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Returns TEXT in one line, short enough for a message.
std::string Said(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text.empty() ? "nothing" : Printable(text.substr(0, kMostSaid));
}

std::string WhoFails(const CniCall& call) {
  return "the CNI plugin " + Quoted(call.plugin) + " of the network " + Quoted(call.network) +
         " failed at " + call.command + ": ";
}

std::vector<std::string> EnvironmentOf(const CniCall& call) {
  return {"CNI_COMMAND=" + call.command,
          "CNI_CONTAINERID=" + call.container,
          "CNI_NETNS=" + call.network_namespace,
          "CNI_IFNAME=" + call.interface_name,
          "CNI_ARGS=" + call.args,
          "CNI_PATH=" + call.path,
          kProgramPath};
}

// Returns what a plugin has said of its failure: an object with a message and a code, or else
// anything on one of its outputs.
std::string FailureOf(const ChildEnd& end) {
  const Result<json> said = ParseStrictJson(end.output, {kMostResultBytes, 32});
  if (said.ok() && said->is_object()) {
    const auto text = [&said](const char* key) {
      const auto found = said->find(key);
      return found != said->end() && found->is_string() ? found->get<std::string>() : "";
    };
    std::string message = text("msg");
    if (!message.empty() && !text("details").empty()) message += ": " + text("details");
    if (!message.empty()) return Said(message);
  }
  const std::string how = end.signal != 0
                              ? "it ended by signal " + std::to_string(end.signal)
                              : "it ended with exit code " + std::to_string(end.exit_code);
  const std::string& words = end.stderr_tail.empty() ? end.output : end.stderr_tail;
  return how + " and said " + Said(words);
}

bool CanBeRead(int fd) {
  pollfd event{fd, POLLIN, 0};
  return fd >= 0 && poll(&event, 1, 0) > 0;
}

}  // namespace

Result<std::string> FindCniPlugin(const std::string& name, const std::string& path) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t colon = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, colon - begin);
    begin = colon + 1;
    if (directory.empty() || directory[0] != '/') continue;
    std::string real;
    const Result<UniqueFd> found =
        OpenOwned(directory + "/" + name, O_RDONLY | O_NONBLOCK, kPlugins, &real);
    if (found.ok()) return real;
    if (found.code() != Code::kNotFound) return found.error();
  }
  return Error(Code::kNotFound, "there is no CNI plugin " + Quoted(name) + " in " + path +
                                    ": install it, or set client.cni_path");
}

Result<json> CallCniPlugin(const CniCall& call) {
  const std::string who = WhoFails(call);
  const Error stopped(Code::kCancelled, who + "the agent ends");
  if (CanBeRead(call.stop)) return stopped;
  ProgramRun run;
  DROVER_ASSIGN(run.program, FindCniPlugin(call.plugin, call.path));
  run.environment = EnvironmentOf(call);
  run.input = JsonText(call.config);
  run.descriptor = call.descriptor;
  run.stop = call.stop;
  run.limit = call.limit;
  run.most_output = kMostResultBytes;
  DROVER_ASSIGN(const ChildEnd end, RunProgram(run));
  if (end.stopped) return stopped;
  if (end.timed_out) {
    return Error(Code::kTimeout, who + "it took longer than " + FormatDuration(call.limit));
  }
  if (end.too_long) {
    return Error(Code::kUnavailable,
                 who + "it said more than " + std::to_string(kMostResultBytes) + " bytes");
  }
  if (end.exit_code != 0 || end.signal != 0) return Error(Code::kUnavailable, who + FailureOf(end));
  if (call.command != "ADD") return json();
  Result<json> result = ParseStrictJson(end.output, {kMostResultBytes, 32});
  if (!result.ok() || !result->is_object()) {
    return Error(Code::kUnavailable, who + "its result is no JSON object, but " + Said(end.output));
  }
  return result;
}

}  // namespace drover
