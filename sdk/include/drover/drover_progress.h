/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress: the service by which a driver reports how far a long call is, and asks for more time.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * The driver gets the table by host->get_extension(host, DROVER_PROGRESS_ID). A host without this
 * service returns null. The driver then goes on without it.
 *
 * Reports. A report belongs to an open call for a task, such as start, recover or prepare. The host
 * shows it to people as an event of that task, such as "Pulling image: 45 % (12.3 of 27.0 MiB)". It
 * shows at most one report of a call each second, and always the last one. So a driver may report
 * as often as it likes, but each report costs a few microseconds. Reports of a call that has ended,
 * was given up or belongs to no task are dropped.
 *
 * Time. Each call has a deadline, drover_call.deadline. With extend, the driver asks for more time.
 * The operator sets how much more time all requests of one call may add together
 * (limits { extend = "20m" } of the plugin). A shutdown gets no more time.
 * The host does not report a new deadline.
 */
#ifndef DROVER_DROVER_PROGRESS_H
#define DROVER_DROVER_PROGRESS_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_PROGRESS_ID "drover.progress/1/draft"

/* The host cuts longer texts, and mends what is no valid UTF-8. */
#define DROVER_PROGRESS_PHASE_MAX 64
#define DROVER_PROGRESS_UNIT_MAX 64
#define DROVER_PROGRESS_TEXT_MAX 256

typedef struct drover_progress_report {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str phase; /* what the driver does: "Pulling image" */
  uint64_t done;    /* in units; more than TOTAL counts as TOTAL, unless TOTAL is 0 */
  uint64_t total;   /* 0 means unknown */
  drover_str unit;  /* "bytes", or any plural such as "layers"; bytes are shown as KiB, MiB, GiB */
  drover_str text;  /* anything to add, such as "layer 3 of 7"; may be empty */
} drover_progress_report;

typedef struct drover_progress {
  uint32_t struct_size;
  uint32_t reserved;
  /* Reports the progress of the open call CALL_ID. Returns 1 if the host has taken the report, and
   * 0 if it drops the report, since the call is not open. Never blocks. [any-thread] */
  int32_t (*report)(const drover_host* host, uint64_t call_id,
                    const drover_progress_report* report);
  /* Asks that the call CALL_ID may last at least MORE ns from now on. A request never makes the
   * time shorter. It is cut at the limit of the operator. Returns 1 if the call is open, else 0.
   * Never blocks. [any-thread] */
  int32_t (*extend)(const drover_host* host, uint64_t call_id, int64_t more);
} drover_progress;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_PROGRESS_H */
