"""Mistakes that newcomers make at the shell: each is told in our words with what to do, none by a traceback."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sabna.cli.app import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files to go wrong with."""
    at = tmp_path_factory.mktemp("mistakes")
    assert run(["learn", "example:asia", "-q", "-o", str(at / "asia.json")]) == 0
    assert run(["convert", str(at / "asia.json"), str(at / "asia.bif")]) == 0
    texts = {"empty": "", "ragged": "a,b\n1,2\n1\n", "twice": "a,a\n1,2\n", "rows": "smoke,bronc\nyes,no\n"}
    texts |= {"other": "foo,bar\nyes,no\n", "comma": "a;b\n" + "".join(f"{k},5;x\n{k},25;y\n" for k in range(90))}
    for name, text in texts.items():
        (at / f"{name}.csv").write_text(text)
    (at / "noise.csv").write_bytes(bytes(range(256)))
    (at / "folder").mkdir()
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(40, 3)), columns=["g1", "g2", "g3"]).to_csv(at / "genes.csv", index=False)
    pd.DataFrame({"a": ["x", "y"]}).to_excel(at / "book.xlsx", sheet_name="Data", index=False)
    return at


# What is typed, the exit code, and words that tell what to do.
MISTAKES = [
    ("learn nofile.csv", 3, "check the name of the file"),
    ("learn", 2, "sabna learn --help"),
    ("lern rows.csv", 2, "Did you mean 'learn'"),
    ("learn folder", 3, "Is a directory"),
    ("learn empty.csv", 3, "header row"),
    ("learn ragged.csv", 3, "complete the row"),
    ("learn twice.csv", 3, "rename one"),
    ("learn noise.csv", 3, "CSV in UTF-8"),
    ("learn asia.json", 3, "sabna info"),
    ("learn asia.bif", 3, "sabna info"),
    ("learn example:asai", 2, "there are asia, greenhouse"),
    ("learn example:asia --target dispn", 2, "--target dispn: there is no such column; did you mean 'dysp'?"),
    ("learn example:asia --target XYZ", 2, "there are 'asia', 'tub'"),
    ("learn example:asia --score bicc", 2, "--score bicc: unknown score 'bicc'; did you mean 'bic'?"),
    ("learn example:asia --score bic-g", 3, "use a score of categories, such as --score bic"),
    ("learn genes.csv", 3, "try: sabna learn genes.csv --discretize g1=quantile:3"),
    ("learn genes.csv --score bdeu", 3, "score all columns as quantities (--score bic-g)"),
    ("learn example:asia --scor bic", 2, "--score"),
    ("learn example:asia -o out.docx", 2, "use one of .bif"),
    ("learn example:asia -o a.json -o b.html", 2, "`sabna convert` and `sabna report` write other files"),
    ("learn example:asia --score bic --score bdeu", 2, "--score takes one value, and more are given; give it once"),
    ("learn example:asia -o nofolder/out.json", 6, "create the folder first"),
    # Told before anything is read, let alone worked out.
    ("learn nofile.csv -o nofolder/out.json", 6, "nofolder/out.json: could not be written"),
    ("learn nofile.csv --certificate nofolder/proof", 6, "nofolder/proof: could not be written"),
    ("learn nofile.csv -o rows.csv/out.html", 6, "create the folder first"),
    ("search nofile.pg -o nofolder/out.json", 6, "nofolder/out.json: could not be written"),
    ("search nofile.pg --certificate nofolder/proof", 6, "nofolder/proof: could not be written"),
    ("score nofile.csv -o nofolder/graph.pg", 6, "nofolder/graph.pg: could not be written"),
    ("kbest nofile.csv -k 2 -o nofolder/out.json", 6, "nofolder/out.json: could not be written"),
    ("bootstrap nofile.csv -o nofolder/out.json", 6, "nofolder/out.json: could not be written"),
    ("posterior nofile.csv -o nofolder/out.json", 6, "nofolder/out.json: could not be written"),
    ("learn example:asia --max-parents three", 2, "--max-parents three: 'three': write a number, or NAME=NUMBER"),
    ("learn example:asia --time-limit 10m", 2, "'--time-limit': write a number"),
    ("learn example:asia --memory-limit lots", 2, "--memory-limit lots: write a number and a unit, such as 500MB"),
    ("learn example:asia --missing ignore", 2, "--missing ignore: choose one of error, drop"),
    ("learn example:asia --discretize tertiles", 2, "quantile:K"),
    ("learn example:asia --discretize smok=quantile:3", 2, "--discretize: there is no column 'smok'; did you mean"),
    ("learn book.xlsx --sheet Sheet1", 2, "it has 'Data'"),
    ("learn genes.csv --sheet 1", 2, "only workbooks (.xlsx, .xlsm) have sheets"),
    ("learn example:asia --columns smoke,bronc", 2, "write --columns smoke --columns bronc"),
    ("learn example:asia --drop smoking", 2, "in example:asia; did you mean 'smoke'?"),
    ("learn comma.csv --decimal .", 3, "written with a decimal comma: give the other --decimal"),
    ("learn example:asia --knowledge nofile.toml", 5, "check the name of the file"),
    ("learn example:asia --folds 3", 2, "--folds: it belongs to --target"),
    ("learn example:asia --jobs 0", 2, "--jobs 0: write a number of threads"),
    ("learn example:asia rows.csv", 2, "unexpected extra argument"),
    ("predict asia.json nofile.csv --target dysp", 3, "check the name of the file"),
    ("predict asia.json rows.csv", 2, "'--target'; `sabna predict --help`"),
    ("predict asia.json rows.csv --target lungs", 2, "did you mean 'lung'?"),
    ("predict asia.json other.csv --target dysp", 3, "check the names"),
    ("predict rows.csv asia.json --target dysp", 2, "write the network first, then the rows"),
    ("predict asia.json rows.csv --target dysp -o nofolder/x.csv", 6, "create the folder first"),
    ("report asia.bif", 3, "a result is what `sabna learn DATA -o result.json` writes"),
    ("report nofile.json", 3, "check the name of the file"),
    ("convert asia.json asia.xyz", 2, "use one of .bif"),
    ("search rows.csv", 2, "`sabna learn` takes tables"),
    ("kbest example:asia -k 0", 2, "-k 0: write a whole number"),
    ("bootstrap example:asia -B many", 2, "write a whole number"),
    ("info nothing", 2, "give a file"),
    ("resume folder", 2, "`--work` makes one"),
]


@pytest.mark.parametrize(("typed", "code", "words"), MISTAKES, ids=[typed for typed, _, _ in MISTAKES])
def test_a_mistake_is_told_with_its_remedy(
    typed: str, code: int, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(typed.split()) == code
    said = capsys.readouterr().err
    assert said.startswith("sabna: ")
    assert "Traceback" not in said
    assert words in said
