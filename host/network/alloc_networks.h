// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/network/bridge_conflist.h"
#include "host/network/network_lock.h"
#include "host/network/network_note.h"
#include "host/spec/allocation.h"

namespace drover {

struct AllocNetworksOptions {
  // The directory of the namespaces and files of the networks. Nothing in it survives a reboot.
  // Only the agent may be able to change it, and it must exist before a network is made.
  std::string directory;
  std::string notes;  // the directory of the notes, which should survive a reboot
  BridgeSettings bridge;
  std::string cni_path;        // the directories of plugins, with ":" between them
  std::string cni_config_dir;  // the directory of the networks cni/NAME
  // Whether the addresses that plugins give are looked for elsewhere on their network.
  bool check_addresses = true;
  // When it can be read, plugins that run are killed, and no other is called. What they have made
  // stays noted. Must outlive the object; -1: none.
  int stop = -1;
};

// What an allocation asks of its network, with all variables replaced.
struct NetworkWish {
  std::string alloc_id;
  std::string mode;  // "bridge", "cni/NAME", or "host" if only names are looked up in another way
  std::vector<AllocatedPort> ports;  // the ports of the whole group
  std::string hostname;
  DnsConfig dns;
  StringMap args;  // for the plugins
};

struct MadeNetwork {
  std::string network_namespace;  // the path of its file
  AllocationNetwork status;
};

// Makes and removes the networks of allocations: a namespace, its attachment by plugins, and files
// for the tasks. Every call finds out what earlier calls, perhaps of an earlier agent, have left,
// so each may be repeated after any end. Blocks, perhaps for a minute; calls for one allocation
// wait for each other. Needs root. [any thread]
class AllocNetworks {
 public:
  explicit AllocNetworks(AllocNetworksOptions options);

  const NetworkNotes& notes() const { return notes_; }
  std::string NamespaceFile(const std::string& alloc_id) const;
  std::string FilesDirectory(const std::string& alloc_id) const;

  // Returns the network of an allocation that has one already, else makes it. If somebody else on
  // the network has an address that the plugins give, it removes what it has made and tries again,
  // as long as the plugins give another address, at most three times. If it fails, it has removed
  // what it has made, or the error says that it could not. Makes nothing any more once
  // GONE, which may be null, is true, and removes what it has made until then: who sets it and then
  // calls Drop leaves no network behind, even if Drop has given up waiting for this call.
  Result<MadeNetwork> Make(const NetworkWish& wish, const std::atomic<bool>* gone = nullptr) const;
  // Makes only the files of an allocation that uses the host's network.
  Status MakeFiles(const NetworkWish& wish) const;
  // Returns the network that Make has completed, whether it is still there or not. Reads only one
  // small file.
  std::optional<MadeNetwork> Known(const std::string& alloc_id) const;
  // Returns whether a process is in the network of an allocation, or may be.
  bool IsUsed(const std::string& alloc_id) const;
  // Removes everything of the network of an allocation. Succeeds if there is nothing.
  Status Drop(const std::string& alloc_id) const;
  // Does the same for the network of NOTE, unless the allocation has got another network since.
  Status DropIfStill(const NoteIdentity& note) const;
  // Removes namespaces, files and locks without a note, unless KNOWN returns true for the id of
  // their allocation, and notes that were not written to their end. Does not call plugins. Nobody
  // may call another function of the same networks meanwhile.
  void DropStrays(const std::function<bool(const std::string& alloc_id)>& known) const;

 private:
  Result<MadeNetwork> MakeLocked(const NetworkWish& wish, const NetworkLock& lock,
                                 const std::atomic<bool>* gone) const;
  Result<Conflist> NetworkOf(const std::string& mode) const;
  Result<NetworkNote> NoteOf(const NetworkWish& wish) const;
  Result<MadeNetwork> SetUp(const NetworkWish& wish, const NetworkLock& lock,
                            const std::atomic<bool>* gone) const;
  Result<MadeNetwork> Try(const NetworkWish& wish, const NetworkLock& lock,
                          std::string* taken) const;
  Result<MadeNetwork> Complete(const NetworkWish& wish, NetworkNote* note, const NetworkLock& lock,
                               std::string* taken) const;
  Status Claimed(const UniqueFd& inside, const AllocationNetwork& network, const NetworkNote& note,
                 std::string* taken) const;
  std::string PlaceOf(const NetworkNote& note) const;
  Status MakeMissingFiles(const NetworkWish& wish, const AllocationNetwork& status) const;
  Status TakeDown(const NetworkNote& note, const NetworkLock& lock) const;
  Result<NetworkLock> LockOf(const std::string& alloc_id) const;
  Status DropLocked(const std::string& alloc_id, NetworkLock* lock) const;

  const AllocNetworksOptions options_;
  const NetworkNotes notes_;
};

// Returns what the plugins of a network can get from WISH: the mapped ports, and how names are
// looked up.
nlohmann::json RuntimeConfig(const NetworkWish& wish);

}  // namespace drover
