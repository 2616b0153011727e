// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "drover/drover.h"
#include "host/base/result.h"

namespace drover {

// Runs the code of a driver. All kinds of containers offer the same functions, but they call the
// driver's code in different ways. The tables of functions are never freed. One container serves
// one instance.
class DriverContainer {
 public:
  virtual ~DriverContainer() = default;

  // Runs FUNCTION on a thread of the driver's pool. In reports, WHAT is the name of FUNCTION. [any
  // thread]
  using Post = std::function<void(const char* what, std::function<void()> function)>;
  // Sets the pool. Must be called before Create. Only a container whose own threads must not wait
  // uses the pool.
  virtual void UsePool(Post) {}

  // Returns false when the container cannot be used any more. Then all its functions fail.
  virtual bool alive() const { return true; }
  // Returns an error if a table that get_extension should have returned lacks a function. For such
  // a table, get_extension of a container that checks the tables returns null.
  virtual Status broken_part() const { return {}; }
  // Returns the table of all functions except create. The functions must be called on the plugin's
  // pool.
  virtual const drover_driver* table() const = 0;
  virtual std::int32_t Create(const drover_host* host, const drover_call* call,
                              const drover_create_args* args, drover_error* error) = 0;
};

// A container that calls the functions of the library directly, in this process.
class InProcessContainer : public DriverContainer {
 public:
  explicit InProcessContainer(const drover_driver* driver) : driver_(driver) {}

  const drover_driver* table() const override { return driver_; }
  std::int32_t Create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) override {
    return driver_->create(host, call, args, error);
  }

 private:
  const drover_driver* driver_;
};

}  // namespace drover
