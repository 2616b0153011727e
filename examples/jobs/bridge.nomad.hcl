# A web server with a network of its own: it listens on port 8000 of its own address, and the agent maps a port of the
# host to it. Others find it by the address of the allocation.
job "bridge" {
  type = "service"

  group "site" {
    network {
      mode = "bridge"

      port "http" {
        to = 8000
      }
    }

    service {
      name         = "inside"
      port         = "http"
      provider     = "nomad"
      address_mode = "alloc"

      check {
        name     = "page"
        type     = "http"
        path     = "/index.html"
        interval = "2s"
        timeout  = "1s"
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"hello from ${NOMAD_ALLOC_ADDR_http}\" > local/index.html; exec python3 -m http.server ${NOMAD_PORT_http} --directory local"]
      }
    }
  }
}
