// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/load_config.h"

#include <filesystem>
#include <utility>

#include "host/config/config_files.h"
#include "host/config/config_node.h"

namespace drover {
namespace {

// An agent is always client and server of its machine. A file for a server alone works here, but
// means more than it says.
void WarnOfServerAlone(const ConfigDocument& document, ConfigFindings* warnings) {
  const nlohmann::json::json_pointer server("/server/enabled"), client("/client/enabled");
  const nlohmann::json& all = document.value;
  if (!all.contains(server) || all.at(server) != true || all.contains(client)) return;
  const std::string key = server.to_string();
  AddFinding({document.Place(key), key, "the agent runs tasks, too: it is always a client"},
             warnings);
}

class Loader {
 public:
  explicit Loader(LoadedConfig* to) : to_(to) {}

  void Path(const std::string& path) {
    const Result<std::vector<std::string>> files = ListConfigFiles(path);
    if (!files.ok()) return Add(path, files.error());
    for (const std::string& file : *files) File(file);
    if (files->empty()) {
      AddFinding({{path}, "", "there is no *.hcl and no *.json in it"}, &to_->warnings);
    }
  }

  void Text(const std::string& file, const std::string& text, const std::string& directory) {
    const bool json = IsJsonConfig(text);
    const Result<ConfigNode> root = json ? ReadJsonConfig(text) : ReadHclConfig(file, text);
    if (!root.ok()) return Add(file, root.error());
    MergeConfig(&to_->document, ShapeConfig(*root, {file, directory, !json}, &to_->mistakes));
  }

  void Finish(const AddressSource& addresses) {
    CheckConfigStates(to_->document, &to_->mistakes, &to_->warnings);
    WarnOfServerAlone(to_->document, &to_->warnings);
    to_->config = ReadConfigDocument(to_->document, addresses, &to_->mistakes);
  }

 private:
  void File(const std::string& path) {
    const Result<ConfigFile> file = ReadConfigFile(path);
    if (!file.ok()) return Add(path, file.error());
    Text(path, file->text, std::filesystem::path(file->path).parent_path().string());
  }

  void Add(const std::string& file, const Error& error) {
    AddFinding({{file}, "", error.message(), error.code()}, &to_->mistakes);
  }

  LoadedConfig* const to_;
};

Result<AgentConfig> ConfigOf(LoadedConfig loaded) {
  DROVER_TRY(AsError(loaded.mistakes));
  return std::move(loaded.config);
}

}  // namespace

LoadedConfig LoadConfig(const std::vector<std::string>& paths, const AddressSource& addresses) {
  LoadedConfig loaded;
  Loader loader(&loaded);
  for (const std::string& path : paths) loader.Path(path);
  loader.Finish(addresses);
  return loaded;
}

Result<AgentConfig> ReadAgentConfig(const std::string& path) {
  return ConfigOf(LoadConfig({path}, nullptr));
}

Result<AgentConfig> ParseAgentConfig(const std::string& text, const std::string& base) {
  LoadedConfig loaded;
  Loader loader(&loaded);
  loader.Text("", text, base);
  loader.Finish(nullptr);
  return ConfigOf(std::move(loaded));
}

}  // namespace drover
