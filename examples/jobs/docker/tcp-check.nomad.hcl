# A service whose check connects to its port.
job "tcp-check" {
  group "web" {
    network {
      port "http" {}
    }

    service {
      name     = "docker-tcp"
      port     = "http"
      provider = "nomad"

      check {
        type     = "tcp"
        interval = "1s"
        timeout  = "1s"
      }
    }

    task "server" {
      driver = "docker"

      config {
        image        = "drover-test:1"
        network_mode = "host"
        command      = "httpd"
        args         = ["-f", "-p", "${NOMAD_PORT_http}", "-h", "/local"]
      }

      template {
        destination = "local/index.html"
        data        = "the page of tcp-check\n"
      }
    }
  }
}
