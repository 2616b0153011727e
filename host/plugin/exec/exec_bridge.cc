// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/exec/exec_bridge.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

namespace drover {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kChunk = 16u << 10;
constexpr unsigned char kEndOfInput = 4;  // the character that ^D sends

std::uint16_t Cells(int value) { return static_cast<std::uint16_t>(std::clamp(value, 1, 0xffff)); }

}  // namespace

// File descriptors that the loop can wait for. If a descriptor is closed, the coroutine that copies
// from it or to it ends.
struct ExecBridge::Streams {
  explicit Streams(asio::io_context& io)
      : input(io), output(io), terminal_in(io), terminal_out(io) {}
  asio::posix::stream_descriptor input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor terminal_in;   // the terminal, for writing the input
  asio::posix::stream_descriptor terminal_out;  // the terminal, for reading the output
};

ExecBridge::ExecBridge(PluginHost* host, RunId run, Request request)
    : host_(host),
      run_(run),
      request_(std::move(request)),
      context_(host->services_context().Child()) {}

ExecBridge::~ExecBridge() = default;

Status ExecBridge::Resize(TerminalSize size) {
  request_.size = size;
  if (!session_) return {};
  return session_->Resize(Cells(size.height), Cells(size.width));
}

void ExecBridge::End() {
  context_.Cancel("the exec session was ended");
  if (session_) session_->Close();
}

// Copies the driver's input bytes to the terminal. At the end of the input it sends the terminal's
// end-of-input character.
Co<void> ExecBridge::CopyInput() {
  std::array<char, kChunk> buffer;
  while (true) {
    const auto [failed, size] = co_await streams_->input.async_read_some(
        asio::buffer(buffer), asio::as_tuple(asio::use_awaitable));
    const bool end = static_cast<bool>(failed);
    if (end) {
      if (failed == asio::error::operation_aborted) co_return;
      buffer[0] = static_cast<char>(kEndOfInput);
    }
    const std::size_t count = end ? 1 : size;
    const auto [stopped, written] =
        co_await asio::async_write(streams_->terminal_in, asio::buffer(buffer.data(), count),
                                   asio::as_tuple(asio::use_awaitable));
    if (end || stopped) co_return;
  }
}

// Copies the terminal's output to the driver. Ends when the terminal is closed (read fails with
// EIO), or when the driver closes the reading end of the output.
Co<void> ExecBridge::CopyOutput() {
  std::array<char, kChunk> buffer;
  while (true) {
    const auto [failed, size] = co_await streams_->terminal_out.async_read_some(
        asio::buffer(buffer), asio::as_tuple(asio::use_awaitable));
    if (failed) break;
    const auto [stopped, written] = co_await asio::async_write(
        streams_->output, asio::buffer(buffer.data(), size), asio::as_tuple(asio::use_awaitable));
    if (stopped) break;
  }
}

Co<Result<ExecExit>> ExecBridge::Run() {
  ExecSpec spec;
  spec.argv = request_.command;
  spec.tty = request_.tty;
  spec.rows = Cells(request_.size.height);
  spec.columns = Cells(request_.size.width);
  if (!request_.tty) {
    spec.standard_input = std::move(request_.input);
    spec.standard_output = std::move(request_.output);
    spec.standard_error = std::move(request_.error);
  }
  const TerminalSize asked = request_.size;
  Result<std::unique_ptr<ExecSession>> session =
      co_await host_->processes()->Exec(context_, run_, std::move(spec));
  if (!session.ok()) co_return session.error();
  session_ = std::move(*session);
  if (context_.cancelled()) session_->Close();
  if (request_.size.width != asked.width || request_.size.height != asked.height) {
    (void)session_->Resize(Cells(request_.size.height), Cells(request_.size.width));
  }
  Gate copying(host_->loop());
  if (request_.tty && session_->terminal() >= 0) {
    streams_ = std::make_unique<Streams>(host_->loop()->io());
    const int terminal = session_->terminal();
    boost::system::error_code failed;
    streams_->terminal_in.assign(fcntl(terminal, F_DUPFD_CLOEXEC, 3), failed);
    streams_->terminal_out.assign(fcntl(terminal, F_DUPFD_CLOEXEC, 3), failed);
    // If assign() fails, the bridge copies nothing from or to FD.
    const auto adopt = [](UniqueFd* fd, asio::posix::stream_descriptor* to) {
      boost::system::error_code error;
      if (fd->valid()) to->assign(fd->get(), error);
      if (to->is_open()) fd->Release();
    };
    adopt(&request_.input, &streams_->input);
    adopt(&request_.output, &streams_->output);
    if (streams_->input.is_open()) copying.Spawn(CopyInput());
    if (streams_->output.is_open()) copying.Spawn(CopyOutput());
  }
  // Even if the session was given up, Run waits until the session's process group has been killed.
  // So the wait uses the context of all services, which is not cancelled when one session ends.
  const Context patient = host_->services_context();
  Result<ExecExit> end = co_await session_->Wait(patient);
  if (streams_) {
    boost::system::error_code ignored;
    streams_->input.close(ignored);
    streams_->terminal_in.close(ignored);
    // The bridge does not read the terminal to its end, since a background child may keep it open.
    // The output of the command is already in the terminal's buffer, and the loop below copies it.
    // It is not enough to cancel the reads: a coroutine that is not reading at this moment would
    // start another read. So the descriptor is closed.
    streams_->terminal_out.close(ignored);
    co_await copying.Close();
    std::array<char, kChunk> buffer;
    for (std::size_t total = 0; total < (1u << 20) && streams_->output.is_open();) {
      const ssize_t n = read(session_->terminal(), buffer.data(), buffer.size());
      if (n <= 0) break;
      total += static_cast<std::size_t>(n);
      const auto [stopped, written] = co_await asio::async_write(
          streams_->output, asio::buffer(buffer.data(), static_cast<std::size_t>(n)),
          asio::as_tuple(asio::use_awaitable));
      if (stopped) break;
    }
    streams_->output.close(ignored);
  } else {
    co_await copying.Close();
  }
  co_return end;
}

}  // namespace drover
