"""From a question to the memories that answer it, and to what an agent is handed of them."""
