"""The terminal application: screens over one `engine.Memory`; nothing to its left imports it."""
