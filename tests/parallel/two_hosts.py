# SPDX-License-Identifier: Apache-2.0
"""Two hosts on this one, for as long as a `with` block: two network namespaces, joined by a pair of virtual interfaces, with
names of their own. mpirun starts its daemon on the other one by an agent in the place of ssh; processes of different hosts
share no memory segment, because Open MPI takes hosts of other names for other hosts."""

import os
import pathlib
import shutil
import subprocess
import tempfile

# agent HOST COMMAND...   ON_OTHER is run on the second host before the command
AGENT = """#!/bin/sh
host=$1
shift
exec nsenter --net=/run/netns/$host unshare --uts --mount sh -c 'hostname "$0"; {on_other}; eval "$@"' "$host" "$*"
"""
START = 'hostname "$0"; mount --bind "$1" /etc/hosts; shift; exec "$@"'


def missing():
    """Returns the reason why there cannot be two hosts here, or an empty text."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    absent = [name for name in ("ip", "nsenter", "unshare", "mpirun") if not shutil.which(name)]
    if absent:
        return f"no {', '.join(absent)}"
    probe = f"tahoma-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode == 0
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return "" if made else "this kernel or container makes no network namespace"


class TwoHosts:
    def __init__(self, on_other=":"):
        self.names = [f"tahoma{os.getpid()}-{n}" for n in (1, 2)]
        self.on_other = on_other

    def __enter__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tahoma-hosts-"))
        try:
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        (self.home / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
            f"10.77.0.{n} {name}\n" for n, name in enumerate(self.names, 1)), encoding="utf-8")
        agent = self.home / "agent"
        agent.write_text(AGENT.format(on_other=self.on_other), encoding="utf-8")
        agent.chmod(0o755)
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(self.home, ignore_errors=True)

    def _connect(self):
        def ip(*words):
            subprocess.run(["ip", *words], capture_output=True, check=True)
        for name in self.names:
            ip("netns", "add", name)
        one, other = self.names
        ip("link", "add", "eth0", "netns", one, "type", "veth", "peer", "name", "eth0", "netns", other)
        for n, name in enumerate(self.names, 1):
            ip("-n", name, "addr", "add", f"10.77.0.{n}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")

    def mpirun(self, *words, environment):
        """Runs mpirun on the first host, with two slots on each."""
        settings = ["--mca", "plm_rsh_agent", self.home / "agent", "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include",
                    "eth0", "--host", ",".join(f"{name}:2" for name in self.names)]
        command = ["nsenter", f"--net=/run/netns/{self.names[0]}", "unshare", "--uts", "--mount", "sh", "-c", START, self.names[0],
                   self.home / "hosts", "mpirun", *settings, *words]
        return subprocess.run([str(word) for word in command], text=True, capture_output=True, env=environment, stdin=subprocess.DEVNULL,
                              check=False)
