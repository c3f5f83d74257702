"""The rows of the table of options, a file for each station; `sabna.settings.table` is the front door."""
