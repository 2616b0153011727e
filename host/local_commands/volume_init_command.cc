// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include "host/base/printable.h"
#include "host/cli/replace_file.h"
#include "host/cli/shell_word.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

constexpr std::string_view kHclVolume =
    R"(# A host volume. "drover volume create FILE" makes it; docs/volumes.md has the details.

type = "host"

# The name by which jobs find it: volume "..." { type = "host"  source = "data" }.
name = "data"

# The namespace of these jobs. The option --namespace counts if it is not said here.
# namespace = "default"

# The plugin that makes it. mkdir makes a directory, with these parameters.
plugin_id = "mkdir"

parameters {
  mode = "0755"
  # uid = "1000"
  # gid = "1000"
}

# What a plugin that limits volumes makes. mkdir does not.
# capacity_min = "1GiB"
# capacity_max = "10GiB"

# How jobs may use it: single-node-writer, single-node-reader-only, single-node-single-writer (one
# allocation writes at a time) or single-node-multi-writer. Several are several blocks.
capability {
  access_mode     = "single-node-writer"
  attachment_mode = "file-system"
}
)";

constexpr std::string_view kJsonVolume = R"({
  "type": "host",
  "name": "data",
  "plugin_id": "mkdir",
  "parameters": {
    "mode": "0755"
  },
  "capability": [
    {
      "access_mode": "single-node-writer",
      "attachment_mode": "file-system"
    }
  ]
}
)";

struct VolumeInitCommand {
  std::string file;
  bool json = false;
  std::string type = "host";

  void Declare(CLI::App* command) {
    command->add_option("FILE", file,
                        "The new file (default: volume.host.hcl or volume.host.json)");
    command->add_flag("--json", json, "Writes JSON instead of HCL");
    command->add_option("--type", type, "The type of the volume (host)")
        ->check(CLI::IsMember({"host"}));
  }

  int Run() const {
    const std::string name = !file.empty() ? file : json ? "volume.host.json" : "volume.host.hcl";
    const Status written = WriteNewFile(name, json ? kJsonVolume : kHclVolume);
    if (!written.ok()) return Fail("volume init", written.error(), kExitFailed);
    std::printf("Wrote %s. To make the volume: drover volume create %s\n", Printable(name).c_str(),
                Printable(ShortShellWord(name)).c_str());
    return kExitOk;
  }
};

}  // namespace

void AddVolumeInit(const CommandGroup& volume) {
  volume.Add<VolumeInitCommand>("init", "Writes an example of a volume's specification");
}

}  // namespace drover
