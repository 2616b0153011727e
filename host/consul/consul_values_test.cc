// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "host/base/gate.h"
#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::string AnswerWith(const std::string& status, int index, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nX-Consul-Index: " + std::to_string(index) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// A Consul that gives its ANSWERS one after the other, and then none.
struct ConsulValuesTest : testing::Test {
  void Watch(std::vector<std::string> answers, ValueRequest request,
             const std::function<bool()>& done) {
    ScriptedServer server([this, &answers](ScriptedPeer* peer, int) {
      while (true) {
        const std::string head = peer->ReadHead();
        if (!head.ends_with("\r\n\r\n")) return;
        std::string answer;
        {
          const std::lock_guard lock(mutex);
          heads.push_back(head.substr(0, head.find("\r\n")));
          if (!answers.empty()) {
            answer = answers.front();
            answers.erase(answers.begin());
          }
        }
        if (answer.empty()) return peer->ReadToEnd();
        peer->Send(answer);
      }
    });
    ConsulOptions options;
    options.url = server.address();
    options.timeout = 5s;
    ConsulValues::Options of_values;
    of_values.pause = 1ms;
    of_values.first_retry = 1ms;
    of_values.wait = 20s;
    ConsulValues values(&loop, &pool, *ConsulAgent::Create(options, &pool), of_values);
    ASSERT_TRUE(values.Has(request.function));
    Context context(&loop);
    const auto run = [](ConsulValues* of, Context within, ValueRequest wanted,
                        ValueSource::Publish publish) -> Co<void> {
      co_await of->Watch(within, ValueScope(), std::move(wanted), std::move(publish));
    };
    ValueSource::Publish publish = [&](Result<nlohmann::json> value) {
      published.push_back(value.ok() ? value->dump() : "error " + value.error().message());
      if (done()) context.Cancel("the test is done");
    };
    EXPECT_TRUE(loop.RunToEnd(run(&values, context, std::move(request), publish), 20s));
  }

  WorkerPool pool{1};
  RealLoop loop;
  std::mutex mutex;
  std::vector<std::string> heads;
  std::vector<std::string> published;
};

TEST_F(ConsulValuesTest, EachQuestionWaitsForWhatIsNewer) {
  Watch({AnswerWith("200 OK", 7, "one"), AnswerWith("200 OK", 9, "two")}, {"key", {"a"}},
        [this] { return published.size() == 2; });
  EXPECT_THAT(published, ElementsAre("\"one\"", "\"two\""));
  ASSERT_THAT(heads, SizeIs(2));
  EXPECT_THAT(heads[0], Not(HasSubstr("index=")));
  EXPECT_THAT(heads[1], HasSubstr("index=7&wait=20s"));
}

TEST_F(ConsulValuesTest, AKeyThatIsNotThereIsAwaited) {
  Watch({AnswerWith("404 Not Found", 3, ""), AnswerWith("200 OK", 5, "one")}, {"key", {"a"}},
        [this] { return published.size() == 1; });
  EXPECT_THAT(published, ElementsAre("\"one\""));
  ASSERT_THAT(heads, SizeIs(2));
  EXPECT_THAT(heads[1], HasSubstr("index=3"));
}

TEST_F(ConsulValuesTest, AfterAnErrorItAsksAgainFromTheBeginning) {
  Watch({AnswerWith("200 OK", 7, "one"), AnswerWith("500 Trouble", 0, "no leader"),
         AnswerWith("200 OK", 8, "two")},
        {"key", {"a"}}, [this] { return published.size() == 3; });
  ASSERT_THAT(published, SizeIs(3));
  EXPECT_THAT(published[1], HasSubstr("no leader"));
  EXPECT_EQ(published[2], "\"two\"");
  ASSERT_THAT(heads, SizeIs(3));
  EXPECT_THAT(heads[2], Not(HasSubstr("index=")));
}

TEST_F(ConsulValuesTest, AnIndexThatGoesBackIsForgotten) {
  Watch({AnswerWith("200 OK", 7, "one"), AnswerWith("200 OK", 2, "two"),
         AnswerWith("200 OK", 3, "three")},
        {"key", {"a"}}, [this] { return published.size() == 3; });
  ASSERT_THAT(heads, SizeIs(3));
  EXPECT_THAT(heads[2], Not(HasSubstr("index=")));
}

TEST_F(ConsulValuesTest, AValueThatHasNoTurnEndsTheOldestWait) {
  Gate gate(&loop);
  Context context(&loop);
  ConsulValues* watching = nullptr;
  const auto watch = [&](const std::string& key) {
    ValueSource::Publish publish = [this, key, &context](const Result<nlohmann::json>&) {
      published.push_back(key);
      if (key == "b") context.Cancel("the test is done");
    };
    gate.Spawn(watching->Watch(context, ValueScope(), {"key", {key}}, std::move(publish)));
  };
  bool waits = false;
  ScriptedServer server([&](ScriptedPeer* peer, int) {
    while (true) {
      const std::string head = peer->ReadHead();
      if (!head.ends_with("\r\n\r\n")) return;
      if (head.find("index=") == std::string::npos) {
        peer->Send(AnswerWith("200 OK", 7, "one"));
        continue;
      }
      if (!std::exchange(waits, true)) loop.Post([&watch] { watch("b"); });
      return peer->ReadToEnd();
    }
  });
  ConsulOptions options;
  options.url = server.address();
  options.timeout = 5s;
  ConsulValues::Options of_values;
  of_values.connections = 1;
  of_values.pause = 1ms;
  of_values.short_wait = 50ms;
  ConsulValues values(&loop, &pool, *ConsulAgent::Create(options, &pool), of_values);
  watching = &values;
  watch("a");
  EXPECT_TRUE(loop.RunToEnd(gate.Join(), 20s));
  EXPECT_THAT(published, ElementsAre("a", "b"));
}

// What a task writes into an argument must not make its request that of another task.
TEST_F(ConsulValuesTest, OnlyEqualRequestsAreOneValue) {
  ConsulOptions options;
  options.url = "http://127.0.0.1:1";
  ConsulValues values(&loop, &pool, *ConsulAgent::Create(options, &pool), {});
  const auto name = [&values](std::vector<std::string> arguments) {
    return *values.NameOf(ValueScope(), {"service", std::move(arguments)});
  };
  EXPECT_EQ(name({"web", "any"}), name({"web", "any"}));
  EXPECT_NE(name({"web", "any"}), name({"web any"}));
  EXPECT_NE(name({"web", "any"}), name({"web\nany"}));
}

TEST_F(ConsulValuesTest, AnAnswerWithoutSenseIsAnError) {
  Watch({AnswerWith("200 OK", 7, "<html>"), AnswerWith("200 OK", 8, "[]")}, {"service", {"web"}},
        [this] { return published.size() == 2; });
  ASSERT_THAT(published, SizeIs(2));
  EXPECT_THAT(published[0], HasSubstr("makes no sense"));
  EXPECT_EQ(published[1], "[]");
}

}  // namespace
}  // namespace drover
