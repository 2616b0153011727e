// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/exit_record.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "host/process/small_file.h"
#include "shim/attach_protocol.h"

namespace drover {
namespace {

Error Damaged(const std::string& what) {
  return Error(Code::kInternal, "the exit record is damaged: " + what);
}

}  // namespace

Result<ProcessExit> ParseExitRecord(std::string_view bytes, const RunId& run, const BootId& boot) {
  // The head has the magic number, the version and the size. A record of version 1 has the size of
  // the struct; a record of a newer version may be longer.
  constexpr std::size_t kHead = offsetof(drover_exit_record, flags);
  if (bytes.size() < kHead)
    return Damaged("it has only " + std::to_string(bytes.size()) + " bytes");
  drover_exit_record record{};
  std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof record));
  if (record.magic != DROVER_EXIT_MAGIC) return Damaged("it has the wrong magic number");
  if (record.version < 1 || record.size != bytes.size() || record.size < sizeof record)
    return Damaged("version " + std::to_string(record.version) + " with " +
                   std::to_string(bytes.size()) + " bytes");
  std::uint64_t checksum = 0;
  const std::size_t end = bytes.size() - sizeof checksum;
  std::memcpy(&checksum, bytes.data() + end, sizeof checksum);
  if (checksum != drover_fnv1a(bytes.data(), end)) return Damaged("its checksum is wrong");
  if (!std::equal(run.bytes.begin(), run.bytes.end(), record.run_id))
    return Damaged("it belongs to another run");
  if (IsOfAnotherBoot(record.boot_id, boot))
    return Error(Code::kFailedPrecondition,
                 "the exit record of run " + run.ToString() +
                     " was written before this boot of the machine: its processes are gone");

  ProcessExit exit;
  SetWaitStatus(record.wait_status, &exit);
  exit.oom_killed = record.oom_kills > 0;
  exit.started_at = record.started_at;
  exit.finished_at = record.finished_at;
  exit.user_time = std::chrono::microseconds(record.user_us);
  exit.system_time = std::chrono::microseconds(record.system_us);
  exit.max_rss = record.max_rss_kib * 1024;
  for (int i = 0; i < 2; ++i) {
    exit.dropped_lines += record.dropped_lines[i];
    exit.dropped_bytes += record.dropped_bytes[i];
  }
  return exit;
}

ProcessExit LostExit(std::string error, WallTime now) {
  ProcessExit exit;
  exit.exit_code = -1;
  exit.error = std::move(error);
  exit.finished_at = now;
  return exit;
}

Result<ProcessExit> ReadExitRecord(int run_directory, const RunId& run, const BootId& boot) {
  const std::string name = run.Short() + ".exit";
  const std::optional<std::string> bytes =
      ReadSmallFile(run_directory, name.c_str(), sizeof(drover_exit_record) * 4);
  if (!bytes && errno == ENOENT) return Error(Code::kNotFound, "there is no " + name);
  if (!bytes)
    return Error(Code::kUnavailable, ErrnoError(errno, "cannot read " + name).message(), true);
  Result<ProcessExit> exit = ParseExitRecord(*bytes, run, boot);
  if (exit.ok() || exit.code() == Code::kFailedPrecondition) return exit;
  return LostExit(exit.error().message(), WallNow());
}

}  // namespace drover
