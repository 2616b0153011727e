// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace drover {

// The table of connections. It decides which connection is closed when there are too many. A
// connection is a stranger until a whole request has shown that its client may use the server.
// Strangers have room only while no other connection needs it. Clients that connect and send
// nothing thus cannot keep other clients out.
//
// Each client belongs to a group, and no group keeps another one out. If there are too many
// connections, the group with the most of them makes room for one with fewer. [any thread]
class ConnectionTable {
 public:
  // A limit of 0 means no limit.
  ConnectionTable(int most, int most_per_client) : most_(most), most_per_client_(most_per_client) {}

  // Who has a connection. A server that does not divide its clients has one group.
  struct Owner {
    std::string client;
    std::string group;
  };

  // The place of one connection in the table. The connection leaves the table when this object is
  // destroyed. The object must be destroyed before the table.
  class Place {
   public:
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();
    // Makes the connection trusted. It is no stranger from then on.
    void Trust();
    // Sets whether the connection waits for the next request of its client. By default it does not.
    void SetIdle(bool idle) { idle_ = idle; }

   private:
    friend class ConnectionTable;
    Place(ConnectionTable* table, Owner owner, std::function<void()> close)
        : table_(table), owner_(std::move(owner)), close_(std::move(close)) {}
    ConnectionTable* const table_;
    const Owner owner_;
    const std::function<void()> close_;
    std::atomic<bool> idle_{false};
    std::list<Place*>::iterator at_;  // the position in Client::strangers or Group::trusted
    enum { kStranger, kTrusted, kGone } state_ = kStranger;
  };

  // Returns a place for a connection of OWNER. If its client has too many connections, the table
  // closes the oldest stranger of this client.
  //
  // If there are too many connections in all, the table closes one of the group with the most
  // connections: the oldest stranger of its client with the most strangers. If this group has no
  // strangers, but at least two connections more than OWNER's group, the table closes its oldest
  // idle connection, or its oldest one if none is idle. With one connection more, the groups would
  // only exchange this connection again and again. In this case the table closes a stranger of
  // OWNER's group. The same happens if IS_SHORT is set, which means that too few file descriptors
  // are left for one more connection.
  //
  // To close a connection, the table calls the CLOSE of this connection. The table holds its lock
  // during this call, so CLOSE must only schedule the close. Returns null if there are too many
  // connections and none of them can be closed.
  std::unique_ptr<Place> Add(const Owner& owner, bool is_short, std::function<void()> close);

  int total() const;

 private:
  struct Client {
    int places = 0;
    std::list<Place*> strangers;  // the oldest first
  };
  struct Group {
    int places = 0;
    std::map<std::string, Client> clients;
    std::list<Place*> trusted;  // in the order in which they became trusted

    int strangers() const { return places - static_cast<int>(trusted.size()); }
  };
  const Client* Find(const Owner& owner) const;
  // Returns the stranger of GROUP that is closed first, or null without strangers.
  static Place* FirstStranger(const Group& group);
  // Returns the trusted connection of GROUP that is closed first. GROUP must have one.
  static Place* FirstTrusted(const Group& group);
  // Returns the connection that is closed for one more connection of GROUP, or null if there is
  // none.
  Place* WhoGivesWay(const std::string& group) const;
  void Drop(Place* place);
  void Remove(Place* place);

  const int most_;
  const int most_per_client_;
  mutable std::mutex mutex_;
  int total_ = 0;
  std::map<std::string, Group> groups_;  // only those with connections
};

}  // namespace drover
