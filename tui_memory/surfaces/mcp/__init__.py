"""The agents' own door: four tools over the Model Context Protocol, on stdin and stdout."""
