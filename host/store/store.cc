// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "host/base/durable_step.h"
#include "host/store/write_ahead_log.h"

namespace drover {
namespace {

constexpr auto kRetry = std::chrono::seconds(1);
// What nobody waits for gathers for so long.
constexpr auto kGather = std::chrono::milliseconds(1);
// A log that is damaged may cost what is not in the file proper, so the log is emptied when nothing
// was written for kRest, and between two writes when it is older than kOld or longer than kLong.
constexpr auto kRest = std::chrono::seconds(1);
constexpr auto kOld = std::chrono::seconds(10);
constexpr std::int64_t kLong = 4 << 20;  // bytes

}  // namespace

Result<Store::Opened> Store::Open(const std::string& directory, Report report) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoError(errno, directory);
  const UniqueFd opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!opened || fstat(opened.get(), &status) != 0) return ErrnoError(errno, directory);
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    return Error(Code::kPermissionDenied,
                 directory + ": it must belong to the agent's user and have mode 0700");
  }
  const std::string path = directory + "/state.db";
  DROVER_ASSIGN(RecordFile::Opened file, RecordFile::Open(path));
  if (fsync(opened.get()) != 0) return ErrnoError(errno, directory);  // the names
  Opened store;
  store.store.reset(new Store(std::move(file.file), std::move(report)));
  store.records = std::move(file.records);
  store.damage = std::move(file.damage);
  return store;
}

Store::Store(std::unique_ptr<RecordFile> file, Report report)
    : file_(std::move(file)),
      report_(std::move(report)),
      writer_([this] { WriteForever(); }),
      syncer_([this] { SyncForever(); }) {}

Store::~Store() {
  {
    const std::lock_guard lock(mutex_);
    DROVER_CHECK(waiters_.empty());
    closing_ = true;
  }
  given_more_.notify_one();
  writer_.join();
  sync_more_.notify_one();
  syncer_.join();
}

void Store::Put(RecordKey key, Encode encode) {
  DROVER_CHECK(encode != nullptr);
  Changes changes;
  changes.emplace(std::move(key), std::move(encode));
  Give(std::move(changes));
}

void Store::Erase(RecordKey key) {
  Changes changes;
  changes.emplace(std::move(key), nullptr);
  Give(std::move(changes));
}

void Store::Give(Changes changes) {
  if (changes.empty()) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = changes_.empty();
    changes.merge(changes_);  // what is given now is newer
    changes_.swap(changes);
    ++given_;
  }
  if (first) given_more_.notify_one();
}

Co<Status> Store::Wait(Context context, bool sync) {
  std::shared_ptr<Waiter> waiter;
  Waiters::iterator place;
  {
    const std::lock_guard lock(mutex_);
    if ((sync ? synced_ : committed_) >= given_) co_return Status();
    waiter = std::make_shared<Waiter>(context.loop(), given_, sync);
    place = waiters_.insert(waiters_.end(), waiter);
  }
  given_more_.notify_one();
  if (sync) sync_more_.notify_one();
  const Status waited = co_await waiter->done.Wait(context);
  const std::lock_guard lock(mutex_);
  waiters_.erase(place);
  co_return waited.ok() ? waiter->status : waited;
}

void Store::Tell(const Status& written) {
  for (const std::shared_ptr<Waiter>& waiter : waiters_) {
    if (waiter->told) continue;
    if (written.ok() && waiter->number > (waiter->sync ? synced_ : committed_)) continue;
    Tell(waiter, written);
  }
}

void Store::TellSync(const Status& synced) {
  for (const std::shared_ptr<Waiter>& waiter : waiters_) {
    if (waiter->sync && !waiter->told && waiter->number <= (synced.ok() ? synced_ : committed_))
      Tell(waiter, synced);
  }
}

