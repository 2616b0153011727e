// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/alloc_networks.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/base/durable_step.h"
#include "host/base/ip_address.h"
#include "host/network/address_claims.h"
#include "host/network/bridge_in_use.h"
#include "host/network/cni_call.h"
#include "host/network/cni_chain.h"
#include "host/network/cni_result.h"
#include "host/network/masquerade.h"
#include "host/network/namespace_addresses.h"
#include "host/network/network_files.h"
#include "host/process/network_namespace.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kHostResolv[] = "/etc/resolv.conf";
constexpr char kResolvedResolv[] = "/run/systemd/resolve/resolv.conf";
constexpr std::string_view kFilesSuffix = ".files";

// The arguments are one variable of the environment, and the kernel takes none of 128 KiB. With
// longer ones, no plugin could be called to remove the network either.
constexpr std::size_t kMostArgs = std::size_t{64} << 10;

constexpr std::size_t kMostTries = 3;  // to get an address that nobody has

// Returns ARGS as the plugins read them. Plugins refuse unknown arguments unless the first one is
// there. They also refuse values with "=", so the ids of jobs and groups that have it are left out.
Result<std::string> ArgsText(const StringMap& args) {
  std::string text = "IgnoreUnknown=true";
  for (const auto& [key, value] : args) {
    if (value.find_first_of(";=") == std::string::npos) text += ";" + key + "=" + value;
  }
  if (text.size() <= kMostArgs) return text;
  return Error(Code::kInvalidArgument, "the arguments for the CNI plugins are longer than " +
                                           std::to_string(kMostArgs) + " bytes");
}

// Returns whether OPENED says that there is no namespace. Other errors may pass.
bool IsNone(const Result<UniqueFd>& opened) {
  return opened.code() == Code::kNotFound || opened.code() == Code::kInvalidArgument;
}

bool IsAny(const std::string& host_ip) {
  return host_ip.empty() || host_ip == "0.0.0.0" || host_ip == "::";
}

// The plugin portmap maps no port between the two families of addresses, and says nothing.
Status CheckFamilies(const Conflist& network, const std::vector<AllocatedPort>& ports,
                     const AllocationNetwork& status) {
  if (std::ranges::count(network.plugins, "portmap", &CniPlugin::type) == 0) return {};
  for (const AllocatedPort& port : ports) {
    if (IsAny(port.host_ip)) continue;
    const bool six = IsIpv6Address(port.host_ip);
    if (!(six ? status.address_ipv6 : status.address).empty()) continue;
    const std::string family = six ? "IPv6" : "IPv4";
    return Error(Code::kFailedPrecondition,
                 "the port " + Quoted(port.label) + " is on the address " + port.host_ip +
                     " of the host, but the network gives allocations no " + family +
                     " address: add one to the network, or use another host_network");
  }
  return {};
}

NetworkFiles FilesOf(const NetworkWish& wish, const AllocationNetwork& status) {
  const bool own = IsPluginNetwork(wish.mode);
  NetworkFiles files;
  if (own) files.hosts = HostsText(status, wish.hostname);
  files.resolv = ResolvText(status.dns, ReadHostText(kHostResolv),
                            own ? ReadHostText(kResolvedResolv) : "", own);
  if (!wish.hostname.empty()) files.hostname = wish.hostname + "\n";
  return files;
}

}  // namespace

json RuntimeConfig(const NetworkWish& wish) {
  json ports = json::array();
  for (const AllocatedPort& port : wish.ports) {
    for (const char* const protocol : {"tcp", "udp"}) {
      json mapping = {{"hostPort", port.value},
                      {"containerPort", port.to > 0 ? port.to : port.value},
                      {"protocol", protocol}};
      if (!IsAny(port.host_ip)) mapping["hostIP"] = port.host_ip;
      ports.push_back(std::move(mapping));
    }
  }
  json runtime = json::object();
  if (!ports.empty()) runtime["portMappings"] = std::move(ports);
  if (!wish.dns.empty()) {
    runtime["dns"] = {{"servers", wish.dns.servers},
                      {"searches", wish.dns.searches},
                      {"options", wish.dns.options}};
  }
  return runtime;
}

AllocNetworks::AllocNetworks(AllocNetworksOptions options)
    : options_(std::move(options)), notes_(options_.notes) {}

