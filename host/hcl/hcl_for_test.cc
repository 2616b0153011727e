// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_program.h"

namespace drover {
namespace {

[[maybe_unused]] const bool kUsed = [] {
  UseHclProgram(DROVER_HCL_FOR_TEST);
  return true;
}();

}  // namespace
}  // namespace drover
