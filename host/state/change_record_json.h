// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/state/records.h"

// The rest of record_json.h: the records of changes. The same rules apply.
namespace drover {

std::string EncodeRecord(const Deployment& deployment);
Result<std::shared_ptr<const Deployment>> DecodeDeployment(const std::string& text);

std::string EncodeRecord(const PeriodicLaunch& launch);
Result<std::shared_ptr<const PeriodicLaunch>> DecodeLaunch(const std::string& text);
std::string EncodeRecord(const SchedulerConfig& config);
Result<std::shared_ptr<const SchedulerConfig>> DecodeSchedulerConfig(const std::string& text);

// Without its allocations, which have a record of their own: there may be thousands of them, and
// they do not change, while a restart is written at each step.
std::string EncodeRecord(const JobRestart& restart);
Result<std::shared_ptr<const JobRestart>> DecodeJobRestart(const std::string& text);
std::string EncodeRestartAllocs(const JobRestart& restart);
Result<std::shared_ptr<const std::vector<std::string>>> DecodeRestartAllocs(
    const std::string& text);

// These are parts of the record of an allocation. ReadAllocChange throws nlohmann's exceptions,
// which the caller must catch.
nlohmann::json AllocChangeToJson(const AllocChange& change);
std::shared_ptr<const AllocChange> ReadAllocChange(const nlohmann::json& of);

}  // namespace drover
