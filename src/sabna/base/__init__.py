"""What every station stands on; imports nothing of sabna above it."""
