"""Real language models, small ones, behind this project's own copy of Ollama's API."""
