// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/consul/consul_service.h"

namespace drover {

enum class ConsulStatus { kPassing, kWarning, kCritical };
const char* ConsulStatusName(ConsulStatus status);  // such as "passing"

// A check of a service, as Consul has it.
struct ConsulCheckState {
  std::string service_id;
  ConsulStatus status = ConsulStatus::kCritical;

  bool operator==(const ConsulCheckState&) const = default;
};

using ConsulServices = std::map<std::string, ConsulService>;          // by id, without the checks
using ConsulCheckStateMap = std::map<std::string, ConsulCheckState>;  // by the id of the check

// What an agent of Consul is asked for. Each call ends within a limit of its own. Codes of errors:
// - kInvalidArgument and kPermissionDenied: Consul refuses the request and will refuse it again.
// - kNotFound: there is no such service or check.
// - kInternal: Consul has a trouble, perhaps only with this request.
// - others: Consul cannot be reached, is too slow, or gives answers without sense.
// Control thread only.
class ConsulApi {
 public:
  virtual ~ConsulApi() = default;

  // Registers SERVICE with its checks in place of the earlier ones. A check that stays keeps its
  // status.
  virtual Co<Status> Register(Context context, std::shared_ptr<const ConsulService> service) = 0;
  virtual Co<Status> Deregister(Context context, std::string id) = 0;
  // Returns the services whose ids begin with kConsulIdPrefix. They may belong to other agents.
  virtual Co<Result<ConsulServices>> ListServices(Context context) = 0;
  // Returns the checks of such services.
  virtual Co<Result<ConsulCheckStateMap>> ListChecks(Context context) = 0;
  // Returns whether there is a service with ID. Costs less than a list.
  virtual Co<Result<bool>> HasService(Context context, std::string id) = 0;
  // Tells the result of a check by TTL.
  virtual Co<Status> UpdateCheck(Context context, std::string check_id, ConsulStatus status,
                                 std::string output) = 0;
};

}  // namespace drover
