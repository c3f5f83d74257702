"""What a run keeps on disk, so that it can go on after it was killed: docs/runs.md."""
