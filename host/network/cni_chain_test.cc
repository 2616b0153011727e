// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_chain.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>

#include <thread>

#include "host/base/unique_fd.h"
#include "host/network/fake_plugins_for_test.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CniChainTest : public testing::Test {
 protected:
  CniAttachment Attachment() const {
    CniAttachment attachment;
    attachment.container = "alloc";
    attachment.network_namespace = "/run/ns";
    attachment.args = "IgnoreUnknown=true;A=b";
    attachment.path = "/nonexistent:relative::" + fake_.path();
    attachment.runtime = {{"portMappings", json::array({7})}, {"dns", json::object()}};
    attachment.limit = 1s;
    return attachment;
  }
  std::string Failure(const std::string& name) const {
    const Result<json> result = Attach(FakePlugins::Network({name}), Attachment());
    return result.ok() ? "" : result.error().message();
  }

  FakePlugins fake_;
};

TEST_F(CniChainTest, APluginEndsWithTheAgent) {
  fake_.Make("hangs", "sleep 1000");
  CniAttachment attachment = Attachment();
  attachment.limit = 30s;
  const UniqueFd stop(eventfd(0, EFD_CLOEXEC));
  attachment.stop = stop.get();
  std::thread ender([&] {
    while (fake_.Calls().empty()) std::this_thread::yield();
    eventfd_write(stop.get(), 1);
  });
  const Result<json> result = Attach(FakePlugins::Network({"hangs"}), attachment);
  ender.join();
  EXPECT_EQ(result.code(), Code::kCancelled);
  EXPECT_THAT(result.error().message(), HasSubstr("failed at ADD: the agent ends"));
  fake_.Forget();
  EXPECT_FALSE(Attach(FakePlugins::Network({"hangs"}), attachment).ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre());
}

TEST_F(CniChainTest, ALookAtAResultMayEndTheChain) {
  fake_.MakeGood("first", R"({"ips": [1]})");
  fake_.MakeGood("second", R"({"ips": [2]})");
  fake_.MakeGood("third", R"({"ips": [3]})");
  std::vector<std::string> looks;
  const CniLook look = [&looks](const json& result, std::size_t called) -> Status {
    looks.push_back(std::to_string(called) + " " + result.dump());
    if (called < 2) return {};
    return Error(Code::kUnavailable, "enough");
  };
  const Result<json> result =
      Attach(FakePlugins::Network({"first", "second", "third"}), Attachment(), look);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "enough");
  EXPECT_THAT(looks, ElementsAre(R"(1 {"ips":[1]})", R"(2 {"ips":[2]})"));
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "ADD second inside"));
}

TEST_F(CniChainTest, EachPluginGetsTheResultOfTheOneBefore) {
  fake_.MakeGood("first", R"({"cniVersion": "0.4.0", "ips": [1]})");
  fake_.MakeGood("ports", R"({"cniVersion": "0.4.0", "ips": [2]})");
  const Conflist network = FakePlugins::Network({"first", "ports"});
  const Result<json> result = Attach(network, Attachment());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ((*result)["ips"], json::array({2}));
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "ADD ports inside"));
  const json first = fake_.ConfigOf("first", "ADD");
  EXPECT_EQ(first["name"], "net");
  EXPECT_EQ(first["cniVersion"], "0.4.0");
  EXPECT_FALSE(first.contains("prevResult"));
  EXPECT_FALSE(first.contains("runtimeConfig")) << "it has no such capability";
  const json second = fake_.ConfigOf("ports", "ADD");
  EXPECT_EQ(second["prevResult"]["ips"], json::array({1}));
  EXPECT_EQ(second["runtimeConfig"], json({{"portMappings", json::array({7})}}));
}

