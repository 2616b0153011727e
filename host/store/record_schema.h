// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/store/database.h"

namespace drover {

// The version of the tables that this program makes and understands.
inline constexpr int kRecordSchemaVersion = 2;

// Upgrades the tables of DATABASE to VERSION, from an empty database or from any older version.
// Each step is a transaction of its own. Besides the errors of Database, kUnimplemented means that
// a newer program has made the database; then nothing is changed. kInternal also means that the
// versions in its header and in its table differ.
Status PrepareRecordSchema(Database* database, int version = kRecordSchemaVersion);

// Returns the error for a file that a newer program has made. VERSION is the version of its
// tables.
Error NewerSchema(int version);

}  // namespace drover
