// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec_client.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "host/base/base64.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr Duration kHeartbeat = 10s;
constexpr std::size_t kMostUnsent = 256 << 10;

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return ErrnoError(errno, "write the output");
    }
  }
  return {};
}

}  // namespace

void ExecClient::SendSize() {
  winsize size{};
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
  const json message = {{"tty_size", {{"height", size.ws_row}, {"width", size.ws_col}}}};
  socket_->Send(message.dump());
}

void ExecClient::EndInput() {
  input_open_ = false;
  socket_->Send(R"({"stdin":{"close":true}})");
}

void ExecClient::ReadInput() {
  std::array<char, 32 << 10> buffer;
  const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return EndInput();
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  socket_->Send("{\"stdin\":{\"data\":\"" + Base64(bytes) + "\"}}");
}

bool ExecClient::WantsInput() const { return input_open_ && socket_->unsent() < kMostUnsent; }

bool ExecClient::HasInput() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return WantsInput() && poll(&input, 1, 0) > 0;
}

Result<std::optional<int>> ExecClient::ReadMessages() {
  while (true) {
    DROVER_ASSIGN(const std::optional<std::string> text, socket_->Receive());
    if (!text) return std::optional<int>();
    const json message = json::parse(*text, nullptr, false);
    for (const auto& [stream, fd] :
         {std::pair("stdout", STDOUT_FILENO), std::pair("stderr", STDERR_FILENO)}) {
      const std::optional<std::string> bytes =
          FromBase64(RawField(MapField(message, stream), "data"));
      if (bytes) DROVER_TRY(WriteAll(fd, *bytes));
    }
    if (FlagField(message, "exited")) {
      return std::optional<int>(
          static_cast<int>(NumberField(MapField(message, "result"), "exit_code")));
    }
  }
}

Result<int> ExecClient::Run() {
  SignalQueue signals;
  std::optional<RawTerminal> raw;
  if (options_.tty) {
    raw.emplace();
    SendSize();
  }
  if (!options_.input) EndInput();
  next_beat_ = BootClock::now() + kHeartbeat;
  while (true) {
    DROVER_ASSIGN(const std::optional<int> exit, ReadMessages());
    if (exit) return *exit;
    for (int number = signals.Next(); number != 0; number = signals.Next()) {
      if (number != SIGWINCH) return 128 + number;
      if (options_.tty) SendSize();
    }
    if (HasInput()) ReadInput();
    if (BootClock::now() >= next_beat_) {
      socket_->Send("{}");
      next_beat_ = BootClock::now() + kHeartbeat;
    }
    const int input = WantsInput() ? STDIN_FILENO : -1;
    DROVER_TRY(socket_->Wait({signals.fd(), input}, next_beat_ - BootClock::now()));
  }
}

}  // namespace drover
