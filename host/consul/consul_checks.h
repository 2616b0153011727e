// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/callback_list.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/base/listener_list.h"
#include "host/base/time.h"
#include "host/consul/consul_api.h"
#include "host/consul/consul_sync.h"

namespace drover {

// What one cluster of Consul says of the checks of allocations, for whoever waits until an
// allocation is healthy. Consul is asked only while somebody waits, at most every 500 ms, and once
// for all who wait. Control thread only.
class ConsulChecks {
 public:
  static constexpr Duration kInterval = 500ms;

  // Both pointers must outlive this object.
  ConsulChecks(Loop* loop, ConsulApi* api, const ConsulSync* sync);
  ConsulChecks(const ConsulChecks&) = delete;
  ConsulChecks& operator=(const ConsulChecks&) = delete;

  // Returns whether all checks of the allocation in this cluster pass that decide on its health.
  // Returns true if there are none. A check that Consul has not reported yet does not pass. So it
  // is with all checks while nobody waits, and while Consul cannot be asked.
  bool Passing(const std::string& alloc_id) const;
  // Calls CHANGED when a check of the allocation may have changed, until the subscription is
  // destroyed.
  [[nodiscard]] Subscription OnChange(const std::string& alloc_id, std::function<void()> changed);

  // Ends all asking. Must end before this object does.
  Co<void> Stop();

 private:
  Co<void> Run();

  Loop* const loop_;
  ConsulApi* const api_;
  const ConsulSync* const sync_;
  Context context_;
  Gate gate_;
  bool running_ = false;
  ListenerList<> waiting_;
  ConsulCheckStateMap states_;
};

}  // namespace drover
