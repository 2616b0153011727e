// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/config/config_values.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

bool IsSha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Reads how long the calls of a plugin may take. Zero would mean that a call has no limit at all.
void ReadPluginLimits(const ConfigValues& values, const std::string& pointer, PluginConfig* block) {
  for (const NamedLimit& known : kPluginLimits) {
    const std::string key = pointer + "/" + known.name;
    if (!values.Has(key)) continue;
    Duration limit{0};
    values.Time(key, &limit);
    const bool fits = limit >= kLeastPluginLimit || (known.may_be_zero && limit == Duration(0));
    if (!fits || limit > kMostPluginLimit) {
      values.Mistake(key, "must be from " + FormatDuration(kLeastPluginLimit) + " to " +
                              FormatDuration(kMostPluginLimit) +
                              (known.may_be_zero ? ", or 0" : ""));
    }
    block->limits[known.name] = limit;
  }
  values.Number(pointer + "/threads", &block->threads);
}

PluginConfig ReadPlugin(const ConfigValues& values, const std::string& name,
                        const std::string& pointer) {
  PluginConfig block;
  block.name = name;
  block.isolation.clear();
  values.Text(pointer + "/file", &block.file);
  values.Bool(pointer + "/enabled", &block.enabled);
  values.Text(pointer + "/sha256", &block.sha256);
  if (!block.sha256.empty() && !IsSha256(block.sha256)) {
    values.Mistake(pointer + "/sha256", "must be 64 lower-case hex digits");
  }
  values.Text(pointer + "/isolation", &block.isolation);
  if (const auto known = ParseIsolation(block.isolation, Isolation::kInProcess); !known.ok()) {
    values.Mistake(pointer + "/isolation", known.error().message());
  }
  ReadPluginLimits(values, pointer + "/limits", &block);
  values.Time(pointer + "/probe/time", &block.probe.time);
  values.Number(pointer + "/probe/memory_mb", &block.probe.memory_mb);
  values.Number(pointer + "/probe/file_mb", &block.probe.file_mb);
  if (const json* config = values.Find(pointer + "/config")) block.config_json = config->dump();
  return block;
}

PluginConfig* FindPlugin(AgentConfig* config, const std::string& name) {
  const auto same = [&name](const PluginConfig& plugin) { return plugin.name == name; };
  const auto found = std::find_if(config->plugins.begin(), config->plugins.end(), same);
  return found == config->plugins.end() ? nullptr : &*found;
}

void ReadBlocks(const ConfigValues& values, const std::string& pointer, AgentConfig* config) {
  const json* const blocks = values.Find(pointer);
  if (blocks == nullptr) return;
  for (const auto& [name, block] : blocks->items()) {
    const std::string here = JsonPointer(pointer, name);
    if (FindPlugin(config, name) != nullptr) {
      values.Mistake(here, "is also in /plugins: keep one");
    } else {
      config->plugins.push_back(ReadPlugin(values, name, here));
    }
  }
}

// Where a configuration enables the client, the driver exec is there without a block, as people
// know it.
void AddExec(const ConfigValues& values, AgentConfig* config) {
  bool enabled = false;
  values.Bool("/client/enabled", &enabled);
  if (!enabled || FindPlugin(config, "exec") != nullptr) return;
  PluginConfig exec;
  exec.name = "exec";
  exec.isolation.clear();
  config->plugins.push_back(std::move(exec));
}

// Gives the directories in client.chroot_env to exec, unless its block has directories.
void AddChroot(const ConfigValues& values, AgentConfig* config) {
  const json* const directories = values.Find("/client/chroot_env");
  if (directories == nullptr) return;
  PluginConfig* const exec = FindPlugin(config, "exec");
  if (exec == nullptr) {
    return values.Mistake("/client/chroot_env", "is for the driver exec: write plugin \"exec\" {}");
  }
  json of_exec = json::parse(exec->config_json);
  of_exec.emplace("chroot_env", *directories);
  exec->config_json = of_exec.dump();
}

// Reads which plugins take part in each task. A name without a plugin would be a hook that never
// comes.
void ReadTaskHooks(const ConfigValues& values, AgentConfig* config) {
  std::vector<std::string>& names = config->client.task_hooks;
  values.Texts("/client/task_hooks", &names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string here = "/client/task_hooks/" + std::to_string(i);
    const PluginConfig* const plugin = FindPlugin(config, names[i]);
    if (plugin == nullptr) {
      values.Mistake(here, "there is no plugin \"" + names[i] + "\": write plugin \"" + names[i] +
                               "\" {}, or correct the name");
    } else if (!plugin->enabled) {
      values.Mistake(here, "plugin \"" + names[i] + "\" is not enabled: remove one of the two");
    } else if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
               names.begin() + static_cast<std::ptrdiff_t>(i)) {
      values.Mistake(here, "is there twice");
    }
  }
}

}  // namespace

void ReadPluginConfigs(const ConfigValues& values, AgentConfig* config) {
  values.Texts("/plugin_dirs", &config->plugin_dirs);
  std::string directory;
  values.Text("/plugin_dir", &directory);
  if (!directory.empty()) config->plugin_dirs.push_back(directory);
  ReadBlocks(values, "/plugins", config);
  ReadBlocks(values, "/plugin", config);
  AddExec(values, config);
  AddChroot(values, config);
  std::sort(config->plugins.begin(), config->plugins.end(),
            [](const PluginConfig& a, const PluginConfig& b) { return a.name < b.name; });
  ReadTaskHooks(values, config);
}

}  // namespace drover
