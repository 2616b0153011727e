// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drover/drover.h"
#include "host/abi/wire.h"

// The meaning of the frames between a host and a container. Both ends are one program, so nothing
// here is versioned.
//
// The host calls functions of the driver; each such frame is answered by one kReturn with its id.
// The host answers no frame of the container, except for the services, whose end is a call (kDone)
// like the others.

// A host's calls to a container beside the verbs of the header's list: X(kind of its frame, name
// in reports, its table in the header). With the verbs these are all functions of those tables, but
// for info, which is asked when the library is loaded.
//
//   create          whether there are processes, call, arguments
//   get_extension   id
//   fingerprint     stream; the same for events
//   stream_cancel   stream
//   stream_join     stream, deadline
//   call_cancelled  call
//   stats           stream, run, interval, flags
//   exec            call, arguments
//   resize          session, width, height
//   done            service, error, result
//   timer           timer
#define DROVER_CALLED_FUNCTIONS(X)                   \
  X(kCreate, "create", drover_driver)                \
  X(kGetExtension, "get_extension", drover_driver)   \
  X(kFingerprint, "fingerprint", drover_driver)      \
  X(kEvents, "events", drover_driver)                \
  X(kStreamCancel, "stream_cancel", drover_driver)   \
  X(kStreamJoin, "stream_join", drover_driver)       \
  X(kCallCancelled, "call_cancelled", drover_driver) \
  X(kStats, "stats", drover_task_stats)              \
  X(kExec, "exec", drover_task_exec)                 \
  X(kResize, "exec.resize", drover_task_exec)        \
  X(kDone, "the end of a service", drover_done)      \
  X(kTimer, "a timer's function", drover_timer)

namespace drover {

namespace frame_kind {

// Those that carry the header's lists have the names that stand there.
enum : std::uint16_t {
  // From the container.
  kReturn = 1,   // id: the call's frame. status, error
  kLoaded,       // what it says about itself as JSON, or an error
  kComplete,     // id: the call. error, result
  kStreamSend,   // id: the stream. type, message
  kStreamEnd,    // id: the stream. error
  kLog,          // level, run, text
  kOpenOutput,   // id: the service. run
  kExecResize,   // id: the service. width, height
  kExecEnd,      // id: the service
  kTimerAfter,   // id: the timer. delay
  kTimerCancel,  // id: the timer
  // To the container.
  kBeforeCalled = 31,
#define DROVER_FRAME_CALLED(kind, name, table) kind,
  DROVER_CALLED_FUNCTIONS(DROVER_FRAME_CALLED)
#undef DROVER_FRAME_CALLED
};

// To the container: call, arguments.
namespace verb {
#define DROVER_FRAME_VERB(verb, tag) verb,
enum : std::uint16_t { kBefore = 63, DROVER_ASYNC_VERBS(DROVER_FRAME_VERB) kBehind };
#undef DROVER_FRAME_VERB
}  // namespace verb

// From the container; id: the service. run, arguments.
namespace process {
#define DROVER_FRAME_PROCESS(function, args_type, result_type) function,
enum : std::uint16_t { kBefore = 95, DROVER_PROCESS_FUNCTIONS(DROVER_FRAME_PROCESS) kBehind };
#undef DROVER_FRAME_PROCESS
}  // namespace process

}  // namespace frame_kind

// The function of the driver that a frame calls: "start".
const char* FrameFunction(std::uint16_t kind);

// Null is an answer too.
void PutError(WireWriter* to, const drover_error* error);
std::optional<drover_error> GetError(WireReader* from);

// RESULT may be null. False, and nothing is written, when it cannot be read; WHY has the reason.
template <typename T>
bool PutResult(WireMessage* to, const T* result, std::string* why) {
  if (result != nullptr) {
    if (const auto readable = CopyStruct(result); !readable.ok()) {
      *why = readable.error().message();
      return false;
    }
  }
  WireMessage body = *to;
  WireWriter writer(&body);
  writer.Pointer(result);
  if (!writer.ok()) {
    *why = "a text or an array in it cannot be read";
    return false;
  }
  *to = std::move(body);
  return true;
}

}  // namespace drover
