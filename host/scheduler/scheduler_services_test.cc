// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/scheduler/scheduler_fixture.h"
#include "host/state/record_size.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class SchedulerServicesTest : public SchedulerFixture {
 protected:
  SchedulerServicesTest() {
    MakeNodeReady();
    MustRegister(Registration("web", 2));
    first_ = Live().at(0);
    second_ = Live().at(1);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& service : Services()) names.push_back(service->name);
    return names;
  }
  std::uint64_t IndexOf(Table table) const {
    std::uint64_t index = 0;
    store.Read([&](const Tables& tables) { index = tables.IndexOf(MaskOf(table)); });
    return index;
  }
  // The new events of services, each with its type.
  std::vector<std::pair<std::string, std::string>> NewEvents() {
    std::vector<std::pair<std::string, std::string>> out;
    const EventLog::Page page = store.events().From(next_);
    for (const auto& batch : page.batches) {
      for (const StateEvent& event : batch->events) {
        if (event.topic() != Topic::kService) continue;
        out.emplace_back(event.Key(), batch->TypeOf(event));
      }
    }
    next_ = page.next;
    return out;
  }

  std::shared_ptr<const AllocRecord> first_, second_;
  std::uint64_t next_ = 1;
};

TEST_F(SchedulerServicesTest, AreFoundByNameAndByAllocation) {
  UpdateServices(
      {ServiceOf(*first_, "api"), ServiceOf(*first_, "admin"), ServiceOf(*second_, "api")});
  store.Read([&](const Tables& tables) {
    EXPECT_THAT(tables.services, SizeIs(3));
    EXPECT_THAT(tables.services_of_name.at({"default", "api"}), SizeIs(2));
    EXPECT_THAT(tables.ServicesOf(first_->id()), SizeIs(2));
    EXPECT_THAT(tables.ServicesOf("none"), IsEmpty());
    const ServiceRegistration wanted = ServiceOf(*second_, "api");
    const auto found = tables.FindService(wanted.id);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->create_index, tables.last_index);
    EXPECT_EQ(found->modify_index, tables.last_index);
    EXPECT_EQ(found->tags, wanted.tags);
    EXPECT_EQ(found->job_id, "web");
    EXPECT_EQ(tables.FindService("none"), nullptr);
  });
}

TEST_F(SchedulerServicesTest, TheNodeGetsBackWhatItHasRegistered) {
  UpdateServices({ServiceOf(*first_, "api")});
  auto fetched =
      Await<Result<std::vector<ServiceRegistration>>>(scheduler.FetchServices(context, "node"));
  ASSERT_TRUE(fetched.ok());
  ASSERT_THAT(*fetched, SizeIs(1));
  ServiceRegistration same = (*fetched)[0];
  same.create_index = same.modify_index = 0;
  EXPECT_EQ(same, ServiceOf(*first_, "api"));
  fetched =
      Await<Result<std::vector<ServiceRegistration>>>(scheduler.FetchServices(context, "other"));
  ASSERT_TRUE(fetched.ok());
  EXPECT_THAT(*fetched, IsEmpty());
}

TEST_F(SchedulerServicesTest, AChangeKeepsTheCreateIndexAndNoChangeWritesNothing) {
  ServiceRegistration service = ServiceOf(*first_, "api");
  UpdateServices({service});
  const std::uint64_t created = IndexOf(Table::kServices);
  NewEvents();
  UpdateServices({service});
  EXPECT_EQ(IndexOf(Table::kServices), created);
  EXPECT_THAT(NewEvents(), IsEmpty());
  service.port = 9090;
  service.tags.clear();
  UpdateServices({service});
  ASSERT_THAT(Services(), SizeIs(1));
  EXPECT_EQ(Services()[0]->port, 9090);
  EXPECT_EQ(Services()[0]->create_index, created);
  EXPECT_EQ(Services()[0]->modify_index, IndexOf(Table::kServices));
  EXPECT_GT(IndexOf(Table::kServices), created);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(service.id, "ServiceRegistration")))
      << "clients need not see that the old one was replaced";
}

TEST_F(SchedulerServicesTest, OneWritePutsAndRemoves) {
  UpdateServices({ServiceOf(*first_, "api"), ServiceOf(*first_, "admin")});
  NewEvents();
  const std::uint64_t before = IndexOf(Table::kServices);
  UpdateServices({ServiceOf(*first_, "new")}, {ServiceOf(*first_, "api").id, "unknown"});
  EXPECT_THAT(Names(), ElementsAre("admin", "new"));
  EXPECT_EQ(IndexOf(Table::kServices), before + 1);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(ServiceOf(*first_, "api").id, "ServiceDeregistration"),
                                       Pair(ServiceOf(*first_, "new").id, "ServiceRegistration")));
}

TEST_F(SchedulerServicesTest, GoWithTheEndOfTheAllocationAndNotBefore) {
  UpdateServices({ServiceOf(*first_, "api"), ServiceOf(*second_, "api")});
  Report(first_->id(), ClientStatus::kRunning);
  Report(second_->id(), ClientStatus::kRunning);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  EXPECT_THAT(Services(), SizeIs(2)) << "the node removes them before it stops the tasks";
  NewEvents();
  const std::uint64_t before = IndexOf(Table::kServices);
  Report(first_->id(), ClientStatus::kComplete);
  ASSERT_THAT(Services(), SizeIs(1));
  EXPECT_EQ(Services()[0]->alloc_id, second_->id());
  EXPECT_GT(IndexOf(Table::kServices), before) << "readers that wait must see it";
  EXPECT_THAT(NewEvents(),
              ElementsAre(Pair(ServiceOf(*first_, "api").id, "ServiceDeregistration")));
  UpdateServices({}, {ServiceOf(*second_, "api").id});
  EXPECT_THAT(Services(), IsEmpty());
}

