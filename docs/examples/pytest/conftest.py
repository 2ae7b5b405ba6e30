"""The fixture `lectern`: a fresh emulator in memory for each test that asks for it.

Copy this file beside your tests. It needs Python 3.10, pytest, and the command `lectern`: in the PATH,
or installed by npm in the folder where pytest is started.
"""

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

import pytest

# What is inherited of the environment. No setting of lectern is: none may reach a real course.
INHERITED = {
    *("PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC"),
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "USER", "USERNAME", "LOGNAME"),
    *("TMPDIR", "TMP", "TEMP", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("TERM", "COLORTERM", "NO_COLOR", "VISUAL", "EDITOR", "PAGER", "LECTERN_PAGER"),
    *("NODE_OPTIONS", "NODE_V8_COVERAGE", "NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE"),
}

# The severities that fail a test.
FAILING = {"error": ["error"], "warning": ["error", "warning"]}


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    exit: int
    stdout: str
    stderr: str


class CommandError(RuntimeError):
    """A command that did not exit with 0; `result` is how it ended."""

    def __init__(self, args, result):
        command = " ".join(["lectern", *args])
        super().__init__(f"{command}: exit code {result.exit}\n{result.stdout}{result.stderr}")
        self.result = result


class Lectern:
    """An emulator, and the command line against it."""

    def __init__(self, folder, report, seed, vary):
        self.report = report
        self._launch_file = os.path.join(folder, "launch.json")
        self._env = {
            name: value for name, value in os.environ.items() if name.upper() in INHERITED
        }
        home = os.path.join(folder, "home")
        self._env.update(LECTERN_HOME=home, LECTERN_PROJECT="off", NO_COLOR="1")
        self._command = _find_command()
        start = ["emulator", "start", "--memory", "--json", "--host", "127.0.0.1", "--port", "0"]
        if seed is not None:
            start += ["--seed", seed]
        if vary is not None:
            start += [f"--vary={vary}"]
        log = os.path.join(folder, "emulator.log")
        with open(log, "w", encoding="utf-8") as stderr:
            self._process = subprocess.Popen(
                [self._command, *start],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        ready = self._process.stdout.readline()
        if not ready:
            self.stop()
            with open(log, encoding="utf-8") as stderr:
                raise RuntimeError("the emulator did not start: " + stderr.read())
        self.url = json.loads(ready)["base_url"]
        self._env["LECTERN_EMULATOR"] = self.url

    def launch(self, role=None, member=None, location=None):
        """Launches a tool, and returns the claims; what is left out is chosen."""
        wanted = {"--role": role, "--member": member, "--location": location}
        flags = [word for pair in wanted.items() if pair[1] is not None for word in pair]
        result = self.run("emulator", "launch", "--json", *flags)
        with open(self._launch_file, "w", encoding="utf-8") as file:
            file.write(result.stdout)
        self._env["LECTERN_LAUNCH"] = self._launch_file
        return json.loads(result.stdout)

    def launch_token(self, role=None, member=None, location=None, sign=None):
        """Launches an external tool, and returns the signed token that its callback is sent.

        `sign` is RS256 (the default), HS256 or plain, or one that is invalid: expired, wrong-key
        and altered by RS256, HS256-expired, HS256-wrong-key and HS256-altered by HS256.
        """
        wanted = {"--role": role, "--member": member, "--location": location, "--sign": sign}
        flags = [word for pair in wanted.items() if pair[1] is not None for word in pair]
        return self.run("emulator", "launch", "--token", *flags).stdout.strip()

    def run(self, *args, check=True):
        """Runs the command line with a temporary home and the latest launch.

        Raises `CommandError` unless the command exits with 0 or `check` is false.
        """
        done = subprocess.run(
            [self._command, *args],
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
        )
        result = Result(done.returncode, done.stdout, done.stderr)
        if check and result.exit != 0:
            raise CommandError(args, result)
        return result

    def fail_on_findings(self):
        """Fails the test if the emulator's report has a finding of the severity of `report`."""
        if self.report is None:
            return
        result = self.run("emulator", "report", "--json")
        lines = ["the report of the emulator has findings:"]
        for finding in json.loads(result.stdout)["findings"]:
            if finding["severity"] in FAILING[self.report]:
                lines.append("{severity}: {message} [{code}]".format(**finding))
                lines.append("    " + finding["hint"])
        if len(lines) > 1:
            pytest.fail("\n".join(lines), pytrace=False)

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


def _find_command():
    installed = os.path.join("node_modules", ".bin")
    command = shutil.which("lectern") or shutil.which("lectern", path=installed)
    if command is None:
        raise RuntimeError("there is no command lectern: see docs/install.md")
    return os.path.abspath(command)


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "lectern(report=None, seed=None, vary=None): report 'error' or 'warning' fails the test on such a "
        "finding of the emulator; seed is a file, or 'example'; vary is a number",
    )


@pytest.fixture
def lectern(request):
    """A fresh emulator in memory, which ends with the test."""
    marker = request.node.get_closest_marker("lectern")
    options = marker.kwargs if marker else {}
    unknown = set(options) - {"report", "seed", "vary"}
    if unknown or options.get("report") not in (None, *FAILING):
        raise ValueError("mark.lectern takes report='error' or 'warning', seed='FILE' and vary=N")
    # On Windows a file stays for a moment after its program has ended.
    with tempfile.TemporaryDirectory(prefix="lectern-", ignore_cleanup_errors=True) as folder:
        emulator = Lectern(folder, options.get("report"), options.get("seed"), options.get("vary"))
        try:
            yield emulator
        finally:
            emulator.stop()


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    """After the test itself, as a part of it: a finding makes it fail, not its teardown."""
    emulator = getattr(item, "funcargs", {}).get("lectern")
    if isinstance(emulator, Lectern):
        emulator.fail_on_findings()
