// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "shim/start_plan.h"

namespace drover {

ShimConnection::ShimConnection(Loop* loop, UniqueFd socket)
    : loop_(loop), socket_(loop->io(), socket.Release()) {}

ShimConnection::~ShimConnection() = default;

std::shared_ptr<ShimConnection> ShimConnection::Make(Loop* loop, UniqueFd socket) {
  return std::shared_ptr<ShimConnection>(new ShimConnection(loop, std::move(socket)));
}

Result<UniqueFd> ShimConnection::Connect(int directory, const RunId& run, int* error_number) {
  const std::string name = run.Short() + ".sock";
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The address names the socket by the descriptor of DIRECTORY in /proc/self/fd, because the real
  // path may be too long for a socket address.
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  DROVER_CHECK(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  if (socket && connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return socket;
  *error_number = errno;
  return ErrnoError(errno, "cannot connect to the shim " + name);
}

ShimConnection::Bytes ShimConnection::Pack(void* fixed, std::size_t size,
                                           std::span<const char> tail) {
  static_cast<drover_attach_header*>(fixed)->size = static_cast<std::uint32_t>(size + tail.size());
  const char* const start = static_cast<const char*>(fixed);
  Bytes bytes(start, start + size);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

void ShimConnection::Start(EventHandler on_event, std::function<void()> on_closed) {
  on_event_ = std::move(on_event);
  on_closed_ = std::move(on_closed);
  WaitForMessage();
}

void ShimConnection::WaitForMessage() {
  socket_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                     [weak = weak_from_this()](const boost::system::error_code& error) {
                       const std::shared_ptr<ShimConnection> self = weak.lock();
                       if (!self || self->closed_ || error) return;
                       self->Receive();
                     });
}

void ShimConnection::Receive() {
  while (!closed_ && ReceiveOne()) {
  }
  if (!closed_) WaitForMessage();
}

// Returns false if no further message can be read now, or if the connection has ended.
bool ShimConnection::ReceiveOne() {
  std::array<char, DROVER_ATTACH_MAX> buffer;  // NOLINT(*-member-init): most of it is not used
  const ssize_t n = recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n < static_cast<ssize_t>(sizeof(drover_attach_header))) {
    Fail();
    return false;
  }
  Bytes bytes(buffer.data(), buffer.data() + n);
  const auto header = MessageAs<drover_attach_header>(bytes);
  if (header.size != bytes.size()) {
    Fail();
    return false;
  }
  const auto found = header.request != 0 ? pending_.find(header.request) : pending_.end();
  if (found != pending_.end()) {
    found->second->bytes = std::move(bytes);
    found->second->answered.Set();
    pending_.erase(found);
  } else if (on_event_) {
    on_event_(header, bytes);
  }
  return true;
}

void ShimConnection::Fail() {
  if (closed_) return;
  const std::function<void()> on_closed = std::move(on_closed_);
  Close();
  if (on_closed) on_closed();
}

void ShimConnection::Close() {
  if (closed_) return;
  closed_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
  for (const auto& [request, pending] : std::exchange(pending_, {})) pending->answered.Set();
  on_closed_ = nullptr;
}

bool ShimConnection::Send(Bytes message, std::span<const int> fds) {
  if (closed_) return false;
  iovec part{message.data(), message.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(DROVER_PLAN_MAX_FDS * sizeof(int))] = {};
  DROVER_CHECK(fds.size() <= DROVER_PLAN_MAX_FDS);
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* const c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  }
  return sendmsg(socket_.native_handle(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

Co<Result<ShimConnection::Bytes>> ShimConnection::Call(Context context, Bytes message,
                                                       std::vector<int> fds) {
  const std::shared_ptr<ShimConnection> self = shared_from_this();
  const std::uint32_t request = next_request_++;
  reinterpret_cast<drover_attach_header*>(message.data())->request = request;
  const auto pending = std::make_shared<Pending>(loop_);
  pending_.emplace(request, pending);
  if (!Send(std::move(message), fds)) {
    pending_.erase(request);
    co_return Error(Code::kUnavailable, "the shim does not take messages");
  }
  const Status waited = co_await pending->answered.Wait(context);
  pending_.erase(request);
  if (!waited.ok()) co_return waited.error();
  if (pending->bytes.empty()) co_return Error(Code::kUnavailable, "the shim has ended");
  co_return std::move(pending->bytes);
}

Co<Status> ShimConnection::Command(Context context, Bytes message, std::string what,
                                   std::vector<int> fds) {
  Result<Bytes> answer = co_await Call(context, std::move(message), std::move(fds));
  if (!answer.ok()) co_return answer.error().WithContext(what);
  const auto result = MessageAs<drover_attach_result>(*answer);
  if (result.header.type != DROVER_ATTACH_RESULT)
    co_return Error(Code::kInternal, what + ": the shim sent an answer of the wrong type");
  if (result.error != 0) co_return ErrnoError(result.error, what);
  co_return Status();
}

ShimConnection::Bytes HelloMessage(std::uint32_t events) {
  drover_attach_hello hello{};
  hello.version = DROVER_ATTACH_VERSION;
  hello.subscribe = events;
  return ShimConnection::Message(hello, DROVER_ATTACH_HELLO);
}

Result<ShimConnection::Bytes> SignalMessage(std::uint16_t type, int signal_number,
                                            std::uint32_t session) {
  if (signal_number < 1 || signal_number > 64)
    return Error(Code::kInvalidArgument,
                 "signal " + std::to_string(signal_number) + " does not exist");
  drover_attach_signal message{};
  message.signal_number = signal_number;
  message.scope = DROVER_ATTACH_SCOPE_LEADER;
  return ShimConnection::Message(message, type, session);
}

}  // namespace drover
