// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_note.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/network/bridge_conflist.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

NetworkNote Sample() {
  NetworkNote note;
  note.alloc_id = "alloc";
  note.network = BridgeConflist({});
  note.attachment.container = "alloc";
  note.attachment.network_namespace = "/run/ns";
  note.attachment.args = "IgnoreUnknown=true";
  note.attachment.path = "/usr/lib/cni";
  note.attachment.runtime = {{"portMappings", nlohmann::json::array({1})}};
  note.result = {{"ips", nlohmann::json::array({2})}};
  note.status = {"eth0", "172.26.64.2", "fd00::2", {{"9.9.9.9"}, {"example"}, {"rotate"}}};
  return note;
}

class NetworkNoteTest : public testing::Test {
 protected:
  DirectoryForTest directory_;
  NetworkNotes notes_{directory_.path() + "/notes"};
};

TEST_F(NetworkNoteTest, WhatIsWrittenIsReadBack) {
  EXPECT_FALSE(notes_.Has("alloc"));
  const NetworkNote note = Sample();
  ASSERT_TRUE(notes_.Write(note).ok());
  EXPECT_TRUE(notes_.Has("alloc"));
  const Result<std::optional<NetworkNote>> read = notes_.Read("alloc");
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_TRUE(*read);
  const NetworkNote& again = **read;
  EXPECT_EQ(again.alloc_id, "alloc");
  EXPECT_EQ(again.network.text, note.network.text);
  EXPECT_EQ(again.attachment.container, "alloc");
  EXPECT_EQ(again.attachment.network_namespace, "/run/ns");
  EXPECT_EQ(again.attachment.interface_name, "eth0");
  EXPECT_EQ(again.attachment.args, "IgnoreUnknown=true");
  EXPECT_EQ(again.attachment.path, "/usr/lib/cni");
  EXPECT_EQ(again.attachment.runtime, note.attachment.runtime);
  EXPECT_EQ(again.result, note.result);
  EXPECT_EQ(again.status, note.status);
}

TEST_F(NetworkNoteTest, ThereIsNoneBeforeAndAfter) {
  const Result<std::optional<NetworkNote>> none = notes_.Read("alloc");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(*none);
  EXPECT_TRUE(notes_.Remove("alloc").ok());
  ASSERT_TRUE(notes_.Write(Sample()).ok());
  EXPECT_TRUE(notes_.Remove("alloc").ok());
  EXPECT_FALSE(notes_.Has("alloc"));
}

TEST_F(NetworkNoteTest, EachNoteHasAnIdentity) {
  EXPECT_THAT(notes_.List(), SizeIs(0));
  NetworkNote note = Sample();
  ASSERT_TRUE(notes_.Write(note).ok());
  const std::vector<NoteIdentity> first = notes_.List();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].alloc_id, "alloc");
  EXPECT_EQ(notes_.Identity("alloc"), first[0]);
  note.result = nullptr;
  ASSERT_TRUE(notes_.Write(note).ok());
  EXPECT_NE(notes_.Identity("alloc"), first[0]);
}

TEST_F(NetworkNoteTest, ADamagedNoteSaysWhatToDo) {
  ASSERT_TRUE(notes_.Write(Sample()).ok());
  for (const char* const text : {"", "{", "{}", R"({"alloc": 7})"}) {
    std::ofstream(notes_.directory() + "/alloc.note") << text;
    const Result<std::optional<NetworkNote>> read = notes_.Read("alloc");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message(), HasSubstr("remove the network by hand, then the note"));
  }
}

// A note that nobody can read again would keep its network for ever.
TEST_F(NetworkNoteTest, WhatCannotBeReadIsNotWritten) {
  NetworkNote note = Sample();
  note.result = {{"long", std::string(std::size_t{4} << 20, 'x')}};
  EXPECT_EQ(notes_.Write(note).code(), Code::kResourceExhausted);
  EXPECT_FALSE(notes_.Has("alloc"));
}

TEST_F(NetworkNoteTest, WhatAKilledAgentHasNotFinishedGoes) {
  ASSERT_TRUE(notes_.Write(Sample()).ok());
  const std::string fresh = notes_.directory() + "/other.note.new";
  std::ofstream(fresh) << "{";
  EXPECT_THAT(notes_.List(), SizeIs(1));
  notes_.RemoveUnfinished();
  EXPECT_NE(access(fresh.c_str(), F_OK), 0);
  EXPECT_TRUE(notes_.Has("alloc"));
}

}  // namespace
}  // namespace drover
