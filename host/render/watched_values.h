// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/result.h"
#include "host/render/known_values.h"
#include "host/render/value_source.h"

namespace drover {

class WatchedValues;

// How many values the templates of one task may want. Each costs a watch.
inline constexpr std::size_t kMostWantedValues = 10'000;

// The values that the templates of one task want. Each change of one of them, or of what is wanted,
// gets a number, the generation. Control thread only.
class ValueWatch {
 public:
  ~ValueWatch();
  ValueWatch(const ValueWatch&) = delete;
  ValueWatch& operator=(const ValueWatch&) = delete;

  // Wants REQUESTS instead of what was wanted before. Returns an error if one of them makes no
  // sense or may not be read, or if there are too many; the others are wanted all the same. Then
  // REFUSED, if not null, receives the first one that is not.
  Status Want(const std::set<ValueRequest>& requests, ValueRequest* refused = nullptr);
  // Returns the values that are wanted and known.
  std::shared_ptr<const ValueMap> Known() const;
  std::uint64_t generation() const { return generation_; }
  // Returns when there is a generation above NEWER_THAN, or the error of CONTEXT when it ends.
  Co<Status> WaitNewer(Context context, std::uint64_t newer_than);

 private:
  friend class WatchedValues;
  struct Hold;  // in watched_values.cc
  ValueWatch(std::shared_ptr<WatchedValues> all, ValueScope scope);
  void Changed();
  // Drops the values that may not be read any more.
  void CheckAgain();

  const std::shared_ptr<WatchedValues> all_;
  const ValueScope scope_;
  std::map<ValueRequest, std::shared_ptr<Hold>> wanted_;
  std::uint64_t generation_ = 0;
  Event changed_;
};

// All values that the templates of an agent watch. There is one watch per value, however many
// templates want it. It ends when nobody wants the value any more. While a source gives errors, the
// last value stays. Control thread only.
class WatchedValues : public std::enable_shared_from_this<WatchedValues> {
 public:
  struct Options {
    Loop* loop = nullptr;
    // Not owned. The sources must outlive this object.
    std::vector<ValueSource*> sources;
    // Receives the error of a value when it is another one than before. May be null.
    std::function<void(const std::string& name, const Error& error)> report;
  };

  static std::shared_ptr<WatchedValues> Create(Options options);
  ~WatchedValues();

  std::unique_ptr<ValueWatch> Open(ValueScope scope);
  // Asks the sources again who may have what, after a change of that. A watch loses the values that
  // it may not have any more, until they are wanted again.
  void CheckAgain();
  // Ends all watches. The known values stay. Must end before this object does.
  Co<void> Stop();

  std::size_t watches() const { return entries_.size(); }  // a metric

 private:
  friend class ValueWatch;
  struct Entry;

  explicit WatchedValues(Options options);
  ValueSource* SourceOf(const ValueRequest& request) const;  // null: there is none
  Result<std::shared_ptr<Entry>> EntryOf(const ValueScope& scope, const ValueRequest& request);
  static Co<void> CheckEach(std::shared_ptr<WatchedValues> self);
  void Publish(const std::string& name, Result<nlohmann::json> value);
  static Co<void> Watch(Context context, ValueSource* source, ValueScope scope,
                        ValueRequest request, ValueSource::Publish publish);

  const Options options_;
  Context context_;
  Gate gate_;
  std::map<std::string, std::weak_ptr<Entry>> entries_;  // by the names of the values
  std::set<ValueWatch*> open_;
};

}  // namespace drover
