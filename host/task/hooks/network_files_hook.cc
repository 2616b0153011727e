// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/network_files_hook.h"

namespace drover {

Co<Result<PrestartResponse>> NetworkFilesHook::Prestart(Context, PrestartRequest request) {
  PrestartResponse response;
  const FsIsolation root = request.driver.fs_isolation;
  if (root == FsIsolation::kNone) co_return response;
  const auto give = [&](const char* file, const std::string& place) {
    TaskMount mount;
    mount.host_path = options_.directory + "/" + file;
    mount.task_path = place;
    mount.read_only = true;
    response.mounts.push_back(std::move(mount));
  };
  const bool of_host = root == FsIsolation::kChroot;
  const std::string resolv = of_host ? options_.resolv_of_host : "/etc/resolv.conf";
  if (!resolv.empty()) give("resolv.conf", resolv);
  if (options_.has_hosts) give("hosts", "/etc/hosts");
  if (options_.has_hostname) give("hostname", "/etc/hostname");
  co_return response;
}

}  // namespace drover
