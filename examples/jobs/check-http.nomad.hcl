# A web server that is asked for a page every two seconds: drover alloc checks ID prints its answer.
job "check-http" {
  type = "service"

  group "site" {
    network {
      port "http" {}
    }

    service {
      name     = "site"
      port     = "http"
      provider = "nomad"

      # An answer below 400 is a success.
      check {
        name     = "page"
        type     = "http"
        path     = "/index.html"
        interval = "2s"
        timeout  = "1s"

        header {
          Accept = ["text/html"]
        }
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"hello from ${NOMAD_ALLOC_NAME}\" > local/index.html; exec python3 -m http.server ${NOMAD_PORT_http} --bind ${NOMAD_IP_http} --directory local"]
      }
    }
  }
}
