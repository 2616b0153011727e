// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_networks.h"

#include <dirent.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "host/alloc/hooks/network_hook.h"
#include "host/alloc/hooks/no_network_hook.h"
#include "host/network/cni_call.h"
#include "host/network/conflist.h"
#include "host/process/run_directory.h"
#include "host/state/node_interface.h"
#include "host/task/hooks/network_files_hook.h"

namespace drover {
namespace {

constexpr int kPluginThreads = 4;
constexpr char kVersionPool[] = "versions";  // no network mode is called so
constexpr std::string_view kVersionAttribute = "plugins.cni.version.";
constexpr std::string_view kOfRun = "networks-run-";  // the directories of nodes without a state

// Returns where /etc/resolv.conf leads; empty if it is not there.
std::string ResolvOfHost() {
  constexpr char kResolv[] = "/etc/resolv.conf";
  const std::unique_ptr<char, void (*)(void*)> real(realpath(kResolv, nullptr), free);
  return real ? real.get() : "";
}

bool HasIptables() {
  for (const char* const path :
       {"/usr/sbin/iptables", "/sbin/iptables", "/usr/local/sbin/iptables"}) {
    if (access(path, X_OK) == 0) return true;
  }
  return false;
}

// Returns why there is no bridge; empty if there is one.
std::string WhyNoBridge(const std::string& cni_path) {
  for (const std::string& plugin : BridgePlugins()) {
    const Result<std::string> found = FindCniPlugin(plugin, cni_path);
    if (!found.ok()) return found.error().message();
  }
  return HasIptables() ? "" : "the program iptables is not installed: install it";
}

// Opens and locks the directory PATH. Returns nothing if another process has the lock, or PATH has
// been removed or replaced.
UniqueFd LockDirectory(const std::string& path) {
  UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat opened{};
  struct stat named{};
  if (directory && flock(directory.get(), LOCK_EX | LOCK_NB) == 0 &&
      fstat(directory.get(), &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
    return directory;
  return UniqueFd();
}

// Returns the directories of nodes without a kept state, except OWN.
std::vector<std::string> RunNetworks(const std::string& run_dir, const std::string& own) {
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(run_dir.c_str()), closedir);
  while (entries) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    const std::string path = run_dir + "/" + entry->d_name;
    if (std::string_view(entry->d_name).starts_with(kOfRun) && path != own) found.push_back(path);
  }
  return found;
}

void DropAll(const AllocNetworks& networks, const std::vector<NoteIdentity>& notes,
             const std::atomic<bool>& give_up, bool only_unused = false) {
  for (const NoteIdentity& note : notes) {
    if (give_up) return;
    if (only_unused && networks.IsUsed(note.alloc_id)) continue;
    const Status dropped = networks.DropIfStill(note);
    if (!dropped.ok()) {
      spdlog::warn("the network of the gone allocation {} is not removed yet: {}", note.alloc_id,
                   dropped.error().message());
    }
  }
}

Result<std::vector<std::string>> ReplaceVariables(const NodeInfo& node, const Allocation& alloc,
                                                  std::vector<std::string> texts) {
  const auto has_reference = [](const std::string& text) {
    return text.find("${") != std::string::npos;
  };
  if (std::ranges::none_of(texts, has_reference)) return texts;
  TaskEnvInput input;
  input.node = &node;
  input.alloc = &alloc;
  DROVER_ASSIGN(const TaskEnv env, TaskEnv::Build(input));
  for (std::string& text : texts) text = env.Interpolate(text);
  return texts;
}

}  // namespace

NodeNetworks::NodeNetworks(NodeNetworksOptions options)
    : options_(std::move(options)),
      resolv_of_host_(ResolvOfHost()),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_asking_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  has_hostname_ = access("/etc/hostname", F_OK) == 0;
}

NodeNetworks::~NodeNetworks() {
  Stop();
  StopAsking();
  plugin_pools_.clear();  // nobody makes anything in the directory any more
  // rmdir fails if allocations that continue have namespaces in the directory.
  if (options_.kept || lock_) rmdir(directory_.c_str());
}

Result<std::unique_ptr<NodeNetworks>> NodeNetworks::Create(NodeNetworksOptions options) {
  std::unique_ptr<NodeNetworks> made(new NodeNetworks(std::move(options)));
  DROVER_TRY(made->Open());
  made->Take(FindNetworks(made->options_.client));
  return made;
}

