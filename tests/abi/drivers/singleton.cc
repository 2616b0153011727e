// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The build makes two drivers of this file, with the same inline variable: each must have its own.
// The value is the handle of a started task.
#include "drover/entry.hpp"

struct Shared {
  int started = 0;
  static Shared& Get() {
    static Shared shared;
    return shared;
  }
};
inline int g_inline_variable = 0;

class Singleton : public drover::Driver {
 public:
  static drover::Info Describe() { return {}; }
  Singleton(drover::Host host, const drover::Json&) : Driver(std::move(host)) {}
  drover::Started Start(const drover::TaskConfig&, const drover::CallView&) override {
    int sum = ++Shared::Get().started + ++g_inline_variable;
    return {drover::TaskHandle{1, std::to_string(sum), ""}, std::nullopt};
  }
  void Wait(drover::Call<drover::ExitResult> call) override { call.Complete({}); }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  drover::TaskStatus Inspect(const drover::RunId&) override { return {}; }
};

DROVER_DRIVER(Singleton, "singleton", "0.1.0", "Apache-2.0")
