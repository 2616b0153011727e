// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/name_lookups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/loop.h"

namespace drover {
namespace {

using Found = Result<NameLookups::Endpoints>;

// A name server that answers when a test lets it.
class NameServer {
 public:
  Found Answer(const std::string& host) {
    std::unique_lock lock(mutex_);
    ++asked_[host];
    ++running_;
    most_ = std::max(most_, running_);
    changed_.wait(lock, [this] { return open_; });
    --running_;
    const boost::asio::ip::tcp::endpoint place(boost::asio::ip::make_address("127.0.0.1"), 0);
    return NameLookups::Endpoints(1, place);
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int asked(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return asked_[host];
  }
  int most() {  // that have waited at the same time
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::map<std::string, int> asked_;
  int running_ = 0;
  int most_ = 0;
};

class NameLookupsTest : public testing::Test {
 protected:
  ~NameLookupsTest() override { server_->Open(); }

  static Co<void> Find(NameLookups* names, Context context, std::string alloc_id, std::string host,
                       Found* found) {
    *found = co_await names->Find(context, std::move(alloc_id), std::move(host));
  }
  // Runs STEP when all coroutines before this one have begun.
  static Co<void> Then(Loop* loop, std::function<void()> step) {
    co_await NextTurn(loop);
    step();
  }
  Co<void> FindOf(const std::string& alloc_id, const std::string& host, Found* found) {
    return Find(&names_, context_, alloc_id, host, found);
  }
  void Run(std::vector<Co<void>> all) {
    EXPECT_TRUE(loop_.RunToEnd(InParallel(&loop_, std::move(all)), 30s));
  }
  // A list with room for the answers to COUNT calls.
  static std::vector<Found> Answers(std::size_t count) {
    return std::vector<Found>(count, Found(Error(Code::kInternal, "no answer yet")));
  }
  static bool AllFound(const std::vector<Found>& answers) {
    return std::ranges::all_of(answers,
                               [](const Found& found) { return found.ok() && found->size() == 1; });
  }

  RealLoop loop_;
  Context context_{&loop_};
  // Threads may outlive the test.
  std::shared_ptr<NameServer> server_ = std::make_shared<NameServer>();
  NameLookups names_{[server = server_](const std::string& host) { return server->Answer(host); }};
};

TEST_F(NameLookupsTest, ManyChecksOfOneNameShareOneLookup) {
  std::vector<Found> answers = Answers(300);
  std::vector<Co<void>> all;
  for (Found& answer : answers) all.push_back(FindOf("a", "db", &answer));
  all.push_back(Then(&loop_, [this] { server_->Open(); }));
  Run(std::move(all));
  EXPECT_TRUE(AllFound(answers));
  EXPECT_EQ(server_->asked("db"), 1);
  EXPECT_EQ(names_.running(), 0);
}

TEST_F(NameLookupsTest, ManyNamesWaitForTheirTurn) {
  std::vector<Found> answers = Answers(50);
  std::vector<Co<void>> all;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    all.push_back(FindOf("a", "db" + std::to_string(i), &answers[i]));
  }
  all.push_back(Then(&loop_, [this] {
    EXPECT_EQ(names_.running(), NameLookups::kMostOfAlloc);
    server_->Open();
  }));
  Run(std::move(all));
  EXPECT_TRUE(AllFound(answers));
  EXPECT_LE(server_->most(), NameLookups::kMostOfAlloc);
}

TEST_F(NameLookupsTest, NamesThatHangLeaveRoomForOtherAllocations) {
  std::vector<Found> hanging = Answers(10);
  const std::shared_ptr<NameServer> quick = std::make_shared<NameServer>();
  quick->Open();
  NameLookups names([hangs = server_, quick](const std::string& host) {
    return host == "quick" ? quick->Answer(host) : hangs->Answer(host);
  });
  std::vector<Co<void>> all;
  for (std::size_t i = 0; i < hanging.size(); ++i) {
    all.push_back(Find(&names, context_, "a", "db" + std::to_string(i), &hanging[i]));
  }
  const auto other = [](NameLookups* in, Context context, int* running, Found* found) -> Co<void> {
    *found = co_await in->Find(context, "b", "quick");
    *running = in->running();
    context.Cancel("the test has seen enough");
  };
  Found found = Error(Code::kInternal, "no answer yet");
  int running = 0;
  all.push_back(other(&names, context_, &running, &found));
  Run(std::move(all));
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(running, NameLookups::kMostOfAlloc);
  for (const Found& one : hanging) EXPECT_EQ(one.code(), Code::kCancelled);
}

TEST_F(NameLookupsTest, ANameThatHangsHasOneThreadHoweverOftenItIsAskedFor) {
  for (int i = 0; i < 3; ++i) {
    Found found = Error(Code::kInternal, "no answer yet");
    std::vector<Co<void>> one;
    one.push_back(Find(&names_, context_.WithTimeout(5ms), "a", "db", &found));
    Run(std::move(one));
    EXPECT_EQ(found.code(), Code::kTimeout);
    EXPECT_EQ(names_.running(), 1);
  }
  std::vector<Found> last = Answers(1);
  std::vector<Co<void>> all;
  all.push_back(FindOf("a", "db", &last[0]));
  all.push_back(Then(&loop_, [this] { server_->Open(); }));
  Run(std::move(all));
  EXPECT_TRUE(AllFound(last));
  EXPECT_EQ(server_->asked("db"), 1);
}

TEST(NameLookupsOfTheSystemTest, FindThePlacesOfANameOrSayWhy) {
  const Found found = NameLookups::AskSystem("localhost");
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_FALSE(found->empty());
  for (const auto& place : *found) {
    EXPECT_TRUE(place.address().is_loopback());
    EXPECT_EQ(place.port(), 0);
  }
  const std::string too_long(300, 'a');  // no name server is asked for it
  const Found none = NameLookups::AskSystem(too_long);
  ASSERT_EQ(none.code(), Code::kUnavailable);
  EXPECT_EQ(none.error().message().rfind("lookup " + too_long + ": ", 0), 0U);
}

}  // namespace
}  // namespace drover
