// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/task/task_hook.h"

namespace drover {

struct NetworkFilesHookOptions {
  std::string directory;  // of the files hosts, resolv.conf and hostname on the host
  bool has_hosts = false;
  bool has_hostname = false;
  // Where a task sees resolv.conf if it has the /etc of the host. There, /etc/resolv.conf may be a
  // link. Empty if the host has no such file: nothing can be mounted on what is not there.
  std::string resolv_of_host = "/etc/resolv.conf";
};

// Gives a task that has a root of its own the files of its allocation's network. A task that sees
// the root of the host keeps the host's files.
class NetworkFilesHook : public TaskHook {
 public:
  explicit NetworkFilesHook(NetworkFilesHookOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "network_files"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  const NetworkFilesHookOptions options_;
};

}  // namespace drover
