// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/plugin/prepare/prepared_things.h"

namespace drover {

class SupervisedDriver;

// What a supervised driver prepares for its tasks. If the driver's process ends during a call, the
// next process gets the call again. Control thread only.
class SupervisedPrepares : public PrepareSource {
 public:
  // DRIVER must outlive this object.
  explicit SupervisedPrepares(SupervisedDriver* driver);

  PreparedThings* things() { return &things_; }
  // Whether the instance in charge, or the last one, prepares tasks.
  bool in_use() const { return in_use_; }
  // Called when another instance is in charge.
  void TakeCharge();

  Co<Result<std::string>> Key(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<std::uint64_t>> Prepare(Context context, std::shared_ptr<const TaskConfig> config,
                                    std::string key, HearProgress hear) override;
  Co<Result<std::vector<PreparedItem>>> List(Context context) override;
  Co<Status> Remove(Context context, std::string key) override;
  std::vector<std::shared_ptr<const TaskConfig>> Runs() const override;
  Duration Age() const override;
  void Report(const std::string& what) override;

 private:
  // Calls CALL with the driver of the instance in charge. CALL must not be a coroutine itself.
  template <typename Answer, typename Function>
  Co<Answer> Ask(Context context, Function call);

  SupervisedDriver* const driver_;
  bool in_use_ = false;
  PreparedThings things_;
};

}  // namespace drover