std::string AllocNetworks::NamespaceFile(const std::string& alloc_id) const {
  return options_.directory + "/" + alloc_id;
}

std::string AllocNetworks::FilesDirectory(const std::string& alloc_id) const {
  return NamespaceFile(alloc_id) + std::string(kFilesSuffix);
}

Result<NetworkLock> AllocNetworks::LockOf(const std::string& alloc_id) const {
  return NetworkLock::Take(NamespaceFile(alloc_id) + ".lock", options_.stop);
}

Result<Conflist> AllocNetworks::NetworkOf(const std::string& mode) const {
  if (mode == "bridge") {
    DROVER_TRY(CheckBridge(options_.bridge));
    return BridgeConflist(options_.bridge);
  }
  return FindConflist(options_.cni_config_dir, mode.substr(mode.find('/') + 1));
}

Result<NetworkNote> AllocNetworks::NoteOf(const NetworkWish& wish) const {
  NetworkNote note;
  note.alloc_id = wish.alloc_id;
  DROVER_ASSIGN(note.network, NetworkOf(wish.mode));
  note.attachment.container = wish.alloc_id;
  note.attachment.network_namespace = NamespaceFile(wish.alloc_id);
  DROVER_ASSIGN(note.attachment.args, ArgsText(wish.args));
  note.attachment.path = options_.cni_path;
  note.attachment.runtime = RuntimeConfig(wish);
  // A plugin that is not there could not remove anything either. Plugins look for the one for
  // addresses themselves, and do not ask to whom it belongs.
  for (const CniPlugin& plugin : note.network.plugins) {
    for (const std::string& name : {plugin.type, plugin.AddressPlugin()}) {
      if (name.empty()) continue;
      const Result<std::string> found = FindCniPlugin(name, options_.cni_path);
      if (!found.ok()) return found.error();
    }
  }
  return note;
}

Result<MadeNetwork> AllocNetworks::Make(const NetworkWish& wish,
                                        const std::atomic<bool>* gone) const {
  DROVER_ASSIGN(NetworkLock lock, LockOf(wish.alloc_id));
  const auto is_gone = [gone] { return gone != nullptr && *gone; };
  const Error ended(Code::kCancelled, "the allocation has ended");
  Result<MadeNetwork> made = ended;
  if (!is_gone()) made = MakeLocked(wish, lock, gone);
  if (made.ok() && is_gone()) {
    // Drop may have given up waiting for slow plugins.
    DROVER_TRY(DropLocked(wish.alloc_id, &lock));
    return ended;
  }
  if (!made.ok() && !notes_.Has(wish.alloc_id)) lock.Remove();
  return made;
}

Result<MadeNetwork> AllocNetworks::MakeLocked(const NetworkWish& wish, const NetworkLock& lock,
                                              const std::atomic<bool>* gone) const {
  DROVER_ASSIGN(const std::optional<NetworkNote> note, notes_.Read(wish.alloc_id));
  if (note && !note->result.is_null()) {
    const std::string file = PlaceOf(*note);
    const Result<UniqueFd> there = OpenNetworkNamespace(file);
    if (there.ok()) {
      DROVER_TRY(MakeMissingFiles(wish, note->status));
      return MadeNetwork{file, note->status};
    }
    if (!IsNone(there)) return there.error();  // tasks may be in it
  }
  // An earlier call was interrupted, or the machine was rebooted.
  if (note) DROVER_TRY(TakeDown(*note, lock));
  return SetUp(wish, lock, gone);
}

// The agent may have got another directory since the network was made.
std::string AllocNetworks::PlaceOf(const NetworkNote& note) const {
  const std::string& noted = note.attachment.network_namespace;
  return noted.empty() ? NamespaceFile(note.alloc_id) : noted;
}

Status AllocNetworks::MakeMissingFiles(const NetworkWish& wish,
                                       const AllocationNetwork& status) const {
  const std::string directory = FilesDirectory(wish.alloc_id);
  if (access(directory.c_str(), F_OK) == 0) return {};
  return MakeNetworkFiles(directory, FilesOf(wish, status));
}

Result<MadeNetwork> AllocNetworks::SetUp(const NetworkWish& wish, const NetworkLock& lock,
                                         const std::atomic<bool>* gone) const {
  std::set<std::string> all_taken;
  while (true) {
    std::string taken;  // the address that somebody else has, if it has failed for that
    Result<MadeNetwork> made = Try(wish, lock, &taken);
    const bool is_new = !taken.empty() && all_taken.insert(taken).second;
    if (!is_new || all_taken.size() >= kMostTries || (gone != nullptr && *gone)) return made;
    spdlog::warn("the network of the allocation {} is made again: {}", wish.alloc_id,
                 made.error().message());
  }
}

