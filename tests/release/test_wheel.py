"""The wheel has the whole package and nothing else, says what it needs, and works where nothing else is installed."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

import pytest

import fogspiel

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.11", "3.12", "3.13")
IMPORT = re.compile(r"^ *(?:import|from) (\w+)[\w.]*(?: import| as|,|$)", re.MULTILINE)
OUTSIDE = {"pyspiel": "open_spiel", "distributed": "dask", "pydantic_core": "pydantic", "llvmlite": "numba"}
"""Modules whose package has another name."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder with sdist and wheel: the one that is to be released, if the environment names it, or a new one."""
    if "FOGSPIEL_DIST" in os.environ:
        return Path(os.environ["FOGSPIEL_DIST"]).resolve()
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture
def metadata(wheel):
    with ZipFile(wheel) as archive:
        return message_from_string(archive.read(f"{wheel.name.split('-py3')[0]}.dist-info/METADATA").decode())


def run(program, *words, environment):
    done = subprocess.run([*program, *words], capture_output=True, text=True, env=environment, cwd=environment["HOME"])
    assert done.returncode == 0, done.stderr
    return done.stdout


def try_out(program, environment):
    """Ask for the version, check a certificate, solve a game, and open the page, as a new user would."""
    assert run(program, "--version", environment=environment) == f"fogspiel {fogspiel.__version__}\n"
    assert "5/6" in run(program, "verify", "phantom-ttt", environment=environment)
    assert "-1/18" in run(program, "solve", "kuhn", "--exact", environment=environment)
    words = [*program, "web", "--no-open", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, cwd=environment["HOME"]) as page:
        try:
            address = re.search(r"http://\S+", page.stdout.readline()).group()
            for path, part in (("", b"fogspiel"), ("static/style.css", b"{")):
                with urllib.request.urlopen(address + path, timeout=60) as answer:
                    assert answer.status == 200 and part in answer.read()
        finally:
            page.terminate()


def new_home(folder, **more):
    """The environment of somebody who has never used fogspiel."""
    own = {"HOME": str(folder), "FOGSPIEL_STORE": str(folder / "runs.db"), "FOGSPIEL_CACHE": str(folder / "cache")}
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | own | more


@pytest.mark.thorough
def test_the_wheel_has_the_whole_package_and_nothing_else(wheel):
    package = {path.relative_to(ROOT) for path in (ROOT / "fogspiel").rglob("*") if path.is_file()}
    expected = {path.as_posix() for path in package if "__pycache__" not in path.parts}
    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == expected
    assert {"fogspiel/kriegspiel/fog.npz", "fogspiel/solving/known_values/leduc.json", "fogspiel/py.typed"} <= found


@pytest.mark.thorough
def test_the_sdist_has_what_the_repository_has(dist):
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "CITATION.cff", "fogspiel/__init__.py", "tests/conftest.py"} <= found
    assert not any(name.startswith((".venv", "dist")) or "__pycache__" in name for name in found)


@pytest.mark.thorough
def test_the_wheel_says_what_it_is(wheel, metadata):
    assert wheel.name == f"fogspiel-{fogspiel.__version__}-py3-none-any.whl"
    assert metadata["Version"] == fogspiel.__version__ and metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Author"] == "fogspiel contributors" and metadata["Keywords"]
    found = metadata.get_all("Classifier")
    assert {f"Programming Language :: Python :: {version}" for version in PYTHONS} <= set(found)


def test_the_changelog_begins_with_this_version():
    heading = re.search(r"^## \[(.+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heading.group(1) == fogspiel.__version__


def test_what_the_package_imports_is_declared():
    extras = (name for names in PROJECT["optional-dependencies"].values() for name in names)
    declared = {re.match(r"[\w-]+", words).group().lower() for words in (*PROJECT["dependencies"], *extras)}
    for path in (ROOT / "fogspiel").rglob("*.py"):
        for top in set(IMPORT.findall(path.read_text(encoding="utf-8"))) - set(sys.stdlib_module_names):
            assert top in ("fogspiel", "__main__") or OUTSIDE.get(top, top) in declared, f"{path.name}: {top}"


@pytest.mark.thorough
def test_the_wheel_works_outside_the_repository(wheel, tmp_path):
    """Unpacked, with what is installed here; in an environment of its own it is tried below."""
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    try_out([sys.executable, "-m", "fogspiel.cli"], new_home(tmp_path, PYTHONPATH=str(tmp_path / "unpacked")))


@pytest.mark.slow
@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_works_in_a_fresh_environment(version, wheel, tmp_path):
    """Hundreds of megabytes come from the package index; with pyenv, `pyenv shell 3.11 3.12 3.13` offers all three."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True).returncode:
        pytest.skip(f"there is no Python {version} here")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    own, environment = tmp_path / "venv" / "bin", new_home(tmp_path)
    run([own / "pip"], "install", "--quiet", wheel, environment=environment)
    run([own / "pip"], "check", environment=environment)
    assert not any((own / name).exists() for name in ("pytest", "ruff", "mypy"))
    try_out([own / "fogspiel"], environment)
