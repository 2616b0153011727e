// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/event.h"
#include "host/services/service_registrar.h"

namespace drover {

// A registrar for tests. It notes each change of what is registered: "add OWNER NAMES" and "remove
// OWNER". OWNER is "group" for the group.
class NotingRegistrar : public ServiceRegistrar {
 public:
  explicit NotingRegistrar(Loop* loop) : release(loop) { release.Set(); }

  void Set(const std::string&, const std::string& owner,
           std::vector<ServiceRegistration> all) override {
    std::string names;
    for (const ServiceRegistration& one : all) names += " " + one.name;
    if (all == now[owner]) return;
    now[owner] = std::move(all);
    calls.push_back("add " + Called(owner) + names);
  }
  Co<Status> Clear(Context context, std::string, std::string owner) override {
    ++clears;
    if (!now[owner].empty()) calls.push_back("remove " + Called(owner));
    now[owner].clear();
    co_return co_await release.Wait(context);
  }

  std::map<std::string, std::vector<ServiceRegistration>> now;  // by owner
  std::vector<std::string> calls;
  int clears = 0;
  Event release;  // Clear waits for it

 private:
  static std::string Called(const std::string& owner) { return owner.empty() ? "group" : owner; }
};

}  // namespace drover
