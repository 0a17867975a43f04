"""Beyond one machine: what goes to a folder or a server elsewhere, only when a command asks for it."""
