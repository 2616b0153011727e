// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/network/conflist.h"

namespace drover {

// A directory of CNI plugins that are scripts. Each call adds a line to a log: the command, the
// name of the plugin, and whether it has got a namespace.
class FakePlugins {
 public:
  const std::string& path() const { return directory_.path(); }

  // Makes the plugin NAME. ADD and DEL are what it does at these commands, in the language of the
  // shell; the words $DIR and $IN stand for the directory and the file with its configuration.
  void Make(const std::string& name, const std::string& add, const std::string& del = "exit 0") {
    const std::string file = path() + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n"
                        << "DIR=" << path() << "\nIN=$DIR/" << name << ".$CNI_COMMAND\n"
                        << "cat > $IN\n"
                        << "echo $CNI_COMMAND " << name << " ${CNI_NETNS:+inside} >> $DIR/log\n"
                        << "case $CNI_COMMAND in\nADD) " << add << ";;\nDEL) " << del
                        << ";;\nesac\n";
    chmod(file.c_str(), 0755);
  }
  // Makes a plugin that returns RESULT, after it has run SETUP.
  void MakeGood(const std::string& name, const std::string& result,
                const std::string& setup = "true", const std::string& del = "exit 0") {
    std::ofstream(path() + "/" + name + ".result") << result;
    Make(name, setup + " && cat $DIR/" + name + ".result", del);
  }

  // Returns the lines of the log.
  std::vector<std::string> Calls() const {
    std::vector<std::string> lines;
    std::ifstream log(path() + "/log");
    for (std::string line; std::getline(log, line);) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
  void Forget() { unlink((path() + "/log").c_str()); }
  // Returns the configuration that the plugin NAME got last at COMMAND.
  nlohmann::json ConfigOf(const std::string& name, const std::string& command) const {
    std::ifstream file(path() + "/" + name + "." + command);
    return nlohmann::json::parse(file, nullptr, false);
  }

  // Returns a network of the plugins TYPES.
  static Conflist Network(const std::vector<std::string>& types,
                          const std::string& version = "0.4.0") {
    nlohmann::json list = {{"cniVersion", version}, {"name", "net"}};
    list["plugins"] = nlohmann::json::array();
    for (const std::string& type : types) {
      nlohmann::json plugin = {{"type", type}};
      plugin["capabilities"]["portMappings"] = type == "ports";
      list["plugins"].push_back(plugin);
    }
    return *ParseConflist(list.dump());
  }

 private:
  const DirectoryForTest directory_;
};

}  // namespace drover
