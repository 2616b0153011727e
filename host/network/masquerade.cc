// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/masquerade.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/child/run_program.h"

namespace drover {
namespace {

constexpr std::string_view kAppends = "-A POSTROUTING ";
constexpr std::string_view kLeadsTo = " -j ";
constexpr std::string_view kPluginChains = "CNI-";
constexpr Duration kTableLimit = 20s;
constexpr std::size_t kMostRules = std::size_t{64} << 20;  // bytes; a machine may have many

// Returns the chain of a plugin to which RULE leads; empty if it leads elsewhere.
std::string ChainOf(std::string_view rule) {
  const std::size_t at = rule.rfind(kLeadsTo);
  if (at == std::string_view::npos) return "";
  const std::string_view chain = rule.substr(at + kLeadsTo.size());
  if (!chain.starts_with(kPluginChains)) return "";
  for (const unsigned char c : chain) {
    if (std::isalnum(c) == 0 && c != '-') return "";
  }
  return std::string(chain);
}

Result<std::string> RunTable(const std::string& program, std::vector<std::string> arguments,
                             std::string input) {
  ProgramRun run;
  run.program = program;
  run.arguments = std::move(arguments);
  run.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"};
  run.input = std::move(input);
  run.limit = kTableLimit;
  run.most_output = kMostRules;
  DROVER_ASSIGN(const ChildEnd end, RunProgram(run));
  if (end.exit_code == 0 && !end.too_long) return end.output;
  return Error(Code::kUnavailable, program + " failed and said " + Printable(end.stderr_tail));
}

// NAME is iptables or ip6tables.
Status RemoveFrom(const std::string& name, const std::string& container) {
  std::string program;
  for (const char* const directory : {"/usr/sbin/", "/sbin/", "/usr/local/sbin/"}) {
    if (access((directory + name).c_str(), X_OK) == 0) program = directory + name;
    if (!program.empty()) break;
  }
  if (program.empty()) return {};
  const Result<std::string> rules =
      RunTable(program, {"-w", "10", "-t", "nat", "-S", "POSTROUTING"}, "");
  // A kernel without this table for IPv6 has no rules of it.
  if (!rules.ok()) return name == "iptables" ? Status(rules.error()) : Status();
  const std::string removal = MasqueradeRemoval(*rules, container);
  if (removal.empty()) return {};
  const auto restored = RunTable(program + "-restore", {"--noflush", "-w", "10"}, removal);
  return restored.ok() ? Status() : Status(restored.error());
}

}  // namespace

std::string MasqueradeRemoval(std::string_view rules, const std::string& container) {
  std::string lines;
  std::set<std::string> chains;
  while (!rules.empty()) {
    const std::size_t end = std::min(rules.find('\n'), rules.size());
    const std::string_view rule = rules.substr(0, end);
    rules.remove_prefix(std::min(end + 1, rules.size()));
    const bool names_it = rule.find("id: \\\"" + container + "\\\"") != std::string_view::npos;
    if (!rule.starts_with(kAppends) || !names_it) continue;
    const std::string chain = ChainOf(rule);
    if (chain.empty()) continue;
    lines += "-D" + std::string(rule.substr(2)) + "\n";
    chains.insert(chain);
  }
  if (lines.empty()) return "";
  for (const std::string& chain : chains) lines += "-F " + chain + "\n-X " + chain + "\n";
  return "*nat\n" + lines + "COMMIT\n";
}

Status RemoveMasquerade(const std::string& container) {
  const Status four = RemoveFrom("iptables", container);
  const Status six = RemoveFrom("ip6tables", container);
  return four.ok() ? six : four;
}

}  // namespace drover
