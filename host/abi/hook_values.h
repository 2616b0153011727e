// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "drover/drover_task_hooks.h"
#include "host/driver/plugin_hooks.h"

namespace drover {

// The arguments of a hook in the form of the ABI. They hold a reference to the request, so the
// texts are not copied.
class HookArgsView {
 public:
  explicit HookArgsView(std::shared_ptr<const PluginHookRequest> request);
  HookArgsView(const HookArgsView&) = delete;
  HookArgsView& operator=(const HookArgsView&) = delete;

  const drover_hook_args* get() const { return &view_; }

 private:
  const std::shared_ptr<const PluginHookRequest> request_;
  std::vector<drover_pair> meta_;
  std::vector<drover_pair> data_;
  drover_exit_result exited_;
  drover_hook_args view_;
};

// Copies and checks the answer of a hook, which is not trusted. Returns an error that names the
// first mistake. Any thread.
Result<PluginHookAnswer> ReadHookAnswer(const drover_hook_result* from);

// Returns an error if ANSWER contains what STAGE has no use for.
Status CheckHookAnswer(const PluginHookAnswer& answer, PluginHookStage stage);

}  // namespace drover