void Store::Tell(const std::shared_ptr<Waiter>& waiter, const Status& status) {
  waiter->told = true;
  // It is still in the list, so its loop is still there.
  waiter->loop->Post([waiter, status] {
    waiter->status = status;
    waiter->done.Set();
  });
}

Status Store::WriteNow(const Changes& batch) {
  std::vector<RecordChange> changes;
  changes.reserve(batch.size());
  for (const auto& [key, encode] : batch) {
    changes.push_back({key, encode ? std::optional(encode()) : std::nullopt});
  }
  DROVER_TRY(DurableStep(Step::kCommit, [&] { return file_->Apply(changes); }));
  return OpenLog();
}

// Before the first commit there may be none. What is committed without it is written once more.
Status Store::OpenLog() {
  if (log_) return {};
  const std::string path = LogOf(file_->path());
  log_ = UniqueFd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!log_) return ErrnoError(errno, path);
  return {};
}

void Store::WriteForever() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto more = [this] { return closing_ || sync_failed_ || !changes_.empty(); };
    if (!log_began_) {
      given_more_.wait(lock, more);
    } else if (!given_more_.wait_for(lock, kRest, more)) {
      (void)EmptyLog(&lock);
    }
    if (sync_failed_ && !closing_) RenewLog(&lock);
    if (changes_.empty()) {
      if (closing_) break;
      continue;
    }
    const auto awaited = [this] {
      return closing_ || std::any_of(waiters_.begin(), waiters_.end(), [this](const auto& waiter) {
               return waiter->number > committed_ && !waiter->told;
             });
    };
    given_more_.wait_for(lock, refused_ ? kRetry : kGather, awaited);
    Changes batch = std::exchange(changes_, {});
    const std::uint64_t number = given_;
    lock.unlock();
    const Status written = WriteNow(batch);
    if (!written.ok() && !refused_ && report_) report_(written.error());
    lock.lock();
    refused_ = !written.ok();
    if (written.ok()) {
      committed_ = number;
    } else {
      changes_.merge(batch);  // what was given since is newer
    }
    Tell(written);
    if (written.ok()) sync_more_.notify_one();
    if (!written.ok() && closing_) break;
    if (!written.ok()) continue;
    const auto now = Clock::now();
    if (!log_began_) log_began_ = now;
    if (changes_.empty() && (now - *log_began_ > kOld || file_->LogSize() > kLong))
      (void)EmptyLog(&lock);
  }
  write_ended_ = true;
}

Status Store::EmptyLog(std::unique_lock<std::mutex>* lock) {
  lock->unlock();
  const Status emptied = file_->Checkpoint();
  lock->lock();
  log_began_.reset();
  return emptied;
}

void Store::RenewLog(std::unique_lock<std::mutex>* lock) {
  const std::uint64_t number = committed_;
  const Status renewed = EmptyLog(lock);
  if (renewed.ok()) {
    sync_failed_ = false;
    synced_ = std::max(synced_, number);
    sync_more_.notify_one();
  } else {
    given_more_.wait_for(*lock, kRetry, [this] { return closing_ || !changes_.empty(); });
  }
  TellSync(renewed);
}

void Store::SyncForever() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto wanted = [this] {
      return !sync_failed_ &&
             std::any_of(waiters_.begin(), waiters_.end(), [this](const auto& waiter) {
               return waiter->sync && !waiter->told && waiter->number <= committed_;
             });
    };
    sync_more_.wait(lock, [&] { return write_ended_ || wanted(); });
    if (write_ended_) return;
    const std::uint64_t number = committed_;
    lock.unlock();
    const Status done = DurableStep(Step::kSync, [this]() -> Status {
      if (fdatasync(log_.get()) == 0) return {};
      return ErrnoError(errno, "write the state to the disk");
    });
    lock.lock();
    if (done.ok()) {
      synced_ = std::max(synced_, number);
    } else {
      sync_failed_ = true;
      given_more_.notify_one();
    }
    TellSync(done);
  }
}

}  // namespace drover
