// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/name_lookups.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <system_error>
#include <thread>

#include "host/base/event.h"

namespace drover {

struct NameLookups::Lookup {
  Lookup(Loop* loop, Key of) : key(std::move(of)), done(loop) {}

  const Key key;
  Event done;
  int waiters = 0;  // the calls of Find that wait for it
  Result<Endpoints> found = Error(Code::kInternal, "the name has not been looked up");
};

Result<NameLookups::Endpoints> NameLookups::AskSystem(const std::string& host) {
  constexpr std::size_t kMostPlaces = 8;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return Error(Code::kUnavailable, "lookup " + host + ": " + gai_strerror(error));
  }
  Endpoints places;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    boost::asio::ip::tcp::endpoint place;
    if (places.size() == kMostPlaces || at->ai_addrlen > place.capacity()) continue;
    std::memcpy(place.data(), at->ai_addr, at->ai_addrlen);
    place.resize(at->ai_addrlen);
    places.push_back(place);
  }
  freeaddrinfo(list);
  return places;
}

NameLookups::~NameLookups() {
  if (port_) port_->Close();
}

Co<Result<NameLookups::Endpoints>> NameLookups::Find(Context context, std::string alloc_id,
                                                     std::string host) {
  DROVER_CO_TRY(context.status());
  if (!port_) port_ = std::make_shared<LoopPort>(context.loop());
  const Key key(std::move(alloc_id), std::move(host));
  const auto found = lookups_.find(key);
  std::shared_ptr<Lookup> lookup;
  if (found != lookups_.end()) {
    lookup = found->second;
  } else {
    lookup = std::make_shared<Lookup>(context.loop(), key);
    lookups_.emplace(key, lookup);
    waiting_.push_back(lookup);
  }
  ++lookup->waiters;
  StartWaiting();
  const Status waited = co_await lookup->done.Wait(context);
  --lookup->waiters;
  DROVER_CO_TRY(waited);
  co_return lookup->found;
}

// Starts all lookups that may start now, and forgets those for which nobody waits any more.
void NameLookups::StartWaiting() {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const std::shared_ptr<Lookup> lookup = *at;
    const bool wanted = lookup->waiters > 0;
    if (wanted && !MayStart(*lookup)) {
      ++at;
      continue;
    }
    at = waiting_.erase(at);
    if (wanted) {
      Start(lookup);
    } else {
      lookups_.erase(lookup->key);
    }
  }
}

bool NameLookups::MayStart(const Lookup& lookup) const {
  const auto of_alloc = running_of_.find(lookup.key.first);
  return running_ < kMost && (of_alloc == running_of_.end() || of_alloc->second < kMostOfAlloc);
}

void NameLookups::Start(const std::shared_ptr<Lookup>& lookup) {
  ++running_;
  ++running_of_[lookup->key.first];
  const std::weak_ptr<int> alive = alive_;
  try {
    std::thread([this, alive, port = port_, ask = ask_, lookup, host = lookup->key.second] {
      Result<Endpoints> found = ask(host);
      port->Post([this, alive, lookup, found = std::move(found)] {
        if (alive.expired()) return;
        Ended(lookup, found);
        StartWaiting();
      });
    }).detach();
  } catch (const std::system_error& e) {
    Ended(lookup, Error(Code::kResourceExhausted,
                        "lookup " + lookup->key.second + ": no thread can be made: " + e.what()));
  }
}

void NameLookups::Ended(const std::shared_ptr<Lookup>& lookup, Result<Endpoints> found) {
  --running_;
  const auto of_alloc = running_of_.find(lookup->key.first);
  if (--of_alloc->second == 0) running_of_.erase(of_alloc);
  lookups_.erase(lookup->key);
  lookup->found = std::move(found);
  lookup->done.Set();
}

}  // namespace drover
