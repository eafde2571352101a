"""A cluster for a test in Python: needs Python 3.9, the package kubernetes, and the command rollcall.

    python3 -m unittest examples/testing/python/test_partition.py
"""

import json
import os
import shlex
import subprocess
import time
import unittest

from kubernetes import client, config

# How to start rollcall, if it is not on the path: ROLLCALL="npx rollcall".
ROLLCALL = shlex.split(os.environ.get("ROLLCALL", "rollcall"))


class ClusterTest(unittest.TestCase):
    """Starts one cluster for the tests of a class. At speed 30, two seconds are a minute of the cluster."""

    @classmethod
    def setUpClass(cls):
        flags = ["--port=0", "--nodes=3", "--speed=30", "--output=json", f"--parent-pid={os.getpid()}"]
        # The cluster ends with this process, even if this process is killed.
        cls.process = subprocess.Popen([*ROLLCALL, "up", *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.stop)
        line = cls.process.stdout.readline()
        if not line:
            raise RuntimeError(f"rollcall up ended with {cls.process.wait()}; run it by hand to see why")
        cls.cluster = json.loads(line)
        config.load_kube_config(cls.cluster["kubeconfig"])
        cls.api = client.CoreV1Api()

    @classmethod
    def stop(cls):
        cls.process.terminate()
        cls.process.communicate(timeout=30)

    @classmethod
    def fault(cls, *args):
        command = [*ROLLCALL, "fault", *args, "--kubeconfig", cls.cluster["kubeconfig"]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def ready(self, node):
        conditions = self.api.read_node(node).status.conditions
        return next(condition.status for condition in conditions if condition.type == "Ready")

    def wait_until(self, holds, seconds=30):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it did not happen in time")
            time.sleep(0.1)


class PartitionTest(ClusterTest):
    def test_a_cut_off_node_becomes_unknown(self):
        nodes = [node.metadata.name for node in self.api.list_node().items]
        self.assertEqual(sorted(nodes), ["a-0", "a-1", "a-2"])
        self.fault("partition", "--node", "a-1")
        self.wait_until(lambda: self.ready("a-1") == "Unknown")
        self.assertEqual(self.ready("a-0"), "True")
        self.fault("end", "--all")
        self.wait_until(lambda: self.ready("a-1") == "True")


if __name__ == "__main__":
    unittest.main()
