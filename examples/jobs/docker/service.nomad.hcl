# A service with a health check.
job "service" {
  group "web" {
    network {
      port "http" {}
    }

    service {
      name     = "docker-service"
      port     = "http"
      provider = "nomad"

      check {
        type     = "http"
        path     = "/"
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
        data        = "the page of service\n"
      }
    }
  }
}
