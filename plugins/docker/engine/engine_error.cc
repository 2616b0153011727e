// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/engine_error.h"

#include <string_view>
#include <utility>

#include "engine/json_read.h"

namespace drover_docker {
namespace {

drover::Code CodeOf(int status) {
  switch (status) {
    case 400:
      return drover::Code::kInvalidArgument;
    case 401:
    case 403:
      return drover::Code::kPermissionDenied;
    case 404:
      return drover::Code::kNotFound;
    case 409:
      return drover::Code::kFailedPrecondition;
    case 501:
      return drover::Code::kUnimplemented;
    case 507:
      return drover::Code::kResourceExhausted;
    default:
      return drover::Code::kUnavailable;
  }
}

}  // namespace

EngineError::EngineError(int status, const std::string& action, std::string reason)
    : drover::Error(
          CodeOf(status),
          action + ": " +
              (reason.empty() ? "the container engine answers with status " + std::to_string(status)
                              : reason),
          CodeOf(status) == drover::Code::kUnavailable || status == 507),
      status_(status),
      reason_(std::move(reason)) {}

EngineError ErrorOf(const HttpResponse& response, const std::string& action) {
  std::string reason;
  const nlohmann::json body = nlohmann::json::parse(response.body, nullptr, false);
  if (body.is_object()) {
    reason = TextAt(body, {"message"});
    const std::string cause = TextAt(body, {"cause"});
    if (!cause.empty() && reason.find(cause) == std::string::npos) {
      reason += (reason.empty() ? "" : ": ") + cause;
    }
  } else {
    reason = response.body;
  }
  reason = Printable(reason);
  return EngineError(response.head.status, action, std::move(reason));
}

std::string Printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && out.size() < most) {
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t size = 1;
    if (lead >= 0xC2 && lead < 0xE0) size = 2;
    if (lead >= 0xE0 && lead < 0xF0) size = 3;
    if (lead >= 0xF0 && lead < 0xF5) size = 4;
    bool good = lead >= 0x20 && lead != 0x7F && (lead < 0x80 || size > 1);
    for (std::size_t i = 1; i < size && good; ++i) {
      good = at + i < text.size() && (static_cast<unsigned char>(text[at + i]) & 0xC0) == 0x80;
    }
    if (good && out.size() + size > most) break;
    if (good) {
      out += text.substr(at, size);
      at += size;
    } else {
      const bool space = lead == '\n' || lead == '\t' || lead == '\r';
      out += space ? ' ' : '?';
      ++at;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace drover_docker