// Sets TAKEN only if nothing is left.
Result<MadeNetwork> AllocNetworks::Try(const NetworkWish& wish, const NetworkLock& lock,
                                       std::string* taken) const {
  DROVER_ASSIGN(NetworkNote note, NoteOf(wish));
  DROVER_TRY(notes_.Write(note));
  std::string found;
  Result<MadeNetwork> made = Complete(wish, &note, lock, &found);
  if (made.ok()) return made;
  if (!found.empty()) (void)notes_.Write(note);  // now with fewer plugins
  const Status undone = TakeDown(note, lock);
  if (undone.ok()) {
    *taken = found;
    return made;
  }
  return Error(made.code(), made.error().message() + "; what it has made could not be removed: " +
                                undone.error().message());
}

// Returns an error and sets TAKEN if somebody else has an address of NETWORK.
Status AllocNetworks::Claimed(const UniqueFd& inside, const AllocationNetwork& network,
                              const NetworkNote& note, std::string* taken) const {
  const Result<std::optional<AddressClaim>> claim =
      FindAddressClaim(inside, network, options_.stop);
  if (!claim.ok()) {
    spdlog::warn("the addresses of the allocation {} are not looked for elsewhere: {}",
                 note.alloc_id, claim.error().message());
    return {};
  }
  if (!*claim) return {};
  *taken = (*claim)->address;
  const std::string who = (*claim)->mac.empty() ? "another machine or allocation answers for it"
                                                : (*claim)->mac + " answers for it";
  return Error(Code::kUnavailable,
               "the address " + (*claim)->address + ", which the CNI plugins of the network " +
                   Quoted(note.network.name) + " have given, is in use already: " + who +
                   ": take the address from it, or out of the addresses of the network");
}

Result<MadeNetwork> AllocNetworks::Complete(const NetworkWish& wish, NetworkNote* note,
                                            const NetworkLock& lock, std::string* taken) const {
  const std::string file = NamespaceFile(wish.alloc_id);
  DROVER_ASSIGN(const UniqueFd made,
                DurableStep(Step::kKeepNetwork, [&file] { return KeepNetworkNamespace(file); }));
  CniAttachment attachment = note->attachment;
  attachment.descriptor = lock.descriptor();
  attachment.stop = options_.stop;
  // As soon as there is an address: the rules that later plugins make and remove for it may be
  // those of the one who has it.
  AllocationNetwork asked;
  std::size_t all_called = 0;
  const CniLook look = [&](const json& result, std::size_t called) -> Status {
    const auto now = ReadCniResult(result, attachment.interface_name);
    if (!now.ok() || (now->address == asked.address && now->address_ipv6 == asked.address_ipv6) ||
        !CheckAddresses(made, *now).ok())
      return {};
    asked = *now;
    all_called = called;
    return Claimed(made, asked, *note, taken);
  };
  Result<json> joined = DurableStep(Step::kJoinNetwork, [&] {
    return Attach(note->network, attachment, options_.check_addresses ? look : CniLook());
  });
  // So the plugins that were not called remove no rules of the one who has the address.
  if (!taken->empty()) note->network = FirstPlugins(note->network, all_called);
  DROVER_ASSIGN(note->result, std::move(joined));
  DROVER_ASSIGN(note->status, ReadCniResult(note->result, attachment.interface_name));
  DROVER_TRY(CheckAddresses(made, note->status));
  DROVER_TRY(CheckFamilies(note->network, wish.ports, note->status));
  if (!wish.dns.empty()) note->status.dns = wish.dns;
  DROVER_TRY(MakeNetworkFiles(FilesDirectory(wish.alloc_id), FilesOf(wish, note->status)));
  DROVER_TRY(notes_.Write(*note));
  return MadeNetwork{file, note->status};
}

