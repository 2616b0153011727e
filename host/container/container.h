// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "drover/drover.h"

namespace drover {

// Where the code of a driver runs: the same functions, reached in different ways. Its tables live
// as long as the process; one container serves one instance.
class DriverContainer {
 public:
  virtual ~DriverContainer() = default;

  // How FUNCTION, named WHAT in reports, gets to a thread of the driver's pool. [any thread]
  using Post = std::function<void(const char* what, std::function<void()> function)>;
  // Before Create. A container whose own threads must not wait needs it.
  virtual void UsePool(Post) {}

  // False once its functions can do nothing any more.
  virtual bool alive() const { return true; }
  // All functions but create. Called on the plugin's pool.
  virtual const drover_driver* table() const = 0;
  virtual std::int32_t Create(const drover_host* host, const drover_call* call,
                              const drover_create_args* args, drover_error* error) = 0;
};

// Straight calls into the library.
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
