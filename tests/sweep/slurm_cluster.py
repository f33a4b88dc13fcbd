# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one node that lives as long as a `with` block: a real slurmctld and slurmd on the loopback, with their own
folders and ports, no munge and no accounting. They run as the user who starts them and accept only jobs of that user."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """\
ClusterName=tahoma
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
CryptoType=crypto/none
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,sched_min_interval=100000,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
MinJobAge=300
KillWait=2
OverTimeLimit=0
MaxArraySize={most_tasks}
MaxJobCount=10000
InactiveLimit=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=1024 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
PATIENCE = 1200  # seconds: against a Slurm that hangs; a node is ready after 3


def missing():
    """Returns the reason why no cluster can be started here, or an empty text."""
    absent = [name for name in ("slurmctld", "slurmd", "sbatch") if not _program(name)]
    return f"no {', '.join(absent)}: scripts/setup installs slurm-wlm" if absent else ""


def _program(name):
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))


def _free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Cluster:
    def __init__(self, most_tasks=1001, cores=2):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tahoma-slurm-"))
        for folder in ("state", "spool"):
            (self.home / folder).mkdir()
        controller_port, node_port = _free_ports(2)
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.host = socket.gethostname().split(".")[0]
        text = CONFIGURATION.format(host=self.host, user=self.user, home=self.home, most_tasks=most_tasks, cores=cores,
                                    controller_port=controller_port, node_port=node_port)
        (self.home / "slurm.conf").write_text(text, encoding="utf-8")
        self.environment = {**os.environ, "SLURM_CONF": str(self.home / "slurm.conf")}
        self.daemons = []

    def __enter__(self):
        try:
            self._start("slurmctld", "-D", "-i")
            self._start("slurmd", "-D", "-N", self.host)
            self._await_node()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.command("scancel", f"--user={self.user}", check=False)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._end_steps()
        shutil.rmtree(self.home, ignore_errors=True)

    def command(self, *words, check=True):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def logs(self):
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted(self.home.glob("*.log")))

    def _start(self, name, *options):
        with (self.home / f"{name}.log").open("w") as output:
            self.daemons.append(subprocess.Popen([_program(name), *options, "-f", self.environment["SLURM_CONF"]],
                                                 env=self.environment, stdout=output, stderr=output,
                                                 stdin=subprocess.DEVNULL))

    def _await_node(self):
        end = time.monotonic() + PATIENCE
        while "idle" not in self.command("sinfo", "--noheader", "--format=%T", check=False):
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                raise RuntimeError("Slurm did not start\n" + self.logs())
            time.sleep(0.2)

    def _end_steps(self):
        """A slurmstepd has its own session; its files are in this cluster's folder."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if b"slurmstepd" in words and f"SLURM_CONF={self.home}".encode() in environment:
                os.kill(int(folder.name), signal.SIGKILL)
