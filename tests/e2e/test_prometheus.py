# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Prometheus itself, which scrapes an agent and the services that the agent lists."""
import json
import unittest
import urllib.parse
import urllib.request

import harness
from agent_harness import Agent, agent_config
from servers import server
from test_services import ServiceCase, api

PROMETHEUS = server("prometheus")


@unittest.skipUnless(PROMETHEUS, "there is no prometheus")
class PrometheusTest(ServiceCase):
    """Prometheus runs as a task of the agent, and is the service that it finds there."""

    def start_agent(self):
        return Agent(self.sandbox, config=agent_config(self.sandbox,
                                                       telemetry={"prometheus_metrics": True}))

    def query(self, place, expression):
        """Returns the series for which EXPRESSION holds, or nothing while Prometheus does not answer."""
        url = f"http://{place}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(url, timeout=harness.LIMIT) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return []

    def wait_for(self, place, expression):
        harness.wait_until(lambda: self.query(place, expression), expression, step=0.2)

    def test_it_scrapes_the_agent_and_the_services_and_loses_those_that_go(self):
        agent = {"job_name": "agent", "metrics_path": "/v1/metrics",
                 "params": {"format": ["prometheus"]},
                 "static_configs": [{"targets": [self.agent.address]}]}
        services = {"job_name": "services",
                    "http_sd_configs": [{"url": self.agent.url + "/v1/agent/prometheus-sd",
                                         "refresh_interval": "1s"}],
                    "relabel_configs": [{"source_labels": ["__meta_nomad_service"],
                                         "target_label": "service"}]}
        config = self.sandbox.write("prometheus.json", {  # which is YAML, too
            "global": {"scrape_interval": "1s"}, "scrape_configs": [agent, services]})
        found, _ = self.run_service(api(), script=(
            f"exec {PROMETHEUS} --config.file={config} --storage.tsdb.path=local/data "
            '--web.listen-address="$NOMAD_ADDR_http"'))
        place = f"{found[0]['Address']}:{found[0]['Port']}"
        for expression in ('nomad_client_allocs_start{job="agent"} == 1',
                           f'up{{job="services",service="api",instance="{place}"}} == 1'):
            self.wait_for(place, expression)
        # This service has no metrics, so Prometheus finds it and calls it down.
        self.run_service(api(Name="other"), id="other")
        self.wait_for(place, 'up{job="services",service="other"} == 0')
        self.agent.must("DELETE", "/v1/job/other")
        self.wait_for(place, 'absent(up{job="services",service="other"})')


if __name__ == "__main__":
    harness.main()
