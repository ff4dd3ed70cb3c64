#!/usr/bin/env python3
"""Run a job array in a private single-node Slurm and wait for its end.

munged, slurmctld and slurmd run as the caller, in a temporary folder and on
free ports, with a key of their own, without systemd, control groups or an
accounting database. The installation of the machine is neither read nor
changed, and nothing is left behind, no process and no file, unless this script
itself is killed with SIGKILL: then jobs that run go on to their end.

    slurm.py [--cpus 2] [--requeue TASK FILE] [--timeout 300] -- SBATCH-ARGUMENTS...

The arguments go to sbatch. What the array's tasks print is printed at the end.
With --requeue, task TASK is taken from its node and queued again, as a
preempted one is, once FILE has a line. Exit status: 0 when every task ended
well, 1 when one did not, 2 when Slurm could not run.

Needs Linux, Python 3.8+ and the Debian packages slurmctld, slurmd,
slurm-client and munge (all of which slurm-wlm brings). Root is not needed;
a network interface besides the loopback is, as Slurm resolves no address
without one.
"""

import argparse
import ctypes
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "scancel", "sinfo")
# How long a daemon may take to be ready, or a command to answer, on a busy machine.
PATIENCE = 60.0
# How long daemons and jobs may take to end by themselves before they are killed.
GRACE = 10.0
# The states a job does not leave by itself.
ENDED = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
         "TIMEOUT")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


class JobFailed(Exception):
    """The job ran and did not end well."""


class CannotRun(Exception):
    """Slurm could not be tried: something is missing or does not start."""


class PortTaken(CannotRun):
    """Somebody was faster with a port that had been free."""


def prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise CannotRun("prctl %d: %s" % (option, os.strerror(ctypes.get_errno())))


def die_with_parent():
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Different free ports."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def processes():
    """The parent of each running process."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in brackets, may contain anything.
                state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    return parents


def descendants():
    """All running children and their children."""
    parents = processes()
    found, more = set(), {os.getpid()}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def until(condition, seconds, what):
    """Wait until the condition gives something true; that is the result."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise CannotRun("no %s within %d s" % (what, seconds))
        time.sleep(0.1)


