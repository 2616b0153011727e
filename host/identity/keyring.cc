// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/keyring.h"

#include <algorithm>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

// The kind of record for which private keys are sealed.
constexpr char kSealedAs[] = "signing_key";
constexpr Duration kLongestCheck = 1h;  // from one call of Maintain to the next
constexpr Duration kCheckAgain = 1min;  // after an error

}  // namespace

Keyring::Keyring(KeyringOptions options) : options_(std::move(options)), free_(options_.loop) {
  DROVER_CHECK(options_.loop != nullptr && options_.store != nullptr &&
               options_.seal_key != nullptr);
}

Co<void> Keyring::Enter() {
  while (busy_) co_await free_.Wait();
  busy_ = true;
  free_.Reset();
}

void Keyring::Leave() {
  busy_ = false;
  free_.Set();
}

Co<Status> Keyring::Load() {
  co_await Enter();
  const Status status = co_await LoadNow();
  Leave();
  co_return status;
}

Co<Status> Keyring::Rotate() {
  co_await Enter();
  const Status status = co_await MakeActive();
  Leave();
  co_return status;
}

Co<Status> Keyring::Maintain() {
  co_await Enter();
  const Status status = co_await MaintainNow();
  Leave();
  co_return status;
}

Co<void> Keyring::Run(Context context) {
  while (!context.cancelled()) {
    const Status status = co_await Maintain();
    if (!status.ok()) Report(status.error());
    const Duration pause =
        status.ok() ? std::clamp(UntilTooOld(), Duration(1s), kLongestCheck) : kCheckAgain;
    (void)co_await Sleep(context, pause);
  }
}

Co<Result<std::string>> Keyring::Sign(Claims claims) {
  if (active_.empty()) {
    co_await Enter();
    // Another call may have made the key.
    Status made;
    if (active_.empty()) made = co_await MakeActive();
    Leave();
    DROVER_CO_TRY(made);
  }
  const Duration ttl = claims.expires
                           ? Duration(std::chrono::seconds(*claims.expires - claims.issued_at))
                           : Duration(0);
  // The record says how long a token of the key lives, before there is such a token. Meanwhile
  // another key may have become the active one.
  while (keys_.at(active_).record.longest_ttl < ttl) {
    co_await Enter();
    const Status noted = co_await NoteTtl(ttl);
    Leave();
    DROVER_CO_TRY(noted);
  }
  co_return SignedToken(claims, *keys_.at(active_).private_key, active_);
}

std::shared_ptr<const PublicKeys> Keyring::public_keys() const {
  const std::lock_guard lock(mutex_);
  return public_keys_;
}

std::vector<SigningKeyInfo> Keyring::List() const {
  std::vector<SigningKeyInfo> list;
  for (const auto& [id, key] : keys_) list.push_back({id, key.record.created, id == active_});
  std::sort(list.begin(), list.end(), [](const SigningKeyInfo& a, const SigningKeyInfo& b) {
    return a.created != b.created ? a.created > b.created : a.id < b.id;
  });
  return list;
}

Co<Status> Keyring::LoadNow() {
  for (const auto& [id, text] : options_.store->All()) {
    Result<KeyRecord> record = ReadKeyRecord(text);
    if (!record.ok() || record->id != id) {
      const Error wrong(Code::kInternal, "it is under another id");
      Report((record.ok() ? wrong : record.error()).WithContext("signing key " + id));
      continue;
    }
    Key key{std::move(*record), std::nullopt, true};
    if (key.record.active) OpenPrivateKey(&key);
    keys_.insert_or_assign(id, std::move(key));
  }
  // An agent that died during a rotation leaves two active keys. The newest is the active one.
  for (const auto& [id, key] : keys_) {
    if (!key.private_key) continue;
    const bool is_newer =
        active_.empty() ||
        std::pair(key.record.created, id) > std::pair(keys_.at(active_).record.created, active_);
    if (is_newer) active_ = id;
  }
  Publish();
  std::vector<std::string> others;
  for (const auto& [id, key] : keys_) {
    if (key.private_key && id != active_) others.push_back(id);
  }
  for (const std::string& id : others) {
    const Status retired = co_await Retire(id);
    if (!retired.ok()) Report(retired.error());
  }
  if (active_.empty()) co_return co_await MakeActive();
  co_return Status();
}

// Decrypts the private part of KEY. If that fails, the key goes on as one that only checks tokens.
// Its record stays as it is, in case the right seal key comes back.
void Keyring::OpenPrivateKey(Key* key) const {
  KeyRecord& record = key->record;
  Result<SecretBytes> seed = options_.seal_key->Open(kSealedAs, record.id, record.sealed_key);
  if (!seed.ok()) {
    Report(seed.error().WithContext("the private part of signing key " + record.id +
                                    " cannot be read, so another key will sign tokens"));
  } else if (Result<Ed25519Key> opened = Ed25519Key::FromSeed(std::move(*seed)); !opened.ok()) {
    Report(opened.error().WithContext("signing key " + record.id));
  } else if (opened->public_key() != record.public_key) {
    Report(Error(Code::kInternal, "signing key " + record.id +
                                      ": its public and its private part do not belong together"));
  } else {
    key->private_key.emplace(std::move(*opened));
    return;
  }
  record.active = false;
  record.retired = RetirementTime();
}

