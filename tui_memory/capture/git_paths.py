"""What a path in a repository says: its language, and whether a person wrote what is in it. Standard library only."""

from __future__ import annotations

import re

_LIGHT = re.compile(
    r"(?:^|/)(?:vendor|vendored|third[_-]party|node_modules|bower_components|Pods|dist|build|out|target|__snapshots__|"
    r"__generated__|generated|\.yarn|site-packages|__pycache__)/"
    r"|(?:^|/)(?:[\w.-]*[.-]lock|[\w.-]*lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|gradle\.lockfile)$"
    r"|\.(?:min\.(?:js|css|mjs)|bundle\.js|map|snap|ambr|pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|svg|"
    r"ipynb|po|mo|pdf|png|jpe?g|gif|webp|ico|woff2?|ttf|zip|gz|jar|parquet|csv|tsv)$"
    r"|(?:^|/)[^/]*(?:_pb2(?:_grpc)?\.pyi?|_generated\.\w+|\.generated\.\w+|\.gen\.\w+)$",
    re.IGNORECASE,
)
_LANGUAGES = {
    "Python": "py pyi pyx", "JavaScript": "js mjs cjs jsx", "TypeScript": "ts tsx mts cts", "Go": "go", "Rust": "rs",
    "Java": "java", "Kotlin": "kt kts", "Scala": "scala", "C": "c h", "C++": "cc cpp cxx hh hpp", "C#": "cs",
    "Swift": "swift", "Ruby": "rb rake", "PHP": "php", "Shell": "sh bash zsh fish", "PowerShell": "ps1",
    "SQL": "sql", "HTML": "html htm", "CSS": "css scss sass less", "Vue": "vue", "Svelte": "svelte", "Dart": "dart",
    "Elixir": "ex exs", "Erlang": "erl", "Haskell": "hs", "OCaml": "ml mli", "Lua": "lua", "Perl": "pl pm", "R": "r",
    "Julia": "jl", "Zig": "zig", "Nix": "nix", "Terraform": "tf hcl", "Protocol Buffers": "proto", "YAML": "yaml yml",
    "JSON": "json", "TOML": "toml", "XML": "xml", "Markdown": "md mdx", "reStructuredText": "rst", "INI": "ini cfg",
    "Text": "txt",
}  # fmt: skip
_BY_EXTENSION = {extension: name for name, all_of in _LANGUAGES.items() for extension in all_of.split()}
_BY_NAME = {"dockerfile": "Dockerfile", "makefile": "Makefile", "rakefile": "Ruby", "gemfile": "Ruby"}


def is_light(path: str) -> bool:
    """Whether a program wrote the file or it came from elsewhere: lock files, builds, snapshots, vendored code."""
    return bool(_LIGHT.search(path))


def language(path: str) -> str:
    """The language of a file by its name; '' where it says none."""
    name = path.rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2] if "." in name else "", "")
