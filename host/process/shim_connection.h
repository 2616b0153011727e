// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/ids.h"
#include "host/base/live_count.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "shim/attach_protocol.h"

namespace drover {

// One connection to a shim. It carries whole messages, which shim/attach_protocol.h defines.
// Control thread only.
class ShimConnection : public std::enable_shared_from_this<ShimConnection>,
                       public LiveCount<ShimConnection> {
 public:
  using Bytes = std::vector<char>;
  // The handler of each message that does not answer a Call.
  using EventHandler = std::function<void(const drover_attach_header& header, const Bytes& bytes)>;

  // Takes ownership of SOCKET, a SOCK_SEQPACKET connection.
  static std::shared_ptr<ShimConnection> Make(Loop* loop, UniqueFd socket);
  // Connects to the shim of RUN, which listens on a socket in DIRECTORY, the run directory.
  static Result<UniqueFd> Connect(int directory, const RunId& run, int* error_number);
  // Returns true if ERROR_NUMBER, which Connect has set, means that there is no shim. With any
  // other ERROR_NUMBER, there may be a shim.
  static bool NobodyListens(int error_number) {
    return error_number == ENOENT || error_number == ECONNREFUSED;
  }

  ~ShimConnection();

  // Starts receiving. The handlers are called until Close, and never from inside another method.
  void Start(EventHandler on_event, std::function<void()> on_closed);

  // Sends MESSAGE with a request number, and waits for the answer with the same number. FDS are
  // borrowed. The answer has at least the size of a header. MessageAs converts the answer to a
  // struct.
  Co<Result<Bytes>> Call(Context context, Bytes message, std::vector<int> fds = {});
  // Sends MESSAGE and waits for the answer, as Call does. The answer must be a
  // DROVER_ATTACH_RESULT. If its errno is not 0, Command returns an error "WHAT: ...".
  Co<Status> Command(Context context, Bytes message, std::string what, std::vector<int> fds = {});
  // Sends a message without waiting for an answer. Returns false if the shim has ended or does not
  // read.
  bool Send(Bytes message, std::span<const int> fds = {});

  void Close();

  // Returns the bytes of a request: FIXED with its header filled in, then TAIL.
  template <typename T>
  static Bytes Message(T fixed, std::uint16_t type, std::uint32_t session = 0,
                       std::span<const char> tail = {}) {
    drover_attach_header* header = reinterpret_cast<drover_attach_header*>(&fixed);
    header->type = type;
    header->session = session;
    return Pack(&fixed, sizeof fixed, tail);
  }

 private:
  struct Pending {
    explicit Pending(Loop* loop) : answered(loop) {}
    Event answered;
    Bytes bytes;  // empty if the connection has ended
  };

  ShimConnection(Loop* loop, UniqueFd socket);
  static Bytes Pack(void* fixed, std::size_t size, std::span<const char> tail);
  void WaitForMessage();
  void Receive();
  bool ReceiveOne();
  void Fail();

  Loop* loop_;
  boost::asio::posix::stream_descriptor socket_;
  EventHandler on_event_;
  std::function<void()> on_closed_;
  std::map<std::uint32_t, std::shared_ptr<Pending>> pending_;
  std::uint32_t next_request_ = 1;
  bool closed_ = false;
};

// Returns the hello, the first message that a client sends. The hello subscribes the client to
// EVENTS (DROVER_ATTACH_EVENT_...).
ShimConnection::Bytes HelloMessage(std::uint32_t events);

// Returns a request of TYPE to send a signal. The shim sends the signal to the leader of the run,
// or to the leader of SESSION if SESSION is not 0. The error is kInvalidArgument if there is no
// signal with this number.
Result<ShimConnection::Bytes> SignalMessage(std::uint16_t type, int signal_number,
                                            std::uint32_t session = 0);

// Reads a struct from the start of a message. If the message is shorter, the missing bytes are
// zero.
template <typename T>
T MessageAs(const ShimConnection::Bytes& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

}  // namespace drover
