// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/agent_process.h"

namespace drover::bench {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start);  // seconds
// The value that the share PART (0 to 1) of VALUES does not exceed.
double Percentile(std::vector<double> values, double part);

// The job ID with COUNT allocations of one task, which DRIVER runs with the options CONFIG.
Json JobBody(const std::string& id, const char* type, const char* driver, const Json& config,
             int count);

// Returns the answer. An error of the agent ends the program, since nothing is measured then.
Json Must(Result<Json> answer);
// Asks PATH again at each change until DONE(answer).
void Await(ApiClient* client, const std::string& path,
           const std::function<bool(const Json&)>& done);
bool AllAre(const Json& allocs, const char* status);
bool IsDead(const Json& job);
// Ends the program unless the agent still has the runners and directories of COUNT allocations. The
// agent collects some by itself when its disk is full or when there are too many; then the
// measurement would be wrong.
void MustHold(ApiClient* client, int count);
// Has the agent collect all allocations that have ended.
void Collect(ApiClient* client);

// Submits BODY, the job ID, and returns the seconds until all of its allocations run.
double SubmitToRunning(ApiClient* client, const std::string& id, const Json& body);
// Stops the job ID and returns the seconds until all of its allocations are complete.
double StopToDead(ApiClient* client, const std::string& id);
// Runs TASKS short tasks of one job to their end, and returns the seconds. Collects nothing.
double RunShortTasks(ApiClient* client, const std::string& id, int tasks);

}  // namespace drover::bench
