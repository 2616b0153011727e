// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/unique_fd.h"
#include "host/store/record_file.h"

namespace drover {

// The records of an agent on their way to its file. What is given is written in its order, by one
// thread, as much at a time as has gathered while the last was written; so those who wait for their
// own record share a write, and who waits for the disk holds up nobody else.
//
// What could not be written, because the disk is full, is tried again each second, and those who
// wait for it are told at once that it is not there.
class Store {
 public:
  // Makes the value of a record, on the thread that writes: it may only read what does not change.
  using Encode = std::function<std::string()>;
  using Report = std::function<void(const Error&)>;  // [the thread that writes]

  struct Opened;
  // Opens the store of DIRECTORY, which is made for this user alone. Blocks. REPORT, if not empty,
  // hears when records begin to be refused by the disk. Errors are those of RecordFile.
  static Result<Opened> Open(const std::string& directory, Report report);
  // Writes what is left.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // What becomes of a record. Without a function it is to be forgotten.
  struct Change {
    Change(std::nullptr_t = nullptr) {}  // NOLINT(google-explicit-constructor)
    template <typename Function>
      requires std::is_invocable_r_v<std::string, Function>
    // HELD: about how many bytes the function keeps in memory until it is called. Whoever leaves it
    // out keeps little.
    Change(Function of, std::size_t held = 1024)  // NOLINT(google-explicit-constructor)
        : encode(std::move(of)), bytes(held) {}

    Encode encode;
    std::size_t bytes = 0;
  };
  using Changes = std::map<RecordKey, Change>;
  // What waits needs memory. What is given is always taken, since it has happened; but whoever can
  // refuse something new must do so while more than this waits.
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

  // Takes changes that belong together: all of them are found again, or none. Never waits; of
  // several that are given for a key only the last counts. [any thread]
  void Give(Changes changes);
  void Put(RecordKey key, Change change);
  void Erase(RecordKey key);

  // Returns when all that was given before would survive the end of this process. [any thread]
  Co<Status> Committed(Context context) { return Wait(context, false); }
  // The same, of a power cut.
  Co<Status> Synced(Context context) { return Wait(context, true); }

  // About how much memory is held by what is not written yet. [any thread]
  std::size_t waiting_bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    Waiter(Loop* on, std::uint64_t of, bool synced)
        : loop(on), number(of), sync(synced), done(on) {}
    Loop* const loop;
    const std::uint64_t number;
    const bool sync;
    bool told = false;  // under the lock; the rest is the loop's
    Event done;
    Status status;
  };
  using Waiters = std::list<std::shared_ptr<Waiter>>;

  Store(std::unique_ptr<RecordFile> file, Report report);
  Co<Status> Wait(Context context, bool sync);
  void WriteForever();
  void SyncForever();
  Status WriteNow(const Changes& batch);
  Status OpenLog();
  // Writes what the log holds to the file proper. What failed is tried again after the next commit.
  // With the lock, which it gives back meanwhile.
  Status EmptyLog(std::unique_lock<std::mutex>* lock);
  // After a failed sync its pages count as clean, so a later one would succeed whatever has become
  // of them. A checkpoint writes what they hold once more, to the file, and synchronizes that. With
  // the lock, which it gives back meanwhile.
  void RenewLog(std::unique_lock<std::mutex>* lock);
  // With the lock. Ends the waiting of those for whom it is over: with an error, of all, or of
  // those who wait for no more than the sync of what is committed.
  void Tell(const Status& written);
  void TellSync(const Status& synced);
  // Tells those of WAITERS, from the front, who wait for no more than NUMBER.
  void TellUpTo(std::uint64_t number, const Status& status, Waiters* waiters);
  Waiters* ListOf(const Waiter& waiter);

  const std::unique_ptr<RecordFile> file_;
  // To write the log to the disk needs a descriptor of it, not SQLite, which the writer is using.
  // The writer opens it before anything is committed_, from when on the other thread reads it.
  UniqueFd log_;
  // When the oldest commit that is only in the log was made, about; of the writer.
  // At first that of another agent, perhaps.
  std::optional<Clock::time_point> log_began_ = Clock::now();
  const Report report_;

  mutable std::mutex mutex_;
  std::condition_variable given_more_;
  std::condition_variable sync_more_;
  Changes changes_;
  std::size_t bytes_ = 0;        // of changes_
  std::size_t batch_bytes_ = 0;  // of those that are being written
  std::uint64_t given_ = 0;      // how many were given
  std::uint64_t committed_ = 0;  // of them
  std::uint64_t synced_ = 0;
  // Each list is in the order of the numbers: whoever comes later waits for as much or for more.
  Waiters for_commit_;
  Waiters for_sync_;
  Waiters told_;
  bool refused_ = false;      // the last write was
  bool sync_failed_ = false;  // and nothing has made good for it
  bool closing_ = false;
  bool write_ended_ = false;

  std::thread writer_;
  std::thread syncer_;
};

struct Store::Opened {
  std::unique_ptr<Store> store;
  std::vector<Record> records;
  std::vector<std::string> damage;  // a sentence for each thing that was set aside
};

}  // namespace drover
