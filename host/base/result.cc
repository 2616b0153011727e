// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/result.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace drover {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInternal:
      return "internal";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kNotFound:
      return "not found";
    case Code::kUnimplemented:
      return "unimplemented";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kCancelled:
      return "cancelled";
    case Code::kTimeout:
      return "timeout";
    case Code::kFailedPrecondition:
      return "failed precondition";
    case Code::kPermissionDenied:
      return "permission denied";
    case Code::kResourceExhausted:
      return "resource exhausted";
  }
  return "unknown";
}

Error ErrnoError(int error_number, std::string_view what) {
  Code code = Code::kInternal;
  switch (error_number) {
    case ENOENT:
    case ESRCH:
    case ENOTDIR:
      code = Code::kNotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::kPermissionDenied;
      break;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      code = Code::kInvalidArgument;
      break;
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
      code = Code::kResourceExhausted;
      break;
    case ETIMEDOUT:
      code = Code::kTimeout;
      break;
    default:
      break;
  }
  // The error is temporary: the machine may have more of the resource later.
  const bool recoverable = code == Code::kResourceExhausted;
  std::string text = std::string(what) + ": " + std::strerror(error_number);
  rlimit limit{};
  if (error_number == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    text +=
        ": this process may have " + std::to_string(limit.rlim_cur) + " (LimitNOFILE, ulimit -n)";
  }
  return Error(code, std::move(text), recoverable);
}

}  // namespace drover
