"""Numbered migrations, one module each, never edited after a release."""