Co<Status> Keyring::MakeActive() {
  DROVER_CO_ASSIGN(Ed25519Key made, Ed25519Key::Random());
  Key key{KeyRecord(), std::nullopt, true};
  key.record.id = RandomUuid();
  // Newer than all others, even if the machine's clock was set back.
  key.record.created = std::max(options_.loop->Wall(), NewestCreated() + 1);
  key.record.active = true;
  key.record.public_key = made.public_key();
  DROVER_CO_ASSIGN(key.record.sealed_key,
                   options_.seal_key->Seal(kSealedAs, key.record.id, made.seed().view()));
  const Status stored = co_await options_.store->Put(key.record.id, KeyRecordText(key.record));
  if (!stored.ok()) co_return stored.error().WithContext("a new signing key cannot be stored");
  key.private_key.emplace(std::move(made));
  const std::string old = std::exchange(active_, key.record.id);
  keys_.insert_or_assign(active_, std::move(key));
  Publish();
  if (old.empty()) co_return Status();
  // The new key signs already, so an error here fails nothing. Maintain stores the record later.
  const Status retired = co_await Retire(old);
  if (!retired.ok()) Report(retired.error());
  co_return Status();
}

// Lets the key ID only check tokens.
Co<Status> Keyring::Retire(std::string id) {
  Key& key = keys_.at(id);
  key.private_key.reset();
  key.record.active = false;
  key.record.retired = RetirementTime();
  key.record.sealed_key.clear();
  key.stored = false;
  co_return co_await PutRecord(id);
}

Co<Status> Keyring::PutRecord(std::string id) {
  const Status stored = co_await options_.store->Put(id, KeyRecordText(keys_.at(id).record));
  if (!stored.ok()) co_return stored.error().WithContext("signing key " + id);
  keys_.at(id).stored = true;
  co_return Status();
}

Co<Status> Keyring::NoteTtl(Duration ttl) {
  KeyRecord record = keys_.at(active_).record;
  if (record.longest_ttl >= ttl) co_return Status();
  record.longest_ttl = ttl;
  const Status stored = co_await options_.store->Put(record.id, KeyRecordText(record));
  if (!stored.ok()) co_return stored.error().WithContext("signing key " + record.id);
  keys_.at(record.id).record = record;
  co_return Status();
}

Co<Status> Keyring::MaintainNow() {
  if (active_.empty() || UntilTooOld() <= 0s) DROVER_CO_TRY(co_await MakeActive());
  std::vector<std::string> unsaved;
  for (const auto& [id, key] : keys_) {
    if (!key.stored) unsaved.push_back(id);
  }
  for (const std::string& id : unsaved) DROVER_CO_TRY(co_await PutRecord(id));
  co_return co_await DropDead();
}

Co<Status> Keyring::DropDead() {
  if (!options_.living) co_return Status();
  const std::optional<LivingAllocs> living = options_.living();
  std::vector<std::string> dead;
  for (const auto& [id, key] : keys_) {
    if (id != active_ && IsDead(key.record, living)) dead.push_back(id);
  }
  for (const std::string& id : dead) {
    const Status erased = co_await options_.store->Erase(id);
    if (!erased.ok()) co_return erased.error().WithContext("signing key " + id);
    keys_.erase(id);
    Publish();
  }
  co_return Status();
}

// A token with an end lives at most LONGEST_TTL after the key was retired. One without an end lives
// as long as its allocation, which was there before the key was retired.
bool Keyring::IsDead(const KeyRecord& record, const std::optional<LivingAllocs>& living) const {
  if (options_.loop->Wall() - record.retired <= record.longest_ttl.count()) return false;
  return !living || living->oldest > record.retired;
}

// Returns when a key is retired that signs no more from now on. That is never before the creation
// of an allocation that may have a token of the key, even if the machine's clock was set back.
WallTime Keyring::RetirementTime() const {
  const WallTime now = options_.loop->Wall();
  std::optional<LivingAllocs> living;
  if (options_.living) living = options_.living();
  return living ? std::max(now, living->newest) : now;
}

void Keyring::Publish() {
  auto keys = std::make_shared<PublicKeys>();
  for (const auto& [id, key] : keys_) keys->emplace(id, key.record.public_key);
  const std::lock_guard lock(mutex_);
  public_keys_ = std::move(keys);
}

void Keyring::Report(const Error& error) const {
  if (options_.report) options_.report(error);
}

WallTime Keyring::NewestCreated() const {
  WallTime newest = 0;
  for (const auto& [id, key] : keys_) newest = std::max(newest, key.record.created);
  return newest;
}

// Returns how long the active key may still sign.
Duration Keyring::UntilTooOld() const {
  if (active_.empty()) return 0s;
  const WallTime age = options_.loop->Wall() - keys_.at(active_).record.created;
  return options_.max_age - Duration(age);
}

}  // namespace drover
