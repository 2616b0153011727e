// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/base/loop.h"
#include "host/identity/key_store.h"
#include "host/store/store.h"

namespace drover {

inline constexpr char kSigningKeyRecord[] = "signing_key";  // the kind of the records, by key id

// Keeps the records of signing keys in the agent's store. Without a store, nothing outlives this
// object. Control thread only.
class KeptKeyStore : public KeyStore {
 public:
  using Records = std::map<std::string, std::string>;  // by id

  // LOOP and STORE are not owned. STORE may be null. RECORDS are those that an earlier agent left.
  KeptKeyStore(Loop* loop, Store* store, Records records)
      : loop_(loop), store_(store), records_(std::move(records)) {}

  Co<Status> Put(std::string id, std::string record) override;
  Co<Status> Erase(std::string id) override;
  std::vector<std::pair<std::string, std::string>> All() override {
    return {records_.begin(), records_.end()};
  }

 private:
  Co<Status> Synced();

  Loop* const loop_;
  Store* const store_;
  const Records records_;
};

}  // namespace drover
