// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/base64.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostCells = 10'000;

Error MustBe(const std::string& field, const char* what) {
  return Error(Code::kInvalidArgument, field + " must be " + what);
}

// Returns the member KEY of OBJECT. Returns nullptr if the member is missing or is a JSON null.
const json* Member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Returns the member KEY of MESSAGE as Member does, or an error if the member is not an object.
Result<const json*> Part(const json& message, const char* key) {
  const json* const part = Member(message, key);
  if (part != nullptr && !part->is_object()) return MustBe(key, "an object");
  return part;
}

Status ReadInput(const json& input, ExecMessage* message) {
  if (const json* const data = Member(input, "data")) {
    if (!data->is_string()) return MustBe("stdin.data", "a text");
    std::optional<std::string> bytes = FromBase64(data->get_ref<const std::string&>());
    if (!bytes) return Error(Code::kInvalidArgument, "stdin is not encoded by base64");
    message->input = std::move(*bytes);
  }
  if (const json* const close = Member(input, "close")) {
    if (!close->is_boolean()) return MustBe("stdin.close", "true or false");
    message->input_ends = close->get<bool>();
  }
  return {};
}

Result<int> Cells(const json& size, const char* key) {
  const json* const cells = Member(size, key);
  if (cells == nullptr) return 0;
  if (!cells->is_number_integer()) return MustBe(std::string("tty_size.") + key, "a whole number");
  // A terminal size that is too large becomes kMostCells, even if it does not fit into 63 bits.
  if (cells->is_number_unsigned() && cells->get<std::uint64_t>() > kMostCells) {
    return static_cast<int>(kMostCells);
  }
  return static_cast<int>(std::clamp<std::int64_t>(cells->get<std::int64_t>(), 0, kMostCells));
}

}  // namespace

Result<ExecMessage> ParseExecMessage(std::string_view text) {
  DROVER_ASSIGN(const json said, ParseStrictJson(text));
  if (!said.is_object()) return MustBe("a message", "a JSON object");
  ExecMessage message;
  DROVER_ASSIGN(const json* const input, Part(said, "stdin"));
  if (input != nullptr) DROVER_TRY(ReadInput(*input, &message));
  DROVER_ASSIGN(const json* const size, Part(said, "tty_size"));
  if (size != nullptr) {
    TerminalSize cells;
    DROVER_ASSIGN(cells.width, Cells(*size, "width"));
    DROVER_ASSIGN(cells.height, Cells(*size, "height"));
    if (cells.width > 0 && cells.height > 0) message.size = cells;
  }
  return message;
}

std::string ExecDataMessage(std::string_view stream, std::string_view bytes) {
  return "{\"" + std::string(stream) + "\":{\"data\":\"" + Base64(bytes) + "\"}}";
}

std::string ExecCloseMessage(std::string_view stream) {
  return "{\"" + std::string(stream) + "\":{\"close\":true}}";
}

std::string ExecExitMessage(int exit_code) {
  return R"({"exited":true,"result":{"exit_code":)" + std::to_string(exit_code) + "}}";
}

}  // namespace drover
