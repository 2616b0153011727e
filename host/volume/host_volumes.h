// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
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
// them. A disk that hangs delays only the tasks with volumes on it, and not the end of the agent:
// each look at a volume has a thread of its own, which is given up. A plugin that hangs delays only
// other plugins. Without volumes no thread stays. Control thread only.
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

  // Has the plugin make VOLUME, or find it. The result has a path that tasks can mount. After a
  // failure, has the plugin remove what it may have made, if VOLUME has never had a path.
  Co<Result<MadeVolume>> Make(VolumeRecord volume);
  // Has the plugin remove VOLUME. Does nothing with a registered volume.
  Co<Status> Remove(VolumeRecord volume);
  // Succeeds if tasks can mount PATH.
  Co<Status> CheckPath(std::string path);
  // Finds the volume NAME for a task of a job in NAME_SPACE. A volume of a client wins over one of
  // the configuration. For a volume of a client, waits for SetRestored. CONTEXT ends this wait, and
  // that for the disk.
  Co<Result<VolumeSource>> Find(Context context, std::string name_space, std::string name);

  // Call it when the volume ID has been made, or made again by this agent, which mounts it after a
  // reboot. Also after a failure.
  void SetRestored(const std::string& id);
  // Call it when all volumes of an earlier agent have been made again.
  void SetRestored();
  // Ends the runs of plugins, and gives up the waits for disks. Call it when the agent ends. The
  // contexts of Find end those of tasks.
  void Stop();
  bool stopped() const { return life_.cancelled(); }

 private:
  // Returns the directories in which tasks may make links.
  std::vector<std::string> Writable() const;
  // Returns PATH without links, if tasks can mount it.
  Co<Result<std::string>> Look(Context context, std::string path);
  Co<Result<MadeVolume>> MakeUnchecked(VolumeRecord volume);
  // Returns an event that is set after SetRestored for the volume ID.
  Event* RestoredOf(const std::string& id);
  // Returns the threads for PLUGIN.
  WorkerPool* ThreadsOf(const std::string& plugin);

  HostVolumesOptions options_;
  const std::shared_ptr<const UniqueFd> stop_;  // can be read after Stop
  Context life_;                                // ends with Stop
  StringMap attributes_;
  std::vector<std::string> unusable_;
  bool all_restored_ = false;
  std::map<std::string, std::unique_ptr<Event>> restored_;         // by id
  const std::shared_ptr<int> looking_ = std::make_shared<int>(0);  // any address; see Look
  std::optional<WorkerPool> own_threads_;                          // of mkdir
  std::optional<WorkerPool> plugin_threads_;                       // of all other plugins
};

}  // namespace drover
