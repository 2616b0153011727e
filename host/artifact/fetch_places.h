// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "host/base/event.h"

namespace drover {

// The places of what is fetched at the same time. One job gets only a part of them, so that a job
// whose servers hang does not keep the artifacts of other jobs waiting. Control thread only.
class FetchPlaces {
 public:
  // A place, which is free again when this object ends.
  class Place {
   public:
    Place() = default;
    Place(FetchPlaces* of, std::string job) : of_(of), job_(std::move(job)) {}
    Place(Place&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), job_(std::move(other.job_)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->GiveBack(job_);
    }

   private:
    FetchPlaces* of_ = nullptr;
    std::string job_;
  };

  FetchPlaces(Loop* loop, int most, int most_of_a_job)
      : most_(most), most_of_a_job_(most_of_a_job), freed_(loop) {}

  // Returns when there is a place for JOB, or the error of CONTEXT. The object must outlive the
  // place and the wait.
  Co<Result<Place>> Take(Context context, std::string job);

 private:
  void GiveBack(const std::string& job);

  const int most_, most_of_a_job_;
  int taken_ = 0;
  std::map<std::string, int> taken_of_job_;  // none that is 0
  Event freed_;                              // set when a place is given back
};

}  // namespace drover
