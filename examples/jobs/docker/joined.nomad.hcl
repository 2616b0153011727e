# A task in the network of another one of its allocation.
job "joined" {
  group "joined" {
    task "server" {
      driver = "docker"

      lifecycle {
        hook    = "prestart"
        sidecar = true
      }

      config {
        image        = "drover-test:1"
        network_mode = "none"
        command      = "httpd"
        args         = ["-f", "-p", "127.0.0.1:8080", "-h", "/local"]
      }

      template {
        destination = "local/index.html"
        data        = "from the neighbour\n"
      }
    }

    task "client" {
      driver = "docker"

      config {
        image        = "drover-test:1"
        network_mode = "container:server-${NOMAD_ALLOC_ID}"
        command      = "sh"
        args         = ["-c", "until wget -q -O - http://127.0.0.1:8080/; do sleep 0.1; done; exec sleep 1000"]
      }

      kill_timeout = "1s"
    }
  }
}
