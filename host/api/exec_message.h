// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/driver/driver.h"

namespace drover {

// One message of a client to its command.
struct ExecMessage {
  std::string input;        // bytes for the command's input
  bool input_ends = false;  // after these bytes
  std::optional<TerminalSize> size;
};

// Reads {"stdin":{"data":BASE64,"close":BOOL},"tty_size":{"height":N,"width":N}}. Each part may be
// missing or null; a heartbeat is {}. Unknown keys are ignored. A known key with a value of another
// type is an error that names it. A terminal without lines or columns has no size. [any thread]
Result<ExecMessage> ParseExecMessage(std::string_view text);

// {"stdout":{"data":BASE64}}
std::string ExecDataMessage(std::string_view stream, std::string_view bytes);
// {"stdout":{"close":true}}
std::string ExecCloseMessage(std::string_view stream);
// The last one: {"exited":true,"result":{"exit_code":N}}
std::string ExecExitMessage(int exit_code);

}  // namespace drover
