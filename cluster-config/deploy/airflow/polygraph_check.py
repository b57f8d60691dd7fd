"""Checks one history an hour on Spark. The verdict is that of verdict.json, not the exit code of a cluster.

It has two tasks: check gets a verdict and is retried until there is one; verdict fails without a retry unless it is PASS. It is
skipped if a transaction of the hour reads what one of the next hour writes: then the verdict of the next hour is of both hours.

Needs apache-airflow-providers-apache-spark. Variables to edit are in capitals.
"""

import json
from datetime import datetime, timedelta

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from airflow.io.path import ObjectStoragePath
from airflow.operators.python import PythonOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

JARS = "/opt/polygraph"
# The hour that is checked, such as 2026-11-01T00. For one history a day: %Y-%m-%d, days=1 below, and schedule="@daily".
HOUR = "{{ data_interval_start.strftime('%Y-%m-%dT%H') }}"
HISTORY = f"s3://histories/{HOUR}"
# A folder for each hour, with the only run of that hour.
RUNS = f"s3://histories/runs/{HOUR}"
# The hour with which the chain begins.
FIRST = datetime(2026, 11, 1)
# The run of the hour before; in the first hour the folder of --out, where a chain may begin. Sessions, keys and values
# continue from there, and the verdict covers all hours.
BEFORE = (
    "s3://histories/runs/{{ (data_interval_start if data_interval_start == dag.start_date"
    " else data_interval_start - macros.timedelta(hours=1)).strftime('%Y-%m-%dT%H') }}"
)


# The verdicts that a retry does not change; UNKNOWN needs a larger budget first. After ERROR, or if the process was killed,
# the same command continues from its checkpoints.
FINAL = {"PASS", "VIOLATION", "INVALID", "UNKNOWN"}


def verdict_text(runs):
    """Returns verdict.json of the only finished run in a folder; None if there is none."""
    folder = ObjectStoragePath(runs)
    found = list(folder.iterdir()) if folder.exists() else []
    finished = [run for run in found if (run / "_SUCCESS").exists()]
    if len(finished) > 1:
        raise AirflowFailException(f"{runs} has {len(finished)} finished runs; expected one")
    return (finished[0] / "verdict.json").read_text() if finished else None


def is_open(verdict):
    """Whether the next hour decides what is left of an hour. The same check finds the same verdict again."""
    return verdict["verdict"] == "UNKNOWN" and (verdict.get("certificate") or {}).get("kind") == "order-of-others"


class CheckOperator(SparkSubmitOperator):
    """Succeeds if there is a final verdict, whatever it is. The exit code of spark-submit is not used, because on YARN it is 1
    for every exit code but 0. Only this task is retried."""

    template_fields = (*SparkSubmitOperator.template_fields, "runs")

    def __init__(self, *, runs, **submit):
        super().__init__(**submit)
        self.runs = runs

    def execute(self, context):
        before = verdict_text(self.runs)
        failure = None
        try:
            super().execute(context)
        except AirflowException as e:
            failure = e
        after = verdict_text(self.runs)
        # After a failure, the verdict counts only if this attempt wrote it: an UNKNOWN may be that of an earlier attempt.
        verdict = None if after is None else json.loads(after)
        is_new = verdict and (failure is None or after != before or is_open(verdict))
        if is_new and verdict["verdict"] in FINAL:
            return
        raise failure or AirflowException(f"{self.runs} has no final verdict")


def judge(runs):
    """Returns the verdict as one line; fails without a retry unless it is PASS, or the next hour decides it."""
    text = verdict_text(runs)
    if text is None:
        raise AirflowFailException(f"{runs} has no finished run; expected one")
    verdict = json.loads(text)
    status = verdict["verdict"]
    names = ", ".join(sorted({each["name"] for each in verdict.get("anomalies", [])}))
    line = f"{status} {verdict['level']} {verdict['path']} {names}".strip()
    if is_open(verdict):
        raise AirflowSkipException(f"{line}: {verdict['reason']}")
    if status != "PASS":
        raise AirflowFailException(line)
    return line


with DAG(
    dag_id="polygraph_check",
    start_date=FIRST,
    schedule="@hourly",
    # A chain has every hour, one after the other: an hour that is left out would be found missing by the next one.
    catchup=True,
    max_active_runs=1,
    default_args={"retries": 0},
) as dag:
    check = CheckOperator(
        task_id="check",
        runs=RUNS,
        retries=2,
        retry_delay=timedelta(minutes=10),
        depends_on_past=True,
        application=f"{JARS}/polygraph-spark-jobs-0.1.0.jar",
        java_class="org.polygraph.jobs.cli.Main",
        jars=",".join(
            f"{JARS}/{name}"
            for name in (
                "polygraph-storage-0.1.0.jar",
                "polygraph-partitioner-0.1.0.jar",
                "polygraph-local-solver-0.1.0.jar",
                "polygraph-cluster-config-0.1.0.jar",
                "picocli-4.7.7.jar",
                "fastutil-core-8.5.16.jar",
                "jmustache-1.16.jar",
            )
        ),
        conf={
            "spark.polygraph.profile": "managed",
            "spark.submit.deployMode": "cluster",
            "spark.driver.memory": "16g",
            "spark.driver.extraJavaOptions": "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            # YARN would start an application again that ends with a code other than 0, such as UNKNOWN. It reads this at submission.
            "spark.yarn.maxAppAttempts": "1",
        },
        application_args=[
            "check",
            "--level=ser",
            # With --after the driver decides an hour, on the seam of the hour before.
            "--engine=auto",
            # A VIOLATION is not a failure of this task; the task verdict reports it.
            "--on-violation=succeed",
            "--progress=plain",
            f"--out={RUNS}",
            f"--after={BEFORE}",
            HISTORY,
        ],
    )
    verdict = PythonOperator(task_id="verdict", python_callable=judge, op_args=[RUNS])
    check >> verdict
