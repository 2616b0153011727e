// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/spec/job.h"
#include "host/template/template_values.h"

namespace drover {

using ValueMap = std::map<ValueRequest, std::shared_ptr<const nlohmann::json>>;

// The values that are known at one point in time. It does not change, so another thread can render
// with it.
class KnownValues : public TemplateValues {
 public:
  using ReadFile = std::function<Result<std::string>(const std::string& path)>;

  KnownValues(std::shared_ptr<const ValueMap> values, std::shared_ptr<const StringMap> env,
              ReadFile read_file)
      : values_(std::move(values)), env_(std::move(env)), read_file_(std::move(read_file)) {}

  Result<nlohmann::json> Value(const ValueRequest& request) override;
  Result<std::string> File(const std::string& path) override { return read_file_(path); }
  const std::string* Env(const std::string& name) override;

 private:
  const std::shared_ptr<const ValueMap> values_;
  const std::shared_ptr<const StringMap> env_;
  const ReadFile read_file_;
};

}  // namespace drover
