// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop_port.h"
#include "host/base/result.h"

namespace drover {

// Looks up the names of hosts for checks. A name server may take longer than any check waits, and
// then its lookup keeps a thread. So all checks of an allocation that need the same name share one
// lookup, and an allocation has few at a time. The others wait for their turn: no check fails
// because many checks run at once. Belongs to the thread of one loop.
class NameLookups {
 public:
  using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;  // with the port 0
  // Runs on a thread of its own, maybe even after this object has ended.
  using Ask = std::function<Result<Endpoints>(const std::string& host)>;

  // Asks the system. Returns at most 8 places. [any thread]
  static Result<Endpoints> AskSystem(const std::string& host);

  static constexpr int kMost = 32;
  static constexpr int kMostOfAlloc = 4;

  explicit NameLookups(Ask ask = AskSystem) : ask_(std::move(ask)) {}
  NameLookups(const NameLookups&) = delete;
  NameLookups& operator=(const NameLookups&) = delete;
  ~NameLookups();

  // Returns the places of HOST, a name. Returns the error of CONTEXT if it ends first. This object
  // must outlive the call.
  Co<Result<Endpoints>> Find(Context context, std::string alloc_id, std::string host);

  // For tests: how many lookups have a thread.
  int running() const { return running_; }

 private:
  using Key = std::pair<std::string, std::string>;  // the allocation and the name
  struct Lookup;

  void StartWaiting();
  bool MayStart(const Lookup& lookup) const;
  void Start(const std::shared_ptr<Lookup>& lookup);
  void Ended(const std::shared_ptr<Lookup>& lookup, Result<Endpoints> found);

  const Ask ask_;
  std::shared_ptr<LoopPort> port_;                  // null before the first lookup
  std::map<Key, std::shared_ptr<Lookup>> lookups_;  // those that run or wait for their turn
  std::deque<std::shared_ptr<Lookup>> waiting_;     // in the order of their turns
  int running_ = 0;
  std::map<std::string, int> running_of_;  // by allocation; only those with a lookup that runs
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace drover
