# A web server on a free port, until it is stopped.
job "web" {
  type = "service"

  group "site" {
    count = 1

    network {
      port "http" {}
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"hello from ${NOMAD_ALLOC_NAME}\" > ${NOMAD_TASK_DIR}/index.html; echo \"listening on http://${NOMAD_ADDR_http}/\"; exec python3 -m http.server ${NOMAD_PORT_http} --bind ${NOMAD_IP_http} --directory ${NOMAD_TASK_DIR}"]
      }

      kill_timeout = "5s"

      resources {
        cpu    = 100
        memory = 64
      }
    }
  }
}
