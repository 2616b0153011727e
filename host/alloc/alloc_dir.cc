// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_dir.h"

namespace drover {

TaskDirPaths AllocDir::TaskPaths(std::string_view task) const {
  TaskDirPaths paths;
  paths.dir = path() + "/" + std::string(task);
  paths.local = paths.dir + "/local";
  paths.tmp = paths.dir + "/tmp";
  paths.secrets = paths.dir + "/secrets";
  paths.private_dir = paths.dir + "/private";
  return paths;
}

Status CheckTaskDirName(std::string_view task) {
  if (task.empty() || task == "." || task == ".." || task == "alloc" || task.size() > 255 ||
      task.find('/') != std::string_view::npos || task.find('\0') != std::string_view::npos) {
    return Error(Code::kInvalidArgument, "task name \"" + std::string(task) +
                                             "\" cannot be the name of a directory of the "
                                             "allocation; rename the task");
  }
  return {};
}

}  // namespace drover
