// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/api/router.h"
#include "host/identity/aes_gcm.h"
#include "host/identity/sealing.h"
#include "host/request/fake_exchange.h"
#include "host/scheduler/scheduler_fixture.h"

// A test fixture with all routes of the API and a scheduler with one node. The fixture has no
// socket, and no runner executes the allocations.
namespace drover {

class ApiFixture : public SchedulerFixture {
 protected:
  ApiFixture() : calls_(&loop) {
    agent_.version = "1.2.3";
    agent_.name = "n1";
    agent_.node_id = "node";
    agent_.config = std::make_shared<const nlohmann::json>(nlohmann::json::object());
    agent_.store = &store;
    agent_.control = &loop;
    agent_.calls = &calls_;
    agent_.scheduler = &scheduler;
    agent_.find_runner = [](const std::string&) { return nullptr; };
    agent_.seal_key = std::make_shared<const SealKey>(SecretBytes(std::string(kAesKeyBytes, 'k')));
  }

  // Registers the node. If HEARTBEATEN is true, also sends a heartbeat, so the node is ready.
  void RegisterNode(bool heartbeaten = true) {
    NodeRecord node;
    node.id = "node";
    node.name = "n1";
    node.http_address = "127.0.0.1:4711";
    node.cpu_mhz = node.memory_mb = 10'000;
    node.disk_mb = 1'000'000;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    if (!heartbeaten) return;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }

  // Sends a request with METHOD and BODY to TARGET, a path with its query. Returns the reply.
  HttpReply Ask(const std::string& method, const std::string& target,
                const nlohmann::json& body = nullptr, const HttpFields& headers = {}) {
    return AskText(method, target, body.is_null() ? "" : body.dump(), headers);
  }
  HttpReply AskText(const std::string& method, const std::string& target, const std::string& body,
                    const HttpFields& headers = {}) {
    const std::size_t mark = target.find('?');
    const std::string query = mark == std::string::npos ? "" : target.substr(mark + 1);
    OneReply exchange(&loop, target.substr(0, mark), query);
    exchange.Send(method, body, headers);
    loop.Spawn(handler_(&exchange));
    loop.RunReady();
    EXPECT_TRUE(exchange.reply.has_value()) << method << " " << target << " is not answered";
    return exchange.reply.value_or(HttpReply());
  }
  // Sends a request that must succeed, and returns the JSON of the reply.
  nlohmann::json Must(const std::string& method, const std::string& target,
                      const nlohmann::json& body = nullptr) {
    const HttpReply reply = Ask(method, target, body);
    EXPECT_EQ(reply.status, 200) << method << " " << target << ": " << reply.body;
    return nlohmann::json::parse(reply.body, nullptr, false);
  }
  nlohmann::json Get(const std::string& target) { return Must("GET", target); }
  // Sends a request that must be refused, and returns the status and the text of the reply.
  std::string Refusal(const std::string& method, const std::string& target,
                      const nlohmann::json& body = nullptr) {
    const HttpReply reply = Ask(method, target, body);
    EXPECT_GE(reply.status, 400) << method << " " << target;
    EXPECT_TRUE(reply.body.empty() || reply.content_type == "text/plain; charset=utf-8") << target;
    return std::to_string(reply.status) + " " + reply.body;
  }
  static std::string HeaderOf(const HttpReply& reply, const std::string& name) {
    for (const auto& [key, value] : reply.headers) {
      if (key == name) return value;
    }
    return "";
  }

  // Returns the body with which a client registers a job.
  static nlohmann::json JobBody(const std::string& id, int count = 1,
                                const std::string& type = "service") {
    return {{"Job",
             {{"ID", id},
              {"Type", type},
              {"TaskGroups",
               {{{"Name", "g"},
                 {"Count", count},
                 {"Tasks", {{{"Name", "t"}, {"Driver", "mock_driver"}, {"Config", {}}}}}}}}}}};
  }

  ApiAgent agent_;

 private:
  class OneReply : public FakeExchange {
   public:
    using FakeExchange::FakeExchange;
    Co<Status> Reply(HttpReply sent) override {
      reply = std::move(sent);
      co_return Status();
    }
    std::optional<HttpReply> reply;
  };

  Gate calls_;
  const HttpHandler handler_ = MakeApiHandler(&agent_);
};

}  // namespace drover
