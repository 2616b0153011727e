// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/process2_read.h"

#include <string>

#include "host/abi/abi_read.h"

namespace drover {
namespace {

Status CheckOwnership(const drover_fd& fd, const char* member) {
  if (fd.ownership >= DROVER_FD_NONE && fd.ownership <= DROVER_FD_GIVEN) return {};
  return Error(Code::kInvalidArgument, std::string("a named process: ") + member +
                                           " has the unknown ownership " +
                                           std::to_string(fd.ownership));
}

template <typename Args>
Status CheckStandard(const Args& args) {
  DROVER_TRY(CheckOwnership(args.input, "its input"));
  DROVER_TRY(CheckOwnership(args.output, "its output"));
  return CheckOwnership(args.error, "its error");
}

}  // namespace

Status CheckOwnerships(const drover_process2_start_args* args) {
  const Result<drover_process2_start_args> raw = CopyStruct(args);
  if (!raw.ok()) return {};
  DROVER_TRY(CheckStandard(*raw));
  Status checked;
  (void)ReadArray<drover_process2_descriptor>(
      raw->descriptors, sizeof(std::uint32_t), [&](const drover_process2_descriptor* at) -> Status {
        const Result<drover_process2_descriptor> one = CopyStruct(at);
        if (one.ok() && checked.ok()) checked = CheckOwnership(one->fd, "one of its descriptors");
        return {};
      });
  return checked;
}

Status CheckOwnerships(const drover_process2_exec_args* args) {
  const Result<drover_process2_exec_args> raw = CopyStruct(args);
  if (!raw.ok()) return {};
  const Result<drover_exec_args> command = CopyStruct(raw->command);
  return command.ok() ? CheckStandard(*command) : Status();
}

}  // namespace drover
