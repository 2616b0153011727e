// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/node_class.h"

#include <cstdint>
#include <string_view>

namespace drover {
namespace {

// 64-bit FNV-1a. Each text is preceded by its length, so that adjacent texts cannot be confused.
class Hash {
 public:
  void Add(std::string_view text) {
    AddByte(static_cast<unsigned char>(text.size() & 0xff));
    AddByte(static_cast<unsigned char>(text.size() >> 8 & 0xff));
    for (const char c : text) AddByte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  void AddByte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

void AddShared(const StringMap& map, Hash* hash) {
  for (const auto& [key, value] : map) {
    if (key.starts_with("unique.")) continue;
    hash->Add(key);
    hash->Add(value);
  }
  hash->Add("");
}

// Adds what devices have in common. Their ids and their health do not decide what can run.
void AddDevices(const DeviceGroups& groups, Hash* hash) {
  for (const DeviceGroup& group : groups) {
    hash->Add(group.name.Text());
    for (const auto& [key, value] : group.attributes) {
      if (key.starts_with("unique.")) continue;
      hash->Add(key);
      hash->Add(value.Text());
    }
    hash->Add("");
  }
}

}  // namespace

std::string ComputedClass(const NodeRecord& node) {
  Hash hash;
  hash.Add(node.datacenter);
  hash.Add(node.node_pool);
  hash.Add(node.node_class);
  AddShared(node.attributes, &hash);
  AddShared(node.meta, &hash);
  AddDevices(node.devices, &hash);
  return "v1:" + std::to_string(hash.value());
}

}  // namespace drover
