// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/volume/volume_record.h"

namespace drover {

// What a plugin has made.
struct MadeVolume {
  std::string path;
  std::int64_t bytes = 0;  // 0: the plugin does not limit the volume

  bool operator==(const MadeVolume&) const = default;
};

struct VolumePluginOptions {
  std::string directory;    // of the plugins
  std::string volumes_dir;  // where plugins are asked to make volumes
  std::string node_id;
  std::string node_pool;
  Duration fingerprint_limit = 5s;
  Duration limit = 60s;  // of create and delete
  int stop = -1;         // see AwaitedChild::stop
};

// A plugin that makes and removes volumes: an executable file of the operator. Each call is one run
// of it, with the operation as its argument and everything else in DHV_... variables, as Nomad
// calls such plugins. It runs with the rights of the agent. All functions block. [any thread]
class VolumePlugin {
 public:
  // NAME is the name of its file. Error kNotFound: there is no such file. Error kPermissionDenied:
  // others could change the file.
  static Result<VolumePlugin> Find(const VolumePluginOptions& options, const std::string& name);
  // Returns the names of all files in the directory that may be plugins, sorted.
  static std::vector<std::string> List(const std::string& directory);

  // Returns the version.
  Result<std::string> Fingerprint() const;
  // Makes the volume, or finds it if it is there already.
  Result<MadeVolume> Create(const VolumeRecord& volume) const;
  // Removes the volume. Succeeds if there is none.
  Status Delete(const VolumeRecord& volume) const;

 private:
  VolumePlugin(VolumePluginOptions options, std::string name, std::string file)
      : options_(std::move(options)), name_(std::move(name)), file_(std::move(file)) {}

  std::vector<std::string> Environment(const std::string& operation,
                                       const VolumeRecord* volume) const;
  // Runs the operation and returns its standard output. VOLUME is null for a fingerprint.
  Result<std::string> Run(const std::string& operation, const VolumeRecord* volume) const;

  const VolumePluginOptions options_;
  const std::string name_;
  const std::string file_;  // the path of the program, without links
};

}  // namespace drover
