// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/usage_sum.h"

namespace drover {
namespace {

template <typename Fields, typename Part>
void AddFields(const Fields& fields, const Part& more, Part* sum) {
  for (const auto& field : fields) sum->*field.member += more.*field.member;
}

}  // namespace

void AddUsage(ResourceUsage* sum, const ResourceUsage& more) {
  AddFields(kMemoryStats, more.memory, &sum->memory);
  AddFields(kCpuStats, more.cpu, &sum->cpu);
  AddFields(kThrottlingStats, more.cpu, &sum->cpu);
  sum->measured.Add(more.measured);
}

}  // namespace drover
