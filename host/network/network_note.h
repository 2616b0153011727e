// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/network/cni_chain.h"
#include "host/network/conflist.h"
#include "host/spec/allocation.h"

namespace drover {

// What an agent must know to remove the network of an allocation, whatever has become of the
// configuration, of the agent and of the machine. The note is written before anything is made, and
// removed after everything is gone.
struct NetworkNote {
  std::string alloc_id;
  Conflist network;
  CniAttachment attachment;  // without its descriptor and its limit
  // The result of the plugins; null until they have ended.
  nlohmann::json result;
  AllocationNetwork status;  // only if RESULT is not null
};

// A note on the disk. Another note of the same allocation has another identity.
struct NoteIdentity {
  std::string alloc_id;
  ino_t inode = 0;
  std::int64_t written = 0;  // in ns

  bool operator==(const NoteIdentity& other) const {
    return alloc_id == other.alloc_id && inode == other.inode && written == other.written;
  }
};

// The notes in a directory, one file per allocation. Only the agent may be able to change the
// directory. All functions block. [any thread]
class NetworkNotes {
 public:
  // The directory is made when the first note is written.
  explicit NetworkNotes(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  // Stores NOTE instead of an earlier one. If the machine loses power, either is there. Refuses a
  // note that is too long to be read.
  Status Write(const NetworkNote& note) const;
  // Returns nothing if there is no note. A note that cannot be read is an error.
  Result<std::optional<NetworkNote>> Read(const std::string& alloc_id) const;
  bool Has(const std::string& alloc_id) const { return Identity(alloc_id).has_value(); }
  // Succeeds if there is no note.
  Status Remove(const std::string& alloc_id) const;

  std::optional<NoteIdentity> Identity(const std::string& alloc_id) const;
  std::vector<NoteIdentity> List() const;
  // Removes what a killed agent has left of a note that it was writing. Nobody may write meanwhile.
  void RemoveUnfinished() const;

 private:
  std::string PathOf(const std::string& alloc_id) const;

  const std::string directory_;
};

}  // namespace drover
