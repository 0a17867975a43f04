"""A turn's observations become memories: by a language model where one answers, by rule where none does."""

from __future__ import annotations
