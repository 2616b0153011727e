// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/frame_kinds.h"

#include "host/plugin/abi_read.h"
#include "host/plugin/abi_write.h"

namespace drover {

const char* FrameFunction(std::uint16_t kind) {
  switch (kind) {
    case frame_kind::kCreate:
      return "create";
    case frame_kind::kGetExtension:
      return "get_extension";
    case frame_kind::kFingerprint:
      return "fingerprint";
    case frame_kind::kEvents:
      return "events";
    case frame_kind::kStats:
      return "stats";
    case frame_kind::kStreamCancel:
      return "stream_cancel";
    case frame_kind::kStreamJoin:
      return "stream_join";
    case frame_kind::kCallCancelled:
      return "call_cancelled";
    case frame_kind::kExec:
      return "exec";
    case frame_kind::kResize:
      return "exec.resize";
    case frame_kind::kDone:
      return "the end of a service";
#define DROVER_FRAME_NAME(verb_name, tag) \
  case frame_kind::verb::verb_name:       \
    return #verb_name;
      DROVER_ASYNC_VERBS(DROVER_FRAME_NAME)
#undef DROVER_FRAME_NAME
    default:
      return "an unknown function";
  }
}

void PutError(WireWriter* to, const drover_error* error) {
  (*to)(static_cast<std::uint8_t>(error != nullptr));
  if (error == nullptr) return;
  const Error read = ReadError(DROVER_OK, error);
  (*to)(static_cast<std::int32_t>(read.code()));
  (*to)(static_cast<std::uint8_t>(read.recoverable()));
  (*to)(ToStr(read.message()));
}

std::optional<drover_error> GetError(WireReader* from) {
  if (from->Number<std::uint8_t>() == 0) return std::nullopt;
  const auto code = from->Number<std::int32_t>();
  const bool recoverable = from->Number<std::uint8_t>() != 0;
  drover_str text{};
  (*from)(text);
  auto error = NewStruct<drover_error>();
  error.code = code;
  error.flags = recoverable ? DROVER_ERROR_RECOVERABLE : 0;
  error.message_size =
      static_cast<std::uint32_t>(std::min<std::size_t>(text.size, sizeof error.message));
  if (text.size > 0) std::memcpy(error.message, text.data, error.message_size);
  return error;
}

}  // namespace drover
