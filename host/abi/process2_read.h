// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_process2.h"
#include "host/base/result.h"

namespace drover {

// Checks that each descriptor in the arguments of a named process has an ownership of this ABI.
// Structs that cannot be read are left to who reads them. Any thread.
Status CheckOwnerships(const drover_process2_start_args* args);
Status CheckOwnerships(const drover_process2_exec_args* args);

}  // namespace drover
