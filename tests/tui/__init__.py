"""The application, driven by its keys."""
