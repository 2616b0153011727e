# nginx serves the files of a git repository. The repository is named in the configuration of the agent:
# client { meta { repository = "https://git.example/site.git" } }.
job "nginx" {
  type = "service"

  group "site" {
    network {
      port "http" {}
    }

    service {
      name     = "site"
      port     = "http"
      provider = "nomad"

      check {
        name     = "page"
        type     = "http"
        path     = "/"
        interval = "2s"
        timeout  = "1s"
      }
    }

    task "server" {
      driver = "raw_exec"

      # The directory "public" of the repository, as it was at the tag v1. A branch or a commit is also right.
      artifact {
        source      = "git::${meta.repository}//public"
        destination = "local/site"
        options {
          ref = "v1"
        }
      }

      # Paths are relative to the directory of the option -p. Only the user of the task can enter that, so an nginx that
      # root has started must not become another user. The field "user" of the task may name one.
      template {
        destination = "local/nginx.conf"
        data        = <<EOF
user root;
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {}
http {
  types { text/html html; text/css css; }
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen {{ env "NOMAD_ADDR_http" }};
    root site;
  }
}
EOF
      }

      config {
        command = "nginx"
        args    = ["-e", "stderr", "-p", "${NOMAD_TASK_DIR}/", "-c", "nginx.conf"]
      }

      # nginx answers the requests that it has, and ends.
      kill_signal = "SIGQUIT"
    }
  }
}
