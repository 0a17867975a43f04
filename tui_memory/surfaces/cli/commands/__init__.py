"""One module a theme of commands; `main` lists them."""
