# A web server that others find by Consul: curl 'http://127.0.0.1:8500/v1/health/service/shop?passing'
job "consul" {
  type = "service"

  group "shop" {
    network {
      port "http" {}
    }

    # Without a provider, a service is one of Consul, which runs its checks itself.
    service {
      name = "shop"
      port = "http"
      tags = ["public"]

      check {
        name     = "page"
        type     = "http"
        path     = "/"
        interval = "5s"
        timeout  = "2s"
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "python3"
        args    = ["-m", "http.server", "${NOMAD_PORT_http}", "--bind", "${NOMAD_IP_http}", "--directory", "${NOMAD_TASK_DIR}"]
      }
    }
  }
}
