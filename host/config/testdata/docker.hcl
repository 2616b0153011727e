client {
  enabled = true
}

plugin "docker" {
  config {
    endpoint = "unix:///var/run/docker.sock"

    auth {
      config = "/etc/docker-auth.json"
      helper = "ecr-login"
    }
    extra_labels = ["job_name", "task_name"]
    gc {
      image       = true
      image_delay = "3m"
      dangling_containers {
        enabled = true
      }
    }
    volumes {
      enabled      = true
      selinuxlabel = "z"
    }
    allow_privileged = false
    allow_caps       = ["CHOWN", "NET_RAW"]
  }
}
