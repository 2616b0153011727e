// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/boot_id.h"

#include <fcntl.h>

#include <algorithm>
#include <string>

#include "host/base/ids.h"
#include "host/process/small_file.h"

namespace drover {

BootId ThisBoot() {
  std::string text = ReadSmallFile(AT_FDCWD, "/proc/sys/kernel/random/boot_id").value_or("");
  std::erase_if(text, [](char c) { return c == '-' || c == '\n'; });
  const Result<RunId> id = RunId::Parse(text);  // a boot id has the same format as a run id
  return id.ok() ? id->bytes : BootId{};
}

bool IsOfAnotherBoot(const std::uint8_t* reported, const BootId& ours) {
  BootId other{};
  std::copy_n(reported, other.size(), other.begin());
  return other != BootId{} && ours != BootId{} && other != ours;
}

}  // namespace drover