Status AllocNetworks::TakeDown(const NetworkNote& note, const NetworkLock& lock) const {
  CniAttachment attachment = note.attachment;
  attachment.descriptor = lock.descriptor();
  attachment.stop = options_.stop;
  // The plugins may have moved since.
  attachment.path += ":" + options_.cni_path;
  const std::string file = PlaceOf(note);
  const Result<UniqueFd> inside = OpenNetworkNamespace(file);
  json result = note.result;
  if (!inside.ok() && !IsNone(inside)) return inside.error();
  // A task that is root may have removed its addresses. Then the plugin bridge, which looks for
  // them, does not find the rules that it has made for them.
  bool addresses_stay = false;
  if (!inside.ok()) {
    attachment.network_namespace.clear();
  } else if (result.is_null()) {
    result = FoundResult(*inside, file, attachment.interface_name, note.network.version);
    addresses_stay = !result.is_null();
  } else {
    addresses_stay = CheckAddresses(*inside, note.status).ok();
  }
  DROVER_TRY(DurableStep(Step::kLeaveNetwork, [&]() -> Status {
    DROVER_TRY(Detach(note.network, attachment, result));
    if (addresses_stay) return {};
    return RemoveMasquerade(note.alloc_id);
  }));
  DROVER_TRY(DropNetworkFiles(FilesDirectory(note.alloc_id)));
  DROVER_TRY(DropNetworkFiles(file + std::string(kFilesSuffix)));
  DROVER_TRY(DurableStep(Step::kDropNetwork, [&file] { return DropNetworkNamespace(file); }));
  return notes_.Remove(note.alloc_id);
}

Status AllocNetworks::MakeFiles(const NetworkWish& wish) const {
  AllocationNetwork status;
  status.dns = wish.dns;
  return MakeNetworkFiles(FilesDirectory(wish.alloc_id), FilesOf(wish, status));
}

std::optional<MadeNetwork> AllocNetworks::Known(const std::string& alloc_id) const {
  const Result<std::optional<NetworkNote>> note = notes_.Read(alloc_id);
  if (!note.ok() || !*note || (*note)->result.is_null()) return std::nullopt;
  return MadeNetwork{PlaceOf(**note), (*note)->status};
}

bool AllocNetworks::IsUsed(const std::string& alloc_id) const {
  const Result<std::optional<NetworkNote>> note = notes_.Read(alloc_id);
  if (!note.ok()) return true;
  if (!*note) return false;
  const Result<UniqueFd> inside = OpenNetworkNamespace(PlaceOf(**note));
  return inside.ok() ? HasProcess(*inside) : !IsNone(inside);
}

Status AllocNetworks::DropLocked(const std::string& alloc_id, NetworkLock* lock) const {
  DROVER_ASSIGN(const std::optional<NetworkNote> note, notes_.Read(alloc_id));
  DROVER_TRY(note ? TakeDown(*note, *lock) : DropNetworkFiles(FilesDirectory(alloc_id)));
  lock->Remove();
  return {};
}

Status AllocNetworks::Drop(const std::string& alloc_id) const {
  // A call of Make that still runs has the lock before it writes the note.
  const bool locked = NetworkLock::IsThere(NamespaceFile(alloc_id) + ".lock");
  if (!locked && !notes_.Has(alloc_id)) return DropNetworkFiles(FilesDirectory(alloc_id));
  DROVER_ASSIGN(NetworkLock lock, LockOf(alloc_id));
  return DropLocked(alloc_id, &lock);
}

void AllocNetworks::DropStrays(const std::function<bool(const std::string&)>& known) const {
  notes_.RemoveUnfinished();
  std::error_code failed;  // the directory may not exist
  std::filesystem::directory_iterator entry(options_.directory, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename();
    const std::string id = name.substr(0, name.find('.'));
    if (known(id) || notes_.Has(id)) continue;
    const std::string path = entry->path();
    if (name.ends_with(kFilesSuffix)) {
      (void)DropNetworkFiles(path);
    } else if (name.ends_with(".lock")) {
      NetworkLock::RemoveFree(path);
    } else {
      (void)DurableStep(Step::kDropNetwork, [&path] { return DropNetworkNamespace(path); });
    }
  }
}

Status AllocNetworks::DropIfStill(const NoteIdentity& note) const {
  DROVER_ASSIGN(NetworkLock lock, LockOf(note.alloc_id));
  const std::optional<NoteIdentity> now = notes_.Identity(note.alloc_id);
  if (now == note) return DropLocked(note.alloc_id, &lock);
  if (!now) lock.Remove();
  return {};
}

}  // namespace drover
