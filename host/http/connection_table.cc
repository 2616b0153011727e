// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/connection_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace drover {

ConnectionTable::Place::~Place() {
  const std::scoped_lock lock(table_->mutex_);
  if (state_ != kGone) table_->Remove(this);
}

void ConnectionTable::Place::Trust() {
  const std::scoped_lock lock(table_->mutex_);
  if (state_ != kStranger) return;
  Group& group = table_->groups_[owner_.group];
  group.trusted.splice(group.trusted.end(), group.clients[owner_.client].strangers, at_);
  state_ = kTrusted;
}

std::unique_ptr<ConnectionTable::Place> ConnectionTable::Add(const Owner& owner, bool is_short,
                                                             std::function<void()> close) {
  const std::scoped_lock lock(mutex_);
  const Client* const own = Find(owner);
  if (own != nullptr && most_per_client_ > 0 && own->places >= most_per_client_) {
    if (own->strangers.empty()) return nullptr;
    Drop(own->strangers.front());
  }
  if (is_short || (most_ > 0 && total_ >= most_)) {
    Place* const given = WhoGivesWay(owner.group);
    if (given == nullptr) return nullptr;
    Drop(given);
  }
  std::unique_ptr<Place> place(new Place(this, owner, std::move(close)));
  Group& group = groups_[owner.group];
  Client& client = group.clients[owner.client];
  place->at_ = client.strangers.insert(client.strangers.end(), place.get());
  ++client.places;
  ++group.places;
  ++total_;
  return place;
}

const ConnectionTable::Client* ConnectionTable::Find(const Owner& owner) const {
  const auto group = groups_.find(owner.group);
  if (group == groups_.end()) return nullptr;
  const auto client = group->second.clients.find(owner.client);
  return client == group->second.clients.end() ? nullptr : &client->second;
}

ConnectionTable::Place* ConnectionTable::FirstStranger(const Group& group) {
  const Client* most = nullptr;
  for (const auto& [name, client] : group.clients) {
    if (most == nullptr || client.strangers.size() > most->strangers.size()) most = &client;
  }
  return most == nullptr || most->strangers.empty() ? nullptr : most->strangers.front();
}

ConnectionTable::Place* ConnectionTable::FirstTrusted(const Group& group) {
  const auto idle =
      std::ranges::find_if(group.trusted, [](const Place* place) { return place->idle_.load(); });
  return idle == group.trusted.end() ? group.trusted.front() : *idle;
}

ConnectionTable::Place* ConnectionTable::WhoGivesWay(const std::string& group) const {
  // Of several groups with the most connections, the one with the most strangers counts.
  const auto rank = [](const Group& of) { return std::pair(of.places, of.strangers()); };
  const Group* most = nullptr;
  for (const auto& [name, other] : groups_) {
    if (most == nullptr || rank(other) > rank(*most)) most = &other;
  }
  if (most == nullptr) return nullptr;
  if (Place* const stranger = FirstStranger(*most)) return stranger;
  const auto own = groups_.find(group);
  const int held = own == groups_.end() ? 0 : own->second.places;
  if (most->places >= held + 2) return FirstTrusted(*most);
  return own == groups_.end() ? nullptr : FirstStranger(own->second);
}

void ConnectionTable::Drop(Place* place) {
  Remove(place);
  place->close_();
}

void ConnectionTable::Remove(Place* place) {
  const auto group = groups_.find(place->owner_.group);
  const auto client = group->second.clients.find(place->owner_.client);
  const bool is_stranger = place->state_ == Place::kStranger;
  (is_stranger ? client->second.strangers : group->second.trusted).erase(place->at_);
  place->state_ = Place::kGone;
  if (--client->second.places == 0) group->second.clients.erase(client);
  if (--group->second.places == 0) groups_.erase(group);
  --total_;
}

int ConnectionTable::total() const {
  const std::scoped_lock lock(mutex_);
  return total_;
}

}  // namespace drover
