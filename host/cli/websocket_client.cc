// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/websocket_client.h"

#include <openssl/sha.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "host/base/base64.h"
#include "host/base/ids.h"

namespace drover {
namespace {

constexpr std::size_t kMaxHead = 64 << 10;
constexpr std::size_t kMaxBody = 4 << 10;  // of a refusal
constexpr std::size_t kMaxMessage = 16 << 20;
constexpr int kOpenMilliseconds = 30'000;

Error Lost(const std::string& why) {
  return Error(Code::kUnavailable, "the connection to the agent is lost: " + why);
}

// What the other side of the handshake makes of KEY, by RFC 6455.
std::string AcceptOf(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return Base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string RandomText(std::size_t count) {
  std::string bytes(count, '\0');
  RandomBytes(bytes.data(), count);
  return bytes;
}

}  // namespace

int WebSocketClient::fd() const {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_.getinfo(handle_, CURLINFO_ACTIVESOCKET, &socket);
  return socket;
}

Status WebSocketClient::WaitFor(short events) const {
  pollfd wait{fd(), events, 0};
  const int ready = poll(&wait, 1, kOpenMilliseconds);
  if (ready > 0 || (ready < 0 && errno == EINTR)) return {};
  return Lost("it does not answer");
}

Result<bool> WebSocketClient::Fill() {
  std::array<char, 64 << 10> buffer;
  std::size_t size = 0;
  const CURLcode code = curl_.recv(handle_, buffer.data(), buffer.size(), &size);
  if (code == CURLE_AGAIN) return false;
  if (code != CURLE_OK) return Lost(curl_.strerror(code));
  if (size == 0) return Lost("it was closed");
  in_.append(buffer.data(), size);
  return true;
}

Status WebSocketClient::Flush() {
  while (!out_.empty()) {
    std::size_t sent = 0;
    const CURLcode code = curl_.send(handle_, out_.data(), out_.size(), &sent);
    if (code == CURLE_AGAIN) return {};
    if (code != CURLE_OK) return Lost(curl_.strerror(code));
    out_.erase(0, sent);
  }
  return {};
}

// The head of the answer; what follows it stays in in_.
Result<std::string> WebSocketClient::ReadHead() {
  while (true) {
    const std::size_t end = in_.find("\r\n\r\n");
    if (end != std::string::npos) {
      std::string head = in_.substr(0, end + 2);
      in_.erase(0, end + 4);
      return head;
    }
    if (in_.size() > kMaxHead) return Lost("its answer has no end");
    DROVER_ASSIGN(const bool some, Fill());
    if (!some) DROVER_TRY(WaitFor(POLLIN));
  }
}

Status WebSocketClient::Open(const std::string& host, const std::string& target,
                             const std::string& headers) {
  const std::string key = Base64(RandomText(16));
  out_ = "GET " + target + " HTTP/1.1\r\nHost: " + host +
         "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: " +
         key + "\r\n" + headers + "\r\n";
  while (true) {
    DROVER_TRY(Flush());
    if (out_.empty()) break;
    DROVER_TRY(WaitFor(POLLOUT));
  }
  DROVER_ASSIGN(const std::string head, ReadHead());
  if (head.starts_with("HTTP/1.1 101 ")) {
    if (head.find(AcceptOf(key)) != std::string::npos) return {};
    return Error(Code::kInternal, "the answer is that of no websocket: is it an agent?");
  }
  // A refusal says why in its body, which is short.
  while (in_.size() < kMaxBody) {
    const Result<bool> some = Fill();
    if (!some.ok()) break;
    if (!*some && !in_.empty()) break;
    if (!*some) DROVER_TRY(WaitFor(POLLIN));
  }
  const std::string status = head.substr(0, head.find('\r'));
  return Error(Code::kInternal, in_.empty() ? "the agent answers " + status : in_);
}

void WebSocketClient::Queue(Opcode opcode, std::string_view payload) {
  constexpr unsigned char kLast = 0x80;
  constexpr unsigned char kMasked = 0x80;
  out_ += static_cast<char>(kLast | opcode);
  const std::size_t size = payload.size();
  const int width = size < 126 ? 0 : size < 0x10000 ? 2 : 8;
  out_ += static_cast<char>(kMasked | (width == 0 ? size : width == 2 ? 126 : 127));
  for (int byte = width - 1; byte >= 0; --byte) out_ += static_cast<char>(size >> (8 * byte));
  const std::string mask = RandomText(4);
  out_ += mask;
  for (std::size_t i = 0; i < size; ++i) out_ += static_cast<char>(payload[i] ^ mask[i % 4]);
}

// A normal end has no reason.
Error WebSocketClient::Closed(std::string_view payload) const {
  if (payload.size() <= 2) return Error(Code::kCancelled, "the agent has closed the websocket");
  return Error(Code::kFailedPrecondition, std::string(payload.substr(2)));
}

Result<std::optional<std::string>> WebSocketClient::Receive() {
  while (true) {
    // A head of two bytes, or four, or ten; servers do not mask.
    const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(in_[at]); };
    const int length = in_.size() < 2 ? 0 : byte(1);
    const std::size_t width = length == 126 ? 2 : length == 127 ? 8 : 0;
    std::size_t size = width == 0 ? static_cast<std::size_t>(length) : 0;
    const bool has_head = in_.size() >= 2 + width;
    for (std::size_t i = 0; has_head && i < width; ++i) size = size << 8 | byte(2 + i);
    if (has_head && (length > 127 || size > kMaxMessage - message_.size())) {
      return Lost("it sent what is no message");
    }
    if (in_.size() < 2 || !has_head || in_.size() < 2 + width + size) {
      DROVER_ASSIGN(const bool some, Fill());
      if (!some) return std::optional<std::string>();
      continue;
    }
    const bool last = (byte(0) & 0x80) != 0;
    const int opcode = byte(0) & 0x0f;
    std::string payload = in_.substr(2 + width, size);
    in_.erase(0, 2 + width + size);
    if (opcode == kPing) Queue(kPong, payload);
    if (opcode == kClose) return Closed(payload);
    if (opcode > kBinary) continue;
    message_ += payload;
    if (last) return std::optional<std::string>(std::exchange(message_, std::string()));
  }
}

}  // namespace drover
