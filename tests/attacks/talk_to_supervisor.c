/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Connects to the socket of its supervisor, which obeys messages. Argument: the socket's name. */
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (connection < 0) return 2;
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) return held(argv[1]);
  return succeeded(argv[1]);
}
