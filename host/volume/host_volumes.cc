// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/host_volumes.h"

#include <sys/eventfd.h>

#include <utility>

#include "host/base/durable_step.h"
#include "host/base/own_thread.h"
#include "host/spec/strict_json.h"
#include "host/volume/volume_path.h"

namespace drover {
namespace {

constexpr int kOwnThreads = 2;
constexpr int kPluginThreads = 4;
constexpr long kMostLooks = 256;  // that have not ended
// How long a look waits for the end of others. More than kMostLooks tasks may begin at once, but
// only a disk that hangs keeps a look from ending for so long.
constexpr Duration kLookPatience = 10s;
constexpr Duration kLookPause = 20ms;

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

// ERROR is why a volume could not be made, and WHY why what may be left of it could not be removed.
Error NotUndone(const Error& error, const Error& why) {
  return Error(error.code(),
               error.message() + "; and it may have left something, since " + why.message(),
               error.recoverable());
}

// Returns the path of the volume without links, if tasks can mount it.
Result<std::string> RealPath(const std::string& path, const std::vector<std::string>& writable) {
  DROVER_ASSIGN(const VolumePlace place, OpenVolumePath(path, writable));
  return place.real;
}

Result<MadeVolume> MakeNow(const VolumePluginOptions& options, const VolumeRecord& volume) {
  if (volume.plugin_id == kMkdirPlugin) return MakeDirectoryVolume(options.volumes_dir, volume);
  DROVER_ASSIGN(const VolumePlugin plugin, VolumePlugin::Find(options, volume.plugin_id));
  Result<MadeVolume> made = DurableStep(Step::kMakeVolume, [&] { return plugin.Create(volume); });
  if (made.ok() || !volume.host_path.empty()) return made;
  const Status undone = plugin.Delete(volume);
  return undone.ok() ? made : NotUndone(made.error(), undone.error());
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
      stop_(std::make_shared<const UniqueFd>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      life_(options_.loop) {
  options_.plugins.stop = stop_->get();
  attributes_[VersionKey(kMkdirPlugin)] = kMkdirVersion;
}

void HostVolumes::Stop() {
  (void)eventfd_write(stop_->get(), 1);
  life_.Cancel("the agent ends");
}

Event* HostVolumes::RestoredOf(const std::string& id) {
  std::unique_ptr<Event>& event = restored_[id];
  if (!event) event = std::make_unique<Event>(options_.loop);
  return event.get();
}

void HostVolumes::SetRestored(const std::string& id) {
  if (!all_restored_) RestoredOf(id)->Set();
}

void HostVolumes::SetRestored() {
  all_restored_ = true;
  for (const auto& [id, event] : restored_) event->Set();
}

WorkerPool* HostVolumes::ThreadsOf(const std::string& plugin) {
  const bool is_own = plugin == kMkdirPlugin;
  std::optional<WorkerPool>& threads = is_own ? own_threads_ : plugin_threads_;
  if (!threads) threads.emplace(is_own ? kOwnThreads : kPluginThreads);
  return &*threads;
}

std::vector<std::string> HostVolumes::Writable() const {
  std::vector<std::string> writable = options_.writable;
  for (const auto& [name, volume] : options_.configured) {
    if (!volume.read_only) writable.push_back(volume.path);
  }
  if (!options_.paths) return writable;
  for (std::string& path : options_.paths()) writable.push_back(std::move(path));
  return writable;
}

// Each thread holds a reference to `looking_` until it ends.
Co<Result<std::string>> HostVolumes::Look(Context context, std::string path) {
  for (Duration waited{0}; looking_.use_count() > kMostLooks; waited += kLookPause) {
    if (waited >= kLookPatience) {
      co_return Error(Code::kResourceExhausted,
                      std::to_string(kMostLooks) +
                          " looks at volumes have not ended: does a disk of this machine hang?",
                      true);
    }
    DROVER_CO_TRY(co_await Sleep(context, kLookPause));
  }
  const auto real = std::make_shared<std::optional<Result<std::string>>>();
  std::function<void()> look = [real, path = std::move(path), writable = Writable(),
                                looking = looking_] { real->emplace(RealPath(path, writable)); };
  DROVER_CO_TRY(co_await RunOnOwnThread(context, std::move(look)));
  co_return std::move(**real);
}

Co<void> HostVolumes::FindPlugins() {
  const auto found = std::make_shared<FoundPlugins>();
  std::function<void()> find = [plugins = options_.plugins, stop = stop_, found] {
    *found = FindVersions(plugins);
  };
  const Context to_its_end(options_.loop);  // Stop ends the plugins
  const Status ran = co_await RunOnOwnThread(to_its_end, std::move(find));
  if (!ran.ok()) {
    unusable_ = {ran.error().message()};
    co_return;
  }
  attributes_.merge(found->versions);
  unusable_ = std::move(found->unusable);
}

Co<Result<MadeVolume>> HostVolumes::MakeUnchecked(VolumeRecord volume) {
  WorkerPool* const threads = ThreadsOf(volume.plugin_id);
  std::function<Result<MadeVolume>()> make =
      [plugins = options_.plugins, volume = std::move(volume)] { return MakeNow(plugins, volume); };
  co_return co_await threads->Run(std::move(make));
}

Co<Result<MadeVolume>> HostVolumes::Make(VolumeRecord volume) {
  DROVER_CO_ASSIGN(MadeVolume made, co_await MakeUnchecked(volume));
  if (volume.plugin_id == kMkdirPlugin) co_return made;
  const Result<std::string> real = co_await Look(life_, made.path);
  if (real.ok()) co_return made;
  const Error error = real.error().WithContext("the volume plugin " + volume.plugin_id +
                                               " has made a volume that tasks cannot mount");
  if (!volume.host_path.empty()) co_return error;
  volume.host_path = made.path;
  const Status undone = co_await Remove(std::move(volume));
  co_return undone.ok() ? error : NotUndone(error, undone.error());
}

Co<Status> HostVolumes::Remove(VolumeRecord volume) {
  if (volume.plugin_id.empty()) co_return Status();
  WorkerPool* const threads = ThreadsOf(volume.plugin_id);
  std::function<Status()> remove = [plugins = options_.plugins, volume = std::move(volume),
                                    remove_tree = options_.remove_tree] {
    return RemoveNow(plugins, volume, remove_tree);
  };
  co_return co_await threads->Run(std::move(remove));
}

Co<Status> HostVolumes::CheckPath(std::string path) {
  const Result<std::string> real = co_await Look(life_, std::move(path));
  co_return real.ok() ? Status() : Status(real.error());
}

Co<Result<VolumeSource>> HostVolumes::Find(Context context, std::string name_space,
                                           std::string name) {
  VolumeSource source;
  std::optional<VolumeRecord> record;
  if (options_.find) record = options_.find(name_space, name);
  if (record) {
    if (!all_restored_) DROVER_CO_TRY(co_await RestoredOf(record->id)->Wait(context));
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
  Result<std::string> real = co_await Look(context, source.path);
  DROVER_CO_TRY(context.status());
  // What is missing now may be there at the next try, such as a disk that is not mounted yet.
  if (!real.ok()) co_return real.error().WithContext("the volume " + Quoted(name)).AsRecoverable();
  source.path = std::move(*real);
  co_return source;
}

}  // namespace drover
