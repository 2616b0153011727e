// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"
#include "host/volume/mkdir_plugin.h"
#include "host/volume/volume_plugin.h"
#include "host/volume/volume_record.h"

namespace drover {

struct HostVolumesOptions {
  Loop* loop = nullptr;
  ConfiguredVolumes configured;
  // The directories that tasks may change besides the volumes, such as that of the allocations.
  std::vector<std::string> writable;
  VolumePluginOptions plugins;  // without its descriptor
  RemoveTree remove_tree;       // [any thread]
  // Returns the volume of clients called NAME; absent if there is none. May be empty, and so may
  // the next function.
  std::function<std::optional<VolumeRecord>(const std::string& name_space, const std::string& name)>
      find;
  std::function<std::vector<std::string>()> paths;  // the host paths of all volumes of clients
};

// A volume as a task mounts it.
struct VolumeSource {
  std::string path;  // without symbolic links
  bool read_only = false;

  bool operator==(const VolumeSource&) const = default;
};

// The volumes of this node: it finds their directories, and calls the plugins that make and remove
// them. What blocks runs on threads of its own, so a disk that hangs delays only tasks with
// volumes. Control thread only.
class HostVolumes {
 public:
  explicit HostVolumes(HostVolumesOptions options);

  const ConfiguredVolumes& configured() const { return options_.configured; }
  // Asks all plugins for their versions. Afterwards attributes() has them.
  Co<void> FindPlugins();
  // The attributes of the node, such as plugins.host_volume.mkdir.version.
  const StringMap& attributes() const { return attributes_; }
  // Returns the errors of plugins that FindPlugins could not use.
  const std::vector<std::string>& unusable() const { return unusable_; }

  // Has the plugin make VOLUME, or find it. The result has a path that tasks can mount.
  Co<Result<MadeVolume>> Make(VolumeRecord volume);
  // Has the plugin remove VOLUME. Does nothing with a registered volume.
  Co<Status> Remove(VolumeRecord volume);
  // Succeeds if tasks can mount PATH.
  Co<Status> CheckPath(std::string path);
  // Finds the volume NAME for a task of a job in NAME_SPACE. A volume of a client wins over one of
  // the configuration. For a volume of a client, waits for SetRestored.
  Co<Result<VolumeSource>> Find(Context context, std::string name_space, std::string name);

  // Call it when the volumes of an earlier agent have been made again, which mounts them after a
  // reboot.
  void SetRestored() { restored_.Set(); }
  // Ends the runs of plugins. Call it when the agent ends.
  void Stop();

 private:
  // Returns the directories in which tasks may make links.
  std::vector<std::string> Writable() const;

  HostVolumesOptions options_;
  UniqueFd stop_;  // can be read after Stop
  StringMap attributes_;
  std::vector<std::string> unusable_;
  Event restored_;
  WorkerPool pool_;
};

}  // namespace drover
