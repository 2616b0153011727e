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

// Writes the records of an agent to its file. One thread writes all changes in the order in which
// Give received them. Each write contains the changes that arrived during the previous write. So
// waiters share a write, and no caller is blocked while that thread waits for the disk.
//
// If changes cannot be written, for example to a full disk, the write is tried again each second.
// Callers that wait for these changes receive the error at once.
class Store {
 public:
  // A function that makes the value of a record. The writing thread calls it, so it may only read
  // data that never changes.
  using Encode = std::function<std::string()>;
  using Report = std::function<void(const Error&)>;  // called on the writing thread

  struct Opened;
  // Opens the store in DIRECTORY, which is created for this user alone. Blocks. REPORT, if not
  // empty, is called when the disk begins to refuse records. The errors are those of RecordFile,
  // and kPermissionDenied if DIRECTORY is open to other users.
  static Result<Opened> Open(const std::string& directory, Report report);
  // Writes the remaining changes.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // A change of a record. If `encode` is empty, the record is erased.
  struct Change {
    Change(std::nullptr_t = nullptr) {}  // NOLINT(google-explicit-constructor)
    template <typename Function>
      requires std::is_invocable_r_v<std::string, Function>
    // OF returns the new value of the record, and is called later. HELD is about how many bytes of
    // memory OF occupies until then. The default is for functions that occupy little.
    Change(Function of, std::size_t held = 1024)  // NOLINT(google-explicit-constructor)
        : encode(std::move(of)), bytes(held) {}

    Encode encode;
    std::size_t bytes = 0;
  };
  using Changes = std::map<RecordKey, Change>;
  // A limit for the memory of waiting changes, in bytes. All changes are accepted, since they have
  // already happened. But callers that can refuse new work must do so while waiting_bytes() is
  // above this limit.
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

  // Accepts changes that belong together: all of them are restored, or none. Never waits. A change
  // replaces an earlier change of the same key that is not written yet. [any thread]
  void Give(Changes changes);
  void Put(RecordKey key, Change change);
  void Erase(RecordKey key);

  // Returns when all changes given before this call survive the end of this process. [any thread]
  Co<Status> Committed(Context context) { return Wait(context, false); }
  // Returns when all changes given before this call survive a power failure. [any thread]
  Co<Status> Synced(Context context) { return Wait(context, true); }

  // Returns about how many bytes of memory the unwritten changes take. [any thread]
  std::size_t waiting_bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    Waiter(Loop* on, std::uint64_t of, bool synced)
        : loop(on), number(of), sync(synced), done(on) {}
    Loop* const loop;
    const std::uint64_t number;
    const bool sync;
    bool ended = false;  // protected by the mutex; only the loop uses the fields below
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
  // Writes the contents of the log to the file itself. If EmptyLog fails, the writer calls it
  // again some time after the next commit. The caller must hold the lock, which EmptyLog releases
  // during the work.
  Status EmptyLog(std::unique_lock<std::mutex>* lock);
  // Makes commits durable after a failed sync. After such a failure, the kernel counts the pages
  // of the log as clean. So a later sync would succeed even if their contents are lost. A
  // checkpoint writes the contents once more, to the file itself, and synchronizes the file. The
  // caller must hold the lock, which RenewLog releases during the work.
  void RenewLog(std::unique_lock<std::mutex>* lock);
  // These functions end the waits that are over. The caller must hold the lock. If WRITTEN is an
  // error, EndWaits ends all waits for changes that are not committed. If SYNCED is an error,
  // EndSyncWaits ends the waits for a sync of committed changes.
  void EndWaits(const Status& written);
  void EndSyncWaits(const Status& synced);
  // Ends the waits of WAITERS whose `number` is above ABOVE and at most NUMBER.
  void EndWaitsOf(std::uint64_t above, std::uint64_t number, const Status& status,
                  Waiters* waiters);
  Waiters* ListOf(const Waiter& waiter);

  const std::unique_ptr<RecordFile> file_;
  // A file descriptor of the log. With it, one thread synchronizes the log while the writer uses
  // SQLite. The writer sets log_ before it first increases committed_, and never changes it later.
  UniqueFd log_;
  // About the time of the oldest commit that is only in the log. Only the writer uses it. It is
  // set at the start, since the log may contain commits of an earlier agent.
  std::optional<Clock::time_point> log_began_ = Clock::now();
  const Report report_;

  mutable std::mutex mutex_;
  std::condition_variable given_more_;
  std::condition_variable sync_more_;
  Changes changes_;
  std::size_t bytes_ = 0;        // memory of changes_
  std::size_t batch_bytes_ = 0;  // memory of the changes that are being written
  std::uint64_t given_ = 0;      // how many calls of Give there were
  std::uint64_t committed_ = 0;  // how many of the calls of Give are committed
  std::uint64_t synced_ = 0;
  // Each list is sorted by `number`, since a later waiter never has a lower number than an earlier
  // one.
  Waiters for_commit_;
  Waiters for_sync_;
  Waiters ended_;
  bool refused_ = false;      // the last write failed
  bool sync_failed_ = false;  // a sync failed, and no checkpoint has succeeded since
  bool closing_ = false;
  bool write_ended_ = false;

  std::thread writer_;
  std::thread syncer_;
};

struct Store::Opened {
  std::unique_ptr<Store> store;
  std::vector<Record> records;
  // A sentence for each damaged record or file that was set aside.
  std::vector<std::string> damage;
};

}  // namespace drover
