"""The checker of certificates: one file that shares no code with the rest of sabna."""
