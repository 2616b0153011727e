/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The reports of the test driver: health, events, statistics. */
#include "test_driver.h"

void send_health(drover_instance* self, uint64_t id) {
  drover_fingerprint message;
  memset(&message, 0, sizeof message);
  message.struct_size = sizeof message;
  message.type = DROVER_MESSAGE_FINGERPRINT;
  message.health = DROVER_HEALTHY;
  drover_str text = TEXT("Healthy\xff");
  message.description = text;
  drover_pair pair = {TEXT("driver.test"), TEXT("true")};
  drover_array array = {&pair, 1, sizeof pair};
  message.attributes = array;
  self->host->stream_send(self->host, id, (const drover_message*)&message);
}

static stream* new_stream(drover_instance* self, uint64_t id) {
  for (int i = 0; i < MAX_STREAMS; ++i) {
    stream* s = &self->streams[i];
    if (s->used || s->timer) continue;
    memset(s, 0, sizeof *s);
    s->used = 1;
    s->id = id;
    s->owner = self;
    return s;
  }
  return NULL;
}

int32_t fingerprint(drover_instance* self, uint64_t id, drover_error* error) {
  (void)error;
  CONTROL(self);
#ifdef FAULT_FINGERPRINT_LATE
  static int calls;
  if (calls++ == 0) usleep(300000);
#endif
  pthread_mutex_lock(&self->mutex);
  new_stream(self, id);
#ifndef FAULT_NO_FINGERPRINT
  send_health(self, id);
#endif
#ifdef FAULT_ODD_MESSAGE
  drover_event odd; /* what stands where statistics have pointers leads nowhere */
  memset(&odd, 0x41, sizeof odd);
  odd.struct_size = sizeof odd;
  odd.type = DROVER_MESSAGE_STATS;
  self->host->stream_send(self->host, id, (const drover_message*)&odd);
#endif
#ifdef FAULT_STREAM_ENDS
  drover_error again;
  memset(&again, 0, sizeof again);
  again.struct_size = sizeof again;
  again.code = DROVER_E_UNAVAILABLE;
  again.flags = DROVER_ERROR_RECOVERABLE;
  self->host->stream_end(self->host, id, &again);
#endif
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

int32_t events(drover_instance* self, uint64_t id, drover_error* error) {
  (void)error;
  CONTROL(self);
  pthread_mutex_lock(&self->mutex);
  self->event_stream = id;
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

static void send_stats(void* context) {
  stream* s = context;
  ANY();
  drover_instance* self = s->owner;
  pthread_mutex_lock(&self->mutex);
  s->timer = 0;
  if (s->used && find(self, &s->run)) {
    drover_usage total;
    memset(&total, 0, sizeof total);
    total.struct_size = sizeof total;
    total.measured = DROVER_STAT_RSS;
    total.rss = 4096;
    drover_stats message;
    memset(&message, 0, sizeof message);
    message.struct_size = sizeof message;
    message.type = DROVER_MESSAGE_STATS;
    message.timestamp = 1;
    message.total = &total;
    self->host->stream_send(self->host, s->id, (const drover_message*)&message);
    s->timer = self->timer->after(self->host, s->interval, send_stats, s);
  } else if (s->used) {
    s->used = 0;
    self->host->stream_end(self->host, s->id, NULL);
  }
  pthread_mutex_unlock(&self->mutex);
}

int32_t stats(drover_instance* self, uint64_t id, const drover_run_id* run,
              const drover_stats_args* args, drover_error* error) {
  pthread_mutex_lock(&self->mutex);
  stream* s = find(self, run) ? new_stream(self, id) : NULL;
  if (s) {
    s->run = *run;
    s->interval = args->interval;
#ifdef FAULT_HURRIES
    s->interval = args->interval / 10;
#endif
  }
  pthread_mutex_unlock(&self->mutex);
  if (!s) return fail(error, DROVER_E_NOT_FOUND, "no such task");
  send_stats(s);
  return DROVER_OK;
}

void stream_cancel(drover_instance* self, uint64_t id) {
#ifdef FAULT_SENDS_AFTER_JOIN
  (void)self, (void)id;
#else
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < MAX_STREAMS; ++i) {
    if (self->streams[i].id == id) self->streams[i].used = 0;
  }
  pthread_mutex_unlock(&self->mutex);
#endif
}

int32_t stream_join(drover_instance* self, uint64_t id, int64_t deadline, drover_error* error) {
#ifdef FAULT_JOINS_ONLY_ITS_OWN
  int known = self->event_stream == id;
  for (int i = 0; i < MAX_STREAMS; ++i) known |= self->streams[i].id == id;
  if (!known) return fail(error, DROVER_E_NOT_FOUND, "no such stream");
#endif
  (void)self, (void)id, (void)deadline, (void)error;
  return DROVER_OK; /* cancel took the mutex, which each send holds */
}
