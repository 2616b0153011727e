// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/template/template_values.h"

namespace drover {

// The task whose templates ask for values: what it may read, and where it looks by default.
struct ValueScope {
  std::string name_space = "default";
  std::string job;
  std::string group;
  std::string task;
  std::string alloc_id;
};

// Where values of templates come from, such as the services of this agent. Control thread only.
class ValueSource {
 public:
  using Publish = std::function<void(Result<nlohmann::json> value)>;

  virtual ~ValueSource() = default;
  // Returns whether the values of FUNCTION are of this source.
  virtual bool Has(const std::string& function) const = 0;
  // Returns a name of the value of REQUEST. Requests of one name have one value, whichever task
  // asks. Returns an error if the request makes no sense, or if the task may not have the value.
  virtual Result<std::string> NameOf(const ValueScope& scope, const ValueRequest& request) = 0;
  // Watches the value until CONTEXT ends. Calls PUBLISH with the value when it is known, and each
  // time it may have changed. A value that does not exist, but may come, is not published. An error
  // is published when the value cannot be read at present; the earlier value stays valid.
  virtual Co<void> Watch(Context context, ValueScope scope, ValueRequest request,
                         Publish publish) = 0;
};

}  // namespace drover
