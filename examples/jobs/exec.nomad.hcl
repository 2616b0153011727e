# Isolated tasks: the first one shows what it can see of the machine, the other one serves a page.
job "isolated" {
  type        = "batch"
  datacenters = ["dc1"]

  group "site" {
    count = 1

    network {
      port "http" {}
    }

    task "look" {
      driver = "exec"

      lifecycle {
        hook = "prestart"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "id; ls /; echo processes: /proc/[0-9]*; grep ^Cap /proc/self/status; echo \"hello from ${NOMAD_ALLOC_NAME}\" > ${NOMAD_ALLOC_DIR}/data/index.html"]
      }
    }

    task "web" {
      driver = "exec"
      leader = true

      config {
        command = "sh"
        args    = ["-c", "echo \"listening on ${NOMAD_ADDR_http}\"; python3 -m http.server ${NOMAD_PORT_http} --bind ${NOMAD_IP_http} --directory ${NOMAD_ALLOC_DIR}/data & sleep 3; echo \"served its time\"; kill $!"]
      }

      kill_timeout = "3s"
    }
  }
}
