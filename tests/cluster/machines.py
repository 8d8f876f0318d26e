"""The machines of a cluster, all of them this one, in a process of their own: Ray reads its environment as it is imported.

It prints the cluster's address, and then, to each line of its input, a machine's number: `add` starts one with one core, its
number kills it. At the end of its input it kills all.
"""

import os
import socket
import sys
import time
from contextlib import closing
from typing import Any

MEMORY = 100_000_000  # bytes of a machine's shared memory
UNUSED = ("dashboard_agent_listen_port", "metrics_export_port", "metrics_agent_port")  # of agents that nobody asks here
LONGEST = 600.0  # seconds for all of them to start


def described(cores: int) -> dict[str, Any]:
    """A machine."""
    here = {"node_ip_address": "127.0.0.1", "object_store_memory": MEMORY}
    here |= {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}  # fewer processes to wait for
    return {"num_cpus": cores, **here}


def take_time() -> None:
    """Lets machines of this process start as slowly as they do, and as soon as they can. A machine waits for agents to write
    down their ports, and Ray for the machine, some seconds each; then it is given up, which a busy machine cannot help."""
    import ray
    from ray._private import node, services

    get, start, begun = services.get_node, node.Node.start_raylet, time.monotonic()

    def get_node(*asked: Any) -> Any:
        while True:
            try:
                return get(*asked)
            except RuntimeError:
                if time.monotonic() - begun > LONGEST:
                    raise
                time.sleep(0.1)

    def start_raylet(self: Any, *given: Any, **more: Any) -> Any:
        self._ray_params.runtime_env_agent_port = free_port()
        for name in UNUSED:
            ray._raylet.persist_port(self.get_session_dir_path(), self._node_id, name, -1)
        port = self.runtime_env_agent_port
        ray._raylet.persist_port(self.get_session_dir_path(), self._node_id, "runtime_env_agent_port", port)
        return start(self, *given, **more)

    services.get_node, node.Node.start_raylet = get_node, start_raylet


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main() -> None:
    take_time()
    from ray.cluster_utils import Cluster

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cluster = Cluster(
        initialize_head=True, head_node_args=described(0)
    )  # it has the directory, and the server is connected to it
    machines = [cluster.head_node]
    answer = cluster.address
    try:
        while True:
            answers.write(f"{answer}\n")
            answers.flush()
            words = sys.stdin.readline().strip()
            if not words:
                return
            if words == "add":
                answer = len(machines)
                machines.append(cluster.add_node(wait=False, **described(1)))
            else:
                answer = int(words)
                kill(machines[answer])
    finally:
        for machine in machines:
            kill(machine)


def kill(machine: Any) -> None:
    """kill -9, all of it at once."""
    machine.kill_all_processes(check_alive=False, allow_graceful=False)


if __name__ == "__main__":
    main()
