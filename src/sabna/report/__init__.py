"""What people see of a result: the summary in a terminal, the picture in a notebook, the page for everyone else."""

from sabna.report.page import render_report

__all__ = ["render_report"]
