// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace drover {

// The table of connections; it decides which must go when there are too many. A connection is a
// stranger until it has shown by a whole request that its client may use the server. Strangers have
// room only while nobody else needs it, so clients that connect and send nothing keep nobody out.
// [any thread]
class ConnectionTable {
 public:
  // 0 is no limit.
  ConnectionTable(int most, int most_per_client) : most_(most), most_per_client_(most_per_client) {}

  // The place of one connection, until this is destroyed, which must be before the table is.
  class Place {
   public:
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();
    // From now on the connection is not a stranger.
    void Trust();

   private:
    friend class ConnectionTable;
    Place(ConnectionTable* table, std::string client, std::function<void()> close)
        : table_(table), client_(std::move(client)), close_(std::move(close)) {}
    ConnectionTable* const table_;
    const std::string client_;
    const std::function<void()> close_;
    std::list<Place*>::iterator at_;  // among the strangers of its client
    enum { kStranger, kTrusted, kGone } state_ = kStranger;
  };

  // A place for a connection of CLIENT. If CLIENT has too many, its oldest stranger goes. If there
  // are too many in all, or IS_SHORT says that there is no room for one more, the oldest stranger
  // of the client with the most strangers goes. CLOSE of the connection that goes is called under
  // the lock of the table, so it may only schedule the close. Null: there are too many, and none
  // can go.
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
