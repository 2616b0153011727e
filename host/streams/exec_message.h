// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/driver/driver.h"

namespace drover {

// One message from a client to its command.
struct ExecMessage {
  std::string input;        // bytes for the command's input
  bool input_ends = false;  // whether the input ends after these bytes
  std::optional<TerminalSize> size;
};

// Reads a message such as
// {"stdin":{"data":BASE64,"close":BOOL},"tty_size":{"height":N,"width":N}}. Each part may be
// missing or null, and a heartbeat is {}. Unknown keys are ignored. If the value of a known key
// has another type, returns an error that names the key. A terminal size without lines or columns
// is ignored. [any thread]
Result<ExecMessage> ParseExecMessage(std::string_view text);

// Returns a message with output, such as {"stdout":{"data":BASE64}}.
std::string ExecDataMessage(std::string_view stream, std::string_view bytes);
// Returns the message that ends an output stream, such as {"stdout":{"close":true}}.
std::string ExecCloseMessage(std::string_view stream);
// Returns the last message of a session, which is {"exited":true,"result":{"exit_code":N}}.
std::string ExecExitMessage(int exit_code);

}  // namespace drover
