"""Reports: one description, many files, equal bytes for equal input, and nothing that a reader could trip over."""

import csv
import io
import json
import re
import sys
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest

from fogspiel.runs.report import Chart, Report, Series, Table, as_csv, files, write_report

NASTY = 'a | b <script>alert("x")</script> & *c* $d$ `e`'


def some_report():
    table = Table("scores", "Scores", ("player", "score", "games"), [(NASTY, 0.123456789, 12345), ("b", None, 7)], "n.")
    x = (1, 2, 4)
    line = Series("first", x, (0.1, 0.2, None), (0.0, 0.1, None), (0.2, 0.3, None))
    panels = [Chart(f"panel-{i}", f"Panel {i}", "x", "y", [line, Series(NASTY, x, x)], group="both") for i in (1, 2)]
    bars = Chart("bars", "Bars", "who", "y", [Series("s", ("a", "b"), (1, 2), (0.5, 1), (1.5, 3))], "bars", "A note.")
    dots = Chart("dots", "Dots", "who", "y", [Series("s", ("a", "b"), (1, 2)), Series("t", ("b", "c"), (1, 2))], "dots")
    parts = ["## A heading", table, *panels, "Text with `code` and a < b.", bars, dots]
    return Report("demo", "A demo", "fogspiel demo --x", ["First paragraph."], parts)


@pytest.fixture(scope="module")
def made():
    return files(some_report())


@pytest.fixture(scope="module")
def page(made):
    return Page(made["demo.html"].decode())


@pytest.mark.thorough
def test_a_report_is_written_as_markdown_html_json_csv_svg_and_png(made):
    pytest.importorskip("matplotlib")
    figures = {f"demo-{figure}.{ending}" for figure in ("both", "bars", "dots") for ending in ("svg", "png")}
    assert set(made) == {"demo.md", "demo.html", "demo.json", "demo-scores.csv"} | figures


@pytest.mark.thorough
def test_equal_reports_give_equal_bytes(made, tmp_path):
    folder = tmp_path / "new" / "folder"
    assert {path.name: path.read_bytes() for path in write_report(some_report(), folder)} == made
    assert {path.name for path in folder.iterdir()} == set(made)  # no drafts are left


def test_json_and_csv_keep_what_markdown_rounds(made):
    table = next(part["table"] for part in json.loads(made["demo.json"])["parts"] if "table" in part)
    assert table["rows"] == [[NASTY, 0.123456789, 12345], ["b", None, 7]]
    rows = list(csv.reader(made["demo-scores.csv"].decode().splitlines()))
    assert rows[1:] == [[NASTY, "0.123456789", "12345"], ["b", "", "7"]]
    assert "| 0.1235 | 12,345 |" in made["demo.md"].decode()


class Page(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.cells, self.addresses, self._open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._open.append(tag)
        self.addresses += [value for key, value in attributes if key in ("src", "href")]
        if tag == "script":
            self.scripts.append("")
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data
        elif "td" in self._open:
            self.cells[-1] += data


def test_the_page_needs_nothing_else_and_runs_only_our_script_and_plotlys(page):
    assert len(page.scripts) == 4 + 2  # the JSON of four charts, plotly, ours
    assert all(address.startswith("data:") for address in page.addresses)
    assert page.cells[0] == NASTY.replace("`", "")


def test_a_page_without_charts_does_not_carry_plotly():
    assert len(files(Report("bare", "Bare", "c", [], [Table("t", "T", ("a",), [(1,)])]))["bare.html"]) < 10_000


FORMULAS = ("=1+1", "+SUM(A1)", "-2+cmd|' /C calc'!A0", "@A1", "\t=1", "\n=1", "-1+e5", "-e5", "1e5+A1", "-")
FIGURES = ("-1/18", "-0.5", "-1e-05", "+12 [-3, +20]", "-1089,-579,806", "12%", "a=b", "student-00.jsonl", "")


def test_no_text_in_csv_is_a_formula_of_a_spreadsheet_and_numbers_stay():
    row = (*FORMULAS, *FIGURES, -3, -0.5, None)
    (names, cells) = csv.reader(io.StringIO(as_csv(Table("t", "T", list(map(str, row)), [row])), newline=""))
    guarded = [text if text == "1e5+A1" else f"'{text}" for text in FORMULAS]  # a cell that begins with a digit is text
    assert cells == [*guarded, *FIGURES, "-3", "-0.5", ""] and names[:-1] == cells[:-1]
    rows = as_csv(Table("t", "T", ("name", "b"), [("\r=1", "x\r=1"), (1, 2)])).encode()
    assert rows == b'name,b\n"\'\n=1","x\n=1"\n1,2\n'


def test_numbers_in_text_and_fractions_are_sorted_by_their_value():
    rows = [(cell,) for cell in ("1/3", "0.25 [0.2, 0.3]", "12,345 (7 %)", "", None)]
    page = files(Report("r", "R", "c", [], [Table("t", "T", ("a",), rows)]))["r.html"].decode()
    assert re.findall('data-key="(.*?)"', page) == ["0.3333333333333333", "0.25", "12345", "", ""]


@pytest.mark.thorough
def test_plotly_accepts_every_kind_of_chart(page):
    from plotly.graph_objects import Figure

    charts = [json.loads(script) for script in page.scripts[:4]]
    for chart in charts:
        Figure(chart)  # refuses properties that plotly does not know
    assert "<script>" not in charts[0]["data"][-1]["name"]


def test_markdown_shows_text_as_it_is(made):
    text = made["demo.md"].decode()
    assert r"a \| b &lt;script>" in text and r"\*c\*" in text and "`e`" in text
    assert "Text with `code` and a &lt; b." in text and "\n## A heading\n" in text


def test_without_matplotlib_the_markdown_says_so_and_the_rest_is_written(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    made = files(some_report())
    assert set(made) == {"demo.md", "demo.html", "demo.json", "demo-scores.csv"}
    assert "matplotlib (the extra `paper`) is not installed." in made["demo.md"].decode()
    assert "![" not in made["demo.md"].decode()


def test_numbers_of_other_libraries_become_plain_ones():
    table = Table("t", "T", ("a", "b", "c"), [(np.int64(3), np.float64(0.5), Fraction(1, 4))])
    assert [type(cell) for cell in table.rows[0]] == [int, float, float]


def test_a_folder_that_cannot_be_written_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"the report cannot be written to .*file"):
        write_report(Report("r", "R", "c", [], []), tmp_path / "file")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Table("t", "T", ("a", "b"), [(1,)]), "has 1 cells for 2 columns"),
        (lambda: Table("t", "T", ("a",), [(float("nan"),)]), "cannot show nan"),
        (lambda: Table("../t", "T", ("a",), []), "cannot be part of a file's name"),
        (lambda: Series("s", (1, 2), (1,)), "as many y"),
        (lambda: Chart("c", "C", "x", "y", [], "pie"), "it must be line, dots, bars"),
        (lambda: Report("r", "R", "c", [], [Table("t", "T", (), [])] * 2), "several parts called t"),
    ],
)
def test_a_wrong_part_is_refused_when_it_is_made(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()
