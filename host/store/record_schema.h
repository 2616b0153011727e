// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/store/database.h"

namespace drover {

// The version of the tables that this program makes and understands.
inline constexpr int kRecordSchemaVersion = 2;

// Brings the tables of DATABASE to VERSION, from nothing or from any older version, each step in a
// transaction of its own. Errors besides Database's: kUnimplemented, a newer program has made
// it, and nothing is changed; kInternal also if the versions in its header and in its table differ.
Status PrepareRecordSchema(Database* database, int version = kRecordSchemaVersion);

// The error for a file that a newer program has made, with tables of VERSION.
Error NewerSchema(int version);

}  // namespace drover
