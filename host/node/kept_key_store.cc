// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_key_store.h"

namespace drover {
namespace {

// A disk that hangs must not delay the start of an agent for longer.
constexpr Duration kStoreLimit = 5s;

RecordKey KeyOfSigningKey(std::string id) { return {kSigningKeyRecord, std::move(id)}; }

}  // namespace

Co<Status> KeptKeyStore::Put(std::string id, std::string record) {
  if (store_ == nullptr) co_return Status();
  store_->Put(KeyOfSigningKey(std::move(id)), [text = std::move(record)] { return text; });
  co_return co_await Synced();
}

Co<Status> KeptKeyStore::Erase(std::string id) {
  if (store_ == nullptr) co_return Status();
  store_->Erase(KeyOfSigningKey(std::move(id)));
  co_return co_await Synced();
}

Co<Status> KeptKeyStore::Synced() {
  const Context context(loop_);
  const Context limited = context.WithTimeout(kStoreLimit);
  co_return co_await store_->Synced(limited);
}

}  // namespace drover
