// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/fake_engine_for_test.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace drover_docker {

bool FakeEngine::Peer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool FakeEngine::Peer::Answer(int status, std::string_view body) {
  return Send("HTTP/1.1 " + std::to_string(status) +
              " Some\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

bool FakeEngine::Peer::BeginChunks(int status) {
  return Send("HTTP/1.1 " + std::to_string(status) +
              " Some\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool FakeEngine::Peer::Chunk(std::string_view bytes) {
  std::array<char, 24> size;
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return Send(size.data() + std::string(bytes) + "\r\n");
}

std::string FakeEngine::Peer::Read() {
  if (!rest_.empty()) return std::exchange(rest_, std::string());
  std::array<char, 16384> buffer;
  const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
  return got <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(got));
}

void FakeEngine::Peer::AwaitClose() {
  while (!Read().empty()) {
  }
  closed_ = true;
}

FakeEngine::FakeEngine(Handler handler) : handler_(std::move(handler)) {
  char directory[] = "/tmp/drover_engine_XXXXXX";
  if (::mkdtemp(directory) == nullptr) throw std::runtime_error("mkdtemp");
  directory_ = directory;
  Start();
}

FakeEngine::~FakeEngine() {
  Stop();
  ::rmdir(directory_.c_str());
}

EngineAddress FakeEngine::address() const {
  return EngineAddress::Parse("unix://" + directory_ + "/socket");
}

void FakeEngine::Start() {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::string path = directory_ + "/socket";
  std::memcpy(to.sun_path, path.data(), path.size());
  listener_ = drover::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
      ::listen(listener_.get(), 1024) != 0) {
    throw std::runtime_error("cannot listen at " + path);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = false;
  }
  accepting_ = std::thread([this, fd = listener_.get()] { Accept(fd); });
}

void FakeEngine::Stop() {
  std::list<std::thread> threads;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    ::unlink((directory_ + "/socket").c_str());
    ::shutdown(listener_.get(), SHUT_RDWR);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  accepting_.join();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  listener_ = drover::Fd();
}

void FakeEngine::Accept(int listener) {
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_) {
      ::close(fd);
      return;
    }
    ++connections_;
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

bool FakeEngine::ReadRequest(Peer* peer, Request* out) {
  std::string text;
  std::size_t end = std::string::npos;
  while ((end = text.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = peer->Read();
    if (more.empty()) return false;
    text += more;
  }
  out->head = text.substr(0, end + 2);
  text.erase(0, end + 4);
  const std::size_t space = out->head.find(' ');
  out->method = out->head.substr(0, space);
  out->target = out->head.substr(space + 1, out->head.find(' ', space + 1) - space - 1);
  if (out->target.rfind("/v1.", 0) == 0) out->target.erase(0, out->target.find('/', 1));
  const auto more = [&] {
    const std::string piece = peer->Read();
    text += piece;
    return !piece.empty();
  };
  if (out->head.find("Transfer-Encoding: chunked") != std::string::npos) {
    for (;;) {
      std::size_t line = 0;
      while ((line = text.find("\r\n")) == std::string::npos) {
        if (!more()) return false;
      }
      const std::size_t size = std::stoul(text.substr(0, line), nullptr, 16);
      while (text.size() < line + 2 + size + 2) {
        if (!more()) return false;
      }
      out->body += text.substr(line + 2, size);
      text.erase(0, line + 2 + size + 2);
      if (size == 0) break;
    }
  } else if (const std::size_t at = out->head.find("Content-Length: "); at != std::string::npos) {
    const std::size_t size = std::stoul(out->head.substr(at + 16));
    while (text.size() < size) {
      if (!more()) return false;
    }
    out->body = text.substr(0, size);
    text.erase(0, size);
  }
  peer->rest_ = text;
  return true;
}

void FakeEngine::Serve(int fd) {
  Peer peer(fd, "");
  Request request;
  while (!peer.closed() && ReadRequest(&peer, &request)) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request.method + " " + request.target);
    }
    if (request.target == "/_ping") {
      peer.Answer(200, "OK");
    } else if (request.target == "/version") {
      peer.Answer(200, R"({"Version":"20.10.24","ApiVersion":"1.41","MinAPIVersion":"1.12"})");
    } else {
      handler_(request, peer);
    }
    request = Request();
  }
  std::lock_guard<std::mutex> lock(mutex_);
  open_.remove(fd);
  ::close(fd);
}

std::vector<std::string> FakeEngine::requests() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

std::string FrameForTest(int kind, std::string_view text) {
  std::string out(8, '\0');
  out[0] = static_cast<char>(kind);
  for (int i = 0; i < 4; ++i) {
    out[static_cast<std::size_t>(4 + i)] = static_cast<char>(text.size() >> (24 - 8 * i) & 0xFF);
  }
  return out + std::string(text);
}

bool Eventually(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return done();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace drover_docker
