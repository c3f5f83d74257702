"""`sabna bench ...`: the benchmarks. One function each; the work is in sabna/bench/."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sabna.cli import options as o

bench = typer.Typer(name="bench", help="Benchmarks; their data lies outside the package.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(bench, rich_help_panel=o.BENCH)


@bench.command("paper")
def paper(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the paper's data sets.")],
    data_sets: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="A data set, such as Autos. Repeatable.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="A method, such as BFS or 'A* + OPE'. Repeatable."),
    ] = None,
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="Cap of each run.")] = 600.0,
    memory_limit: Annotated[str, typer.Option("--memory-limit", metavar="SIZE", help="Cap of each run.")] = "16GB",
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write one row per run.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw them; .png or .svg.")] = None,
    quiet: o.Quiet = False,
) -> None:
    """Reproduce the paper's experiment: its four tables, its figures beside ours."""
    from sabna.bench.paper import run_paper, write_csv
    from sabna.bench.paper_tables import plot as draw
    from sabna.bench.paper_tables import tables
    from sabna.cli.console import Console

    scored, runs = run_paper(data, data_sets, methods, time_limit, memory_limit, Console(quiet).note)
    print(tables(scored, runs))
    if csv is not None:
        write_csv(csv, runs)
    if plot is not None:
        draw(plot, runs)


@bench.command("score")
def score(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder that holds paper/ and networks/.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Cases with this in their name. Repeatable.")
    ] = None,
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="Cap of each run.")] = 300.0,
    quiet: o.Quiet = False,
) -> None:
    """Time the building of parent graphs, with one thread and two, beside reference figures."""
    from sabna.bench.score import run_score
    from sabna.cli.console import Console

    run_score(data, only, time_limit, Console(quiet).note)


@bench.command("peers")
def peers(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the benchmark data.")],
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="The peers' results; without it ../peers/results.csv of DIR."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="TEXT", help="Instances whose name contains it. Repeatable.")
    ] = None,
    cache: Annotated[Path, typer.Option("--cache", metavar="DIR", help="Where parent graphs are kept.")] = Path(
        "build/bench-graphs"
    ),
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="Cap of each run.")] = 180.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the table.")] = None,
    quiet: o.Quiet = False,
) -> None:
    """Every instance of the peers' results, our cost, time and memory beside theirs."""
    from sabna.bench.peers import run_peers, table
    from sabna.cli.console import Console

    chosen = results or data.parent / "peers" / "results.csv"
    text = table(*run_peers(data, chosen, cache, only, time_limit, Console(quiet).note))
    print(text)
    if output is not None:
        output.write_text(text + "\n")


@bench.command("gaussian")
def gaussian(
    sizes: Annotated[list[int] | None, typer.Option("-n", metavar="N", help="Variables, 30 if not given.")] = None,
    cap: Annotated[
        float, typer.Option("--cap", metavar="SECONDS", help="causal-learn goes on until a run takes longer.")
    ] = 60.0,
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="Cap of our runs.")] = 600.0,
) -> None:
    """Continuous data under bic-g without an in-degree limit, beside causal-learn if it is installed."""
    from sabna.bench.gaussian import run_gaussian

    run_gaussian(sizes or [30], cap, time_limit, print)


@bench.command("recovery")
def recovery(
    networks: Annotated[int, typer.Option("--networks", metavar="N", help="Random networks of each case.")] = 10,
) -> None:
    """Data sampled from known networks: how often their edges are found (docs/recovery.md)."""
    from sabna.bench.recovery import run_recovery

    print("| case | way | joined | directed | false |\n|---|---|---|---|---|")
    run_recovery(networks, print)


@bench.command("mixed")
def mixed(
    size: Annotated[int, typer.Option("-n", metavar="N", help="Columns of the mixed table.")] = 25,
    incomplete: Annotated[int, typer.Option("--incomplete", metavar="N", help="Columns of the table with holes.")] = 20,
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="Cap of each run.")] = 600.0,
) -> None:
    """Mixed columns under bcg, categories with holes under pnal, two slices of series under bge: CPU seconds."""
    from sabna.bench.mixed import run_mixed

    run_mixed(size, incomplete, time_limit, print)
