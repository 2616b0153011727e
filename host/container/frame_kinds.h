// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drover/drover.h"
#include "drover/drover_capabilities.h"
#include "drover/drover_command.h"
#include "drover/drover_device.h"
#include "drover/drover_news.h"
#include "drover/drover_node.h"
#include "drover/drover_pause.h"
#include "drover/drover_prepare.h"
#include "drover/drover_process2.h"
#include "drover/drover_progress.h"
#include "drover/drover_task_env.h"
#include "drover/drover_task_hooks.h"
#include "drover/drover_task_place.h"
#include "host/abi/wire.h"

// The frames between a host and a container. Both ends are the same program, so the frames have no
// version.
//
// The host calls functions of the driver by frames. The container answers each such frame with one
// kReturn that has the same id. The host does not answer frames of the container, with one
// exception. When a service that a frame has requested ends, the host calls the container with
// kDone.

// The functions of a container that the host calls by frames. The other functions that drover.h
// declares for a driver are the verbs (DROVER_ASYNC_VERBS) and info, which is called only when the
// library is loaded. X gets the kind of the frame, the name of the function in reports, and the
// table of drover.h that contains the function. The bodies of the frames are:
//
//   create          processes (drover.process and drover.process/2), commands: 1 if the host has
//                   the service, else 0;
//                   node, or null; call, arguments
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

// The same for the functions of drafts (drover_device.h, drover_task_hooks.h), which only some
// plugins have:
//
//   devices         stream
//   reserve         call, arguments
//   device stats    stream, interval
//   hook            call, arguments
//   capabilities    call, arguments
//   pause           call, arguments
//   prepare key     call, arguments; the same for prepare, list prepared, remove prepared
//   news            stream
#define DROVER_CALLED_DRAFT_FUNCTIONS(X)                 \
  X(kDevices, "devices", drover_device_plugin)           \
  X(kReserve, "reserve", drover_device_plugin)           \
  X(kDeviceStats, "device stats", drover_device_plugin)  \
  X(kHook, "hook", drover_task_hooks)                    \
  X(kCapabilities, "capabilities", drover_capable)       \
  X(kPause, "pause", drover_task_pause)                  \
  X(kNews, "news", drover_news_source)                   \
  X(kPrepareKey, "prepare key", drover_task_prepare)     \
  X(kPrepare, "prepare", drover_task_prepare)            \
  X(kListPrepared, "list prepared", drover_task_prepare) \
  X(kRemovePrepared, "remove prepared", drover_task_prepare)

namespace drover {

namespace frame_kind {

// The kinds of frames. The namespaces `verb`, `process` and `process2` below contain further kinds,
// one for each function in the lists DROVER_ASYNC_VERBS, DROVER_PROCESS_FUNCTIONS and
// DROVER_PROCESS2_FUNCTIONS of the headers.
enum : std::uint16_t {
  // Frames that the container sends. The comments name what the id of a frame identifies and what
  // its body has.
  kReturn = 1,     // id: the frame of the call; body: status, error
  kLoaded,         // body: an error, or the information about the plugin as JSON
  kComplete,       // id: the call; body: error, result
  kStreamSend,     // id: the stream; body: type, message, or one of the two numbers below
  kStreamEnd,      // id: the stream; body: error
  kLog,            // body: level, run, text
  kOpenOutput,     // id: the service; body: run
  kExecResize,     // id: the service; body: width, height
  kExecEnd,        // id: the service
  kTimerAfter,     // id: the timer; body: delay
  kTimerCancel,    // id: the timer
  kRunCommand,     // id: the service; body: arguments
  kCancelCommand,  // id: the service
  kProgress,       // id: the call; body: report
  kExtend,         // id: the call; body: time
  kCancelNamed,    // id: the service
  kInterpolate,    // id: the service; body: run, arguments
  kMakePlace,      // id: the service; body: run
  kRemovePlace,    // id: the service; body: run
  // Frames that the host sends.
  kBeforeCalled = 31,
#define DROVER_FRAME_CALLED(kind, name, table) kind,
  DROVER_CALLED_FUNCTIONS(DROVER_FRAME_CALLED) DROVER_CALLED_DRAFT_FUNCTIONS(DROVER_FRAME_CALLED)
#undef DROVER_FRAME_CALLED
};

// Frames that the host sends; body: call, arguments.
namespace verb {
#define DROVER_FRAME_VERB(verb, tag) verb,
enum : std::uint16_t { kBefore = 63, DROVER_ASYNC_VERBS(DROVER_FRAME_VERB) kBehind };
#undef DROVER_FRAME_VERB
}  // namespace verb

// Frames that the container sends; id: the service; body: run, arguments.
namespace process {
#define DROVER_FRAME_PROCESS(function, args_type, result_type) function,
enum : std::uint16_t { kBefore = 95, DROVER_PROCESS_FUNCTIONS(DROVER_FRAME_PROCESS) kBehind };
#undef DROVER_FRAME_PROCESS
}  // namespace process

// The same for the functions of drover.process/2.
namespace process2 {
#define DROVER_FRAME_PROCESS2(function, args_type, result_type) function,
enum : std::uint16_t { kBefore = 127, DROVER_PROCESS2_FUNCTIONS(DROVER_FRAME_PROCESS2) kBehind };
#undef DROVER_FRAME_PROCESS2
}  // namespace process2

}  // namespace frame_kind

// What a kStreamSend has in place of a message that cannot be read, or that has another type than
// the messages of its stream.
inline constexpr std::uint8_t kNoBody = 0;
inline constexpr std::uint8_t kOtherType = 2;

// Returns the name of the driver's function that a frame calls, such as "start".
const char* FrameFunction(std::uint16_t kind);

// PutError writes ERROR, which may be null. GetError reads an error and returns nothing for a null
// error.
void PutError(WireWriter* to, const drover_error* error);
std::optional<drover_error> GetError(WireReader* from);

// Writes RESULT, which may be null. If RESULT cannot be read, the function writes nothing, sets
// WHY to the reason and returns false.
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