Status NodeNetworks::Open() {
  const Result<std::string> run_dir = RunDirectoryPath(options_.client.run_dir);
  if (!run_dir.ok() && options_.kept) return run_dir.error();
  run_dir_ = run_dir.value_or("");  // without it, no network can be made
  directory_ = run_dir_ + "/" + std::string(kOfRun) + options_.node_id;
  if (options_.kept) {
    // Other agents may use the same run directory. So the name of the directory contains the device
    // and inode number of alloc_dir. By this name, an agent finds its networks even if the state
    // was lost.
    struct stat allocs_dir{};
    if (stat(options_.client.alloc_dir.c_str(), &allocs_dir) != 0)
      return ErrnoError(errno, "cannot look at " + options_.client.alloc_dir);
    directory_ = run_dir_ + "/networks-" + std::to_string(allocs_dir.st_dev) + "-" +
                 std::to_string(allocs_dir.st_ino);
    if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
      return ErrnoError(errno, "cannot make " + directory_);
  }
  networks_ = NetworksIn(directory_, options_.notes_dir.empty() ? directory_ : options_.notes_dir);
  return {};
}

std::shared_ptr<const AllocNetworks> NodeNetworks::NetworksIn(const std::string& directory,
                                                              const std::string& notes) const {
  AllocNetworksOptions of;
  of.directory = directory;
  of.notes = notes;
  of.bridge.name = options_.client.bridge.name;
  of.bridge.subnet = options_.client.bridge.subnet;
  of.bridge.subnet_ipv6 = options_.client.bridge.subnet_ipv6;
  of.bridge.hairpin = options_.client.bridge.hairpin;
  of.cni_path = options_.client.cni_path;
  of.cni_config_dir = options_.client.cni_config_dir;
  of.check_addresses = options_.client.cni_address_check;
  of.stop = stop_.get();
  return std::make_shared<const AllocNetworks>(std::move(of));
}

// [any thread]
NodeNetworks::Found NodeNetworks::FindNetworks(const AgentConfig::Client& client) {
  Found found;
  if (geteuid() != 0) return found;
  found.why_no_bridge = WhyNoBridge(client.cni_path);
  if (found.why_no_bridge.empty())
    found.attributes[NetworkAttribute("bridge")] = client.bridge.name;
  for (const std::string& name : ListConflists(client.cni_config_dir, &found.problems))
    found.attributes[NetworkAttribute("cni/" + name)] = name;
  return found;
}

bool NodeNetworks::Take(Found found) {
  for (const std::string& problem : found.problems) {
    if (std::ranges::count(found_.problems, problem) == 0)
      spdlog::warn("a CNI configuration is not used: {}", problem);
  }
  found_ = std::move(found);
  return ChangeAttributes();
}

bool NodeNetworks::ChangeAttributes() {
  StringMap all = found_.attributes;
  for (const auto& [name, plugin] : versions_) {
    if (!plugin.version.empty()) all[std::string(kVersionAttribute) + name] = plugin.version;
  }
  const bool changed = all != attributes_;
  attributes_ = std::move(all);
  return changed;
}

void NodeNetworks::CopyAttributes(StringMap* all) const {
  std::erase_if(*all, [](const auto& one) {
    return one.first.starts_with(NetworkAttribute("")) || one.first.starts_with(kVersionAttribute);
  });
  all->insert(attributes_.begin(), attributes_.end());
}

Co<bool> NodeNetworks::Refresh(StringMap* all) {
  std::function<Found()> find = [client = options_.client] { return FindNetworks(client); };
  if (!Take(co_await options_.loaders->Run(std::move(find)))) co_return false;
  CopyAttributes(all);
  co_return true;
}

Co<bool> NodeNetworks::FindVersions(StringMap* all) {
  if (geteuid() != 0) co_return false;
  // A pool of its own, since whoever else waited for a plugin that hangs would be delayed.
  std::unique_ptr<WorkerPool>& pool = plugin_pools_[kVersionPool];
  if (!pool) pool = std::make_unique<WorkerPool>(1);
  CniVersionSearch search;
  search.path = options_.client.cni_path;
  search.known = versions_;
  search.stop = stop_asking_.get();
  std::vector<std::string> problems;
  std::function<CniVersionMap()> find = [&search, &problems] {
    return FindCniVersions(search, &problems);
  };
  CniVersionMap found = co_await pool->Run(std::move(find));
  if (asking_stopped_) co_return false;  // what was not asked is not gone
  versions_ = std::move(found);
  for (const std::string& problem : problems) spdlog::warn("{}", problem);
  if (!ChangeAttributes()) co_return false;
  CopyAttributes(all);
  co_return true;
}

void NodeNetworks::Stop() { (void)eventfd_write(stop_.get(), 1); }

void NodeNetworks::StopAsking() {
  asking_stopped_ = true;
  (void)eventfd_write(stop_asking_.get(), 1);
}

