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

// The records of an agent on their way to its file. One thread writes all changes in the order in
// which they were given. Each write takes the changes that have gathered during the last one. So
// waiters share a write, and a wait for the disk holds up nobody else.
//
// If changes cannot be written, because the disk is full, the write is tried again each second.
// Those who wait for them get the error at once.
class Store {
 public:
  // Makes the value of a record, on the thread that writes: it may only read data that never
  // changes.
  using Encode = std::function<std::string()>;
  using Report = std::function<void(const Error&)>;  // [the thread that writes]

  struct Opened;
  // Opens the store of DIRECTORY, which is made for this user alone. Blocks. REPORT, if not empty,
  // is called when the disk begins to refuse records. Errors are the same as for RecordFile, and
  // kPermissionDenied: the directory is open to other users.
  static Result<Opened> Open(const std::string& directory, Report report);
  // Writes the changes that are left.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // A change of a record. Without a function the record is erased.
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
  // Waiting changes need memory. All changes are taken, since they have happened. But callers that
  // can refuse new work must do so while more bytes than this wait.
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

  // Takes changes that belong together: all of them are restored, or none. Never waits. Only the
  // last change of each key counts. [any thread]
  void Give(Changes changes);
  void Put(RecordKey key, Change change);
  void Erase(RecordKey key);

  // Returns when all changes given before would survive the end of this process. [any thread]
  Co<Status> Committed(Context context) { return Wait(context, false); }
  // The same for a power cut.
  Co<Status> Synced(Context context) { return Wait(context, true); }

  // About how much memory the changes hold that are not written yet. [any thread]
  std::size_t waiting_bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    Waiter(Loop* on, std::uint64_t of, bool synced)
        : loop(on), number(of), sync(synced), done(on) {}
    Loop* const loop;
    const std::uint64_t number;
    const bool sync;
    bool ended = false;  // under the lock; the fields below belong to the loop
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
  // Writes the contents of the log to the file itself. After a failure it is tried again after the
  // next commit. Called with the lock, which it releases meanwhile.
  Status EmptyLog(std::unique_lock<std::mutex>* lock);
  // After a failed sync the kernel counts the pages of the log as clean, so a later sync would
  // succeed even if they are lost. A checkpoint writes their contents once more, to the file
  // itself, and synchronizes that. Called with the lock, which it releases meanwhile.
  void RenewLog(std::unique_lock<std::mutex>* lock);
  // Called with the lock. These end the waits that are over. After an error, EndWaits ends all
  // waits, and EndSyncWaits those for a sync of committed changes.
  void EndWaits(const Status& written);
  void EndSyncWaits(const Status& synced);
  // Ends the waits of WAITERS, from the front, that are for no more than NUMBER.
  void EndWaitsUpTo(std::uint64_t number, const Status& status, Waiters* waiters);
  Waiters* ListOf(const Waiter& waiter);

  const std::unique_ptr<RecordFile> file_;
  // A sync of the log needs a descriptor of it, but not SQLite, which the writer is using. The
  // writer opens it before it first raises committed_; from then on the other thread reads it.
  UniqueFd log_;
  // About the time of the oldest commit that is only in the log; for the writer alone. At first the
  // log may hold commits of an earlier agent.
  std::optional<Clock::time_point> log_began_ = Clock::now();
  const Report report_;

  mutable std::mutex mutex_;
  std::condition_variable given_more_;
  std::condition_variable sync_more_;
  Changes changes_;
  std::size_t bytes_ = 0;        // of changes_
  std::size_t batch_bytes_ = 0;  // of the changes that are being written
  std::uint64_t given_ = 0;      // how often Give was called
  std::uint64_t committed_ = 0;  // how many of these calls are committed
  std::uint64_t synced_ = 0;
  // Each list is sorted by number: a later waiter waits for as much as an earlier one, or for more.
  Waiters for_commit_;
  Waiters for_sync_;
  Waiters ended_;
  bool refused_ = false;      // the last write failed
  bool sync_failed_ = false;  // and no checkpoint has succeeded since
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
