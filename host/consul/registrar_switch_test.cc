// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/registrar_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/loop.h"
#include "host/consul/consul_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSwitched[] = "0a1b2c3d-0000-4000-8000-00000000000d";

class BuiltinForTest : public ServiceRegistrar {
 public:
  void Set(const std::string&, const std::string&, std::vector<ServiceRegistration> all) override {
    names.clear();
    for (const ServiceRegistration& one : all) names.push_back(one.name);
  }
  Co<Status> Clear(Context, std::string, std::string) override {
    names.clear();
    co_return status;
  }

  std::vector<std::string> names;
  Status status;
};

class RegistrarSwitchTest : public ::testing::Test {
 protected:
  RegistrarSwitchTest() {
    for (const char* name : {"default", "east"}) {
      ConsulSync::Options options;
      options.cluster = name;
      options.node_id = "node-1";
      syncs_[name] = std::make_unique<ConsulSync>(&loop_, &consuls_[name], std::move(options));
      syncs_[name]->Start();
    }
    switch_.emplace(
        &loop_, &builtin_,
        std::map<std::string, ConsulSync*>{{"default", syncs_["default"].get()},
                                           {"east", syncs_["east"].get()}},
        // The name of a service begins with its cluster, or with "here".
        [](const std::string& owner,
           const ServiceRegistration& registration) -> std::optional<ServiceInConsul> {
          const std::string cluster = registration.name.substr(0, registration.name.find('-'));
          if (cluster == "here") return std::nullopt;
          return ServiceInConsul{cluster, ServiceForConsul(kSwitched, owner, registration.name)};
        },
        [this](const std::string& sentence) { log_.push_back(sentence); });
  }
  ~RegistrarSwitchTest() override {
    for (const auto& [name, sync] : syncs_) EXPECT_TRUE(loop_.RunToEnd(sync->Stop()));
  }
  void Set(const std::vector<std::string>& names) {
    std::vector<ServiceRegistration> all;
    for (const std::string& name : names) all.emplace_back().name = name;
    switch_->Set(kSwitched, "web", std::move(all));
    loop_.RunReady();
  }
  std::vector<std::string> NamesIn(const std::string& cluster) {
    std::vector<std::string> names;
    for (const auto& [id, service] : consuls_[cluster].services) names.push_back(service.name);
    return names;
  }
  static Co<void> KeepClear(RegistrarSwitch* all, Context context, Status* status) {
    *status = co_await all->Clear(context, kSwitched, "web");
  }

  SimLoop loop_;
  BuiltinForTest builtin_;
  std::map<std::string, ConsulForTest> consuls_;
  std::map<std::string, std::unique_ptr<ConsulSync>> syncs_;
  std::vector<std::string> log_;
  std::optional<RegistrarSwitch> switch_;
};

TEST_F(RegistrarSwitchTest, EachServiceGoesToItsKeeper) {
  Set({"here-a", "default-b", "east-c", "here-d"});
  EXPECT_THAT(builtin_.names, ElementsAre("here-a", "here-d"));
  EXPECT_THAT(NamesIn("default"), ElementsAre("default-b"));
  EXPECT_THAT(NamesIn("east"), ElementsAre("east-c"));
  Set({"default-a"});
  EXPECT_THAT(builtin_.names, IsEmpty()) << "what has moved is gone where it was";
  EXPECT_THAT(NamesIn("default"), ElementsAre("default-a"));
  EXPECT_THAT(NamesIn("east"), IsEmpty());
}

TEST_F(RegistrarSwitchTest, AClusterThatIsNotThereIsNamed) {
  Set({"west-a", "here-b"});
  EXPECT_THAT(builtin_.names, ElementsAre("here-b"));
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_THAT(log_[0], HasSubstr("no cluster \"west\" of Consul"));
}

TEST_F(RegistrarSwitchTest, AllAreCleared) {
  Set({"here-a", "default-b", "east-c"});
  Status status;
  EXPECT_TRUE(loop_.RunToEnd(KeepClear(&*switch_, Context(&loop_), &status)));
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(NamesIn("default"), IsEmpty());
  EXPECT_THAT(NamesIn("east"), IsEmpty());
  Set({"default-b", "east-c"});
  builtin_.status = Error(Code::kUnavailable, "full");
  EXPECT_TRUE(loop_.RunToEnd(KeepClear(&*switch_, Context(&loop_), &status)));
  EXPECT_EQ(status.error().message(), "full");
  EXPECT_THAT(NamesIn("east"), IsEmpty()) << "the others are cleared all the same";
}

}  // namespace
}  // namespace drover
