"""The notebooks of examples/notebooks run without an error, and are committed with small outputs and no local paths.

pytest tests/python/test_notebooks.py        needs nbclient and ipykernel, and what the notebooks import
"""

import json
import os
import pathlib
import re
import shutil

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for needed in ["ipykernel", "matplotlib", "pandas", "scipy"]:
    pytest.importorskip(needed)

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NAMES = ["comparison_of_strategies", "recorded_job_on_a_cluster", "stencil_on_a_torus"]
LARGEST = 300_000
# The beginning of a path from the root of a file system, but not of an address, a fraction or a relative path.
ABSOLUTE = re.compile(r"(?<![\w.:/)~])(?:/(?:home|root|tmp|usr|var|opt|work|mnt|Users|private)\b|[A-Z]:\\\w)")


def test_all_notebooks_are_tested():
    assert sorted(path.stem for path in (EXAMPLES / "notebooks").glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    before = files(copy)
    # The kernel of this interpreter, whichever kernels the user has registered.
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(copy / "notebooks" / f"{name}.ipynb", as_version=4)
    for cell in code(notebook):
        cell["outputs"] = []
    # A cell that fails raises an error here.
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(copy / "notebooks")}}
    )
    client.execute()
    assert all(cell["execution_count"] for cell in code(notebook))
    assert not [output for output in outputs(notebook) if output.get("name") == "stderr"]
    assert files(copy) == before, "a notebook leaves files behind"


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_committed_with_outputs(name):
    path = EXAMPLES / "notebooks" / f"{name}.ipynb"
    assert path.stat().st_size < LARGEST
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell["execution_count"] for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    for cell in code(notebook):
        assert cell["outputs"], cell["source"]
    for output in outputs(notebook):
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output["text"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_names_no_absolute_path(name):
    notebook = nbformat.read(EXAMPLES / "notebooks" / f"{name}.ipynb", as_version=4)
    for output in outputs(notebook):
        # Pictures are base64, in which anything may look like a path.
        output.get("data", {}).pop("image/png", None)
    text = json.dumps(notebook, ensure_ascii=False)
    assert ABSOLUTE.findall(text) == []
    for local in [os.path.expanduser("~"), str(EXAMPLES.parent)]:
        assert len(local) < 3 or local not in text


@pytest.mark.parametrize(
    "text, is_absolute",
    [
        ("File /home/me/run.py", True),
        ('"/tmp/topoloom-x/mapping.json"', True),
        ("C:\\Users", True),
        ("../halo.rec", False),
        ("https://example.org/home/page", False),
        ("bytes/usr", False),
        ("a / b", False),
    ],
)
def test_absolute_paths_are_recognised(text, is_absolute):
    assert bool(ABSOLUTE.search(text)) is is_absolute


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook):
    return [output for cell in code(notebook) for output in cell["outputs"]]


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
