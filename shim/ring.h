/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring buffer without locks for two threads. The producer is the control thread, which adds the
 * task's output. The consumer is the log writer, which removes it. Positions only increase, and
 * wrap at 2^32.
 *
 * The producer first writes bytes between COMMIT and TAIL, and publishes them later. So it can wait
 * for the end of a line, or drop unpublished bytes.
 */
#ifndef DROVER_SHIM_RING_H_
#define DROVER_SHIM_RING_H_

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#define RING_SIZE 65536u

struct ring {
  _Atomic uint32_t head; /* position of the first byte not yet removed; only the consumer sets it */
  _Atomic uint32_t commit; /* position after the published bytes; only the producer sets it */
  uint32_t tail;           /* position after the written bytes; only the producer uses it */
  /*
   * The position of the byte at data[0]. The producer sets BASE when the ring is empty, so that a
   * task with little output always uses the same memory page. The consumer reads BASE only after it
   * has seen that COMMIT differs from HEAD, so the ring has published bytes. Until the consumer has
   * removed those bytes, the producer does not set BASE.
   */
  uint32_t base;
  char data[RING_SIZE];
};

static inline uint32_t ring_used(const struct ring* ring) {
  return ring->tail - atomic_load_explicit(&ring->head, memory_order_acquire);
}

static inline uint32_t ring_free(const struct ring* ring) { return RING_SIZE - ring_used(ring); }

static inline uint32_t ring_tentative(const struct ring* ring) {
  return ring->tail - atomic_load_explicit(&ring->commit, memory_order_relaxed);
}

/* Sets PARTS to the LENGTH bytes from position AT. Returns the number of parts, 1 or 2. */
static inline int ring_parts(const struct ring* ring, uint32_t at, uint32_t length,
                             struct iovec parts[2]) {
  const uint32_t offset = (at - ring->base) % RING_SIZE;
  const uint32_t first = length < RING_SIZE - offset ? length : RING_SIZE - offset;
  parts[0].iov_base = (void*)(ring->data + offset);
  parts[0].iov_len = first;
  parts[1].iov_base = (void*)ring->data;
  parts[1].iov_len = length - first;
  return length > first ? 2 : 1;
}

/* For the producer: if the ring is empty, makes the next byte go to data[0]. */
static inline void ring_rewind(struct ring* ring) {
  if (ring_used(ring) == 0) ring->base = ring->tail;
}

/* For the producer: publishes all but the last KEEP bytes. */
static inline void ring_publish(struct ring* ring, uint32_t keep) {
  atomic_store_explicit(&ring->commit, ring->tail - keep, memory_order_release);
}

/* For the producer: drops the bytes that are not yet published. */
static inline void ring_take_back(struct ring* ring) {
  ring->tail = atomic_load_explicit(&ring->commit, memory_order_relaxed);
}

/* For the producer: adds COUNT bytes without publishing them. The caller must have checked that
   they fit. */
static inline void ring_put(struct ring* ring, const char* bytes, uint32_t count) {
  struct iovec parts[2];
  ring_parts(ring, ring->tail, count, parts);
  memcpy(parts[0].iov_base, bytes, parts[0].iov_len);
  memcpy(parts[1].iov_base, bytes + parts[0].iov_len, parts[1].iov_len);
  ring->tail += count;
}

/* For the consumer: returns the number of published bytes. If there are any, sets PARTS to them. */
static inline uint32_t ring_peek(const struct ring* ring, struct iovec parts[2]) {
  const uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  const uint32_t count = atomic_load_explicit(&ring->commit, memory_order_acquire) - head;
  if (count == 0) return 0;
  ring_parts(ring, head, count, parts);
  return count;
}

/* For the consumer: removes the first COUNT bytes from the ring. */
static inline void ring_take(struct ring* ring, uint32_t count) {
  atomic_fetch_add_explicit(&ring->head, count, memory_order_release);
}

#endif /* DROVER_SHIM_RING_H_ */
