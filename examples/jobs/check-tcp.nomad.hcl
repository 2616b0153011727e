# A server that does not speak HTTP. Its check only connects.
job "check-tcp" {
  type = "service"

  group "line" {
    network {
      port "line" {}
    }

    service {
      name     = "line"
      port     = "line"
      provider = "nomad"

      check {
        name     = "connects"
        type     = "tcp"
        interval = "2s"
        timeout  = "1s"
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "python3"
        args = ["-c", <<-EOT
          import socket
          listener = socket.create_server(("${NOMAD_IP_line}", ${NOMAD_PORT_line}))
          while True:
            client = listener.accept()[0]
            client.sendall(b"hello\n")
            client.close()
          EOT
        ]
      }
    }
  }
}
