// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/result.h"

namespace drover {

// Keeps the records of signing keys. The agent implements it over its store. Control thread only.
class KeyStore {
 public:
  virtual ~KeyStore() = default;

  // Stores RECORD under ID. When it returns success, the record survives a power failure. It
  // returns within a limited time. After an error, the record may be stored or not.
  virtual Co<Status> Put(std::string id, std::string record) = 0;
  // Removes the record with ID, with the same promises.
  virtual Co<Status> Erase(std::string id) = 0;
  // Returns the ids and records that an earlier agent left.
  virtual std::vector<std::pair<std::string, std::string>> All() = 0;
};

}  // namespace drover
