// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/host_volumes.h"

#include <sys/eventfd.h>

#include <utility>

#include "host/base/durable_step.h"
#include "host/spec/strict_json.h"
#include "host/volume/volume_path.h"

namespace drover {
namespace {

constexpr int kThreads = 4;

std::string VersionKey(const std::string& plugin) {
  return "plugins.host_volume." + plugin + ".version";
}

// What FindPlugins finds.
struct FoundPlugins {
  StringMap versions;  // by attribute
  std::vector<std::string> unusable;
};

FoundPlugins FindVersions(const VolumePluginOptions& options) {
  FoundPlugins found;
  for (const std::string& name : VolumePlugin::List(options.directory)) {
    if (name == kMkdirPlugin) continue;  // the agent's own plugin has this name
    const Result<VolumePlugin> plugin = VolumePlugin::Find(options, name);
    const Result<std::string> version =
        plugin.ok() ? plugin->Fingerprint() : Result<std::string>(plugin.error());
    if (version.ok()) {
      found.versions[VersionKey(name)] = *version;
    } else {
      found.unusable.push_back(version.error().message());
    }
  }
  return found;
}

// Returns the path of the volume without links, if tasks can mount it.
Result<std::string> RealPath(const std::string& path, const std::vector<std::string>& writable) {
  DROVER_ASSIGN(const VolumePlace place, OpenVolumePath(path, writable));
  return place.real;
}

Result<MadeVolume> MakeNow(const VolumePluginOptions& options, const VolumeRecord& volume,
                           const std::vector<std::string>& writable) {
  if (volume.plugin_id == kMkdirPlugin) return MakeDirectoryVolume(options.volumes_dir, volume);
  DROVER_ASSIGN(const VolumePlugin plugin, VolumePlugin::Find(options, volume.plugin_id));
  DROVER_ASSIGN(MadeVolume made,
                DurableStep(Step::kMakeVolume, [&] { return plugin.Create(volume); }));
  const Result<std::string> real = RealPath(made.path, writable);
  if (real.ok()) return made;
  return real.error().WithContext("the volume plugin " + volume.plugin_id +
                                  " has made a volume that tasks cannot mount");
}

Status RemoveNow(const VolumePluginOptions& options, const VolumeRecord& volume,
                 const RemoveTree& remove_tree) {
  if (volume.plugin_id == kMkdirPlugin) {
    return RemoveDirectoryVolume(options.volumes_dir, volume, remove_tree);
  }
  DROVER_ASSIGN(const VolumePlugin plugin, VolumePlugin::Find(options, volume.plugin_id));
  return DurableStep(Step::kRemoveVolume, [&] { return plugin.Delete(volume); });
}

}  // namespace

HostVolumes::HostVolumes(HostVolumesOptions options)
    : options_(std::move(options)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      restored_(options_.loop),
      pool_(kThreads) {
  options_.plugins.stop = stop_.get();
  attributes_[VersionKey(kMkdirPlugin)] = kMkdirVersion;
}

void HostVolumes::Stop() { (void)eventfd_write(stop_.get(), 1); }

std::vector<std::string> HostVolumes::Writable() const {
  std::vector<std::string> writable = options_.writable;
  for (const auto& [name, volume] : options_.configured) {
    if (!volume.read_only) writable.push_back(volume.path);
  }
  if (!options_.paths) return writable;
  for (std::string& path : options_.paths()) writable.push_back(std::move(path));
  return writable;
}

Co<void> HostVolumes::FindPlugins() {
  std::function<FoundPlugins()> find = [plugins = options_.plugins] {
    return FindVersions(plugins);
  };
  FoundPlugins found = co_await pool_.Run(std::move(find));
  attributes_.merge(found.versions);
  unusable_ = std::move(found.unusable);
}

Co<Result<MadeVolume>> HostVolumes::Make(VolumeRecord volume) {
  std::function<Result<MadeVolume>()> make = [plugins = options_.plugins,
                                              volume = std::move(volume), writable = Writable()] {
    return MakeNow(plugins, volume, writable);
  };
  co_return co_await pool_.Run(std::move(make));
}

Co<Status> HostVolumes::Remove(VolumeRecord volume) {
  if (volume.plugin_id.empty()) co_return Status();
  std::function<Status()> remove = [plugins = options_.plugins, volume = std::move(volume),
                                    remove_tree = options_.remove_tree] {
    return RemoveNow(plugins, volume, remove_tree);
  };
  co_return co_await pool_.Run(std::move(remove));
}

Co<Status> HostVolumes::CheckPath(std::string path) {
  std::function<Status()> check = [path = std::move(path), writable = Writable()] {
    const Result<std::string> real = RealPath(path, writable);
    return real.ok() ? Status() : Status(real.error());
  };
  co_return co_await pool_.Run(std::move(check));
}

Co<Result<VolumeSource>> HostVolumes::Find(Context context, std::string name_space,
                                           std::string name) {
  VolumeSource source;
  std::optional<VolumeRecord> record;
  if (options_.find) record = options_.find(name_space, name);
  if (record) {
    DROVER_CO_TRY(co_await restored_.Wait(context));
    record = options_.find(name_space, name);  // it may have changed
  }
  if (record && record->state != volume_state::kReady) {
    co_return Error(Code::kUnavailable,
                    "the volume " + Quoted(name) + " is " + record->state +
                        ": look at it with `drover volume status " + record->id + "`",
                    true);
  }
  const auto configured = options_.configured.find(name);
  if (record) {
    source.path = record->host_path;
  } else if (configured != options_.configured.end()) {
    source = {configured->second.path, configured->second.read_only};
  } else {
    co_return Error(Code::kNotFound, "this node has no volume " + Quoted(name) +
                                         ": configure it as host_volume, or create it");
  }
  std::function<Result<std::string>()> look = [path = source.path, writable = Writable()] {
    return RealPath(path, writable);
  };
  Result<std::string> real = co_await pool_.Run(std::move(look));
  // What is missing now may be there at the next try, such as a disk that is not mounted yet.
  if (!real.ok()) co_return real.error().WithContext("the volume " + Quoted(name)).AsRecoverable();
  source.path = std::move(*real);
  co_return source;
}

}  // namespace drover
