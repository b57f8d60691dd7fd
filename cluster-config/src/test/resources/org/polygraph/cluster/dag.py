"""Runs polygraph_check.py against stand-ins for what it imports of Airflow: with verdicts of its own, or, with the arguments
COMMAND ARCHIVE HOUR..., with that command on the files ARCHIVE/HOUR. The first attempt of an hour with an exclamation mark is killed."""

import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

tasks = {}


class Fail(Exception):
    pass


class Task:
    """Keeps its arguments as Airflow does, those of the DAG where it has none."""

    template_fields = ("application", "conf")

    def __init__(self, task_id, **given):
        self.upstream = []
        self.given = {**Dag.defaults, **given}
        tasks[task_id] = self

    def __rshift__(self, other):
        other.upstream.append(self)
        return other


class PythonTask(Task):
    def execute(self, context):
        return self.given["python_callable"](*self.given["op_args"])


class Submit(Task):
    """spark-submit: each attempt ends as the day says, and leaves the verdict that the day says, or none."""

    attempts = []

    def execute(self, context):
        if archive:
            submitted(self.given["application_args"])
            return
        verdict, failure = self.attempts.pop(0)
        if verdict:
            write(verdict)
        if failure:
            raise AirflowException(failure)


class Dag:
    defaults = {}

    def __init__(self, default_args, start_date, **given):
        Dag.defaults = default_args
        self.start_date = start_date

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        return False


class Paths:
    """Folders below a temporary one."""

    def __new__(cls, name):
        return pathlib.Path(rendered(name)) if archive else root / "runs"


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


# As in Airflow: all are AirflowExceptions, and only the first is retried.
AirflowException = type("AirflowException", (Fail,), {})
AirflowFailException = type("AirflowFailException", (AirflowException,), {})
AirflowSkipException = type("AirflowSkipException", (AirflowException,), {})
module("airflow", DAG=Dag)
module(
    "airflow.exceptions",
    AirflowException=AirflowException,
    AirflowFailException=AirflowFailException,
    AirflowSkipException=AirflowSkipException,
)
module("airflow.io")
module("airflow.io.path", ObjectStoragePath=Paths)
module("airflow.operators")
module("airflow.operators.python", PythonOperator=PythonTask)
for package in ("", ".apache", ".apache.spark", ".apache.spark.operators"):
    module("airflow.providers" + package)
module("airflow.providers.apache.spark.operators.spark_submit", SparkSubmitOperator=Submit)

sys.path.insert(0, ".")
import polygraph_check  # noqa: E402

archive = sys.argv[2] if len(sys.argv) > 2 else None
kills = 0


def rendered(text):
    """The template of an hour. Its expressions mean the same in Jinja and in Python."""
    context = {
        "data_interval_start": now,
        "dag": types.SimpleNamespace(start_date=polygraph_check.FIRST),
        "macros": types.SimpleNamespace(timedelta=datetime.timedelta),
    }
    text = re.sub(r"{{(.*?)}}", lambda found: str(eval(found[1].strip(), context)), text)
    return text.replace("s3://histories", archive)


def submitted(words):
    """spark-submit, which knows a failure but not the exit code."""
    global kills
    if kills > 0:
        kills -= 1
        raise AirflowException("killed")
    if subprocess.run([sys.argv[1], *map(rendered, words)], stdout=subprocess.DEVNULL).returncode != 0:
        raise AirflowException("exit code 1")


names = ["WriteSkew", "LostUpdate", "WriteSkew"]
number = 0


def write(status):
    """A finished run; no two attempts write the same times."""
    global number
    number += 1
    run = root / "runs" / "run=1"
    run.mkdir(parents=True, exist_ok=True)
    anomalies = [{"name": name} for name in names] if status == "VIOLATION" else []
    verdict = {"verdict": status, "level": "ser", "path": "h", "anomalies": anomalies, "ms": number}
    if status == "OPEN":
        verdict |= {"verdict": "UNKNOWN", "reason": "the writer may follow", "certificate": {"kind": "order-of-others"}}
    (run / "verdict.json").write_text(json.dumps(verdict))
    (run / "_SUCCESS").touch()


def day(name, *attempts, before=None):
    """Runs the tasks after a verdict that is there before, and with attempts that leave verdicts."""
    global root
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        if before:
            write(before)
        Submit.attempts = list(attempts)
        run(name)


def run(name):
    """Runs the tasks as Airflow does: in order, each again while it fails and may, none after one that has failed."""
    lines = []
    failed = set()
    for task_id, task in tasks.items():
        rule = task.given.get("trigger_rule", "all_success")
        if rule == "all_success" and any(up in failed for up in task.upstream):
            failed.add(task)
            lines.append(task_id + " upstream_failed")
            continue
        tries = 0
        while True:
            tries += 1
            try:
                result = task.execute({})
                lines.append(f"{task_id} {tries} success" + (f" ({result})" if result else ""))
                break
            except AirflowSkipException as e:
                lines.append(f"{task_id} {tries} skipped ({e})")
                break
            except AirflowException as e:
                if tries > task.given["retries"] or isinstance(e, AirflowFailException):
                    failed.add(task)
                    lines.append(f"{task_id} {tries} failed ({e})")
                    break
    print(name + ":", ", ".join(lines))


if archive:
    for hour in sys.argv[3:]:
        now = datetime.datetime.strptime(hour.strip("!"), "%Y-%m-%dT%H")
        kills = hour.count("!")
        run(hour)
    sys.exit()

for task_id, task in tasks.items():
    upstream = [up for up in tasks if tasks[up] in task.upstream]
    print("task", task_id, "retries", task.given["retries"], "after", upstream)
check = tasks["check"]
print("attempts of YARN", check.given["conf"]["spark.yarn.maxAppAttempts"])
print("templates", *check.template_fields)

code = "exit code 1"
day("pass", ("PASS", None))
day("violation", ("VIOLATION", None))
day("violation, on-violation=fail", ("VIOLATION", code))
day("unknown", ("UNKNOWN", code))
day("open", ("OPEN", code))
day("open, stored", (None, code), before="OPEN")
day("invalid", ("INVALID", code))
day("error, then pass", ("ERROR", code), ("PASS", None))
day("error for good", ("ERROR", code), ("ERROR", code), ("ERROR", code))
day("killed, then violation", (None, code), ("VIOLATION", None))
day("killed for good", (None, code), (None, code), (None, code))
day("lost, then stored", ("PASS", code))
day("unknown of an earlier budget, killed, then pass", (None, code), ("PASS", None), before="UNKNOWN")
day("stored violation", (None, None), before="VIOLATION")
day("nothing written", (None, None), (None, None), (None, None))
