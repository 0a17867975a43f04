"""The store: one SQLite file that is the only truth. `ingest` is standard library only (the hook's fallback)."""
