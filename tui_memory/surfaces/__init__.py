"""The ways in and out that are not the application: each a thin user of `engine.memory.Memory`."""