std::string NodeNetworks::WhyNot(const std::string& mode) const {
  if (!IsPluginNetwork(mode) || attributes().contains(NetworkAttribute(mode))) return "";
  if (geteuid() != 0) return "it needs an agent that is root";
  if (mode == "bridge") return found_.why_no_bridge;
  return "no configuration in " + options_.client.cni_config_dir + " has this name";
}

WorkerPool* NodeNetworks::PluginPool(const std::string& mode) {
  std::unique_ptr<WorkerPool>& pool = plugin_pools_[mode];
  if (!pool) pool = std::make_unique<WorkerPool>(kPluginThreads);
  return pool.get();
}

// Makes and locks the directory of a node without a kept state, unless it exists.
Status NodeNetworks::MakeOwnDirectory() {
  if (options_.kept || lock_) return {};
  if (run_dir_.empty()) return RunDirectoryPath(options_.client.run_dir).error();
  constexpr int kTries = 3;  // another node may remove it before it is locked
  for (int tries = 0; tries < kTries && !lock_; ++tries) {
    if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
      return ErrnoError(errno, "cannot make " + directory_);
    lock_ = LockDirectory(directory_);
  }
  if (!lock_) return Error(Code::kUnavailable, "cannot lock " + directory_);
  return {};
}

std::unique_ptr<AllocHook> NodeNetworks::MakeHook(const AllocHookEnv& env) {
  const TaskGroup* const group = env.alloc ? env.alloc->group() : nullptr;
  if (group == nullptr || group->networks.empty()) return nullptr;
  if (group->networks[0].mode == "none") {
    return std::make_unique<NoNetworkHook>(env, options_.workers,
                                           options_.kept ? directory_ : std::string());
  }
  if (!NetworkHook::IsFor(*group)) return nullptr;
  NetworkHookOptions of;
  // Without the lock on its directory, other nodes would take its networks for those of a dead one,
  // and remove them.
  of.ready = MakeOwnDirectory();
  of.pool = PluginPool(group->networks[0].mode);
  of.networks = networks_;
  of.interpolate = [info = options_.info](const Allocation& alloc, std::vector<std::string> texts) {
    return ReplaceVariables(*info, alloc, std::move(texts));
  };
  return std::make_unique<NetworkHook>(env, std::move(of));
}

void NodeNetworks::AddHook(LocalAllocEnv* env) {
  env->extra_hooks.push_back([this](const AllocHookEnv& of) { return MakeHook(of); });
}

void NodeNetworks::AddTaskHooks(const Allocation& alloc, TaskHooks* hooks) const {
  const TaskGroup* const group = alloc.group();
  if (group == nullptr || !NetworkHook::IsFor(*group)) return;
  NetworkFilesHookOptions of;
  of.directory = networks_->FilesDirectory(alloc.id);
  of.has_hosts = IsPluginNetwork(group->networks[0].mode);
  of.has_hostname = has_hostname_ && !group->networks[0].hostname.empty();
  of.resolv_of_host = resolv_of_host_;
  hooks->before_stats.push_back(std::make_shared<NetworkFilesHook>(std::move(of)));
}

void NodeNetworks::FindUnknown(const std::function<bool(const std::string& alloc_id)>& known) {
  networks_->DropStrays(known);
  for (NoteIdentity& note : networks_->notes().List()) {
    if (!known(note.alloc_id)) unknown_.push_back(std::move(note));
  }
}

Co<void> NodeNetworks::DropLeftovers(bool keep_unknown,
                                     std::shared_ptr<const std::atomic<bool>> give_up) {
  const std::vector<std::string> of_runs = RunNetworks(run_dir_, directory_);
  std::vector<NoteIdentity> unknown = std::exchange(unknown_, {});
  if (of_runs.empty() && unknown.empty()) co_return;
  std::vector<std::pair<std::string, std::shared_ptr<const AllocNetworks>>> dead;
  for (const std::string& path : of_runs) dead.emplace_back(path, NetworksIn(path, path));
  std::function<void()> drop = [networks = networks_, unknown = std::move(unknown),
                                dead = std::move(dead), give_up = std::move(give_up),
                                keep_unknown] {
    DropAll(*networks, unknown, *give_up, keep_unknown);
    for (const auto& [path, of_dead] : dead) {
      const UniqueFd lock = LockDirectory(path);
      if (!lock || *give_up) continue;
      DropAll(*of_dead, of_dead->notes().List(), *give_up);
      of_dead->DropStrays([](const std::string&) { return false; });
      rmdir(path.c_str());
    }
  };
  co_await PluginPool("")->Do(std::move(drop));
}

}  // namespace drover
