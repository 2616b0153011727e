// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/connection_table.h"

#include <utility>

namespace drover {

ConnectionTable::Place::~Place() { table_->Leave(this); }

void ConnectionTable::Place::Trust() {
  const std::scoped_lock lock(table_->mutex_);
  if (state_ != kStranger) return;
  table_->clients_[client_].strangers.erase(at_);
  state_ = kTrusted;
}

std::unique_ptr<ConnectionTable::Place> ConnectionTable::Add(const std::string& client,
                                                             bool is_short,
                                                             std::function<void()> close) {
  const std::scoped_lock lock(mutex_);
  const auto own = clients_.find(client);
  if (most_per_client_ > 0 && own != clients_.end() && own->second.places >= most_per_client_ &&
      !DropStranger(&own->second)) {
    return nullptr;
  }
  if (is_short || (most_ > 0 && total_ >= most_)) {
    Client* most = nullptr;
    for (auto& [name, other] : clients_) {
      if (most == nullptr || other.strangers.size() > most->strangers.size()) most = &other;
    }
    if (most == nullptr || !DropStranger(most)) return nullptr;
  }
  Client& of = clients_[client];
  std::unique_ptr<Place> place(new Place(this, client, std::move(close)));
  place->at_ = of.strangers.insert(of.strangers.end(), place.get());
  ++of.places;
  ++total_;
  return place;
}

// Closes the oldest stranger (untrusted connection) of the client OF. Does not remove OF from the
// table, even if OF has no connection left: either Add adds a connection next, or Leave removes OF
// later.
bool ConnectionTable::DropStranger(Client* of) {
  if (of->strangers.empty()) return false;
  Place* const place = of->strangers.front();
  of->strangers.pop_front();
  place->state_ = Place::kGone;
  --of->places;
  --total_;
  place->close_();
  return true;
}

void ConnectionTable::Leave(Place* place) {
  const std::scoped_lock lock(mutex_);
  const auto of = clients_.find(place->client_);
  if (of == clients_.end()) return;
  if (place->state_ == Place::kStranger) of->second.strangers.erase(place->at_);
  if (place->state_ != Place::kGone) {
    --of->second.places;
    --total_;
  }
  if (of->second.places == 0) clients_.erase(of);
}

int ConnectionTable::total() const {
  const std::scoped_lock lock(mutex_);
  return total_;
}

}  // namespace drover
