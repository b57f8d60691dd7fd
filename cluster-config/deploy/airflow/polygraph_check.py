"""A history a day, checked on Spark: the verdict is what verdict.json says, not the exit code of a cluster.

Needs apache-airflow-providers-apache-spark. Variables to edit are in capitals.
"""

import json
from datetime import datetime, timedelta

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.io.path import ObjectStoragePath
from airflow.operators.python import PythonOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

JARS = "/opt/polygraph"
HISTORY = "s3://histories/{{ ds }}"
# A folder for each day: it has the one run of that day.
RUNS = "s3://histories/runs/{{ ds }}"


def verdict_of(runs):
    """The verdict of the only finished run below a folder."""
    finished = [run for run in ObjectStoragePath(runs).iterdir() if (run / "_SUCCESS").exists()]
    if len(finished) != 1:
        # Killed half-way: the same again, which goes on from finished stages.
        raise AirflowException(f"{runs} has {len(finished)} finished runs; expected one")
    return json.loads((finished[0] / "verdict.json").read_text())


def judge(runs):
    """Fails for good where a retry cannot help, and for a retry where it can."""
    verdict = verdict_of(runs)
    status = verdict["verdict"]
    told = f"{status} {verdict['level']} {verdict['path']}"
    if status == "PASS":
        return told
    names = ", ".join(sorted({each["name"] for each in verdict.get("anomalies", [])}))
    if status == "ERROR":
        raise AirflowException(told)
    # VIOLATION and INVALID stay what they are; UNKNOWN needs a larger budget first.
    raise AirflowFailException(f"{told} {names}".strip())


with DAG(
    dag_id="polygraph_check",
    start_date=datetime(2026, 11, 1),
    schedule="@daily",
    catchup=False,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
) as dag:
    check = SparkSubmitOperator(
        task_id="check",
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
                "fastutil-8.5.16.jar",
                "jmustache-1.16.jar",
            )
        ),
        conf={"spark.polygraph.profile": "managed", "spark.submit.deployMode": "cluster", "spark.driver.memory": "16g"},
        application_args=[
            "check",
            "--level=ser",
            "--engine=spark",
            # A VIOLATION is no failure of the job: judge tells it.
            "--on-violation=succeed",
            "--progress=plain",
            f"--out={RUNS}",
            HISTORY,
        ],
    )
    verdict = PythonOperator(task_id="verdict", python_callable=judge, op_args=[RUNS])
    check >> verdict
