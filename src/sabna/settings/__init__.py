"""Every option once: the table, the checks, and settings files."""

from sabna.settings.choose import checked, chosen, limits_of, only, overridden, score_options, takes, with_threads
from sabna.settings.files import read_settings, table_of_result

__all__ = [
    "checked",
    "chosen",
    "limits_of",
    "only",
    "overridden",
    "read_settings",
    "score_options",
    "table_of_result",
    "takes",
    "with_threads",
]
