// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/spec/blocks/service_registration.h"

namespace drover {

// Keeps the registrations of this node's services as they should be. Control thread only.
class ServiceRegistrar {
 public:
  virtual ~ServiceRegistrar() = default;
  // Replaces the registrations of OWNER ("" for the group, else the task's name) of an allocation.
  // Returns at once.
  virtual void Set(const std::string& alloc_id, const std::string& owner,
                   std::vector<ServiceRegistration> all) = 0;
  // Removes them. Returns when others do not find them any more, or with an error when CONTEXT ends
  // first; they are removed then all the same.
  virtual Co<Status> Clear(Context context, std::string alloc_id, std::string owner) = 0;
};

}  // namespace drover
