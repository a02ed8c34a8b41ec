#!/usr/bin/env python3
"""Explores one client of `aqueduct verify` on the workers of a Dask cluster, and adds up what they found.

    pip install dask distributed
    python3 scripts/verify-on-dask.py PROGRAM CLIENT FOLDER [--tasks 64] [--give-back 300] [--scheduler ADDRESS | --workers 4]

PROGRAM is the built `aqueduct` (with `--features checkers`), and FOLDER a new folder: workers on other machines need both
at the same paths. Without a scheduler's address, workers are started here. A task that a worker takes with it when it dies
is given to another one; a task that takes longer than `--give-back` seconds hands back what is left as new tasks. A folder
in which some tasks have their results already is gone on with.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from dask.distributed import Client, LocalCluster, as_completed


def run(program, *args):
    """Returns the answer of `aqueduct verify`: a line of JSON."""
    done = subprocess.run([program, "verify", *args, "--json"], capture_output=True, text=True)
    if not done.stdout.strip():
        raise RuntimeError(f"{' '.join(args)}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def explore(program, task, give_back):
    return run(program, "--task", task, "--give-back", str(give_back))


def tasks_of(folder):
    """Returns the task files that have no result."""
    return [str(task) for task in sorted(folder.glob("*.task")) if not task.with_suffix(".result").exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("client")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=int, default=64, help="the tasks of the plan")
    parser.add_argument("--give-back", type=int, default=300, help="seconds after which a task is divided")
    parser.add_argument("--scheduler", help="the address of a running Dask scheduler")
    parser.add_argument("--workers", type=int, default=2, help="workers to start here")
    args = parser.parse_args()
    program, folder = str(args.program.resolve()), args.folder.resolve()
    if not (folder / "plan").exists():
        plan = run(program, args.client, "--split", str(args.tasks), str(folder))
        if plan.get("failure"):
            sys.exit(plan["failure"])
    if args.scheduler:
        client = Client(args.scheduler)
    else:
        client = Client(LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=None))
    # A task that has killed this many workers is an error.
    submit = lambda task: client.submit(explore, program, task, args.give_back, pure=False, retries=5)
    running = as_completed([submit(task) for task in tasks_of(folder)])
    explored = executions = 0
    for future in running:
        done = future.result()
        explored, executions = explored + 1, executions + done["executions"]
        if done.get("failure"):
            print(f"{done['task']}: {done['failure']}", file=sys.stderr)
            break
        for task in done["tasks"]:
            running.add(submit(task))
        print(f"\r{explored} tasks, {executions} executions, {running.count()} tasks left ", end="", file=sys.stderr)
    print(file=sys.stderr)
    client.close()
    sys.exit(subprocess.run([program, "verify", "--merge", str(folder)]).returncode)


if __name__ == "__main__":
    main()
