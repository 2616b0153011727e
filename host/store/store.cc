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
// If no caller waits for the changes, they are gathered for this time before they are written.
constexpr auto kGather = std::chrono::milliseconds(1);
// If the log is damaged, commits that are only in the log may be lost. So the log is emptied when
// nothing was written for kRest. The log is also emptied between two writes when it is older than
// kOld or longer than kLong.
constexpr auto kRest = std::chrono::seconds(1);
constexpr auto kOld = std::chrono::seconds(10);
constexpr std::int64_t kLong = 4 << 20;  // bytes
// While changes wait to be written, the limits kOld and kLong are this many times higher.
constexpr int kBusy = 2;

// The memory of a change's entry in the map, in bytes, without the memory of its texts and of its
// function.
constexpr std::size_t kEntryBytes = 160;

std::size_t BytesOf(const RecordKey& key, const Store::Change& change) {
  return kEntryBytes + key.kind.size() + key.id.size() + change.bytes;
}

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
  if (fsync(opened.get()) != 0) return ErrnoError(errno, directory);  // makes file names durable
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
    DROVER_CHECK(for_commit_.empty() && for_sync_.empty() && ended_.empty());
    closing_ = true;
  }
  given_more_.notify_one();
  writer_.join();
  sync_more_.notify_one();
  syncer_.join();
}

void Store::Put(RecordKey key, Change change) {
  DROVER_CHECK(change.encode != nullptr);
  Changes changes;
  changes.emplace(std::move(key), std::move(change));
  Give(std::move(changes));
}

void Store::Erase(RecordKey key) {
  Changes changes;
  changes.emplace(std::move(key), nullptr);
  Give(std::move(changes));
}

// Adds CHANGES to the waiting changes. Looks only at waiting changes of the same keys, since many
// changes may wait.
void Store::Give(Changes changes) {
  if (changes.empty()) return;
  bool first = false;
  Changes replaced;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    first = changes_.empty();
    while (!changes.empty()) {
      Changes::node_type node = changes.extract(changes.begin());
      bytes_ += BytesOf(node.key(), node.mapped());
      auto put = changes_.insert(std::move(node));
      if (put.inserted) continue;
      bytes_ -= BytesOf(put.position->first, put.position->second);
      std::swap(put.position->second, put.node.mapped());  // the change in CHANGES is the newer one
      replaced.insert(std::move(put.node));
    }
    ++given_;
  }
  if (first) given_more_.notify_one();
}

std::size_t Store::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_ + batch_bytes_;
}

Co<Status> Store::Wait(Context context, bool sync) {
  std::shared_ptr<Waiter> waiter;
  Waiters::iterator place;
  {
    const std::lock_guard lock(mutex_);
    if ((sync ? synced_ : committed_) >= given_) co_return Status();
    waiter = std::make_shared<Waiter>(context.loop(), given_, sync);
    Waiters* const waiters = ListOf(*waiter);
    place = waiters->insert(waiters->end(), waiter);
  }
  given_more_.notify_one();
  if (sync) sync_more_.notify_one();
  const Status waited = co_await waiter->done.Wait(context);
  const std::lock_guard lock(mutex_);
  ListOf(*waiter)->erase(place);
  co_return waited.ok() ? waiter->status : waited;
}

Store::Waiters* Store::ListOf(const Waiter& waiter) {
  if (waiter.ended) return &ended_;
  return waiter.sync ? &for_sync_ : &for_commit_;
}

void Store::EndWaits(const Status& written) {
  EndWaitsOf(0, written.ok() ? committed_ : given_, written, &for_commit_);
  // Changes of earlier writes are committed, and only their sync can fail.
  if (!written.ok()) EndWaitsOf(committed_, given_, written, &for_sync_);
}

void Store::EndSyncWaits(const Status& synced) {
  EndWaitsOf(0, synced.ok() ? synced_ : committed_, synced, &for_sync_);
}

void Store::EndWaitsOf(std::uint64_t above, std::uint64_t number, const Status& status,
                       Waiters* waiters) {
  auto next = std::find_if(waiters->begin(), waiters->end(),
                           [above](const auto& waiter) { return waiter->number > above; });
  while (next != waiters->end() && (*next)->number <= number) {
    const std::shared_ptr<Waiter> waiter = *next;
    ended_.splice(ended_.end(), *waiters, next++);
    waiter->ended = true;
    // The waiter is still in a list, so its loop still exists.
    waiter->loop->Post([waiter, status] {
      waiter->status = status;
      waiter->done.Set();
    });
  }
}

Status Store::WriteNow(const Changes& batch) {
  std::vector<RecordChange> changes;
  changes.reserve(batch.size());
  for (const auto& [key, change] : batch) {
    changes.push_back({key, change.encode ? std::optional(change.encode()) : std::nullopt});
  }
  DROVER_TRY(DurableStep(Step::kCommit, [&] { return file_->Apply(changes); }));
  return OpenLog();
}

// Opens the log after a commit, since there may be no log before the first one. If the log cannot
// be opened, the committed batch counts as failed and is written once more.
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
      return closing_ || !for_commit_.empty() ||
             (!for_sync_.empty() && for_sync_.back()->number > committed_);
    };
    given_more_.wait_for(lock, refused_ ? kRetry : kGather, awaited);
    Changes batch = std::exchange(changes_, {});
    batch_bytes_ = std::exchange(bytes_, 0);
    const std::uint64_t number = given_;
    lock.unlock();
    const Status written = WriteNow(batch);
    if (!written.ok() && !refused_ && report_) report_(written.error());
    if (written.ok()) batch.clear();
    lock.lock();
    refused_ = !written.ok();
    if (written.ok()) {
      committed_ = number;
    } else {
      // Adds the changes of the failed batch again, except where a newer change of the same key
      // waits.
      changes_.merge(batch);
      bytes_ += batch_bytes_;
      for (const auto& [key, change] : batch) bytes_ -= BytesOf(key, change);
    }
    batch_bytes_ = 0;
    EndWaits(written);
    if (written.ok()) sync_more_.notify_one();
    if (!written.ok() && closing_) break;
    if (!written.ok()) continue;
    const auto now = Clock::now();
    if (!log_began_) log_began_ = now;
    const int most = changes_.empty() ? 1 : kBusy;
    if (now - *log_began_ > most * kOld || file_->LogSize() > most * kLong) (void)EmptyLog(&lock);
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
  EndSyncWaits(renewed);
}

void Store::SyncForever() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto wanted = [this] {
      return !sync_failed_ && !for_sync_.empty() && for_sync_.front()->number <= committed_;
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
    EndSyncWaits(done);
  }
}

}  // namespace drover