TEST_F(CniChainTest, TheEnvironmentHasWhatPluginsNeedAndNothingElse) {
  setenv("DROVER_SECRET_OF_THE_TEST", "1", 1);
  fake_.Make("env", "env > $DIR/seen; echo {}");
  ASSERT_TRUE(Attach(FakePlugins::Network({"env"}), Attachment()).ok());
  unsetenv("DROVER_SECRET_OF_THE_TEST");
  std::ifstream file(fake_.path() + "/seen");
  const std::string seen{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(seen, HasSubstr("CNI_CONTAINERID=alloc\n"));
  EXPECT_THAT(seen, HasSubstr("CNI_IFNAME=eth0\n"));
  EXPECT_THAT(seen, HasSubstr("CNI_NETNS=/run/ns\n"));
  EXPECT_THAT(seen, HasSubstr("CNI_ARGS=IgnoreUnknown=true;A=b\n"));
  EXPECT_THAT(seen, HasSubstr("CNI_PATH=/nonexistent"));
  EXPECT_THAT(seen, Not(HasSubstr("DROVER_SECRET_OF_THE_TEST")));
}

TEST_F(CniChainTest, TheEndIsInTheOppositeOrderAndCallsAll) {
  fake_.MakeGood("first", "{}");
  fake_.MakeGood("ports", "{}", "true", "echo '{\"code\": 7, \"msg\": \"no rules\"}'; exit 1");
  const json result = {{"ips", json::array({2})}};
  const Status status = Detach(FakePlugins::Network({"first", "ports"}), Attachment(), result);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(),
            "the CNI plugin \"ports\" of the network \"net\" failed at DEL: no rules");
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL ports inside", "DEL first inside"));
  EXPECT_EQ(fake_.ConfigOf("first", "DEL")["prevResult"], result);
}

TEST_F(CniChainTest, OlderVersionsGetNoResultAtTheEnd) {
  fake_.MakeGood("first", "{}");
  const json result = {{"ips", json::array({2})}};
  CniAttachment gone = Attachment();
  gone.network_namespace.clear();
  ASSERT_TRUE(Detach(FakePlugins::Network({"first"}, "0.3.1"), gone, result).ok());
  EXPECT_FALSE(fake_.ConfigOf("first", "DEL").contains("prevResult"));
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL first"));
}

TEST_F(CniChainTest, AFailureSaysWhichPluginAndWhat) {
  const std::string who = "the CNI plugin \"bad\" of the network \"net\" failed at ADD: ";
  fake_.Make("bad", R"(echo '{"code": 11, "msg": "no leases", "details": "full"}'; exit 1)");
  EXPECT_EQ(Failure("bad"), who + "no leases: full");
  fake_.Make("bad", "echo not JSON; exit 3");
  EXPECT_EQ(Failure("bad"), who + "it ended with exit code 3 and said not JSON");
  fake_.Make("bad", "echo oops >&2; kill -9 $$");
  EXPECT_EQ(Failure("bad"), who + "it ended by signal 9 and said oops");
  fake_.Make("bad", "exit 1");
  EXPECT_EQ(Failure("bad"), who + "it ended with exit code 1 and said nothing");
  fake_.Make("bad", "echo garbage");
  EXPECT_EQ(Failure("bad"), who + "its result is no JSON object, but garbage");
  fake_.Make("bad", "echo []");
  EXPECT_EQ(Failure("bad"), who + "its result is no JSON object, but []");
  fake_.Make("bad", "sleep 100");
  EXPECT_EQ(Failure("bad"), who + "it took longer than 1s");
  fake_.Make("bad", "exec cat /dev/zero");
  EXPECT_EQ(Failure("bad"), who + "it said more than 1048576 bytes");
  EXPECT_THAT(Failure("absent"), HasSubstr("there is no CNI plugin \"absent\" in /nonexistent"));
}

TEST_F(CniChainTest, APluginThatOthersCanChangeIsNotRun) {
  fake_.MakeGood("open", "{}");
  ASSERT_EQ(chmod((fake_.path() + "/open").c_str(), 0777), 0);
  EXPECT_THAT(Failure("open"), HasSubstr("/open"));
  EXPECT_THAT(fake_.Calls(), ElementsAre());
}

TEST_F(CniChainTest, AfterAFailureNoOtherPluginIsCalled) {
  fake_.Make("bad", "exit 1");
  fake_.MakeGood("never", "{}");
  EXPECT_FALSE(Attach(FakePlugins::Network({"bad", "never"}), Attachment()).ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD bad inside"));
}

}  // namespace
}  // namespace drover