class Slurm:
    """The daemons, in a folder of their own."""

    def __init__(self, folder, cpus):
        self.folder, self.cpus = folder, cpus
        self.daemons = {}
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM", "SBATCH", "MUNGE"))}
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")

    def configure(self):
        try:
            user = pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            raise CannotRun("user %d has no name, and Slurm needs one" % os.geteuid()) from None
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        host = socket.gethostname().split(".")[0]
        controller, node = free_ports(2)
        settings = {
            "ClusterName": "test",
            "SlurmctldHost": "%s(127.0.0.1)" % host,
            "SlurmctldPort": controller,
            "SlurmdPort": node,
            "SlurmUser": user,
            "SlurmdUser": user,
            "AuthType": "auth/munge",
            # A job that was requeued waits until its old credential has expired.
            "AuthInfo": "socket=%s,cred_expire=5" % (self.folder / "munge.socket"),
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": self.folder / "spool",
            "SlurmctldPidFile": self.folder / "slurmctld.pid",
            "SlurmdPidFile": self.folder / "slurmd.pid",
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "MpiDefault": "none",
            "MailProg": "/bin/true",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU",
            "SchedulerType": "sched/builtin",
            "SchedulerParameters": "sched_interval=1,sched_min_interval=100000",
            "KillWait": 5,
            "ReturnToService": 2,
            # The machine may have fewer processors than the node claims.
            "SlurmdParameters": "config_overrides",
        }
        lines = ["%s=%s" % pair for pair in settings.items()]
        lines.append("NodeName=node NodeHostname=%s NodeAddr=127.0.0.1 CPUs=%d State=UNKNOWN" % (host, self.cpus))
        lines.append("PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        version = subprocess.run(["slurmctld", "-V"], stdout=subprocess.PIPE, text=True, check=False).stdout
        print(version.strip(), flush=True)
        # Versions before the word was known insist on a plugin, though nothing here uses it, and the newer one
        # wants systemd.
        disabled = tuple(map(int, re.findall(r"\d+", version)[:2])) >= (24, 5)
        plugin = "disabled" if disabled else "cgroup/v1"
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=%s\n" % plugin)

    def start(self):
        self.configure()
        munge = self.folder / "munge.socket"
        self.spawn("munged", "--foreground", "--force", "--num-threads=2", "--key-file=%s" % (self.folder / "munge.key"),
                   "--socket=%s" % munge, "--pid-file=%s" % (self.folder / "munged.pid"),
                   "--seed-file=%s" % (self.folder / "munge.seed"))
        self.ready("munged", munge.exists)
        self.spawn("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.ready("slurmctld", lambda: self.run("scontrol", "ping").returncode == 0)
        self.spawn("slurmd", "-D", "-N", "node", "-f", self.folder / "slurm.conf")
        self.ready("slurmd", lambda: self.run("sinfo", "--noheader", "--format=%T").stdout.strip() == "idle")

    def spawn(self, name, *arguments):
        """Start a daemon that dies with this process, whatever happens to it."""
        with open(self.folder / (name + ".log"), "wb") as log:
            self.daemons[name] = subprocess.Popen(
                [name, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=self.environment, cwd=self.folder, preexec_fn=die_with_parent)

    def ready(self, name, condition):
        def ended_or_ready():
            status = self.daemons[name].poll()
            if status is not None:
                log = (self.folder / (name + ".log")).read_text(errors="replace")
                kind = PortTaken if "Address already in use" in log else CannotRun
                raise kind("%s ended with status %d before it was ready" % (name, status))
            return condition()

        until(ended_or_ready, PATIENCE, "answer from " + name)

    def run(self, *command):
        """Run a client to its end."""
        try:
            return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise CannotRun("%s does not end within %d s" % (" ".join(command), PATIENCE)) from None

    def jobs(self):
        """Processes that look after jobs: slurmd lets go of them, and they come to this one."""
        own = {daemon.pid for daemon in self.daemons.values()}
        return {child for child, parent in processes().items() if parent == os.getpid()} - own

    def stop(self):
        """End jobs, then daemons, in good order; kill what does not want to end."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        try:
            if self.jobs():
                self.run("scancel", "--user", str(os.geteuid()))
                until(lambda: not self.jobs(), GRACE, "end of the jobs")
            for daemon in reversed(list(self.daemons.values())):
                daemon.terminate()
                daemon.wait(GRACE)
        except (CannotRun, subprocess.TimeoutExpired) as problem:
            print("slurm.py: killed what was left: %s" % problem, file=sys.stderr)
        for pid in iter(lambda: next(iter(descendants()), None), None):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while True:
                os.wait()
        except ChildProcessError:
            pass

    def show_logs(self):
        for log in sorted(self.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()
            print("--- the end of %s:" % log.name, *lines[-30:], sep="\n", file=sys.stderr)


def task_states(slurm, job):
    """State and exit status of each array task; tasks not started yet come as one."""
    reply = slurm.run("scontrol", "--oneliner", "show", "job", job)
    tasks = re.findall(r"ArrayTaskId=(\S+).* JobState=(\S+).* ExitCode=(\S+)", reply.stdout)
    if not tasks:
        raise CannotRun("scontrol show job %s: %s" % (job, reply.stdout.strip()))
    return tasks


def run_job(slurm, arguments, requeue, timeout):
    """Submit the job array, wait for its end, print what it printed.

    `sbatch --wait` would wait as well, but looks only every 32 seconds.
    """
    output = slurm.folder / "output"
    output.mkdir()
    reply = slurm.run("sbatch", "--parsable", "--output=%s" % (output / "%a"), *arguments)
    job = reply.stdout.strip()
    if not job.isdigit():
        raise CannotRun("sbatch refuses the job: %s" % job)
    end = time.monotonic() + timeout

    def over():
        states = task_states(slurm, job)
        return states if all(state in ENDED for _, state, _ in states) else None

    try:
        if requeue:
            task, file = requeue[0], Path(requeue[1])
            until(lambda: file.is_file() and b"\n" in file.read_bytes() or over(), timeout, "line in %s" % file)
            reply = slurm.run("scontrol", "requeue", "%s_%s" % (job, task))
            if reply.returncode != 0:
                raise CannotRun("scontrol requeue: %s" % reply.stdout.strip())
            lines = file.read_bytes().count(b"\n") if file.is_file() else 0
            print("requeued task %s; %s has %d lines" % (task, file.name, lines), flush=True)
        states = until(over, max(0.0, end - time.monotonic()), "end of job %s" % job)
    except CannotRun:
        for state in task_states(slurm, job):
            print("task %s: %s, exit status %s" % state, file=sys.stderr)
        raise
    finally:
        for log in sorted(output.iterdir()):
            print("--- task %s:" % log.name, log.read_text(errors="replace").rstrip(), sep="\n", flush=True)
    failed = ["task %s: %s, exit status %s" % task for task in states if task[1] != "COMPLETED"]
    if failed:
        raise JobFailed("; ".join(failed))


def interrupted(number, _frame):
    raise CannotRun("interrupted by signal %d" % number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpus", type=int, default=2, help="processors that the node claims to have")
    parser.add_argument("--requeue", nargs=2, metavar=("TASK", "FILE"), help="requeue the task once FILE has a line")
    parser.add_argument("--timeout", type=float, default=300, help="seconds that the job may take")
    parser.add_argument("sbatch", nargs="+", metavar="ARGUMENT", help="argument of sbatch")
    options = parser.parse_args()
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        raise CannotRun("missing: %s" % ", ".join(missing))
    # What the daemons start on their own must not escape.
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    for attempt in range(3):
        # Sockets have short names, which rules out most other places.
        with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as folder:
            slurm = Slurm(Path(folder), options.cpus)
            for number in SIGNALS:
                signal.signal(number, interrupted)
            try:
                begun = time.monotonic()
                slurm.start()
                print("Slurm is ready after %.1f s" % (time.monotonic() - begun), flush=True)
                begun = time.monotonic()
                run_job(slurm, options.sbatch, options.requeue, options.timeout)
                print("the job took %.1f s" % (time.monotonic() - begun), flush=True)
                return
            except CannotRun as problem:
                slurm.show_logs()
                if not isinstance(problem, PortTaken) or attempt == 2:
                    raise
            finally:
                begun = time.monotonic()
                slurm.stop()
                print("Slurm is gone after %.1f s" % (time.monotonic() - begun), flush=True)


try:
    main()
except JobFailed as problem:
    print("slurm.py: %s" % problem, file=sys.stderr)
    sys.exit(1)
except CannotRun as problem:
    print("slurm.py: %s" % problem, file=sys.stderr)
    sys.exit(2)
