"""The default theme as data, so that a start reads no YAML (25 ms) and works where the theme files are lost.

A test holds it to themes/tui-memory-dark.yaml, which is the one to copy and change.
"""

from __future__ import annotations

NAME = "tui-memory-dark"
COLOURS = {
    "primary": "#e0a458",
    "accent": "#e0a458",
    "secondary": "#8fb4d8",
    "foreground": "#d7dae0",
    "background": "#15181e",
    "surface": "#1b1f27",
    "panel": "#262b35",
    "success": "#7fbf8e",
    "warning": "#e5b567",
    "error": "#e8787a",
}
VARIABLES = {
    "tm-muted": "#979eab",
    "tm-line": "#3a414e",
    "tm-cursor": "#2a3546",
    "tm-cursor-dim": "#232833",
    "tm-mark": "#342d1f",
    "score-dense": "#4ea5e0",
    "score-passage": "#7cc7f0",
    "score-names": "#e6d84a",
    "score-coverage": "#e48456",
    "score-neighbours": "#2fb894",
    "score-lexical": "#e69f00",
    "score-age": "#d38ab8",
    "score-use": "#2fb894",
    "score-pin": "#e48456",
    "score-affinity": "#7cc7f0",
    "score-other": "#9aa0a8",
    "input-cursor-background": "#e0a458",
    "input-selection-background": "#e0a458 30%",
    "footer-background": "#1b1f27",
}
