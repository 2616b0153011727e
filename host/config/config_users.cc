// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "host/base/text.h"
#include "host/config/config_values.h"

namespace drover {
namespace {

constexpr char kDenylist[] = "/client/options/user.denylist";
constexpr char kCheckedDrivers[] = "/client/options/user.checked_drivers";

bool HasName(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Reads names with commas between them.
void ReadUserNames(const ConfigValues& values, const std::string& pointer,
                   std::vector<std::string>* out) {
  if (!values.Has(pointer)) return;
  std::string text;
  values.Text(pointer, &text);
  out->clear();
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (const std::string_view trimmed = Trim(name); !trimmed.empty()) out->emplace_back(trimmed);
  }
}

// The driver exec has an option of its own for users with the id 0. Where only one of the two is
// set, the other follows, so that the operator says once what he wants.
void JoinAllowRoot(const ConfigValues& values, PluginConfig* exec,
                   AgentConfig::Client::Users* users) {
  nlohmann::json of_exec = nlohmann::json::parse(exec->config_json);
  if (!of_exec.is_object()) return;
  const bool by_options = values.Has(kDenylist) || values.Has(kCheckedDrivers);
  const auto allow_root = of_exec.find("allow_root");
  if (!by_options) {
    if (allow_root != of_exec.end() && *allow_root == true) {
      std::erase(users->checked_drivers, "exec");
    }
    return;
  }
  const bool denied = HasName(users->checked_drivers, "exec") &&
                      (HasName(users->denied, "root") || HasName(users->denied, "0"));
  if (denied || allow_root != of_exec.end()) return;
  of_exec["allow_root"] = true;
  exec->config_json = of_exec.dump();
}

bool FollowsUsers(const PluginConfig& plugin) {
  return plugin.name == "exec" || plugin.name == "raw_exec";
}

// The drivers of Drover must know which ids without a user are lent by the agent.
void AddDynamicUsers(const AgentConfig::Client::Users& users, PluginConfig* plugin) {
  if (!FollowsUsers(*plugin)) return;
  nlohmann::json of_plugin = nlohmann::json::parse(plugin->config_json);
  if (!of_plugin.is_object()) return;
  of_plugin.emplace("dynamic_users",
                    std::to_string(users.dynamic_min) + "-" + std::to_string(users.dynamic_max));
  plugin->config_json = of_plugin.dump();
}

}  // namespace

void ReadUsersConfig(const ConfigValues& values, AgentConfig* config) {
  AgentConfig::Client::Users& users = config->client.users;
  ReadUserNames(values, kDenylist, &users.denied);
  ReadUserNames(values, kCheckedDrivers, &users.checked_drivers);
  values.Number("/client/users/dynamic_user_min", &users.dynamic_min);
  values.Number("/client/users/dynamic_user_max", &users.dynamic_max);
  if (users.dynamic_min > users.dynamic_max) {
    const bool low = values.Has("/client/users/dynamic_user_min");
    values.Mistake(low ? "/client/users/dynamic_user_min" : "/client/users/dynamic_user_max",
                   "the users " + std::to_string(users.dynamic_min) + " to " +
                       std::to_string(users.dynamic_max) + " are no range");
  }
  const std::string drivers = "/client/users/dynamic_user_drivers";
  values.Texts(drivers, &users.dynamic_drivers);
  const auto find = [config](const std::string& name) -> PluginConfig* {
    const auto same = [&name](const PluginConfig& plugin) { return plugin.name == name; };
    const auto found = std::find_if(config->plugins.begin(), config->plugins.end(), same);
    return found == config->plugins.end() ? nullptr : &*found;
  };
  for (std::size_t i = 0; i < users.dynamic_drivers.size(); ++i) {
    const std::string& name = users.dynamic_drivers[i];
    if (PluginConfig* const plugin = find(name)) {
      AddDynamicUsers(users, plugin);
    } else {
      values.Mistake(drivers + "/" + std::to_string(i), "there is no plugin \"" + name +
                                                            "\": write plugin \"" + name +
                                                            "\" {}, or correct the name");
    }
  }
  if (PluginConfig* const exec = find("exec")) JoinAllowRoot(values, exec, &users);
}

std::vector<PluginConfig> PluginsToReload(const AgentConfig& running, const AgentConfig& wanted) {
  std::vector<PluginConfig> plugins = wanted.plugins;
  if (running.client.users == wanted.client.users) return plugins;
  std::erase_if(plugins, [](const PluginConfig& plugin) { return FollowsUsers(plugin); });
  return plugins;
}

}  // namespace drover
