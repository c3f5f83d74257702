"""Where work is done: in this process, by an executor, or on the machines of a Dask cluster. See docs/cluster.md."""
