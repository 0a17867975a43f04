"""The engine: `Memory`, the façade that every surface calls, over a few services."""
