# A web server in the network of the host, with a page from a template.
job "web" {
  group "web" {
    network {
      port "http" {}
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
        data        = "the page of web\n"
      }
    }
  }
}
