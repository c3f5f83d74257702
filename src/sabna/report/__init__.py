"""What people see of a result: the summary in a terminal, the picture in a notebook, the page for everyone else."""
