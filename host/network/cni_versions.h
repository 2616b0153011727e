// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"

namespace drover {

// The version of a plugin, and the file that has said it. The file is asked again only after a
// change.
struct CniVersion {
  std::string program;  // its path, without symbolic links
  ino_t inode = 0;
  std::int64_t changed = 0;  // in ns
  std::string version;       // such as "v1.1.1"; empty if it says none

  bool operator==(const CniVersion&) const = default;
};
using CniVersionMap = std::map<std::string, CniVersion, std::less<>>;  // by the plugin's name

struct CniVersionSearch {
  std::string path;     // the directories of plugins, with ":" between them
  CniVersionMap known;  // of an earlier search
  int stop = -1;        // see ProgramRun
  Duration limit = 2s;  // of each call
  Duration all = 20s;   // of all calls together
};

// Returns the versions of the plugins in a path, which are programs that only root and the agent's
// user can change, at most 64 of them. A plugin is asked by its option --version, as Nomad does.
// If it does not say a version, as those of Debian, its version is the newest one of the interface
// that it speaks. Adds to PROBLEMS who does not end in time. Blocks. [any thread]
CniVersionMap FindCniVersions(const CniVersionSearch& search, std::vector<std::string>* problems);

// Returns the version in TEXT, what a plugin has printed for its option --version: "CNI bridge
// plugin v1.1.1". Else that of the interface, which may be in the next line. Empty if there is
// none.
std::string VersionSaid(std::string_view text);
// Returns the newest version in TEXT, what a plugin has answered at the command VERSION; empty if
// there is none.
std::string NewestInterface(const std::string& text);

}  // namespace drover
