// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_places.h"

namespace drover {

Co<Result<FetchPlaces::Place>> FetchPlaces::Take(Context context, std::string job) {
  while (true) {
    const auto of_job = taken_of_job_.find(job);
    const int others = of_job == taken_of_job_.end() ? 0 : of_job->second;
    if (taken_ < most_ && others < most_of_a_job_) break;
    freed_.Reset();
    DROVER_CO_TRY(co_await freed_.Wait(context));
  }
  ++taken_;
  ++taken_of_job_[job];
  co_return Place(this, std::move(job));
}

void FetchPlaces::GiveBack(const std::string& job) {
  --taken_;
  const auto of_job = taken_of_job_.find(job);
  if (--of_job->second == 0) taken_of_job_.erase(of_job);
  freed_.Set();
}

}  // namespace drover
