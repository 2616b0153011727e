// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/names.h"

#include <gtest/gtest.h>

namespace drover_docker {
namespace {

drover::TaskConfig TaskNamed(const std::string& name) {
  drover::TaskConfig task;
  task.task_name = name;
  task.alloc_id = "alloc-1";
  task.run_id.bytes.fill(0xAB);
  task.node_id = "node-1";
  task.job_name = "job";
  task.job_id = "job-id";
  return task;
}

TEST(DockerNamesTest, AContainerIsNamedAsByNomad) {
  EXPECT_EQ(ContainerName(TaskNamed("web")), "web-alloc-1");
  EXPECT_EQ(ContainerName(TaskNamed("web.1_a-b")), "web.1_a-b-alloc-1");
}

TEST(DockerNamesTest, OtherCharactersAreReplacedAndTheNameStaysUnique) {
  EXPECT_EQ(ContainerName(TaskNamed("a/b")), "a_b-abababab-alloc-1");
  EXPECT_EQ(ContainerName(TaskNamed("../x")), "t.._x-abababab-alloc-1");
  EXPECT_EQ(ContainerName(TaskNamed("\xC3\xA9")), "t__-abababab-alloc-1");
  EXPECT_EQ(ContainerName(TaskNamed("")), "t-abababab-alloc-1");
  EXPECT_LT(ContainerName(TaskNamed(std::string(1000, 'a'))).size(), 250u);
}

TEST(DockerNamesTest, LabelsFindTheContainer) {
  const StringMap labels = ContainerLabels(TaskNamed("web"), {});
  EXPECT_EQ(labels.at(kRunLabel), "abababababababababababababababab");
  EXPECT_EQ(labels.at(kNodeLabel), "node-1");
  EXPECT_EQ(labels.at(kKindLabel), "task");
  EXPECT_EQ(labels.at("com.hashicorp.nomad.alloc_id"), "alloc-1");
  EXPECT_EQ(labels.count("com.hashicorp.nomad.job_name"), 0u);
}

TEST(DockerNamesTest, AContainerWithTheLabelsOfATaskNeedsItsNameToo) {
  StringMap labels = ContainerLabels(TaskNamed("web"), {});
  EXPECT_TRUE(IsNamedAsOurs("web-alloc-1", labels));
  EXPECT_TRUE(IsNamedAsOurs("a_b-abababab-alloc-1", labels));
  for (const char* name : {"", "brave_lovelace", "alloc-1", "-alloc-1", "web-alloc-10",
                           "weballoc-1", "drover_pause"}) {
    EXPECT_FALSE(IsNamedAsOurs(name, labels)) << name;
  }
  EXPECT_FALSE(IsNamedAsOurs("web-alloc-1", {}));
  labels[kKindLabel] = kPauseKind;
  EXPECT_TRUE(IsNamedAsOurs(PauseName("alloc-1"), labels));
  EXPECT_FALSE(IsNamedAsOurs("web-alloc-1", labels));
}

TEST(DockerNamesTest, TheOperatorChoosesMoreLabels) {
  const StringMap labels = ContainerLabels(TaskNamed("web"), {"job_*", "node_id"});
  EXPECT_EQ(labels.at("com.hashicorp.nomad.job_name"), "job");
  EXPECT_EQ(labels.at("com.hashicorp.nomad.job_id"), "job-id");
  EXPECT_EQ(labels.at("com.hashicorp.nomad.node_id"), "node-1");
  EXPECT_EQ(labels.count("com.hashicorp.nomad.task_name"), 0u);
}

}  // namespace
}  // namespace drover_docker
