// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "drover/drover_task_place.h"
#include "drover/host.hpp"

// The places of runs whose processes an engine starts. docs/places.md explains them. Like
// drover_task_place.h, this is a DRAFT without a promise.
namespace drover {
inline namespace sdk_v1 {

// The place of a run. The members are those of drover_place in drover_task_place.h.
struct Place {
  std::string cgroup;     // for the engine: relative to the mount points, such as "/drover/RUN"
  StringMap directories;  // by controller of version 1; by an empty text in version 2
  std::string network_namespace;  // the path, or empty
  Fd network;                     // the same namespace, open; not ok() without one
};

namespace abi {

DROVER_SDK_ONCE inline std::shared_ptr<Place> DecodePlace(const void* raw) {
  const auto in = Sized(static_cast<const drover_place*>(raw), "the place");
  auto out = std::make_shared<Place>();
  // The descriptor is first, so that it is closed even if a later step fails.
  if (in.network.ownership == DROVER_FD_GIVEN) out->network = Fd(in.network.fd);
  out->cgroup = Text(in.cgroup);
  out->directories = Map(in.directories, "the directories of the place");
  out->network_namespace = Text(in.network_namespace);
  return out;
}

DROVER_SDK_ONCE inline const drover_task_place* PlaceService(const Host& host) {
  const auto* service = static_cast<const drover_task_place*>(host.Extension(DROVER_TASK_PLACE_ID));
  if (service == nullptr || !DROVER_HAS(service, drover_task_place, remove)) {
    throw Error(Code::kUnimplemented, "the host has no places for tasks (drover.task-place)");
  }
  return service;
}

}  // namespace abi

// True if the host has the service. A place may still be refused where there are no cgroups.
// [any-thread]
inline bool HasPlaces(const Host& host) { return host.Extension(DROVER_TASK_PLACE_ID) != nullptr; }

// Makes the place of RUN, or finds it, and calls DONE once. Throws kUnimplemented if the host has
// no such service. [any-thread]
inline void MakePlaceAsync(const Host& host, const RunId& run, Done<std::shared_ptr<Place>> done) {
  const drover_task_place* const service = abi::PlaceService(host);
  const drover_run_id raw = abi::Encode(run);
  abi::CallService(std::make_unique<abi::Pending<std::shared_ptr<Place>>>(
                       host.core()->gate, &abi::DecodePlace, std::move(done)),
                   [&](drover_done finish, void* context, drover_error* error, std::int32_t* code) {
                     *code = service->make(host.raw(), &raw, finish, context, error);
                   });
}

// Does the same and returns the place. It blocks, so only the driver's own threads may call it.
// Throws Error.
inline std::shared_ptr<Place> MakePlace(const Host& host, const RunId& run) {
  abi::Landing<std::shared_ptr<Place>> landing;
  MakePlaceAsync(host, run, landing.done());
  return landing.Take(host.core()->gate);
}

// Kills what is still in the place of RUN, removes the place, and calls DONE once. Throws
// kUnimplemented if the host has no such service. [any-thread]
inline void RemovePlaceAsync(const Host& host, const RunId& run, Done<Empty> done) {
  const drover_task_place* const service = abi::PlaceService(host);
  const drover_run_id raw = abi::Encode(run);
  abi::CallService(
      std::make_unique<abi::Pending<Empty>>(host.core()->gate, &abi::DecodeEmpty, std::move(done)),
      [&](drover_done finish, void* context, drover_error* error, std::int32_t* code) {
        *code = service->remove(host.raw(), &raw, finish, context, error);
      });
}

// Does the same and returns when the place is gone. It blocks. Throws Error.
inline void RemovePlace(const Host& host, const RunId& run) {
  abi::Landing<Empty> landing;
  RemovePlaceAsync(host, run, landing.done());
  landing.Take(host.core()->gate);
}

}  // namespace sdk_v1
}  // namespace drover
