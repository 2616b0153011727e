// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/identity/key_store.h"

namespace drover {

// For tests: keeps records in memory. With ERROR the store refuses changes. With DIES_AFTER it
// makes that many changes and then none, like the store of an agent that is killed.
class MemoryKeyStore : public KeyStore {
 public:
  Co<Status> Put(std::string id, std::string record) override {
    if (error) co_return *error;
    if (changes++ < dies_after) records.insert_or_assign(std::move(id), std::move(record));
    co_return Dead();
  }
  Co<Status> Erase(std::string id) override {
    if (error) co_return *error;
    if (changes++ < dies_after) records.erase(id);
    co_return Dead();
  }
  std::vector<std::pair<std::string, std::string>> All() override {
    return {records.begin(), records.end()};
  }

  std::map<std::string, std::string> records;
  std::optional<Error> error;
  int changes = 0;
  int dies_after = 1'000'000;

 private:
  Status Dead() const {
    if (changes <= dies_after) return Status();
    return Error(Code::kUnavailable, "the agent is dead");
  }
};

}  // namespace drover
