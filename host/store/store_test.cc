// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <future>
#include <iterator>

#include "host/base/gate.h"
#include "host/base/time.h"
#include "host/store/salvage.h"
#include "host/store/store_for_test.h"

namespace drover {
namespace {

std::atomic<bool> hold_syncs{false};  // while true, no store ends a sync of its log

}  // namespace
}  // namespace drover

// Replaces the function of the C library in this program. The store has its log open only for
// reading. SQLite syncs directories, and files that are also open for writing. Those are not held.
extern "C" int fdatasync(int fd) {
  struct stat status{};
  const bool of_store = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY && fstat(fd, &status) == 0 &&
                        S_ISREG(status.st_mode);
  if (of_store) drover::hold_syncs.wait(true);
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace drover {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// The directory in which durable steps of these tests are traced, and made to fail.
class StepsEnvironment : public ::testing::Environment {
 public:
  void SetUp() override { setenv("DROVER_TEST_STEPS", directory_.path().c_str(), 1); }
  void FailFirst(const std::string& step) const {
    WriteFileForTest(directory_.path() + "/trace", "");
    WriteFileForTest(directory_.path() + "/fault", step + " 1 EIO\n");
  }
  void CountFromHere() const {
    WriteFileForTest(directory_.path() + "/trace", "");
    WriteFileForTest(directory_.path() + "/fault", "");
  }
  std::ptrdiff_t Count(const std::string& step) const {
    std::ifstream trace(directory_.path() + "/trace");
    return std::count(std::istream_iterator<std::string>(trace), {}, step);
  }

 private:
  const StoreDirectory directory_;
};
const auto* const steps =
    static_cast<const StepsEnvironment*>(::testing::AddGlobalTestEnvironment(new StepsEnvironment));

class StoreTest : public ::testing::Test {
 protected:
  Store::Opened Open() {
    auto opened = Store::Open(directory_.path() + "/state", [this](const Error&) { ++refusals_; });
    DROVER_CHECK(opened.ok());
    return std::move(*opened);
  }
  // Returns when there are COUNT codes.
  Co<void> AwaitCount(const std::vector<Code>* codes, std::size_t count) {
    while (codes->size() < count) (void)co_await Sleep(context_, 1ms);
  }
  Status Await(Co<Status> work) {
    Status status = Error(Code::kTimeout, "it did not end");
    DROVER_CHECK(loop_.RunToEnd(Into(std::move(work), &status)));
    return status;
  }
  static Co<void> Into(Co<Status> work, Status* status) { *status = co_await std::move(work); }
  static Store::Encode Text(const std::string& text) {
    return [text] { return text; };
  }

  RealLoop loop_;
  const Context context_{&loop_};
  const StoreDirectory directory_;
  std::atomic<int> refusals_{0};
};

TEST_F(StoreTest, TheLastOfEachKeyCounts) {
  {
    const Store::Opened opened = Open();
    EXPECT_THAT(opened.records, IsEmpty());
    opened.store->Put({"a", "1"}, Text("old"));
    opened.store->Put({"a", "2"}, Text("two"));
    opened.store->Put({"a", "1"}, Text("new"));
    opened.store->Erase({"a", "2"});
    opened.store->Put({"a", "3"}, Text("three"));
  }
  EXPECT_THAT(Open().records,
              UnorderedElementsAre(Record{{"a", "1"}, "new"}, Record{{"a", "3"}, "three"}));
}

// The copy is the state that a new process would find if this one were killed.
TEST_F(StoreTest, WhatIsCommittedIsInTheFile) {
  const Store::Opened opened = Open();
  EXPECT_TRUE(Await(opened.store->Committed(context_)).ok()) << "there is nothing to wait for";
  for (const bool synced : {false, true}) {
    for (int i = 0; i < 100; ++i) opened.store->Put({"n", std::to_string(i)}, Text("value"));
    EXPECT_TRUE(
        Await(synced ? opened.store->Synced(context_) : opened.store->Committed(context_)).ok());
    const StoreDirectory copy;
    std::filesystem::copy(directory_.path() + "/state", copy.path(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    const auto read = RecordFile::Open(copy.file());
    ASSERT_TRUE(read.ok());
    EXPECT_THAT(read->records, SizeIs(100));
  }
}

// The log may have lost the record, so the copy is of the file without its log.
TEST_F(StoreTest, WhatAFailedSyncMayHaveLostIsWrittenOnceMore) {
  const Store::Opened opened = Open();
  opened.store->Put({"a", "1"}, Text("one"));
  steps->FailFirst("sync");
  EXPECT_FALSE(Await(opened.store->Synced(context_)).ok());
  EXPECT_TRUE(Await(opened.store->Synced(context_)).ok());
  const StoreDirectory copy;
  std::filesystem::copy_file(directory_.path() + "/state/state.db", copy.file());
  const auto read = RecordFile::Open(copy.file());
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->records, UnorderedElementsAre(Record{{"a", "1"}, "one"}));
}

TEST_F(StoreTest, AWriteThatFailsEndsNoWaitForTheSyncOfEarlierChanges) {
  const Store::Opened opened = Open();
  steps->CountFromHere();
  hold_syncs = true;
  opened.store->Put({"a", "1"}, Text("one"));
  Gate gate(&loop_);
  Status earlier = Error(Code::kTimeout, "it did not end");
  gate.Spawn(Into(opened.store->Synced(context_), &earlier));
  EXPECT_TRUE(Await(opened.store->Committed(context_)).ok());
  steps->FailFirst("commit");
  opened.store->Put({"a", "2"}, Text("two"));
  // If the write failed before this wait began, the wait is for the next try.
  const bool failed = !Await(opened.store->Committed(context_)).ok();
  EXPECT_TRUE(failed || steps->Count("commit") > 1);
  hold_syncs = false;
  hold_syncs.notify_all();
  EXPECT_TRUE(loop_.RunToEnd(gate.Close()));
  EXPECT_TRUE(earlier.ok()) << earlier.error().message();
}

// Damage of the log cannot cost the records that are in the file.
TEST_F(StoreTest, TheLogIsEmptiedWhenNothingIsWritten) {
  const Store::Opened opened = Open();
  for (const char* const value : {"one", "two"}) {
    opened.store->Put({"a", "1"}, Text(value));
    EXPECT_TRUE(Await(opened.store->Committed(context_)).ok());
    const TimePoint until = BootClock::now() + 60s;
    // Looks only at the file, not at its log.
    std::vector<Record> records;
    while (records != std::vector<Record>{{{"a", "1"}, value}}) {
      ASSERT_LT(BootClock::now(), until);
      usleep(10000);
      const StoreDirectory copy;
      std::filesystem::copy_file(directory_.path() + "/state/state.db", copy.file());
      const auto read = SalvageRecords(copy.file());
      ASSERT_TRUE(read.ok());
      records.clear();
      for (const auto& [key, found] : read->records) records.push_back({key, found});
    }
  }
}

// All changes that are given while a transaction is written go into the next one.
TEST_F(StoreTest, ManyWaitSideBySideForTwoTransactions) {
  const Store::Opened opened = Open();
  Gate gate(&loop_);
  int done = 0;
  steps->CountFromHere();
  std::promise<void> all_given;
  for (int i = 0; i < 500; ++i) {
    opened.store->Put({"n", std::to_string(i)}, [i, &all_given] {
      if (i == 0) all_given.get_future().wait();
      return std::string("value");
    });
    const auto wait = [](Store* store, Context context, bool sync, int* count) -> Co<void> {
      Status status;
      if (sync) {
        status = co_await store->Synced(context);
      } else {
        status = co_await store->Committed(context);
      }
      if (status.ok()) ++*count;
    };
    gate.Spawn(wait(opened.store.get(), context_, i % 7 == 0, &done));
  }
  all_given.set_value();
  EXPECT_TRUE(loop_.RunToEnd(gate.Close()));
  EXPECT_EQ(done, 500);
  EXPECT_LE(steps->Count("commit"), 2);
  EXPECT_LE(steps->Count("sync"), 2);
}

TEST_F(StoreTest, AWaitEndsWithItsContext) {
  const Store::Opened opened = Open();
  std::promise<void> may_go_on;
  opened.store->Put({"a", "1"}, [&may_go_on] {
    may_go_on.get_future().wait();
    return std::string("slow");
  });
  // One context has ended before, and one ends while the wait is under way.
  Context ended(&loop_);
  ended.Cancel();
  EXPECT_EQ(Await(opened.store->Committed(ended)).code(), Code::kCancelled);
  Context ends(&loop_);
  Gate gate(&loop_);
  std::vector<Code> codes;
  const auto wait = [](Store* store, Context context, bool sync,
                       std::vector<Code>* out) -> Co<void> {
    Status status;
    if (sync) {
      status = co_await store->Synced(context);
    } else {
      status = co_await store->Committed(context);
    }
    out->push_back(status.code());
  };
  for (const bool sync : {false, true}) {
    gate.Spawn(wait(opened.store.get(), ends, sync, &codes));
    gate.Spawn(wait(opened.store.get(), context_, sync, &codes));
  }
  EXPECT_EQ(gate.running(), 4);
  ends.Cancel();
  EXPECT_TRUE(loop_.RunToEnd(AwaitCount(&codes, 2)));
  EXPECT_THAT(codes, Each(Code::kCancelled));
  // The cancelled waits get no other result any more; the others get theirs.
  may_go_on.set_value();
  EXPECT_TRUE(loop_.RunToEnd(gate.Close()));
  EXPECT_THAT(codes,
              UnorderedElementsAre(Code::kCancelled, Code::kCancelled, Code::kOk, Code::kOk));
}

TEST_F(StoreTest, AWaitEndsWithItsContextWhileItWaits) {
  const Store::Opened opened = Open();
  std::promise<void> waited;
  opened.store->Put({"a", "1"}, [&waited] {
    waited.get_future().wait();
    return std::string("slow");
  });
  Gate gate(&loop_);
  Context ended(&loop_);
  Status first, second = Error(Code::kTimeout, "it did not end");
  gate.Spawn(Into(opened.store->Synced(ended), &first));
  gate.Spawn(Into(opened.store->Synced(context_), &second));
  loop_.Post([&] { ended.Cancel(); });
  loop_.Post([&] { waited.set_value(); });
  EXPECT_TRUE(loop_.RunToEnd(gate.Close()));
  EXPECT_EQ(first.code(), Code::kCancelled);
  EXPECT_TRUE(second.ok()) << "a later waiter still gets the result";
}

// Measured in processor time of this thread: waiting changes cost the next one nothing.
TEST_F(StoreTest, ToGiveCostsTheSameHoweverMuchWaits) {
  const Store::Opened opened = Open();
  std::promise<void> held, all_given;
  opened.store->Put({"a", "first"}, [&] {
    held.set_value();
    all_given.get_future().wait();
    return std::string("value");
  });
  held.get_future().wait();  // from now on the writer takes nothing
  const auto time_of = [&](const std::string& kind, int count) {
    timespec from{}, to{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < count; ++i) opened.store->Put({kind, std::to_string(i)}, Text("value"));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return static_cast<double>(to.tv_sec - from.tv_sec) +
           static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-9;
  };
  const double few = time_of("few", 1000);
  const double many = time_of("many", 10000);
  EXPECT_LT(many, few * 50) << "ten times as many cost about ten times as much";
  all_given.set_value();
}

// Measures the processor time of all threads, since the writer wakes those that wait.
TEST_F(StoreTest, WhoWaitsCostsTheSameHoweverManyWait) {
  const Store::Opened opened = Open();
  const auto time_of = [&](int count) {
    Gate gate(&loop_);
    int done = 0;
    const auto wait = [](Store* store, Context context, int* ended) -> Co<void> {
      if ((co_await store->Synced(context)).ok()) ++*ended;
    };
    std::promise<void> all_wait;
    opened.store->Put({"w", "first"}, [&] {
      all_wait.get_future().wait();
      return std::string("value");
    });
    const std::clock_t from = std::clock();
    for (int i = 0; i < count; ++i) {
      opened.store->Put({"w", std::to_string(i)}, Text("value"));
      gate.Spawn(wait(opened.store.get(), context_, &done));
    }
    all_wait.set_value();
    EXPECT_TRUE(loop_.RunToEnd(gate.Close()));
    EXPECT_EQ(done, count);
    return static_cast<double>(std::clock() - from);
  };
  (void)time_of(500);
  const double few = time_of(500);
  EXPECT_LT(time_of(10'000), few * 20 * 4) << "twenty times as much, and not four hundred times";
}

// Each record gives the next one while it is written, so a change waits after every transaction.
TEST_F(StoreTest, TheLogIsEmptiedThoughSomethingAlwaysWaits) {
  const std::string log = directory_.path() + "/state/state.db-wal";
  constexpr std::size_t kValue = 64 << 10, kAll = 64 << 20;
  std::uintmax_t longest = 0;
  Store::Opened opened = Open();
  std::promise<void> done;
  std::size_t written = 0;
  std::function<std::string()> next = [&] {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(log, none);
    if (!none) longest = std::max(longest, size);
    if ((written += kValue) < kAll) {
      opened.store->Put({"n", std::to_string(written % (8 * kValue))}, [&] { return next(); });
    } else {
      done.set_value();
    }
    return std::string(kValue, static_cast<char>('a' + written / kValue % 26));
  };
  opened.store->Put({"n", "first"}, [&] { return next(); });
  done.get_future().wait();
  EXPECT_TRUE(Await(opened.store->Committed(context_)).ok());
  EXPECT_GT(longest, 4u << 20) << "it may grow while changes wait";
  EXPECT_LT(longest, 16u << 20);
}

TEST_F(StoreTest, SaysHowMuchMemoryWaits) {
  const Store::Opened opened = Open();
  EXPECT_TRUE(Await(opened.store->Committed(context_)).ok());
  EXPECT_EQ(opened.store->waiting_bytes(), 0u);
  std::promise<void> held, go_on;
  opened.store->Put({"a", "first"}, {[&] {
                                       held.set_value();
                                       go_on.get_future().wait();
                                       return std::string("value");
                                     },
                                     5000});
  held.get_future().wait();
  const std::size_t of_batch = opened.store->waiting_bytes();
  EXPECT_GE(of_batch, 5000u) << "changes that are being written still count";
  for (int i = 0; i < 10; ++i) opened.store->Put({"a", "same"}, {Text("value"), 100000});
  EXPECT_GE(opened.store->waiting_bytes(), of_batch + 100000);
  EXPECT_LT(opened.store->waiting_bytes(), of_batch + 110000) << "the last of each key counts";
  opened.store->Erase({"a", "same"});
  EXPECT_LT(opened.store->waiting_bytes(), of_batch + 1000);
  go_on.set_value();
  EXPECT_TRUE(Await(opened.store->Committed(context_)).ok());
  EXPECT_EQ(opened.store->waiting_bytes(), 0u);
}

TEST_F(StoreTest, IsOfOneUserOnly) {
  const std::string open = directory_.path() + "/open";
  std::filesystem::create_directory(open);
  std::filesystem::permissions(open, std::filesystem::perms(0755));
  EXPECT_EQ(Store::Open(open, nullptr).code(), Code::kPermissionDenied);
}

TEST_F(StoreTest, WhatAFullDiskRefusedIsWrittenWhenThereIsRoom) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small tmpfs";
  const std::string path = directory_.path() + "/state";
  std::filesystem::create_directory(path);
  ASSERT_EQ(mount("tmpfs", path.c_str(), "tmpfs", 0, "size=512k,mode=0700"), 0);
  {
    const Store::Opened opened = Open();
    WriteFileForTest(path + "/filler", std::string(1 << 20, 'x'));
    opened.store->Put({"a", "1"}, Text(std::string(100000, 'v')));
    EXPECT_EQ(Await(opened.store->Committed(context_)).code(), Code::kResourceExhausted);
    opened.store->Put({"a", "2"}, Text("two"));
    EXPECT_EQ(Await(opened.store->Synced(context_)).code(), Code::kResourceExhausted);
    EXPECT_EQ(refusals_, 1) << "it is reported once";
    EXPECT_GT(opened.store->waiting_bytes(), 0u);
    std::filesystem::remove(path + "/filler");
    EXPECT_TRUE(Await(opened.store->Synced(context_)).ok());
    EXPECT_EQ(opened.store->waiting_bytes(), 0u);
  }
  EXPECT_THAT(Open().records, SizeIs(2));
  EXPECT_EQ(umount2(path.c_str(), MNT_DETACH), 0);
}

}  // namespace
}  // namespace drover
