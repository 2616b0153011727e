// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

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
// nothing thus cannot keep other clients out. [any thread]
class ConnectionTable {
 public:
  // A limit of 0 means no limit.
  ConnectionTable(int most, int most_per_client) : most_(most), most_per_client_(most_per_client) {}

  // The place of one connection in the table. The connection leaves the table when this object is
  // destroyed. The object must be destroyed before the table.
  class Place {
   public:
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();
    // Makes the connection trusted. It is no stranger from then on.
    void Trust();

   private:
    friend class ConnectionTable;
    Place(ConnectionTable* table, std::string client, std::function<void()> close)
        : table_(table), client_(std::move(client)), close_(std::move(close)) {}
    ConnectionTable* const table_;
    const std::string client_;
    const std::function<void()> close_;
    std::list<Place*>::iterator at_;  // the position in Client::strangers
    enum { kStranger, kTrusted, kGone } state_ = kStranger;
  };

  // Returns a place for a connection of CLIENT. If CLIENT has too many connections, the table
  // closes the oldest stranger of CLIENT. If there are too many connections in all, the table
  // closes the oldest stranger of the client with the most strangers. The table also closes this
  // stranger if IS_SHORT is set, which means that too few file descriptors are left for one more
  // connection. To close a connection, the table calls the CLOSE of this connection. The table
  // holds its lock during this call, so CLOSE must only schedule the close. Returns null if there
  // are too many connections and none of them can be closed.
  std::unique_ptr<Place> Add(const std::string& client, bool is_short, std::function<void()> close);

  int total() const;

 private:
  struct Client {
    int places = 0;
    std::list<Place*> strangers;  // the oldest first
  };
  bool DropStranger(Client* of);
  void Leave(Place* place);

  const int most_;
  const int most_per_client_;
  mutable std::mutex mutex_;
  int total_ = 0;
  std::map<std::string, Client> clients_;
};

}  // namespace drover
