// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/unique_fd.h"
#include "host/client/scripted_server_for_test.h"

namespace drover {

// For tests: an agent of Consul on loopback, with real sockets and a thread for each connection. It
// does what its mode says. [any thread]
class ConsulServerForTest {
 public:
  enum class Mode {
    kFine,
    kMute,      // reads requests and never answers
    kEndless,   // an answer without an end
    kNonsense,  // an answer that is no JSON
    kLongHead,  // a header without an end
    kRefuse,    // status 403
    kTrouble,   // status 500
    kHangUp,    // closes the connection instead of an answer
  };

  ConsulServerForTest() { Start(); }
  ConsulServerForTest(const ConsulServerForTest&) = delete;
  ConsulServerForTest& operator=(const ConsulServerForTest&) = delete;
  ~ConsulServerForTest() { Stop(); }

  // Listens again, at the same port.
  void Start() {
    listener_.Reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    EXPECT_EQ(setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), any, size), 0);
    EXPECT_EQ(listen(listener_.get(), 64), 0);
    EXPECT_EQ(getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  // Closes all connections. The services stay.
  void Stop() {
    shutdown(listener_.get(), SHUT_RDWR);
    if (acceptor_.joinable()) acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    listener_.Reset();
  }
  void Wipe() {
    const std::lock_guard lock(mutex_);
    services_ = checks_ = nlohmann::json::object();
  }
  void SetMode(Mode mode) {
    const std::lock_guard lock(mutex_);
    mode_ = mode;
  }
  // A task has sent OUTPUT to whoever checks it.
  void SetOutput(const std::string& check_id, const std::string& output) {
    const std::lock_guard lock(mutex_);
    checks_[check_id]["Output"] = output;
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  nlohmann::json services() const {
    const std::lock_guard lock(mutex_);
    return services_;
  }
  nlohmann::json checks() const {
    const std::lock_guard lock(mutex_);
    return checks_;
  }
  // The head of the last request.
  std::string last_head() const {
    const std::lock_guard lock(mutex_);
    return last_head_;
  }

 private:
  using json = nlohmann::json;

  void Accept() {
    while (true) {
      const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      open_.insert(fd);
      threads_.emplace_back([this, fd] { Serve(fd); });
    }
  }
  void Serve(int fd) {
    ScriptedPeer peer(fd);
    while (ServeOne(&peer)) {
    }
    const std::lock_guard lock(mutex_);
    open_.erase(fd);
    close(fd);
  }

  // Returns whether another request may follow.
  bool ServeOne(ScriptedPeer* peer) {
    const std::string head = peer->ReadHead();
    if (!head.ends_with("\r\n\r\n")) return false;
    const std::size_t length = head.find("Content-Length: ");
    std::string body;
    if (length != head.npos) body = peer->ReadExactly(std::stoul(head.substr(length + 16)));
    Mode mode = Mode::kFine;
    {
      const std::lock_guard lock(mutex_);
      last_head_ = head;
      mode = mode_;
    }
    switch (mode) {
      case Mode::kFine:
        return Answer(peer, head, body);
      case Mode::kMute:
        peer->ReadToEnd();
        return false;
      case Mode::kEndless:
        peer->Send("HTTP/1.1 200 OK\r\n\r\n");
        while (peer->Send(std::string(64 << 10, ' '))) {
        }
        return false;
      case Mode::kNonsense:
        return peer->Reply("{\"a\": [}");
      case Mode::kLongHead:
        peer->Send("HTTP/1.1 200 OK\r\nX: ");
        while (peer->Send(std::string(64 << 10, 'x'))) {
        }
        return false;
      case Mode::kRefuse:
        return Reply(peer, "403 Forbidden", "Permission denied: token with AccessorID 'x'\n");
      case Mode::kTrouble:
        return Reply(peer, "500 Internal Server Error", "No cluster leader");
      case Mode::kHangUp:
        return false;
    }
    return false;
  }

  static bool Reply(ScriptedPeer* peer, const std::string& status, const std::string& body) {
    return peer->Send("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
                      "\r\n\r\n" + body);
  }

  bool Answer(ScriptedPeer* peer, const std::string& head, const std::string& body) {
    const std::size_t begin = head.find(' ') + 1;
    const std::string path = head.substr(begin, head.find_first_of("? ", begin) - begin);
    const std::string id = path.substr(path.rfind('/') + 1);
    const std::lock_guard lock(mutex_);
    if (path == "/v1/agent/services") return peer->Reply(services_.dump());
    if (path == "/v1/agent/checks") return peer->Reply(checks_.dump());
    if (path == "/v1/agent/service/register") return peer->Reply(Register(json::parse(body)));
    if (path.starts_with("/v1/agent/service/deregister/")) {
      if (services_.erase(id) == 0) return Reply(peer, "404 Not Found", "Unknown service ID");
      for (auto at = checks_.begin(); at != checks_.end();) {
        at = at->value("ServiceID", "") == id ? checks_.erase(at) : std::next(at);
      }
      return peer->Reply("");
    }
    if (path.starts_with("/v1/agent/service/")) {
      if (services_.contains(id)) return peer->Reply(services_[id].dump());
      return Reply(peer, "404 Not Found", "unknown service ID: " + id);
    }
    if (path.starts_with("/v1/agent/check/update/") && checks_.contains(id)) {
      const json result = json::parse(body);
      checks_[id]["Status"] = result["Status"];
      checks_[id]["Output"] = result["Output"];
      return peer->Reply("");
    }
    return Reply(peer, "404 Not Found", "Unknown check ID");
  }

  std::string Register(const json& body) {
    const std::string id = body["ID"];
    json service = body;
    service["Service"] = body["Name"];
    service.erase("Name");
    service.erase("Checks");
    // As the real one does.
    service["TaggedAddresses"]["lan_ipv4"] = {{"Address", body["Address"]}, {"Port", body["Port"]}};
    services_[id] = std::move(service);
    json kept = json::object();
    for (const auto& [check_id, check] : checks_.items()) {
      if (check.value("ServiceID", "") != id) kept[check_id] = check;
    }
    for (const json& check : body["Checks"]) {
      const std::string check_id = check["CheckID"];
      json made = checks_.contains(check_id) ? checks_[check_id]
                                             : json{{"Status", check.value("Status", "critical")}};
      made["CheckID"] = check_id;
      made["ServiceID"] = id;
      made["Definition"] = check;
      kept[check_id] = std::move(made);
    }
    checks_ = std::move(kept);
    return "";
  }

  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::set<int> open_;
  Mode mode_ = Mode::kFine;
  json services_ = json::object();
  json checks_ = json::object();
  std::string last_head_;
};

}  // namespace drover