TEST_F(SchedulerServicesTest, GoWithAFailureAndWithAPurgedJob) {
  UpdateServices({ServiceOf(*first_, "api"), ServiceOf(*second_, "api")});
  Report(first_->id(), ClientStatus::kFailed);
  EXPECT_THAT(Services(), SizeIs(1));
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  EXPECT_THAT(Services(), SizeIs(1)) << "its task still runs";
  Report(second_->id(), ClientStatus::kComplete);
  EXPECT_THAT(Services(), IsEmpty());
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
}

TEST_F(SchedulerServicesTest, AnAllocationThatEndsOrIsUnknownGetsNone) {
  ASSERT_TRUE(scheduler.StopAlloc(first_->id(), false).ok());
  Report(second_->id(), ClientStatus::kComplete);
  ServiceRegistration unknown = ServiceOf(*first_, "api");
  unknown.alloc_id = "unknown";
  UpdateServices({ServiceOf(*first_, "api"), ServiceOf(*second_, "api"), unknown});
  EXPECT_THAT(Services(), IsEmpty());
}

TEST_F(SchedulerServicesTest, ANodeChangesNothingOfOthers) {
  const auto by_other = [&](std::vector<ServiceRegistration> put, std::vector<std::string> gone) {
    return Await<Status>(
               scheduler.UpdateServices(context, "other", std::move(put), std::move(gone)))
        .ok();
  };
  EXPECT_TRUE(by_other({ServiceOf(*first_, "api")}, {}));
  EXPECT_THAT(Services(), IsEmpty());
  UpdateServices({ServiceOf(*first_, "api")});
  EXPECT_TRUE(by_other({}, {ServiceOf(*first_, "api").id}));
  EXPECT_THAT(Services(), SizeIs(1));
  // Nor does an allocation take the registration of another, whatever its node says.
  ServiceRegistration stolen = ServiceOf(*first_, "api");
  stolen.alloc_id = second_->id();
  UpdateServices({stolen});
  EXPECT_EQ(Services().at(0)->alloc_id, first_->id());
  // The namespace and the job are those of the allocation.
  ServiceRegistration foreign = ServiceOf(*second_, "api");
  foreign.service_namespace = "other";
  foreign.job_id = "other";
  foreign.node_id = "other";
  UpdateServices({foreign});
  store.Read([&](const Tables& tables) {
    const auto service = tables.FindService(foreign.id);
    ASSERT_NE(service, nullptr);
    EXPECT_EQ(service->service_namespace, "default");
    EXPECT_EQ(service->job_id, "web");
    EXPECT_EQ(service->node_id, "node");
  });
}

TEST_F(SchedulerServicesTest, AUserRemovesOne) {
  UpdateServices({ServiceOf(*first_, "api"), ServiceOf(*second_, "api")});
  const std::string id = ServiceOf(*first_, "api").id;
  EXPECT_EQ(scheduler.DeleteService({"default", "other"}, id).code(), Code::kNotFound);
  EXPECT_EQ(scheduler.DeleteService({"other", "api"}, id).code(), Code::kNotFound);
  EXPECT_EQ(scheduler.DeleteService({"default", "api"}, "none").code(), Code::kNotFound);
  NewEvents();
  const auto index = scheduler.DeleteService({"default", "api"}, id);
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(*index, IndexOf(Table::kServices));
  EXPECT_THAT(Services(), SizeIs(1));
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(id, "ServiceDeregistration")));
  EXPECT_EQ(scheduler.DeleteService({"default", "api"}, id).code(), Code::kNotFound);
}

TEST_F(SchedulerServicesTest, EventsAreFoundByNameJobAndAllocation) {
  UpdateServices({ServiceOf(*first_, "api")});
  const EventLog::Page page = store.events().From(1);
  const StateEvent& event = page.batches.back()->events.at(0);
  EXPECT_EQ(event.topic(), Topic::kService);
  EXPECT_EQ(event.Namespace(), "default");
  EXPECT_THAT(event.FilterKeys(), ElementsAre("web", "api", first_->id()));
}

TEST_F(SchedulerServicesTest, ReadersOfServicesWakeAndOthersDoNot) {
  const std::uint64_t services = IndexOf(Table::kServices), allocs = IndexOf(Table::kAllocs);
  UpdateServices({ServiceOf(*first_, "api")});
  EXPECT_GT(IndexOf(Table::kServices), services);
  EXPECT_EQ(IndexOf(Table::kAllocs), allocs);
  const std::uint64_t after = IndexOf(Table::kServices);
  Report(second_->id(), ClientStatus::kComplete);  // has no services
  EXPECT_EQ(IndexOf(Table::kServices), after);
}

// A thousand services may take 2 MiB, so that each may take 2 KiB.
TEST_F(SchedulerServicesTest, ARegistrationTakesLittleMemory) {
  UpdateServices({ServiceOf(*first_, "api")});
  // A set of three has a node for it in each, which holds a pointer.
  constexpr std::size_t kPlaces = 3 * (48 + 2 * sizeof(void*));
  EXPECT_LT(SizeOf(*Services()[0]) + kPlaces, 1500u);
  EXPECT_GT(SizeOf(*Services()[0]), sizeof(ServiceRegistration));
}

}  // namespace
}  // namespace drover
