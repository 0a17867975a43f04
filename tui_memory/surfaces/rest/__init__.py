"""REST over the engine: on the worker's Unix socket, and on a loopback port where a person asks for it."""
