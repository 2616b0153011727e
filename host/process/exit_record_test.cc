// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/exit_record.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "shim/attach_protocol.h"

namespace drover {
namespace {

constexpr BootId kBoot = {1, 2, 3};

std::string Bytes(drover_exit_record record, std::size_t extra = 0) {
  record.size = static_cast<std::uint32_t>(sizeof record + extra);
  std::string bytes(reinterpret_cast<const char*>(&record), sizeof record - 8);
  bytes.append(extra, 'n');
  const std::uint64_t checksum = drover_fnv1a(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return bytes;
}

drover_exit_record Record(const RunId& run) {
  drover_exit_record record{};
  record.magic = DROVER_EXIT_MAGIC;
  record.version = DROVER_EXIT_VERSION;
  std::memcpy(record.run_id, run.bytes.data(), run.bytes.size());
  std::memcpy(record.boot_id, kBoot.data(), kBoot.size());
  record.started_at = 11;
  record.finished_at = 12;
  record.user_us = 13;
  record.system_us = 14;
  record.max_rss_kib = 15;
  record.dropped_lines[0] = 16;
  record.dropped_lines[1] = 17;
  record.dropped_bytes[1] = 18;
  return record;
}

TEST(ExitRecordTest, CarriesEveryField) {
  const RunId run = RunId::Random();
  drover_exit_record record = Record(run);
  record.wait_status = 43 << 8;
  record.oom_kills = 1;
  const Result<ProcessExit> exit = ParseExitRecord(Bytes(record), run, kBoot);
  ASSERT_TRUE(exit.ok()) << exit.error().message();
  EXPECT_EQ(exit->exit_code, 43);
  EXPECT_EQ(exit->signal, 0);
  EXPECT_TRUE(exit->oom_killed);
  EXPECT_EQ(exit->started_at, 11);
  EXPECT_EQ(exit->finished_at, 12);
  EXPECT_EQ(exit->user_time, 13us);
  EXPECT_EQ(exit->system_time, 14us);
  EXPECT_EQ(exit->max_rss, 15u * 1024);
  EXPECT_EQ(exit->dropped_lines, 33u);
  EXPECT_EQ(exit->dropped_bytes, 18u);
}

TEST(ExitRecordTest, ASignalIsAnExitCodeToo) {
  const RunId run = RunId::Random();
  drover_exit_record record = Record(run);
  record.wait_status = 15 | 0x80;  // with a core dump
  const Result<ProcessExit> exit = ParseExitRecord(Bytes(record), run, kBoot);
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 143);
  EXPECT_EQ(exit->signal, 15);
}

TEST(ExitRecordTest, ALongerRecordOfANewerShimIsUnderstood) {
  const RunId run = RunId::Random();
  drover_exit_record record = Record(run);
  record.version = 2;
  EXPECT_TRUE(ParseExitRecord(Bytes(record, 24), run, kBoot).ok());
}

TEST(ExitRecordTest, DamageIsNamed) {
  const RunId run = RunId::Random();
  const std::string whole = Bytes(Record(run));
  EXPECT_TRUE(ParseExitRecord(whole, run, kBoot).ok());
  EXPECT_FALSE(ParseExitRecord(whole, RunId::Random(), kBoot).ok());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ParseExitRecord(whole.substr(0, size), run, kBoot).ok());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_FALSE(ParseExitRecord(flipped, run, kBoot).ok()) << at;
  }
}

TEST(ExitRecordTest, OneOfAnotherBootIsNoEndAndNotDamaged) {
  const RunId run = RunId::Random();
  const std::string bytes = Bytes(Record(run));
  const Result<ProcessExit> exit = ParseExitRecord(bytes, run, BootId{1, 2, 4});
  ASSERT_EQ(exit.code(), Code::kFailedPrecondition);
  EXPECT_EQ(exit.error().message(),
            "the exit record of run " + run.ToString() +
                " was written before this boot of the machine: its processes are gone");
  // If one of the boot ids is unknown, the record is accepted.
  EXPECT_TRUE(ParseExitRecord(bytes, run, BootId{}).ok());
  drover_exit_record record = Record(run);
  std::memset(record.boot_id, 0, sizeof record.boot_id);
  EXPECT_TRUE(ParseExitRecord(Bytes(record), run, kBoot).ok());
  // The boot id of a damaged record is not trusted.
  std::string flipped = bytes;
  flipped[offsetof(drover_exit_record, boot_id)] ^= 4;
  EXPECT_EQ(ParseExitRecord(flipped, run, kBoot).code(), Code::kInternal);
}

// The record is frozen: a shim of an older release writes exactly this.
TEST(ExitRecordTest, TheLayoutIsFrozen) {
  EXPECT_EQ(sizeof(drover_attach_header), 16u);
  EXPECT_EQ(offsetof(drover_exit_record, run_id), 16u);
  EXPECT_EQ(offsetof(drover_exit_record, wait_status), 48u);
  EXPECT_EQ(offsetof(drover_exit_record, started_at), 64u);
  EXPECT_EQ(offsetof(drover_exit_record, dropped_lines), 168u);
  EXPECT_EQ(sizeof(drover_exit_record), 208u);
  EXPECT_EQ(sizeof(drover_attach_hello), 24u);
  EXPECT_EQ(sizeof(drover_attach_hello_reply), 80u);
  EXPECT_EQ(sizeof(drover_attach_state_reply), 80u);
  EXPECT_EQ(sizeof(drover_attach_signal), 24u);
  EXPECT_EQ(sizeof(drover_attach_exec), 32u);
  EXPECT_EQ(sizeof(drover_attach_resize), 24u);
  EXPECT_EQ(sizeof(drover_attach_subscribe), 24u);
  EXPECT_EQ(sizeof(drover_attach_result), 24u);
  EXPECT_EQ(sizeof(drover_attach_session_exit), 32u);
  EXPECT_EQ(sizeof(drover_attach_gap), 40u);
}

}  // namespace
}  // namespace drover
