# Two web servers with one name: drover service info site prints where they are.
job "service" {
  type = "service"

  group "site" {
    count = 2

    network {
      port "http" {}
    }

    # The provider "nomad" is this agent. A service without a provider is one of Consul, unless the
    # agent's configuration says otherwise.
    service {
      name     = "site"
      port     = "http"
      provider = "nomad"
      tags     = ["public", "instance-${NOMAD_ALLOC_INDEX}"]
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
