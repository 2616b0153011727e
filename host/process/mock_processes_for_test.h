// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/process/process_service.h"

namespace drover {

// A process service for tests, here and in the folders above.
class MockProcesses : public ProcessService {
 public:
  MOCK_METHOD(Co<Result<ProcessInfo>>, Start, (Context, ProcessSpec), (override));
  MOCK_METHOD(Co<Result<ProcessInfo>>, StartOutput, (Context, OutputSpec), (override));
  MOCK_METHOD(Co<Result<Attached>>, Attach, (Context, RunId), (override));
  MOCK_METHOD(Co<Result<ProcessExit>>, Wait, (Context, RunId), (override));
  MOCK_METHOD(Co<Status>, Signal, (Context, RunId, int), (override));
  MOCK_METHOD(Co<Result<ProcessExit>>, Stop, (Context, RunId, int, Duration), (override));
  MOCK_METHOD(Status, Kill, (RunId), (override));
  MOCK_METHOD(void, KillAll, (), (override));
  MOCK_METHOD(Co<Status>, Release, (Context, RunId), (override));
  MOCK_METHOD(Result<RunPlace>, MakePlace, (RunId), (override));
  MOCK_METHOD(Co<Status>, RemovePlace, (Context, RunId), (override));
  MOCK_METHOD(bool, HasPlace, (RunId), (override));
  MOCK_METHOD(std::uint64_t, PlaceOomKills, (RunId), (override));
  MOCK_METHOD(Co<Result<ProcessUsage>>, Usage, (Context, RunId, UsageDetail), (override));
  MOCK_METHOD(Co<Result<std::unique_ptr<ExecSession>>>, Exec, (Context, RunId, ExecSpec),
              (override));
  MOCK_METHOD(Subscription, OnDroppedOutput, (RunId, std::function<void(const DroppedOutput&)>),
              (override));
  MOCK_METHOD(std::string, TrackingDescription, (), (const, override));
};

}  // namespace drover
