/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * News: the optional part of a driver that tells the host what has changed in a running task.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * The host opens one stream of news per instance. It takes news of runs only between the completion
 * of their start or recover and their destroy. Other news are dropped and logged. The host carries
 * out the first news of a run at once, and later ones at most once per second: what came in between
 * is merged, and the newest value of each member counts. Of texts, it keeps a few.
 *
 *   handle    replaces the stored handle, as that of recover does: the next recover gets it.
 *   network   replaces the network that start returned, for services and for the environment of the
 *             next start. It does not change the environment of the task that runs.
 *   health    is shown as an event, and counts for the health of the allocation where its job asks
 *             for checks.
 *   paused    is shown as a pause, or the end of a pause, that the driver has seen.
 *   text      is shown as an event.
 */
#ifndef DROVER_DROVER_NEWS_H
#define DROVER_DROVER_NEWS_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_NEWS_ID "drover.task-news/1/draft"

/* An offer (drover_info.offers): the driver has this part. The host takes the bit from the
 * library's info, not from that of an instance. */
#define DROVER_CAP_NEWS (1ull << 59)

enum drover_news_message_type { DROVER_MESSAGE_TASK_NEWS = 72 };

enum drover_news_paused { DROVER_NEWS_SAME = 0, DROVER_NEWS_PAUSED = 1, DROVER_NEWS_RESUMED = 2 };

/* The most bytes of the text, and the most ports of the network. */
#define DROVER_NEWS_TEXT 1024
#define DROVER_NEWS_PORTS 256

typedef struct drover_task_news {
  uint32_t struct_size;
  int32_t type; /* DROVER_MESSAGE_TASK_NEWS */
  drover_run_id run_id;
  int32_t health;                       /* enum drover_health; DROVER_UNDETECTED means no news */
  int32_t paused;                       /* enum drover_news_paused */
  const drover_task_handle* handle;     /* null means no news */
  const drover_driver_network* network; /* null means no news */
  drover_str text;                      /* one line; empty means none */
} drover_task_news;

typedef struct drover_news_source {
  uint32_t struct_size;
  uint32_t reserved;
  /* Begins a stream of drover_task_news. The driver sends a message at each change. [control] */
  int32_t (*news)(drover_instance* self, uint64_t stream_id, drover_error* error);
} drover_news_source;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_NEWS_H */
