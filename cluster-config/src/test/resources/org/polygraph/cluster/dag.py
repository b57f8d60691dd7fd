"""Runs polygraph_check.py against stand-ins for what it imports of Airflow."""

import json
import pathlib
import sys
import tempfile
import types

tasks = []


class Fail(Exception):
    pass


class Task:
    def __init__(self, task_id, **given):
        tasks.append(task_id)

    def __rshift__(self, other):
        return other


class Dag:
    def __init__(self, **given):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        return False


class Paths:
    """Runs of one folder each, below a temporary one."""

    def __new__(cls, name):
        return root / name


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


AirflowException = type("AirflowException", (Fail,), {})
AirflowFailException = type("AirflowFailException", (Fail,), {})
module("airflow", DAG=Dag)
module("airflow.exceptions", AirflowException=AirflowException, AirflowFailException=AirflowFailException)
module("airflow.io")
module("airflow.io.path", ObjectStoragePath=Paths)
module("airflow.operators")
module("airflow.operators.python", PythonOperator=Task)
for package in ("", ".apache", ".apache.spark", ".apache.spark.operators"):
    module("airflow.providers" + package)
module("airflow.providers.apache.spark.operators.spark_submit", SparkSubmitOperator=Task)

sys.path.insert(0, ".")
import polygraph_check  # noqa: E402

print("tasks", *tasks)
for status in ("PASS", "VIOLATION", "INVALID", "UNKNOWN", "ERROR", "nothing"):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        run = root / "runs" / "run=1"
        run.mkdir(parents=True)
        names = ["WriteSkew", "LostUpdate", "WriteSkew"] if status == "VIOLATION" else []
        anomalies = [{"name": name} for name in names]
        verdict = {"verdict": status, "level": "ser", "path": "h", "anomalies": anomalies}
        (run / "verdict.json").write_text(json.dumps(verdict))
        if status != "nothing":
            (run / "_SUCCESS").touch()
        try:
            print(status, "returns", polygraph_check.judge("runs"))
        except Fail as e:
            print(status, type(e).__name__, e)
